"""Choosing ε from the data: the distinct places of a space, and the distances to their neighbors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine, current
from ..spaces import Euclidean, Space, as_space, quotient

_BLOCK_DISTANCES = 1e6  # distances in memory at a time
NEIGHBORS = 10  # the neighbor whose distance is the scale; with fewer than 100 places, √n
_MAX_ALL_PAIRS = 1500  # number of places up to which all distances are computed
_MAX_TREE_NEIGHBORS, _MAX_TREE_QUERIES = 100, 5000  # with a tree: most neighbors per query, and most queries
_SAMPLED_DISTANCES, _MIN_ROWS = 1e7, 50  # without a tree: about how many distances are computed, and the fewest rows


def distinct(space: Space, engine: Engine) -> Space:
    """Merge points at distance 0, drop those of weight 0, and sort by coordinates or else by the sum of distances."""
    heavy = np.flatnonzero(space.weights > 0)
    space = space if len(heavy) == space.n else space.take(heavy)
    if space.points is not None and space.metric.is_euclidean:
        points, weights, _ = merge_equal_points(space.points, space.weights)
        return Space(Euclidean(points), weights, points)
    places = quotient(space, engine=engine).space
    keys = far_sums(places, engine)[None] if places.points is None else places.points.T[::-1]
    return places.take(np.lexsort(keys))


def merge_equal_points(points: Floats, weights: Floats) -> tuple[Floats, Floats, Ints]:
    """Every place once, sorted by coordinates, with its total mass; and the place of each point."""
    order = np.argsort(points[:, 0])
    if (points[order[1:], 0] == points[order[:-1], 0]).any():
        order = np.lexsort((weights, *points.T[::-1]))  # last by weight: sums do not depend on the order of rows
    points, weights = points[order], weights[order]
    first = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    place = np.empty(len(points), np.intp)
    place[order] = np.cumsum(first) - 1
    return points[first], np.add.reduceat(weights, np.flatnonzero(first)), place


def rows_of(places: Space, centers: Ints, engine: Engine) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of distances from the listed places to all places, each with the slice of its rows."""
    step, everything = max(1, int(_BLOCK_DISTANCES / places.n)), np.arange(places.n)
    for start in range(0, len(centers), step):
        engine.check()
        part = slice(start, min(start + step, len(centers)))
        yield part, places.metric.block(centers[part], everything, engine.silent())


def weighted_median(values: Floats, weights: Floats) -> float:
    """The smallest value v such that at least half of the mass is on values ≤ v."""
    order = np.argsort(values)  # equal values in any order: their sum is the same to rounding
    cumulated = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(cumulated, 0.5 * cumulated[-1] * (1 - 1e-9))]])


def far_sums(places: Space, engine: Engine) -> Floats:
    """Sums of the distances to all others, rounded so that the order of summation makes no difference."""
    far = places.metric.dense(engine).sum(axis=1)
    return np.asarray(np.round(far / max(float(far.max()), np.finfo(float).tiny), 9))


class Scale(float):
    """A float: a radius ε, with the reason for its value in `reason`.

    `suggest_eps` returns it. It can be used wherever a number can.

    Attributes
    ----------
    eps : float
        The radius as a plain float, in the unit of the distances.
    reason : str
        How the radius was chosen, in words.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> scale = wt.localize.suggest_eps(np.arange(100.0)[:, None])
    >>> scale.eps, scale.reason
    (5.0, 'the median distance to the 10th nearest of 100 places')
    >>> 2 * scale
    10.0
    """

    reason: str

    def __new__(cls, eps: float, reason: str) -> Self:
        """Make a scale from a radius and the reason for it."""
        self = super().__new__(cls, eps)
        self.reason = reason
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # the arguments of __new__
        return float(self), self.reason

    @property
    def eps(self) -> float:
        """The radius as a plain float."""
        return float(self)

    def __repr__(self) -> str:
        return f"Scale(eps={float(self)!r}, reason={self.reason!r})"

    def __str__(self) -> str:
        return f"eps = {float(self):.4g}: {self.reason}"


def suggest_eps(X: ArrayLike | Space, *, sample_weight: ArrayLike | None = None, metric: str = "euclidean") -> Scale:
    """Suggest a starting value for ε: the median distance to the 10th nearest place.

    The value follows the spacing of the points. It gives small neighborhoods that stay on one arm of a spiral or on
    one side of a gap. With fewer than 100 places, the √n-th nearest place is used instead of the 10th. Several points
    in one place count as one, so that a point of weight k acts like k copies, and a point of weight 0 is ignored.
    `wt.suggest` returns more than ε and recognizes curves and surfaces.

    Parameters
    ----------
    X : array of shape (n, m), distances of shape (n, n) if metric="precomputed", or Space
        The points.
    sample_weight : array of shape (n,), optional
        Masses of the points. None: uniform.
    metric : str, default "euclidean"
        A SciPy metric name, or "precomputed".

    Returns
    -------
    Scale
        The radius, a float in the unit of the distances, with a `reason`.

    Notes
    -----
    Up to 1,500 places, all distances are computed. Above that, 5,000 places at most are looked up in a tree (Euclidean
    metric), or about 10⁷ distances are computed (other metrics; at least 50 rows of distances).

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> print(wt.localize.suggest_eps(np.arange(100.0)[:, None]))
    eps = 5: the median distance to the 10th nearest of 100 places
    """
    engine = current()
    with engine.progress_scope() as engine:
        return scale_of(distinct(as_space(X, sample_weight, metric), engine), engine)


def scale_of(places: Space, engine: Engine) -> Scale:
    """Suggest ε for places that `distinct` returned."""
    n = places.n
    if n == 1:
        return Scale(1.0, "all the mass is in one place, so every radius gives the same result")
    k = n_neighbors(n)
    eps = median_radius(places, k, engine)
    if n <= 3:
        return Scale(eps, f"{n} places are too few to estimate a scale: this is the distance between two of them")
    return Scale(eps, f"the median distance to the {ordinal(k)} nearest of {n:,} places")


def n_neighbors(n: int) -> int:
    """Which nearest neighbor gives the scale of n places."""
    return max(1, min(NEIGHBORS, int(np.sqrt(n))))


def median_radius(places: Space, k: int, engine: Engine) -> float:
    """Median distance to the k-th nearest place, over all places or an evenly spaced sample."""
    if places.n > _MAX_ALL_PAIRS and places.metric.is_euclidean and k <= _MAX_TREE_NEIGHBORS:
        centers = sample_evenly(places.n, _MAX_TREE_QUERIES)
        nearest = places.metric.neighbors(k + 1, places.metric.take(centers), engine.silent())
        radii = nearest.distances[:, k]  # column 0 is the place itself
    else:
        least = places.n if places.n <= _MAX_ALL_PAIRS else _MIN_ROWS
        centers = sample_evenly(places.n, max(int(_SAMPLED_DISTANCES / places.n), least))
        blocks = rows_of(places, centers, engine)
        radii = np.concatenate([np.partition(rows, k, axis=1)[:, k] for _, rows in blocks])
    known = np.isfinite(radii)
    if not known.any():
        raise ValueError(
            "too few distances between the points are known to suggest eps; use a metric with all distances"
        )
    return weighted_median(radii[known], places.weights[centers][known])


def ordinal(k: int) -> str:
    """Write a number as 1st, 2nd, 3rd, 4th, …, 11th, …, 21st."""
    ending = "th" if k // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}"
