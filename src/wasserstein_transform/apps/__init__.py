"""Whole recipes for a job: image segmentation, words as Gaussians, curvature and communities of graphs."""
