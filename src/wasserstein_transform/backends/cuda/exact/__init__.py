"""Exact transport in batches on a device: a network simplex of a warp or a block for every pair."""
