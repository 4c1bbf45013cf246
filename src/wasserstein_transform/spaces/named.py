"""Distances known by name: SciPy's, evaluated and stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from .._types import Floats
from ..engine import current
from .dense import Dense
from .euclidean import Euclidean
from .metric import Metric

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

The scales of seuclidean and mahalanobis are those of the weighted points, divided by mass (SciPy divides by n − 1).
"""


def metric_by_name(points: Floats, name: str, weights: Floats) -> Metric:
    """The metric called `name` on the points."""
    known_name(name)
    if name == "euclidean":
        return Euclidean(points)
    n = len(points)
    current().reserve(16.0 * n**2, f"{n} × {n} {name} distances", "use fewer points")
    condensed = pdist(points, name, **_scales(points, name, weights))
    return Dense(_finite(squareform(condensed, checks=False), name), TRIANGLE[name])


def cross_by_name(new: Floats, points: Floats, name: str, weights: Floats) -> Floats:
    """Distances called `name` of new points to points. Scales that a metric learns, it learns from `points`."""
    known_name(name)
    if name == "euclidean":  # the same bits as between fitted points
        both = Euclidean(np.concatenate([new, points]))
        return both.block(np.arange(len(new)), np.arange(len(new), both.n))
    return _finite(cdist(new, points, name, **_scales(points, name, weights)), name)


def _scales(points: Floats, name: str, weights: Floats) -> dict[str, Any]:
    """Variances of the weighted points, divided by mass: weight k is the same as k copies."""
    if name not in ("seuclidean", "mahalanobis"):
        return {}
    cov = np.atleast_2d(np.cov(points.T, aweights=weights, ddof=0))
    if name == "seuclidean":
        if not (np.diag(cov) > 0).all():
            raise ValueError("the metric 'seuclidean' needs coordinates that vary; drop constant ones")
        return {"V": np.array(np.diag(cov), np.float64)}
    if np.linalg.matrix_rank(cov) < len(cov):
        raise ValueError("the metric 'mahalanobis' needs points that span all coordinates; choose another metric")
    return {"VI": np.linalg.inv(cov).T.copy()}


def known_name(name: object) -> None:
    """Refuse a name that is not in the table."""
    if not isinstance(name, str) or name not in TRIANGLE:
        raise ValueError(f"metric must be one of {', '.join(sorted(TRIANGLE))}, got {name!r}")


def _finite(distances: Floats, name: str) -> Floats:
    if not np.isfinite(distances).all():
        raise ValueError(
            f"the metric {name!r} gave distances that are not finite; it is undefined for some rows "
            "(all zeros or constant?), drop them or choose another metric"
        )
    return distances
