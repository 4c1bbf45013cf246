"""Moments of every neighborhood (its axes, the step of its point), in blocks for large clouds; outliers among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import gammaln

from .._types import Bools, Floats, Ints
from ..compute import HasMoments
from ..compute.metrics.distances import rim
from ..engine import Engine, Flag, Tile, cut_evenly, one_blas_thread
from ..localize import Kernel
from ..localize.scale import weighted_median
from ..spaces import Euclidean, GaussianMetric, Space, quotient

MAX_BLOCK = 500_000  # points computed at a time
_ROUNDING = 1e-6  # relative: evidence on a grid is often a whole number
_ASIDE = 0.8  # times eps and √2: extra distance between tracks at right angles
PROFILE = "epanechnikov"
MOST_AXES = 32  # most axes of a neighborhood: in more dimensions they lie within the widest axes of the whole cloud


def cut_into_blocks(columns: Floats, size: int) -> list[Ints]:
    """Return the points of blocks of at most `size`: halves along the longest side, again and again.

    `columns` has a row for each coordinate; points are distinct. Halves are told by a coordinate, not by a rank: ties
    do not depend on the machine.
    """
    waiting, blocks = [np.arange(columns.shape[1])], list[Ints]()
    while waiting:
        points = waiting.pop()
        if len(points) <= size:
            blocks.append(points)
            continue
        sides = [np.ptp(column[points]) for column in columns]
        along = columns[int(np.argmax(sides))][points]
        middle = np.partition(along, len(points) // 2)[len(points) // 2]
        left = along < middle if middle > along.min() else along <= middle
        waiting += [points[~left], points[left]]
    return blocks


def with_margin(columns: Floats, inside: Ints, reach: float) -> tuple[Ints, Ints]:
    """Return all points in the box around a block, wider by `reach`, and where the block is among them."""
    near = np.ones(columns.shape[1], bool)
    for column in columns:
        within = column[inside]
        near &= (column >= within.min() - reach) & (column <= within.max() + reach)
    points = np.flatnonzero(near)
    return points, np.searchsorted(points, inside)


class Sight(NamedTuple):
    """Neighborhoods: radius eps, weight lam, and track directions as extra coordinates, if any."""

    eps: float
    lam: float = 0.0
    ways: Floats | None = None

    def space(self, points: Floats, weights: Floats, engine: Engine) -> Space:
        """Return the points with the metric of their neighborhoods."""
        if self.ways is not None:
            return Space(Euclidean(np.column_stack([points, _ASIDE * self.eps * self.ways])), weights, points)
        flat = Space(Euclidean(points), weights, points)
        if self.lam == 0:
            return flat
        covs = Kernel(self.eps, PROFILE).moments(flat, engine).covs(points).values
        return Space(GaussianMetric(points, covs, self.lam), weights, points)

    def of(self, rows: Ints) -> Sight:
        """Return the neighborhoods of some points."""
        return self if self.ways is None else self._replace(ways=self.ways[rows])


@dataclass(frozen=True, eq=False)
class Look:
    """Moments of all neighborhoods, and the next step.

    Attributes
    ----------
    steps : array of shape (n, m)
        Movement of each point: to the mean of its neighborhood, only across the leading axes, without the part that
        neighbors share.
    evidence : array of shape (n,)
        Mass of the other points in the neighborhood, in units of the mean mass of a place.
    variances, axes : arrays of shape (n, r) and (n, m, r)
        Principal variances, largest first, and axes as columns. r is min(m, 32).
    across : float
        Median spread across the leading axes.
    shared : float
        Ratio of the shared part of the steps to the steps, root mean square: it shrinks a shape and removes no noise.
    """

    steps: Floats
    evidence: Floats
    variances: Floats
    axes: Floats
    across: float
    shared: float


class Fields(NamedTuple):
    """Neighborhoods of some points: the steps and what neighbors share of them, mass, principal and total variances."""

    steps: Floats
    common: Floats
    mass: Floats
    variances: Floats
    axes: Floats
    total: Floats


def look(points: Floats, weights: Floats, sight: Sight, dim: int, engine: Engine) -> Look:
    """Compute the neighborhoods of all points, for a shape of dimension `dim`; of many points by blocks."""
    m = points.shape[1]
    if len(points) > MAX_BLOCK and m <= MOST_AXES:
        seen = _fields_by_blocks(points, weights, sight, dim, engine)
    else:
        seen = _fields(points, weights, sight, dim, engine)
    evidence = np.maximum(seen.mass - weights, 0.0) * float(np.count_nonzero(weights))
    company = (evidence >= 1 - _ROUNDING) * weights
    spread = np.sqrt(np.maximum(seen.total - row_sums(seen.variances[:, :dim]), 0.0) / max(m - dim, 1))
    sizes = [float((company * row_sums(field**2)).sum()) for field in (seen.steps, seen.common)]
    shared = float(np.sqrt(sizes[1] / sizes[0])) if sizes[0] > 0 else 0.0
    known = company > 0
    across = weighted_median(spread[known], company[known]) if known.any() else 0.0
    return Look(seen.steps - seen.common, evidence, seen.variances, seen.axes, across, shared)


def row_sums(values: Floats) -> Floats:
    """Return the sum of each row; of few columns faster than NumPy, with its bits."""
    if not 0 < values.shape[1] < 8:  # NumPy adds longer rows in another order
        return np.asarray(values.sum(axis=1))
    total = values[:, 0].copy()
    for column in values.T[1:]:
        total += column
    return total


def _fields(points: Floats, weights: Floats, sight: Sight, dim: int, engine: Engine) -> Fields:
    seen = Kernel(sight.eps, PROFILE).moments(sight.space(points, weights, engine), engine)
    mass, means, variances, axes, total = _moments(seen, points, weights, engine)
    leading = axes[:, :, :dim]
    steps = _off(means - points, leading, engine)
    return Fields(steps, _off(seen.means(steps).values, leading, engine), mass, variances, axes, total)


def _fields_by_blocks(points: Floats, weights: Floats, sight: Sight, dim: int, engine: Engine) -> Fields:
    """Compute block by block what `_fields` computes, to rounding.

    The margin has all that the inside depends on: means of the steps of neighbors, which depend on their neighbors, and
    with lam > 0 on the covariances of these.
    """
    n, m = points.shape
    found = Fields(*(np.empty((n, *shape)) for shape in ((m,), (m,), (), (m,), (m, m), ())))
    columns, reach = np.ascontiguousarray(points.T), (3 if sight.lam > 0 else 2) * rim(sight.eps)
    blocks = cut_into_blocks(columns, MAX_BLOCK)
    for k, inside in enumerate(blocks):
        engine.report("blocks", k, len(blocks))
        rows, at = with_margin(columns, inside, reach)
        part = _fields(points[rows], weights[rows], sight.of(rows), dim, engine.silent())
        for whole, values in zip(found, part, strict=True):
            whole[inside] = values[at]
    engine.report("blocks", len(blocks), len(blocks))
    return found


def _moments(
    seen: HasMoments, points: Floats, weights: Floats, engine: Engine
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return mass and mean of each neighborhood, its principal variances and axes, and its total variance.

    Covariances in many coordinates are slow and large: beyond 32 coordinates they are computed in the 32 widest axes of
    the whole cloud. Means and the total variance use all coordinates.
    """
    if points.shape[1] <= MOST_AXES:
        mass, means, covs = seen.means_and_covs(points)
        variances, axes = _spectra(covs, engine)
        return mass, means, variances, axes, row_sums(variances)
    center = weights @ points
    widest = _widest(points - center, weights)
    squares = ((points - center) ** 2).sum(axis=1)
    mass, both = seen.means(np.column_stack([points, squares]))
    means = np.ascontiguousarray(both[:, :-1])
    total = both[:, -1] - ((means - center) ** 2).sum(axis=1)
    variances, turned = _spectra(seen.covs((points - center) @ widest).values, engine)
    return mass, means, variances, widest @ turned, np.maximum(total, variances.sum(axis=1))


