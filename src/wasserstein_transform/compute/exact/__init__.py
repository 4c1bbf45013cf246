"""Exact optimal transport: the network simplex, W∞ by maximum flow, graphs, the line; batches of problems."""
