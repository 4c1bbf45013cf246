"""Measures that are clouds with points of their own: their points side by side, and the metric that they share."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Floats, Ints
from ..spaces import Coordinates, Euclidean, Metric


def metric_of_points(metric: Any, points: Floats) -> Metric:
    """The metric of points that a name or a function gives."""
    if isinstance(metric, str):
        make: Any = Euclidean if metric == "euclidean" else partial(Coordinates, distance=metric)
        made = make(points)
    else:
        try:
            made = metric(points)
        except TypeError as error:
            made = error
    if not isinstance(made, Metric):
        raise TypeError(
            "metric as a function must make a metric of the points (n, m) of all clouds, such as "
            f"functools.partial(wt.spaces.Coordinates, distance='cityblock'), got {check.shown(made)}; for a function "
            "of two points compute the matrix of distances"
        )
    return made


def stack_clouds(clouds: Any, weights: Any, name: str, may_be_empty: bool) -> tuple[Floats, Floats, Ints]:
    """The points of all clouds, their masses, 1 unless they are given, and the sizes of the clouds."""
    arrays = [check.floats(cloud, f"{name} number {k}") for k, cloud in enumerate(clouds)]
    if not arrays:
        raise ValueError(f"{name} must hold at least one cloud of points, got none")
    masses = [np.ones(len(cloud)) for cloud in arrays if cloud.ndim]
    if weights is not None:
        masses = [check.floats(one, f"weights of {name} number {k}") for k, one in enumerate(weights)]
    if len(masses) != len(arrays):
        raise ValueError(f"weights must hold one array per cloud, got {len(masses)} for {len(arrays)} clouds")
    for k, (cloud, mass) in enumerate(zip(arrays, masses, strict=True)):
        if cloud.ndim != 2 or cloud.shape[1] != arrays[0].shape[-1]:
            raise ValueError(
                f"{name} must be clouds of shape (points, coordinates) with the same number of coordinates, number {k} "
                f"has shape {cloud.shape}, number 0 {arrays[0].shape}; measures on shared points need these as metric"
            )
        if mass.shape != (len(cloud),) or (mass < 0).any():
            raise ValueError(
                f"weights of {name} number {k} must be {len(cloud)} numbers ≥ 0, one per point, got {check.shown(mass)}"
            )
        if not mass.any() and not may_be_empty:
            raise ValueError(f"{name} number {k} has no mass; drop it, or give spare=, the cost of unmatched mass")
    sizes = np.array([len(cloud) for cloud in arrays])
    return np.concatenate(arrays), np.concatenate(masses), sizes


def merge_points(points: Floats, masses: Floats, sizes: Ints) -> tuple[Floats, csr_array]:
    """The distinct points, and one row of masses per cloud."""
    distinct, column = np.unique(points, axis=0, return_inverse=True)
    if len(distinct) == len(points):
        distinct, column = points, np.arange(len(points))
    shape = len(sizes), len(distinct)
    return distinct, csr_array((masses, column.ravel(), np.append(0, np.cumsum(sizes))), shape=shape)
