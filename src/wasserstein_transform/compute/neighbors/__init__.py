"""Neighborhoods: closed balls, nearest neighbors by k-d trees, means and covariances without storing balls."""
