"""The suites of `scripts/fault_injection`, and what they share."""
