"""Distances a compiled loop can ask for one by one.

A geometry is a named tuple of arrays; `squared(geometry, i, j, limit)` is the squared distance of points i and j,
or infinity once it is certain to exceed `limit`; `sided` is any number on the same side of the limit, for loops that
only ask who is in a ball. Every kernel is written once against the two, and numba specializes it for the geometry at
hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numba.core import types
from numba.extending import overload

from .bures import gap_general, gap_line, gap_plane
from .compile import OPTIONS, jit, jit_strict, jit_summing


class Table(NamedTuple):
    """A stored distance matrix."""

    matrix: np.ndarray


class SparseRows(NamedTuple):
    """Stored distances of near points, sorted within each row; all others count as infinite."""

    indptr: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


class Cloud(NamedTuple):
    """Points under the Euclidean distance."""

    points: np.ndarray


class GaussianLine(NamedTuple):
    """Gaussians on the real line: variances and their roots."""

    points: np.ndarray
    variances: np.ndarray
    roots: np.ndarray
    lam: float


class GaussianPlane(NamedTuple):
    """Gaussians in the plane, a column for each number: x, y, the covariance (a, b; b, c), √det, √trace and λ·trace."""

    x: np.ndarray
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    rootdets: np.ndarray
    sizes: np.ndarray
    lifts: np.ndarray
    lam: float


class GaussianSolid(NamedTuple):
    """Gaussians in three or more dimensions, and room to work in.

    Covariances, their symmetric square roots, thin factors (√eigenvalue · eigenvector in rows, falling) with their
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


class Bits(NamedTuple):
    """Who is in whose ball, and no distances: one bit for each candidate of a position, in the runs of its cell.

    The bits of position i begin at byte `starts[i]`.
    """

    cell: np.ndarray
    runs: np.ndarray
    starts: np.ndarray
    bits: np.ndarray


class Around(NamedTuple):
    """Distances from nodes that the measures of a row have to the points of one measure, found before they are read.

    That of node y to point x is `table[row[y] · width + column[x]]`.
    """

    row: np.ndarray
    column: np.ndarray
    width: np.ndarray
    table: np.ndarray


Geometry = Around | Bits | Table | SparseRows | Cloud | GaussianLine | GaussianPlane | GaussianSolid


def private(geometry: Geometry) -> Geometry:
    """The geometry for one thread: with working room of its own where it needs any."""
    if isinstance(geometry, GaussianSolid):
        return geometry._replace(scratch=np.empty_like(geometry.scratch))
    return geometry


def squared(geometry: Geometry, i: int, j: int, limit: float) -> float:
    """Squared distance of points i and j, infinity if certainly above `limit`. Compiled callers only."""
    raise NotImplementedError("squared() exists only inside compiled code")


def sided(geometry: Geometry, i: int, j: int, limit: float) -> float:
    """A number that is ≤ `limit` exactly if the squared distance is. Compiled callers only."""
    raise NotImplementedError("sided() exists only inside compiled code")


def distance(geometry: Geometry, i: int, j: int) -> float:
    """Distance of points i and j. Compiled callers only."""
    raise NotImplementedError("distance() exists only inside compiled code")


def scaled_square(geometry: Geometry, i: int, j: int, unit: float) -> float:
    """(unit · distance)², without a root where squares are at hand. Compiled callers only."""
    raise NotImplementedError("scaled_square() exists only inside compiled code")


