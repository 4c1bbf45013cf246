"""Which points belong to no curve: strays beside busy lines, and points scattered over the background."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import gammaln

from .._types import Bools, Floats
from ..engine import Engine
from ..localize.scale import weighted_median
from ..spaces import Space, quotient

_FEWER = 0.25  # relative to the median number of neighbors: points with fewer are few
_STRAY = 0.08  # relative to the busiest place nearby: points with fewer neighbors are noise of it
_BESIDE = 2.0  # times eps: how far such a place may be
_NEAREST = 12  # neighbors among which the next ones along a line are looked for
_APART = 0.5  # times eps: least distance of a neighbor that tells a direction
_LINED_UP = 0.15  # of the way from the mean |cos| of random directions to 1


def outliers_of(
    points: Floats, weights: Floats, evidence: Floats, eps: float, dim: int, tracked: bool, engine: Engine
) -> Bools:
    """Tell which points are outliers, from their number of neighbors.

    A curve may have few points, such as a street that was driven once. So points with few neighbors are outliers only
    if they neither belong to trips nor lie along curves of their own. Noise of a busy curve reaches far: points with
    very few neighbors beside it are outliers in any case.
    """
    few = np.asarray(evidence < _FEWER * weighted_median(evidence, weights))
    if dim != 1 or points.shape[1] < 2:
        return few
    stray = evidence + 1 < _STRAY * (_busiest_nearby(points, evidence, eps, engine) + 1)
    cosines = _turns(points[few], eps)
    return np.asarray(stray if tracked or _are_lined_up(cosines, points.shape[1]) else stray | few)


def _busiest_nearby(points: Floats, evidence: Floats, eps: float, engine: Engine) -> Floats:
    """Return the largest evidence within about two eps of each point."""
    of = quotient(Space.from_points(points), eps, engine).labels
    n = int(of.max()) + 1
    middles = np.column_stack([np.bincount(of, column) for column in points.T]) / np.bincount(of)[:, None]
    top = np.zeros(n)
    np.maximum.at(top, of, evidence)
    pairs = engine.alone(lambda stop: cKDTree(middles).query_pairs(_BESIDE * eps, output_type="ndarray"), "outliers")
    best = top.copy()
    for one, other in ((0, 1), (1, 0)):
        np.maximum.at(best, pairs[:, one], top[pairs[:, other]])
    return np.asarray(best[of])


def _turns(points: Floats, eps: float) -> Floats:
    """Return the cosine between the directions to the next two neighbors of each point; nan if it has none.

    It is −1 if the point lies between them on a line.
    """
    out = np.full(len(points), np.nan)
    if len(points) < 3:
        return out
    distances, near = cKDTree(points).query(points, k=min(_NEAREST, len(points)))
    apart = distances >= _APART * eps
    rank = np.cumsum(apart, axis=1)
    known = rank[:, -1] >= 2
    legs = [points[near[known, np.argmax(apart & (rank == k), axis=1)[known]]] - points[known] for k in (1, 2)]
    lengths = [np.linalg.norm(leg, axis=1) for leg in legs]
    out[known] = (legs[0] * legs[1]).sum(axis=1) / (lengths[0] * lengths[1])
    return out


def _are_lined_up(cosines: Floats, m: int) -> bool:
    """Tell whether points lie along curves: whether most of them are on a line with their next two neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> streets = np.column_stack([100 * rng.random(400), 10.0 * rng.integers(0, 10, 400)])
    >>> _are_lined_up(_turns(streets, 0.5), 2), _are_lined_up(_turns(100 * rng.random((400, 2)), 0.5), 2)
    (True, False)
    """
    aligned = np.abs(cosines[~np.isnan(cosines)])
    if not len(aligned):
        return False
    random = np.exp(gammaln(m / 2) - gammaln((m + 1) / 2)) / np.sqrt(np.pi)  # mean of random directions
    chance = np.sqrt((1 / m - random**2) / len(aligned))  # standard deviation of the mean
    return bool(aligned.mean() > random + _LINED_UP * (1 - random) + 2 * chance)
