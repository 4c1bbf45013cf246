"""Transforms: one step, a process of steps, the loop that iterates them, and the named transforms of the paper."""

from ..transport.cost import CostWarning
from .follow import Followed, follow_distances, follow_points
from .lazy import LazyBalls, lazy_balls
from .local import iterate_locally
from .loop import iterate
from .named import gaussian_transform, kernel_transform, local_truncation, mean_shift
from .trajectory import Trajectory
from .transform import MasslessWarning, Process, Transform

__all__ = [
    "CostWarning",
    "Followed",
    "LazyBalls",
    "MasslessWarning",
    "Process",
    "Trajectory",
    "Transform",
    "follow_distances",
    "follow_points",
    "gaussian_transform",
    "iterate",
    "iterate_locally",
    "kernel_transform",
    "lazy_balls",
    "local_truncation",
    "mean_shift",
]
