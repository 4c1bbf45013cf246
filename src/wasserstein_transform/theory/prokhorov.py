"""The Prokhorov distance of two measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import current
from ..transport import wasserstein
from ..transport.arguments import MetricLike, as_metric


def prokhorov(a: ArrayLike, b: ArrayLike, metric: MetricLike) -> float:
    """The Prokhorov distance of two weightings of the points of a metric, exactly.

    By Strassen's theorem it is the least r such that a coupling leaves at most r of the mass farther than r. How much a
    coupling can keep within r is a maximum flow through the pairs within r; it changes at distances only, and falls as
    r grows, so that a search by halves among the distances finds where the two meet.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Masses ≥ 0; they are divided by their totals.
    metric : array, graph, Metric or Space
        As in `wt.wasserstein_pairs`.

    Notes
    -----
    The flows are solved as transport with the costs 0 and 1: the dual of that is a minimum cut.

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
        raise ValueError(f"{name} must be masses of the metric's points: {error}") from None


def _beyond(one: Floats, other: Floats, distances: Floats, radius: float) -> float:
    """The least mass that a coupling leaves farther than the radius."""
    return float(wasserstein(one, other, (distances > radius).astype(float)).value)
