"""Shortest paths, searched only as far as needed, and partitions of large modularity."""
