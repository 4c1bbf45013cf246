"""Neighborhoods: closed balls, nearest neighbors by k-d trees or products, means and covariances without balls."""
