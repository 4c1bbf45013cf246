"""Measurements against peers, in one run. `python -m benchmarks` runs them all and prints a table."""
