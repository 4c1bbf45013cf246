"""Parameters from the data: noise scales, suggested radii, and clustering without parameters."""

from .clustering.cluster import cluster
from .clustering.clustering import Clustering
from .clustering.profile import Profile
from .clustering.scoring import Score, score
from .noise import noise_scale
from .suggestion import Suggestion, suggest

__all__ = (
    "Clustering",
    "Profile",
    "Score",
    "Suggestion",
    "cluster",
    "noise_scale",
    "score",
    "suggest",
)
