"""The Prokhorov distance between two measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import current
from ..transport import wasserstein
from ..transport.arguments import MetricLike, as_metric


def prokhorov(a: ArrayLike, b: ArrayLike, metric: MetricLike) -> float:
    """Compute the exact Prokhorov distance between two weightings of the points of a metric space.

    By Strassen's theorem it is the smallest r for which a coupling moves at most the mass r farther than r. The
    smallest mass that must move farther than r is found by transport with costs 0 and 1. It changes only at distances
    and falls as r grows, so that bisection over the distances finds the result.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Masses ≥ 0; they are divided by their totals.
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.

    Returns
    -------
    float
        The distance, in the unit of the distances.

    Notes
    -----
    O(log n) transport problems with n × n costs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> line = [[0.0], [0.3], [4.0]]
    >>> wt.theory.prokhorov([1, 0, 0], [0, 1, 0], line)
    0.3
    >>> wt.theory.prokhorov([1, 0, 0], [0.75, 0, 0.25], line)  # a quarter of the mass is far away
    0.25
    """
    engine = current()
    ground = as_metric(metric, engine)
    masses = [_masses(values, ground.n, name) for values, name in ((a, "a"), (b, "b"))]
    rows, cols = (np.flatnonzero(values) for values in masses)
    one, other, distances = masses[0][rows], masses[1][cols], ground.block(rows, cols)
    radii = np.unique(np.append(0.0, distances))
    low, high = 0, len(radii) - 1  # beyond(radii[high]) ≤ radii[high] always
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _beyond(one, other, distances, radii[middle]) <= radii[middle] else (middle + 1, high)
        )
    before = _beyond(one, other, distances, radii[low - 1]) if low else np.inf
    return float(min(radii[low], before))


def _masses(values: ArrayLike, n: int, name: str) -> Floats:
    try:
        return check.weights(check.floats(values, name), n)
    except ValueError as error:
        raise ValueError(f"{name} must hold one mass per point of the metric: {error}") from None


def _beyond(one: Floats, other: Floats, distances: Floats, radius: float) -> float:
    """The smallest mass that a coupling must move farther than the radius."""
    return float(wasserstein(one, other, (distances > radius).astype(float)).value)
