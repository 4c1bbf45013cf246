"""Finite metric measure spaces: a metric, weights, and optional coordinates."""

from ..compute import MeansAndCovs as MeansAndCovs, Moments as Moments
from ..compute.metrics.distances import closed as closed, rim as rim
from .dense import Dense
from .edges import (
    ASK as ASK,
    KNOWN as KNOWN,
    EdgeList as EdgeList,
    Weight as Weight,
    as_edges as as_edges,
    as_strength as as_strength,
    check_weight as check_weight,
    is_graph as is_graph,
)
from .graph import Graph
from .metric import Metric
from .nearest import nearest_among as nearest_among
from .point_metric import PointMetric
from .points import Euclidean, GaussianMetric
from .space import Quotient as Quotient, Space, as_space as as_space, check_space as check_space, quotient
from .span import Span as Span, outward as outward, span_of as span_of, within_span as within_span
from .sparse import Sparse

__all__ = (
    "Dense",
    "Euclidean",
    "GaussianMetric",
    "Graph",
    "Metric",
    "PointMetric",
    "Space",
    "Sparse",
    "quotient",
)