def _widest(off: Floats, weights: Floats) -> Floats:
    """Return the widest axes of a centered cloud as columns; signs are arbitrary."""
    with one_blas_thread():  # the result is the same to the bit for any number of threads
        return np.ascontiguousarray(np.linalg.eigh((off * weights[:, None]).T @ off)[1][:, : -MOST_AXES - 1 : -1])


def _off(field: Floats, axes: Floats, engine: Engine) -> Floats:
    """Return the part of each vector orthogonal to the axes of its point."""
    out = np.empty_like(field)

    def project(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        along = np.einsum("iak,ia->ik", axes[part], field[part])
        out[part] = field[part] - np.einsum("iak,ik->ia", axes[part], along)

    engine.for_tiles("axes", cut_evenly(len(field), 20.0 * axes[0].size), project)
    return out


def _spectra(covs: Floats, engine: Engine) -> tuple[Floats, Floats]:
    """Return principal variances, largest first, and axes."""
    n, m = covs.shape[:2]
    variances, axes = np.empty((n, m)), np.empty((n, m, m))

    def decompose(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        values, vectors = np.linalg.eigh(covs[part])
        variances[part] = np.maximum(values[:, ::-1], 0.0)  # ≥ 0 in theory; clip rounding errors
        axes[part] = vectors[:, :, ::-1]

    with one_blas_thread():  # many small matrices
        engine.for_tiles("axes", cut_evenly(n, 10.0 * m**3), decompose)
    return variances, axes


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
    pairs = engine.run_single(
        lambda stop: cKDTree(middles).query_pairs(_BESIDE * eps, output_type="ndarray"), "outliers"
    )
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