def _table(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    d = geometry.matrix[i, j]
    return d * d


@jit
def _stored(geometry: Any, i: int, j: int) -> float:
    """The stored distance of i and j, infinity if there is none."""
    low, high = geometry.indptr[i], geometry.indptr[i + 1]
    while low < high:
        middle = (low + high) // 2
        if geometry.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    if low < geometry.indptr[i + 1] and geometry.indices[low] == j:
        return geometry.distances[low]
    return np.inf


def _sparse_rows(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    d = _stored(geometry, i, j)
    return d * d


@jit
def _looked_up(geometry: Any, i: int, j: int) -> float:
    return geometry.table[geometry.row[i] * geometry.width[0] + geometry.column[j]]


def _around(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    d = _looked_up(geometry, i, j)
    return d * d


@jit_strict
def square_of_two(a: float, b: float) -> float:
    """a² + b², the same bits in a loop and alone."""
    return a * a + b * b


@jit_strict
def square_of_three(a: float, b: float, c: float) -> float:
    """a² + b² + c², the same bits in a loop and alone."""
    return a * a + b * b + c * c


@jit_summing
def apart(x: Any, y: Any) -> float:
    """‖x − y‖², several coordinates at a time."""
    total = 0.0
    for a in range(x.shape[0]):
        total += (x[a] - y[a]) * (x[a] - y[a])
    return total


def _cloud(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    points = geometry.points
    m = points.shape[1]
    if m > 3:
        return apart(points[i], points[j])
    x = points[i, 0] - points[j, 0]
    if m == 1:
        return x * x
    y = points[i, 1] - points[j, 1]
    return square_of_two(x, y) if m == 2 else square_of_three(x, y, points[i, 2] - points[j, 2])


def _gaussian_line(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    step = geometry.points[i, 0] - geometry.points[j, 0]
    gap = gap_line(geometry.variances[i], geometry.roots[i], geometry.variances[j], geometry.roots[j])
    return step * step + geometry.lam * gap


def _gaussian_plane(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    x = geometry.x[i] - geometry.x[j]
    y = geometry.y[i] - geometry.y[j]
    apart = x * x + y * y
    if apart > limit:
        return np.inf
    size = geometry.sizes[i] - geometry.sizes[j]
    if apart + geometry.lam * size * size > limit * (1 + 1e-9):  # (√tr A − √tr B)² ≤ dcov², with room for rounding
        return np.inf
    p, q = (i, j) if i < j else (j, i)  # the same bits whoever asks
    gap = gap_plane(
        geometry.a[p], geometry.b[p], geometry.c[p], geometry.rootdets[p],
        geometry.a[q], geometry.b[q], geometry.c[q], geometry.rootdets[q],
    )  # fmt: skip
    return apart + geometry.lam * gap


@jit
def _solid_floor(geometry: Any, i: int, j: int, limit: float) -> float:
    """A lower bound of the squared distance: ‖x − y‖² + λ·Σ(√λ_k(A) − √λ_k(B))²."""
    points, spectra = geometry.points, geometry.spectra
    total = 0.0
    for a in range(points.shape[1]):
        step = points[i, a] - points[j, a]
        total += step * step
    if total > limit:
        return total
    gap = 0.0
    for a in range(points.shape[1]):
        step = spectra[i, a] - spectra[j, a]
        gap += step * step
    return total + geometry.lam * gap


def _gaussian_solid(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    if _solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):  # room for rounding
        return np.inf
    points = geometry.points
    apart = 0.0
    for a in range(points.shape[1]):
        step = points[i, a] - points[j, a]
        apart += step * step
    p, q = (i, j) if i < j else (j, i)
    gap = gap_general(
        geometry.covs[p], geometry.factors[p], geometry.ranks[p],
        geometry.covs[q], geometry.factors[q], geometry.ranks[q], geometry.scratch,
    )  # fmt: skip
    return apart + geometry.lam * gap


def _gaussian_solid_side(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    if _solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):
        return np.inf
    points, halves = geometry.points, geometry.halves
    m = points.shape[1]
    roof = 0.0
    for a in range(m):
        step = points[i, a] - points[j, a]
        roof += step * step
        for b in range(m):
            off = halves[i, a, b] - halves[j, a, b]
            roof += geometry.lam * off * off  # dcov² ≤ ‖A^½ − B^½‖²
    if roof < limit * (1 - 1e-9):
        return roof
    return squared(geometry, i, j, limit)


_FORMULAS = {
    Around: _around,
    Table: _table,
    SparseRows: _sparse_rows,
    Cloud: _cloud,
    GaussianLine: _gaussian_line,
    GaussianPlane: _gaussian_plane,
    GaussianSolid: _gaussian_solid,
}

_SIDES = {**_FORMULAS, GaussianSolid: _gaussian_solid_side}


@overload(squared, jit_options=cast(Any, OPTIONS))
def _squared(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    return _FORMULAS.get(kind(geometry))


@overload(sided, jit_options=cast(Any, OPTIONS))
def _sided(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    return _SIDES.get(kind(geometry))


def _entry(geometry: Any, i: Any, j: Any) -> Any:
    return geometry.matrix[i, j]


def _found(geometry: Any, i: Any, j: Any) -> Any:
    return _stored(geometry, i, j)


def _seen(geometry: Any, i: Any, j: Any) -> Any:
    return _looked_up(geometry, i, j)


def _root(geometry: Any, i: Any, j: Any) -> Any:
    return np.sqrt(squared(geometry, i, j, np.inf))


@overload(distance, jit_options=cast(Any, OPTIONS))
def _distance(geometry: Any, i: Any, j: Any) -> Any:
    return {Table: _entry, SparseRows: _found, Around: _seen}.get(kind(geometry), _root)


def _entry_squared(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    d = geometry.matrix[i, j] * unit
    return d * d


def _found_squared(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    d = _stored(geometry, i, j) * unit
    return d * d


def _seen_squared(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    d = _looked_up(geometry, i, j) * unit
    return d * d


def _square(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    return squared(geometry, i, j, np.inf) * unit * unit


@overload(scaled_square, jit_options=cast(Any, OPTIONS))
def _scaled_square(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    return {Table: _entry_squared, SparseRows: _found_squared, Around: _seen_squared}.get(kind(geometry), _square)


def kind(geometry: Any) -> Any:
    """The named tuple a numba type stands for."""
    return cast(Any, geometry).instance_class if isinstance(geometry, types.BaseNamedTuple) else None
