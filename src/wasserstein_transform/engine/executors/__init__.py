"""Executors outside this process: a cluster of machines."""
