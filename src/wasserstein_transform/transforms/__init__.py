"""Transforms: one step, a process of steps, the loop that iterates them, and the named transforms of the paper."""

from ..transport.duration import CostWarning
from .estimates import ScaleWarning
from .follow import Followed as Followed, follow_distances as follow_distances, follow_points as follow_points
from .iteration import iterate
from .lazy import LazyMetric as LazyMetric, iterate_locally, transform_lazily
from .trajectory import Trajectory
from .transform import (
    MasslessWarning,
    Process,
    Transform,
    gaussian_transform,
    kernel_transform,
    local_truncation,
    mean_shift,
)

__all__ = (
    "CostWarning",
    "MasslessWarning",
    "Process",
    "ScaleWarning",
    "Trajectory",
    "Transform",
    "gaussian_transform",
    "iterate",
    "iterate_locally",
    "kernel_transform",
    "local_truncation",
    "mean_shift",
    "transform_lazily",
)
