"""Clustering without parameters: candidates from many recipes, and a choice among them without labels."""
