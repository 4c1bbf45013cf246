"""The distance of two points, and of a point to a run of consecutive positions, for each metric but two.

These functions implement the operations of `geometry.py`; Gaussians in the plane and in 3-D have files of their own.
Squares may stop early with infinity, once the distance is certain to exceed the limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..gaussians import bures_jit as bures
from ..jit import jit, jit_strict, jit_summing


@jit
def table_distance(geometry: Any, i: int, j: int) -> float:
    """The distance in a stored matrix."""
    return geometry.matrix[i, j]


@jit
def sparse_distance(geometry: Any, i: int, j: int) -> float:
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
def rectangle_distance(geometry: Any, i: int, j: int) -> float:
    """The cost between a column and a row, in either order; 0 between two rows or columns."""
    row, col, n_rows = min(i, j), max(i, j), geometry.matrix.shape[0]
    return geometry.matrix[row, col - n_rows] if row < n_rows <= col else 0.0


SUM, LARGEST, ROOT, SQUARES, SHARE = range(5)  # what a distance is made of: gaps, or the share of coordinates


@jit_summing
def _sum_of_differences(x: Any, y: Any, periods: Any, squares: bool) -> float:
    """The sum of the gaps between coordinates, or of their squares, vectorized; the shorter way around counts."""
    total = 0.0
    for a in range(x.shape[0]):
        gap = abs(x[a] - y[a])
        gap = gap if 2.0 * gap <= periods[a] else periods[a] - gap
        total += gap * gap if squares else gap
    return total


@jit
def axis_distance(geometry: Any, i: int, j: int) -> float:
    """The distance that the rule makes of the gaps between the coordinates of two points."""
    x, y, periods, rule = geometry.points[i], geometry.points[j], geometry.periods, geometry.rule
    if rule != LARGEST and rule != SHARE:  # noqa: PLR1714
        total = _sum_of_differences(x, y, periods, rule != SUM)
        return np.sqrt(total) if rule == ROOT else total
    largest, n_differing = 0.0, 0
    for a in range(x.shape[0]):
        gap = abs(x[a] - y[a])
        gap = gap if 2.0 * gap <= periods[a] else periods[a] - gap
        largest = max(largest, gap)
        n_differing += gap > 0.0
    return largest if rule == LARGEST else n_differing / x.shape[0]


@jit
def path_distance(geometry: Any, i: int, j: int) -> float:
    """The distance of node i and point j, read from the table."""
    return geometry.table[geometry.row[i] * geometry.width[0] + geometry.column[j]]


@jit_strict
def square_of_two(a: float, b: float) -> float:
    """a² + b², with the same bits in a loop and in a single call."""
    return a * a + b * b


@jit_strict
def square_of_three(a: float, b: float, c: float) -> float:
    """a² + b² + c², with the same bits in a loop and in a single call."""
    return a * a + b * b + c * c


@jit_summing
def squared_distance(x: Any, y: Any) -> float:
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
        return squared_distance(points[i], points[j])
    x = points[i, 0] - points[j, 0]
    if m == 1:
        return x * x
    y = points[i, 1] - points[j, 1]
    return square_of_two(x, y) if m == 2 else square_of_three(x, y, points[i, 2] - points[j, 2])


@jit
def squares_cloud(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Of points: a loop for each of the low dimensions, because a constant stride makes them much faster."""
    points = geometry.points
    m = points.shape[1]
    flat = points.reshape(points.size)[m * start : m * end]
    if m == 1:
        x = points[i, 0]
        for k in range(end - start):
            out[k] = (flat[k] - x) * (flat[k] - x)
    elif m == 2:
        x, y = points[i, 0], points[i, 1]
        for k in range(end - start):
            a, b = flat[2 * k] - x, flat[2 * k + 1] - y
            out[k] = square_of_two(a, b)
    elif m == 3:
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for k in range(end - start):
            a, b, c = flat[3 * k] - x, flat[3 * k + 1] - y, flat[3 * k + 2] - z
            out[k] = square_of_three(a, b, c)
    else:
        for k in range(end - start):
            out[k] = squared_distance(points[i], points[start + k])


