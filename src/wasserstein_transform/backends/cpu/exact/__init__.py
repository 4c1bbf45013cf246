"""Exact transport by the network simplex: batches of problems, and single ones with their plans."""
