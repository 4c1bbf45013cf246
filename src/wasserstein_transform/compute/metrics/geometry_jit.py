"""Metrics as named tuples of arrays, and the operations that loops use on them.

`squared(geometry, i, j, limit)` is the squared distance of points i and j, or infinity once it is certain to exceed
`limit`. `squares`, `within` and `distances` are for a run of consecutive positions. Every kernel is written once
against these operations and compiled for each metric; without compilation Python selects the implementation from the
same records.

A new metric is a named tuple, a formula for its squares, and a line in `FORMULAS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numba.core import types

from ..gaussians import plane_jit as gaussian_plane, space_jit as gaussian_space
from ..jit import compiled_as, jit, plain
from . import pairs_jit as pairs


class Table(NamedTuple):
    """A stored distance matrix."""

    matrix: np.ndarray


class SparseRows(NamedTuple):
    """Stored distances of near points, sorted within each row; all others count as infinite."""

    indptr: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


class Cloud(NamedTuple):
    """Points with the Euclidean distance."""

    points: np.ndarray


class AxisDifferences(NamedTuple):
    """Points whose distance is made of the gaps between coordinates: `rule` says how. Axes may be periodic."""

    points: np.ndarray
    periods: np.ndarray  # (m,) infinite for an axis that is not periodic
    rule: int


class Rectangle(NamedTuple):
    """Costs from one set of points, the rows, to another one, the columns, which are numbered after the rows."""

    matrix: np.ndarray


class WithDummyPoint(NamedTuple):
    """Another geometry, and a point more that lies nowhere, the last one, at the distance `spare` from each point.

    Where the way over that point, of which the powers add up, is shorter, a distance need not be right, only longer:
    `MAX_DETOUR` times that way, so that costs remain small and that no two plans have equal costs.
    """

    base: Any
    spare: np.ndarray  # (n + 1,) the last one is 0
    p: float


MAX_DETOUR = 1.25  # of ways that are not worth while


class GaussianLine(NamedTuple):
    """Gaussians on the real line: variances and their roots."""

    points: np.ndarray
    variances: np.ndarray
    roots: np.ndarray
    lam: float


class GaussianPlane(NamedTuple):
    """Gaussians in the plane, as columns: x, y, the covariance (a, b; b, c), √det, √trace and λ·trace."""

    x: np.ndarray
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    rootdets: np.ndarray
    sizes: np.ndarray
    lifts: np.ndarray
    lam: float


class GaussianSpace(NamedTuple):
    """Gaussians in 3-D: columns in pieces of `PIECE` positions (see `gaussian_space.py`), and scratch."""

    columns: np.ndarray
    lam: float
    scratch: np.ndarray


class GaussianSolid(NamedTuple):
    """Gaussians in four or more dimensions, or of sizes outside the range of the formulas, and scratch.

    Covariances, their symmetric square roots, thin factors (rows √eigenvalue · eigenvector, decreasing) with their
    ranks, and the roots of the eigenvalues.
    """

    points: np.ndarray
    covs: np.ndarray
    halves: np.ndarray
    factors: np.ndarray
    ranks: np.ndarray
    spectra: np.ndarray
    lam: float
    scratch: np.ndarray


class Marks(NamedTuple):
    """Ball membership without distances: a mark for each candidate of a position, in the runs of its cell.

    The marks of position i begin at `starts[i]`.
    """

    cell: np.ndarray
    runs: np.ndarray
    starts: np.ndarray
    marks: np.ndarray


class Adjacency(NamedTuple):
    """A graph: node i has edges to `indices[indptr[i]:indptr[i+1]]`; the smallest length, and whether all are equal."""

    indptr: np.ndarray
    indices: np.ndarray
    lengths: np.ndarray
    least: float
    even: bool


class PathTable(NamedTuple):
    """Precomputed distances from the nodes of the target measures to the points of one measure.

    The distance of node y to point x is `table[row[y] · width + column[x]]`.
    """

    row: np.ndarray
    column: np.ndarray
    width: np.ndarray
    table: np.ndarray


Geometry = (
    PathTable | Marks | Table | SparseRows | Cloud | AxisDifferences | Rectangle | WithDummyPoint
    | GaussianLine | GaussianPlane | GaussianSpace | GaussianSolid
)  # fmt: skip


def for_thread(geometry: Geometry) -> Geometry:
    """The geometry for one thread, with its own scratch if it needs any."""
    if isinstance(geometry, GaussianSpace | GaussianSolid):
        return geometry._replace(scratch=np.empty_like(geometry.scratch))
    return geometry._replace(base=for_thread(geometry.base)) if isinstance(geometry, WithDummyPoint) else geometry


Answer = Callable[..., Any]


class Formulas(NamedTuple):
    """The implementations for one metric: compiled functions with the same arguments as the operations below."""

    squared: Answer
    distance: Answer
    scaled_square: Answer
    squares: Answer
    within: Answer
    distances: Answer


def squared(geometry: Geometry, i: int, j: int, limit: float) -> float:
    """Squared distance of points i and j, infinity if certainly above `limit`."""
    return FORMULAS[type(geometry)].squared(geometry, i, j, limit)


def distance(geometry: Geometry, i: int, j: int) -> float:
    """Distance of points i and j."""
    return FORMULAS[type(geometry)].distance(geometry, i, j)


def scaled_square(geometry: Geometry, i: int, j: int, unit: float) -> float:
    """(unit · distance)², without a square root if squares are available."""
    return FORMULAS[type(geometry)].scaled_square(geometry, i, j, unit)


def squares(geometry: Geometry, i: int, start: int, end: int, limit: float, out: np.ndarray) -> None:
    """out[k] = squared distance of i and start + k, or another number above `limit` if it is."""
    FORMULAS[type(geometry)].squares(geometry, i, start, end, limit, out)


def within(
    geometry: Geometry, i: int, start: int, end: int, limit: float, weights: np.ndarray, out: np.ndarray
) -> None:
    """out[k] = weights[start + k] if start + k is within `limit` (squared) of i, else 0."""
    FORMULAS[type(geometry)].within(geometry, i, start, end, limit, weights, out)


def distances(geometry: Geometry, i: int, start: int, end: int, out: np.ndarray) -> None:
    """out[k] = distance of i and start + k."""
    FORMULAS[type(geometry)].distances(geometry, i, start, end, out)


@jit
def _root(geometry: Any, i: int, j: int) -> float:
    return np.sqrt(squared(geometry, i, j, np.inf))


@jit
def _scaled(geometry: Any, i: int, j: int, unit: float) -> float:
    return squared(geometry, i, j, np.inf) * unit * unit


@jit
def _square_of_distance(geometry: Any, i: int, j: int, limit: float) -> float:
    d = distance(geometry, i, j)
    return d * d


@jit
def _scaled_distance(geometry: Any, i: int, j: int, unit: float) -> float:
    d = distance(geometry, i, j) * unit
    return d * d


@jit
def _dummy_way(geometry: Any, i: int, j: int) -> float:
    """The distance over the point that lies nowhere: the p-th root of the sum of both powers."""
    more, less = geometry.spare[i], geometry.spare[j]
    if less > more:
        more, less = less, more
    if less == 0.0 or geometry.p == np.inf:
        return more
    if geometry.p == 1.0:
        return more + less
    share = less / more
    if geometry.p == 2.0:
        return more * np.sqrt(1.0 + share * share)
    return more * (1.0 + share**geometry.p) ** (1.0 / geometry.p)


@jit
def _distance_with_dummy(geometry: Any, i: int, j: int) -> float:
    last = geometry.spare.shape[0] - 1
    if last in (i, j):
        return max(geometry.spare[i], geometry.spare[j])
    d = distance(geometry.base, i, j)
    return d if d <= max(geometry.spare[i], geometry.spare[j]) else min(d, MAX_DETOUR * _dummy_way(geometry, i, j))


@jit
def _squares_one_by_one(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else squared(geometry, i, start + k, limit)


@jit
def _within_one_by_one(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    for k in range(end - start):
        j = start + k
        out[k] = weights[j] if i == j or squared(geometry, i, j, limit) <= limit else 0.0


@jit
def _distances_one_by_one(geometry: Any, i: int, start: int, end: int, out: Any) -> None:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else distance(geometry, i, start + k)


@jit
def _distances_of_squares(geometry: Any, i: int, start: int, end: int, out: Any) -> None:
    squares(geometry, i, start, end, np.inf, out)
    for k in range(end - start):
        out[k] = np.sqrt(out[k])


def formulas(
    squared: Answer,
    *,
    distance: Answer = _root,
    scaled_square: Answer = _scaled,
    squares: Answer | None = None,
    within: Answer = _within_one_by_one,
) -> Formulas:
    """A record from the formula for squares, and optional faster implementations of the other operations."""
    return Formulas(
        squared,
        distance,
        scaled_square,
        squares or _squares_one_by_one,
        within,
        _distances_of_squares if squares else _distances_one_by_one,
    )


def _formulas_of_stored(distance: Answer) -> Formulas:
    """A record for a metric whose distances are stored."""
    return formulas(_square_of_distance, distance=distance, scaled_square=_scaled_distance)


FORMULAS: dict[type, Formulas] = {
    PathTable: _formulas_of_stored(pairs.path_distance),
    Table: _formulas_of_stored(pairs.table_distance),
    Rectangle: _formulas_of_stored(pairs.rectangle_distance),
    AxisDifferences: _formulas_of_stored(pairs.axis_distance),
    WithDummyPoint: _formulas_of_stored(_distance_with_dummy),
    SparseRows: _formulas_of_stored(pairs.sparse_distance),
    Cloud: formulas(pairs.cloud, squares=pairs.squares_cloud, within=pairs.within_cloud),
    GaussianLine: formulas(pairs.gaussian_line),
    GaussianPlane: formulas(
        gaussian_plane.gaussian_plane, squares=gaussian_plane.squares_plane, within=gaussian_plane.within_plane
    ),
    GaussianSpace: formulas(
        gaussian_space.gaussian_space,
        squares=gaussian_space.squares_space,
        within=gaussian_space.within_space,
    ),
    GaussianSolid: formulas(pairs.gaussian_solid, within=pairs.within_solid),
    Marks: formulas(pairs.unknown, within=pairs.within_marks),
}


def _register(question: Callable[..., Any]) -> None:
    """Let compiled code select the implementation of an operation by the type of the metric."""

    @compiled_as(question)
    def choose(geometry: Any, *arguments: Any) -> Any:
        kind = cast(Any, geometry).instance_class if isinstance(geometry, types.BaseNamedTuple) else None
        return plain(getattr(FORMULAS[kind], question.__name__)) if kind in FORMULAS else None


for _question in (squared, distance, scaled_square, squares, within, distances):
    _register(_question)
