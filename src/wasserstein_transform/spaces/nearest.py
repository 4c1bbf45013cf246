"""The nearest of some points to others."""

from __future__ import annotations

import numpy as np

from .._types import Ints
from ..compute import KNeighbors
from ..engine import Engine
from .metric import Metric

_MAX_BLOCK = 1 << 20  # distances in memory at a time


def nearest_among(metric: Metric, points: Ints, others: Ints, k: int, engine: Engine) -> KNeighbors:
    """Distances and indices of the k nearest of the others for each of the points, shape (len(points), k)."""
    if metric.coordinates is not None and len(points):
        distances, indices = metric.take(others).neighbors(k, metric.take(points), engine)
        return KNeighbors(distances, others[indices])
    result = KNeighbors(np.empty((len(points), k)), np.empty((len(points), k), np.intp))
    step = max(1, _MAX_BLOCK // len(others))
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        rows = metric.block(points[part], others, engine)
        if k == 1:
            nearest = rows.argmin(axis=1)[:, None]
        else:
            nearest = np.argpartition(rows, k - 1, axis=1)[:, :k] if k < len(others) else np.argsort(rows, axis=1)
        values = np.take_along_axis(rows, nearest, axis=1)
        order = np.argsort(values, axis=1)
        result.distances[part] = np.take_along_axis(values, order, axis=1)
        result.indices[part] = others[np.take_along_axis(nearest, order, axis=1)]
    return result