@jit
def within_cloud(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """Of points."""
    squares_cloud(geometry, i, start, end, limit, out)
    near = weights[start:end]
    for k in range(near.shape[0]):
        w = near[k]
        out[k] = w if out[k] <= limit else 0.0


@jit_strict
def gaussian_line(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians on the line, with the same bits in every loop."""
    step = geometry.points[i, 0] - geometry.points[j, 0]
    gap = bures.gap_line(geometry.variances[i], geometry.roots[i], geometry.variances[j], geometry.roots[j])
    return step * step + geometry.lam * gap


@jit
def _solid_floor(geometry: Any, i: int, j: int, limit: float) -> float:
    """A lower bound of the squared distance: ‖x − y‖² + λ·Σ(√λ_k(A) − √λ_k(B))²."""
    total = _row_distance(geometry.points, i, j)
    return total if total > limit else total + geometry.lam * _row_distance(geometry.spectra, i, j)


@jit
def _row_distance(rows: Any, i: int, j: int) -> float:
    """‖x − y‖² of two rows."""
    total = 0.0
    for a in range(rows.shape[1]):
        step = rows[i, a] - rows[j, a]
        total += step * step
    return total


@jit
def gaussian_solid(geometry: Any, i: int, j: int, limit: float) -> float:
    """Squared distance of Gaussians in three or more dimensions."""
    if _solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):  # tolerance for rounding
        return np.inf
    p, q = (i, j) if i < j else (j, i)
    gap = bures.gap_general(
        geometry.covs[p], geometry.factors[p], geometry.ranks[p],
        geometry.covs[q], geometry.factors[q], geometry.ranks[q], geometry.scratch,
    )  # fmt: skip
    return _row_distance(geometry.points, i, j) + geometry.lam * gap


@jit
def within_solid(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """Of Gaussians in four or more dimensions; for most pairs, the distance of their means decides."""
    for k in range(end - start):
        j, most = start + k, limit * (1 + 1e-9)
        is_out = _row_distance(geometry.points, i, j) > most or not _is_within(geometry, i, j, limit)
        out[k] = 0.0 if is_out and i != j else weights[j]


@jit
def _is_within(geometry: Any, i: int, j: int, limit: float) -> bool:
    """Whether two Gaussians are within the limit; usually a bound decides: dcov² ≤ ‖A^½ − B^½‖²."""
    if _solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):
        return False
    points, halves = geometry.points, geometry.halves
    m = points.shape[1]
    roof = 0.0
    for a in range(m):
        step = points[i, a] - points[j, a]
        roof += step * step
        for b in range(m):
            off = halves[i, a, b] - halves[j, a, b]
            roof += geometry.lam * off * off
    return roof < limit * (1 - 1e-9) or gaussian_solid(geometry, i, j, limit) <= limit


@jit
def unknown(geometry: Any, i: int, j: int, limit: float) -> float:
    """NaN: marks have no distances, and profiles that need distances do not use marks."""
    return np.nan


@jit
def rank_of(pairs: Any, i: int, j: int) -> int:
    """Rank of j among the candidates of i."""
    runs = pairs.runs[pairs.cell[i]]
    count = 0
    for r in range(runs.shape[0]):
        if runs[r, 0] <= j < runs[r, 1]:
            return count + j - runs[r, 0]
        count += runs[r, 1] - runs[r, 0]
    return -1


@jit
def within_marks(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    """out[k] = weights[start + k] if start + k, of a run of i, is in the ball of i, else 0."""
    first = geometry.starts[i] + rank_of(geometry, i, start)
    for k in range(end - start):
        w = weights[start + k]
        out[k] = w if geometry.marks[first + k] != 0 else 0.0
