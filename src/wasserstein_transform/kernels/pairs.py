"""The distance of two points for each metric: `squared` and other operations of `formulas.py`.

Squares may stop early with infinity, once the distance is certain to exceed the limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bures import gap_general, gap_line, gap_plane
from .compile import jit, jit_strict, jit_summing


@jit
def table(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance in a stored matrix."""
    d = geometry.matrix[i, j]
    return d * d


@jit
def stored(geometry: Any, i: int, j: int) -> float:
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


@jit
def sparse_rows(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance in sparse rows."""
    d = stored(geometry, i, j)
    return d * d


@jit
def looked_up(geometry: Any, i: int, j: int) -> float:
    """The distance of node i and point j, read from the table."""
    return geometry.table[geometry.row[i] * geometry.width[0] + geometry.column[j]]


@jit
def from_path_table(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of nodes around a measure."""
    d = looked_up(geometry, i, j)
    return d * d


@jit_strict
def square_of_two(a: float, b: float) -> float:
    """a² + b², with the same bits in a loop and in a single call."""
    return a * a + b * b


@jit_strict
def square_of_three(a: float, b: float, c: float) -> float:
    """a² + b² + c², with the same bits in a loop and in a single call."""
    return a * a + b * b + c * c


@jit_summing
def apart(x: Any, y: Any) -> float:
    """‖x − y‖², vectorized over coordinates."""
    total = 0.0
    for a in range(x.shape[0]):
        total += (x[a] - y[a]) * (x[a] - y[a])
    return total


@jit
def cloud(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of points."""
    points = geometry.points
    m = points.shape[1]
    if m > 3:
        return apart(points[i], points[j])
    x = points[i, 0] - points[j, 0]
    if m == 1:
        return x * x
    y = points[i, 1] - points[j, 1]
    return square_of_two(x, y) if m == 2 else square_of_three(x, y, points[i, 2] - points[j, 2])


@jit_strict
def gaussian_line(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians on the line, with the same bits in every loop."""
    step = geometry.points[i, 0] - geometry.points[j, 0]
    gap = gap_line(geometry.variances[i], geometry.roots[i], geometry.variances[j], geometry.roots[j])
    return step * step + geometry.lam * gap


@jit
def gaussian_plane(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians in the plane."""
    x = geometry.x[i] - geometry.x[j]
    y = geometry.y[i] - geometry.y[j]
    apart = x * x + y * y
    if apart > limit:
        return np.inf
    size = geometry.sizes[i] - geometry.sizes[j]
    if apart + geometry.lam * size * size > limit * (
        1 + 1e-9
    ):  # (√tr A − √tr B)² ≤ dcov², with a tolerance for rounding
        return np.inf
    p, q = (i, j) if i < j else (j, i)  # symmetric to the last bit
    gap = gap_plane(
        geometry.a[p], geometry.b[p], geometry.c[p], geometry.rootdets[p],
        geometry.a[q], geometry.b[q], geometry.c[q], geometry.rootdets[q],
    )  # fmt: skip
    return apart + geometry.lam * gap


@jit
def solid_floor(geometry: Any, i: int, j: int, limit: float) -> float:
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


@jit
def square_apart(points: Any, i: int, j: int) -> float:
    """‖x − y‖²."""
    apart = 0.0
    for a in range(points.shape[1]):
        step = points[i, a] - points[j, a]
        apart += step * step
    return apart


@jit
def gaussian_solid(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians in three or more dimensions."""
    if solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):  # tolerance for rounding
        return np.inf
    p, q = (i, j) if i < j else (j, i)
    gap = gap_general(
        geometry.covs[p], geometry.factors[p], geometry.ranks[p],
        geometry.covs[q], geometry.factors[q], geometry.ranks[q], geometry.scratch,
    )  # fmt: skip
    return square_apart(geometry.points, i, j) + geometry.lam * gap


@jit
def gaussian_solid_side(geometry: Any, i: int, j: int, limit: float) -> float:
    """A number on the correct side of the limit; usually a bound decides."""
    if solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):
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
    return gaussian_solid(geometry, i, j, limit)


@jit
def table_distance(geometry: Any, i: int, j: int) -> float:
    """The distance itself."""
    return geometry.matrix[i, j]


@jit
def table_scaled(geometry: Any, i: int, j: int, unit: float) -> float:
    """(unit · distance)²."""
    d = geometry.matrix[i, j] * unit
    return d * d


@jit
def sparse_scaled(geometry: Any, i: int, j: int, unit: float) -> float:
    """(unit · distance)²."""
    d = stored(geometry, i, j) * unit
    return d * d


@jit
def from_path_table_scaled(geometry: Any, i: int, j: int, unit: float) -> float:
    """(unit · distance)²."""
    d = looked_up(geometry, i, j) * unit
    return d * d


@jit
def unknown(geometry: Any, i: int, j: int, limit: float) -> float:
    """Infinity: bits have no distances, and profiles that need distances do not use bits."""
    return np.nan
