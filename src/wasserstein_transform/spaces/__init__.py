"""Finite metric measure spaces: a metric, weights, and optional coordinates."""

from ..compute.metrics.distances import closed as closed, rim as rim
from ..compute.records import MeansAndCovs as MeansAndCovs, Moments as Moments
from .dense import Dense
from .graph import Graph
from .metric import Metric
from .points import Euclidean, GaussianMetric
from .space import Quotient as Quotient, Space, as_space as as_space, check_space as check_space, quotient
from .sparse import Sparse

__all__ = (
    "Dense",
    "Euclidean",
    "GaussianMetric",
    "Graph",
    "Metric",
    "Space",
    "Sparse",
    "quotient",
)
