"""What `scripts/torture` is made of."""
