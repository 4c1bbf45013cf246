"""Noisy points onto curves and surfaces, and lines out of them."""
