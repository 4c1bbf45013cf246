"""Finite metric measure spaces: a metric, weights, and optional coordinates."""

from ..backends import Balls, MeansAndCovs, Moments, Neighborhoods, closed, rim
from .dense import Dense
from .euclidean import Euclidean
from .gaussian import GaussianMetric
from .graph import Graph
from .merging import Quotient, quotient
from .metric import Metric
from .on_disk import OnDisk
from .space import Space, check_space
from .sparse import Sparse

__all__ = [
    "Balls",
    "Dense",
    "Euclidean",
    "GaussianMetric",
    "Graph",
    "MeansAndCovs",
    "Metric",
    "Moments",
    "Neighborhoods",
    "OnDisk",
    "Quotient",
    "Space",
    "Sparse",
    "check_space",
    "closed",
    "quotient",
    "rim",
]
