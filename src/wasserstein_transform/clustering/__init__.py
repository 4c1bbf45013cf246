"""Clustering without parameters: candidates from many recipes, and a choice among them without labels."""

from .answer import Clustering
from .clusters import cluster
from .profile import Profile
from .scoring import Score, score

__all__ = ("Clustering", "Profile", "Score", "cluster", "score")
