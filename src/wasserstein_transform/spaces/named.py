"""SciPy's metrics by name, evaluated and stored as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from .. import _check as check
from .._types import Floats
from ..engine import GRAIN, Flag, Tile, current, cut_by_size, cut_evenly, to_host
from .dense import Dense
from .metric import Metric
from .points import Euclidean

TRIANGLE = {
    "euclidean": True,
    "cityblock": True,
    "chebyshev": True,
    "minkowski": True,
    "seuclidean": True,
    "mahalanobis": True,
    "canberra": True,
    "hamming": True,
    "jensenshannon": True,
    "sqeuclidean": False,
    "cosine": False,
    "correlation": False,
    "braycurtis": False,
    "dice": False,
    "jaccard": False,
    "rogerstanimoto": False,
    "russellrao": False,
    "sokalsneath": False,
    "yule": False,
}
"""SciPy's metric names, and whether the triangle inequality is known to hold for real vectors.

For seuclidean and mahalanobis, the variances are those of the weighted points, divided by the total mass (SciPy divides
by n − 1).
"""


_STEPS = 20.0  # estimated cost per coordinate, in steps of an inner loop: some formulas take logarithms
_MAX_ROWS = 512  # of a tile


def metric_by_name(points: Floats, name: str, weights: Floats) -> Metric:
    """Make the SciPy metric `name` on the points, other than the Euclidean one."""
    known_name(name)
    points = to_host(points)
    n, engine = len(points), current()
    rows = int(np.clip(GRAIN / (_STEPS * points.size), 1, _MAX_ROWS))
    engine.reserve(8.0 * n * (n + engine.n_threads * rows), f"{n} × {n} {name} distances", "use fewer points")
    scales, matrix = _scales(points, name, weights), np.empty((n, n))

    def fill(tile: Tile, stop: Flag) -> None:  # a single call of SciPy for the whole matrix could not be interrupted
        start, end = tile
        values = cdist(points[start:end], points[start:], name, **scales)
        square = np.triu(values[:, : end - start], 1)
        values[:, : end - start] = square + square.T
        matrix[start:end, start:] = values
        matrix[start:, start:end] = values.T

    engine.for_tiles("distances", cut_by_size(n, rows), fill)
    return Dense(_finite(matrix, name), TRIANGLE[name])


def cross_by_name(new: Floats, points: Floats, name: str, weights: Floats) -> Floats:
    """Distances `name` from new points to `points`; the variances that a metric may need are those of `points`."""
    known_name(name)
    engine = current()
    engine.reserve(8.0 * len(new) * len(points), f"{len(new)} × {len(points)} distances", "take fewer new points")
    if name == "euclidean":  # equal to the bit to the distances between fitted points
        both = Euclidean(np.concatenate([new, points]))
        return both.block(np.arange(len(new)), np.arange(len(new), both.n))
    out = np.empty((len(new), len(points)))
    scales = _scales(points, name, weights)

    def fill(tile: Tile, stop: Flag) -> None:
        out[slice(*tile)] = cdist(new[slice(*tile)], points, name, **scales)

    engine.for_tiles("distances", cut_evenly(len(new), _STEPS * points.size), fill)
    return _finite(out, name)


def _scales(points: Floats, name: str, weights: Floats) -> dict[str, Any]:
    """Variances of the weighted points, divided by the total mass, so that weight k acts like k copies."""
    if name not in ("seuclidean", "mahalanobis"):
        return {}
    cov = np.atleast_2d(np.cov(points.T, aweights=weights, ddof=0))
    if name == "seuclidean":
        if not (np.diag(cov) > 0).all():
            raise ValueError("the metric 'seuclidean' needs coordinates that vary; drop constant columns")
        return {"V": np.array(np.diag(cov), np.float64)}
    if np.linalg.matrix_rank(cov) < len(cov):
        raise ValueError("the metric 'mahalanobis' needs points that span all coordinates; choose another metric")
    return {"VI": np.linalg.inv(cov).T.copy()}


def known_name(name: object) -> None:
    """Check that a metric name is in the table."""
    check.choice(name, "metric", sorted(TRIANGLE))


def _finite(distances: Floats, name: str) -> Floats:
    if not np.isfinite(distances).all():
        raise ValueError(
            f"the metric {name!r} gave distances that are not finite: it is undefined for some rows, "
            "such as rows of zeros or constant rows; drop them or choose another metric"
        )
    return distances
