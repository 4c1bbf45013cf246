"""Moments over balls with sums of whole cells: only cells that the boundary may cross are processed point by point.

For points with the Euclidean distance and flat balls. A cell is inside or outside of the balls of all points of another
cell if their boxes prove it for all pairs, with a tolerance for rounding, so that ball membership is the same as in the
other loops. Sums of a cell are relative to its first point, and sums around a cell relative to the first point of that
cell: they neither cancel far from the origin nor depend on cells out of reach.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit, jit_summing
from ..metrics import geometry_jit as geometries, pairs_jit as pairwise
from .moments_jit import add_first, add_second, center, finish_mean

_SQUARE_TOLERANCE = 1e-13  # relative tolerance of squared distances, many times the rounding error
_MIN_PAIRS_PER_CELL = 1000  # smallest number of pairs of points per tested cell, at one cell per reach
_MIN_LIMIT = 1e-280  # smaller squares are too inaccurate for the tolerance


class CellSums(NamedTuple):
    """Sums and boxes of cells, and their first positions.

    low, high : boxes around their points, a row for each axis
    sums : mass; the first point; Σ mass · (y − first); upper triangle of Σ mass · (y − first)(y − first)ᵀ, if needed
    """

    starts: np.ndarray
    low: np.ndarray
    high: np.ndarray
    sums: np.ndarray


@jit
def sum_cells(
    coordinates: Any, points: Any, weights: Any, starts: Any, first: int, last: int, low: Any, high: Any, sums: Any
) -> None:
    """Boxes of the cells first…last by `coordinates`, and sums of `points`."""
    m = points.shape[0]
    for c in range(first, last):
        begin, end, out = starts[c], starts[c + 1], c - first
        for row in range(sums.shape[0]):
            sums[row, out] = 0.0
        for k in range(begin, end):
            sums[0, out] += weights[k]
        for a in range(m):
            lowest = highest = coordinates[a, begin]
            x, along = points[a, begin], 0.0
            for k in range(begin, end):
                lowest, highest = min(lowest, coordinates[a, k]), max(highest, coordinates[a, k])
                along += weights[k] * (points[a, k] - x)
            low[a, out], high[a, out] = lowest, highest
            sums[1 + a, out], sums[1 + m + a, out] = x, along
            if sums.shape[0] > 1 + 2 * m:
                for b in range(a, m):
                    for k in range(begin, end):
                        step = weights[k] * (points[a, k] - x)
                        sums[1 + 2 * m + a * m + b, out] += step * (points[b, k] - points[b, begin])


@jit
def _compare_boxes(whole: CellSums, c: int, first: int, last: int, gaps: Any, spans: Any) -> None:
    """Squares of the smallest and the largest distance of the boxes of cells first…last to that of cell c."""
    gaps[: last - first] = 0.0
    spans[: last - first] = 0.0
    for a in range(whole.low.shape[0]):
        low, high = whole.low[a, c], whole.high[a, c]
        lows, highs = whole.low[a, first:last], whole.high[a, first:last]
        for k in range(lows.shape[0]):
            up, down = highs[k] - low, high - lows[k]
            span = up if up > down else down
            gap = -up if up < down else -down
            gap = gap if gap > 0.0 else 0.0
            gaps[k] += gap * gap
            spans[k] += span * span


@jit_summing
def _add_cells(whole: CellSums, c: int, first: int, last: int, spans: Any, limit: float, core: Any) -> None:
    """Add the sums of the cells among first…last within the limit, relative to the first point of c."""
    m = whole.low.shape[0]
    W, total = whole.sums[0, first:last], 0.0
    for k in range(W.shape[0]):
        w = W[k]
        total += w if spans[k] < limit else 0.0
    core[0] += total
    for a in range(m):
        x, along = whole.sums[1 + a, c], 0.0
        X, S = whole.sums[1 + a, first:last], whole.sums[1 + m + a, first:last]
        for k in range(W.shape[0]):
            term = S[k] + W[k] * (X[k] - x)
            along += term if spans[k] < limit else 0.0
        core[1 + a] += along
        if core.shape[0] == 1 + m:
            continue
        for b in range(a, m):
            y, product = whole.sums[1 + b, c], 0.0
            Y, T = whole.sums[1 + b, first:last], whole.sums[1 + m + b, first:last]
            Q = whole.sums[1 + 2 * m + a * m + b, first:last]
            for k in range(W.shape[0]):
                dx, dy = X[k] - x, Y[k] - y
                term = Q[k] + S[k] * dy + dx * (T[k] + W[k] * dy)
                product += term if spans[k] < limit else 0.0
            core[1 + m + a * m + b] += product


@jit
def _is_worth_testing(cells: Any, whole: CellSums, c: int, per_reach: int) -> bool:
    """Whether the balls of cell c have so many candidates per cell that testing whole cells pays off.

    With finer cells, more of them are whole.
    """
    n_points, n_cells = 0, 0
    for r in range(cells.runs.shape[1]):
        low, high = cells.runs[c, r]
        if low < high:
            n_points += high - low
            n_cells += cells.cell[high - 1] + 1 - cells.cell[low]
    return n_points * (whole.starts[c + 1] - whole.starts[c]) * per_reach**2 >= _MIN_PAIRS_PER_CELL * n_cells


@jit
def _split_candidates(
    cells: Any, whole: CellSums, c: int, limit: float, per_reach: int, core: Any, parts: Any, gaps: Any, spans: Any
) -> int:
    """Put the sums of cells inside all balls of cell c into `core`, and the runs of other candidates into `parts`.

    Returns the number of runs.
    """
    core[:] = 0.0
    count = 0
    surely_inside, surely_outside = limit * (1.0 - _SQUARE_TOLERANCE), limit * (1.0 + _SQUARE_TOLERANCE)
    by_cells = limit > _MIN_LIMIT and _is_worth_testing(cells, whole, c, per_reach)
    for r in range(cells.runs.shape[1]):
        low, high = cells.runs[c, r]
        if low == high:
            continue
        if not by_cells:
            parts[count, 0], parts[count, 1] = low, high
            count += 1
            continue
        first, last = cells.cell[low], cells.cell[high - 1] + 1
        _compare_boxes(whole, c, first, last, gaps, spans)
        in_run, any_inside = False, False
        for k in range(last - first):
            inside = spans[k] < surely_inside
            any_inside |= inside
            if inside or gaps[k] > surely_outside:
                in_run = False
                continue
            if not in_run:
                parts[count, 0] = whole.starts[first + k]
                count += 1
            parts[count - 1, 1] = whole.starts[first + k + 1]
            in_run = True
        if any_inside:
            _add_cells(whole, c, first, last, spans, surely_inside, core)
    return count


@jit
def _weigh_run(
    geometry: Any, coordinates: Any, i: int, low: int, high: int, limit: float, weights: Any, mass: Any
) -> None:
    """Like `within`, with the same bits, vectorized over points axis by axis: a step takes 45 % of the time."""
    candidates = weights[low:high]
    if coordinates.shape[0] == 2:
        x, y, X, Y = coordinates[0, i], coordinates[1, i], coordinates[0, low:high], coordinates[1, low:high]
        for k in range(candidates.shape[0]):
            w = candidates[k]
            mass[k] = w if pairwise.square_of_two(X[k] - x, Y[k] - y) <= limit else 0.0
    elif coordinates.shape[0] == 3:
        x, y, z = coordinates[0, i], coordinates[1, i], coordinates[2, i]
        X, Y, Z = coordinates[0, low:high], coordinates[1, low:high], coordinates[2, low:high]
        for k in range(candidates.shape[0]):
            w = candidates[k]
            mass[k] = w if pairwise.square_of_three(X[k] - x, Y[k] - y, Z[k] - z) <= limit else 0.0
    else:
        geometries.within(geometry, i, low, high, limit, weights, mass)


@jit
def sum_moments_by_cells(
    geometry: Any, coordinates: Any, cells: Any, whole: CellSums, rows: Any, weights: Any, points: Any, limit: float,
    per_reach: int, scratch: Any, core: Any, parts: Any, gaps: Any, spans: Any, mass: Any, means: Any, covs: Any,
    stop: Any,
) -> None:  # fmt: skip
    """Like `sum_moments`, with whole cells."""
    cell, count, m, second = -1, 0, points.shape[0], covs.shape[0] > 0
    for row in range(rows.shape[0]):
        i = rows[row]
        if cells.cell[i] != cell:
            cell = cells.cell[i]
            count = _split_candidates(cells, whole, cell, limit, per_reach, core, parts, gaps, spans)
        total = core[0]
        for a in range(m):
            dx = whole.sums[1 + a, cell] - points[a, i] if total > 0.0 else 0.0
            means[row, a] = core[1 + a] + total * dx
        if second:
            covs[row] = 0.0
            for a in range(m):
                dx = whole.sums[1 + a, cell] - points[a, i] if total > 0.0 else 0.0
                for b in range(a, m):
                    dy = whole.sums[1 + b, cell] - points[b, i] if total > 0.0 else 0.0
                    covs[row, a, b] = core[1 + m + a * m + b] + (core[1 + a] * dy + dx * (core[1 + b] + total * dy))
        for p in range(count):
            if stop[0] != 0:
                return
            low, high = parts[p]
            _weigh_run(geometry, coordinates, i, low, high, limit, weights, scratch)
            if second:
                total += add_second(points, i, low, high, scratch, means[row], covs[row])
            else:
                total += add_first(points, i, low, high, scratch, means[row])
        mass[row] = total
        if second and total > 0.0:
            center(covs[row], means[row], total)
        finish_mean(points, i, total, means[row])
