"""The transforms and clusterings as scikit-learn estimators."""

from .base import IteratedTransform as IteratedTransform
from .clusters import AutoCluster, SingleLinkage
from .distances import KernelTransform, LocalTruncation, WassersteinTransform
from .moving import GaussianTransform, MeanShift
from .neighbors import NeighborMeans

__all__ = (
    "AutoCluster",
    "GaussianTransform",
    "KernelTransform",
    "LocalTruncation",
    "MeanShift",
    "NeighborMeans",
    "SingleLinkage",
    "WassersteinTransform",
)
