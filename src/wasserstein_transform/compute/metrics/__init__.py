"""Distances: what compiled loops need of a metric; pairs, blocks and matrices of distances."""
