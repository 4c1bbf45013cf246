"""Parameters from the data: noise scales, suggested radii, sweeps, and clustering without parameters."""

from .clustering.cluster import cluster
from .clustering.clustering import Clustering
from .clustering.profile import Profile
from .clustering.scoring import Score, score
from .noise import noise_scale
from .suggestion import Suggestion, suggest
from .sweeping import Sweep, sweep

__all__ = (
    "Clustering",
    "Profile",
    "Score",
    "Suggestion",
    "Sweep",
    "cluster",
    "noise_scale",
    "score",
    "suggest",
    "sweep",
)
