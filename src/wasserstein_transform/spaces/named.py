"""Distances known by name: SciPy's, evaluated and stored."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from .._types import Floats
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
"""SciPy's metric names, and whether the triangle inequality is known to hold for real vectors."""


def metric_by_name(points: Floats, name: str) -> Metric:
    """The metric called `name` on the points."""
    known_name(name)
    if name == "euclidean":
        return Euclidean(points)
    try:
        condensed = pdist(points, name)
    except np.linalg.LinAlgError:
        raise ValueError(f"the metric {name!r} needs points that span all coordinates; choose another metric") from None
    return Dense(_finite(squareform(condensed, checks=False), name), TRIANGLE[name])


def cross_by_name(new: Floats, points: Floats, name: str) -> Floats:
    """Distances called `name` of new points to points. Scales that a metric learns, it learns from `points`."""
    known_name(name)
    if name == "euclidean":  # the same bits as between fitted points
        both = Euclidean(np.concatenate([new, points]))
        return both.block(np.arange(len(new)), np.arange(len(new), both.n))
    if name == "seuclidean":
        return np.asarray(cdist(new, points, name, V=np.var(points, axis=0, ddof=1)))
    if name == "mahalanobis":
        return np.asarray(cdist(new, points, name, VI=np.linalg.inv(np.cov(points.T)).T.copy()))
    return _finite(cdist(new, points, name), name)


def known_name(name: str) -> None:
    """Refuse a name that is not in the table."""
    if name not in TRIANGLE:
        raise ValueError(f"metric must be one of {', '.join(sorted(TRIANGLE))}, got {name!r}")


def _finite(distances: Floats, name: str) -> Floats:
    if not np.isfinite(distances).all():
        raise ValueError(
            f"the metric {name!r} gave distances that are not finite; it is undefined for some rows "
            "(all zeros or constant?), drop them or choose another metric"
        )
    return distances
