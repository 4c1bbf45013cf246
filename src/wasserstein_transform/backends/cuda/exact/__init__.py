"""Batches of exact transport problems on a device: a warp or a block runs the network simplex for each pair."""
