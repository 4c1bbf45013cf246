"""The transforms and clusterings as scikit-learn estimators."""

from .auto_cluster import AutoCluster
from .gaussian_transform import GaussianTransform
from .kernel_transform import KernelTransform
from .local_truncation import LocalTruncation
from .mean_shift import MeanShift
from .output import MetricLostWarning
from .single_linkage import SingleLinkage
from .wasserstein_transform import WassersteinTransform

__all__ = [
    "AutoCluster",
    "GaussianTransform",
    "KernelTransform",
    "LocalTruncation",
    "MeanShift",
    "MetricLostWarning",
    "SingleLinkage",
    "WassersteinTransform",
]
