"""What `scripts/bench` measures. Each command adds a line to a file of scripts/results."""
