"""Benchmarks, with peer libraries timed in the same run. `python -m benchmarks` runs them all and prints a table."""
