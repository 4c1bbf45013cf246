"""The grid of cells: sort points by cell, find the candidates of each cell, gather and scatter rows.

Points are numbered by position, cell by cell. The candidates of a cell are runs of positions. A grid of one cell is the
exhaustive search, so every loop over neighbors is written once, against `Cells`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit


class Cells(NamedTuple):
    """`cell[i]`: cell of position i; `runs[c, r]`: the r-th half-open run of candidate positions of cell c."""

    cell: np.ndarray
    runs: np.ndarray


def one_cell(n: int) -> Cells:
    """One cell with all points as candidates, in short runs, between which loops check the stop flag."""
    ends = np.append(np.arange(0, n, 256), n)
    return Cells(np.zeros(n, np.intp), np.stack([ends[:-1], ends[1:]], axis=1)[None].astype(np.intp))


@jit
def lower_bound(values: Any, low: int, high: int, value: float) -> int:
    """The first position from low to high whose value is not smaller; values increase."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def find_runs(keys: Any, starts: Any, offsets: Any, widths: Any, first: int, last: int, runs: Any) -> None:
    """Runs of the cells first…last: for each row offset, the cells key−width … key+width of that row, side by side.

    Keys increase, so the ends of runs increase as well and are found by a linear scan.
    """
    for r in range(offsets.shape[0]):
        low = lower_bound(keys, 0, keys.shape[0], keys[first] + offsets[r] - widths[r])
        high = lower_bound(keys, low, keys.shape[0], keys[first] + offsets[r] + widths[r] + 1)
        for c in range(first, last):
            key = keys[c] + offsets[r]
            while low < keys.shape[0] and keys[low] < key - widths[r]:
                low += 1
            while high < keys.shape[0] and keys[high] < key + widths[r] + 1:
                high += 1
            runs[c - first, r, 0] = starts[low]
            runs[c - first, r, 1] = starts[high]


@jit
def _comes_before(points: Any, i: int, j: int) -> bool:
    """Whether point i comes before j: by coordinates, then by index."""
    for a in range(points.shape[1]):
        if points[i, a] != points[j, a]:
            return points[i, a] < points[j, a]
    return i < j


@jit
def _sort_range(points: Any, order: Any, first: Any, low: int, high: int) -> None:
    """Sort the points order[low:high] by their coordinates (Shell sort, good for small cells).

    `first` holds their first coordinates, which usually decide, because access to the points themselves is random.
    """
    gap = 1
    while gap < (high - low) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(low + gap, high):
            point, x, to = order[k], first[k], k
            while to - gap >= low and (
                x < first[to - gap] or (x == first[to - gap] and _comes_before(points, point, order[to - gap]))
            ):
                order[to], first[to] = order[to - gap], first[to - gap]
                to -= gap
            order[to], first[to] = point, x
        gap //= 3


@jit
def sort_cells(points: Any, starts: Any, first: Any, order: Any, sorted_points: Any, stop: Any) -> None:
    """Sort the points of each cell by their coordinates; `starts` are those of the cells, `first` is scratch."""
    for k in range(order.shape[0]):
        first[k] = points[order[k], 0]
    for c in range(starts.shape[0] - 1):
        if stop[0] != 0:
            return
        _sort_range(points, order, first, starts[c], starts[c + 1])
    for k in range(order.shape[0]):
        for a in range(points.shape[1]):
            sorted_points[k, a] = points[order[k], a]


@jit
def scatter_rows(values: Any, rows: Any, out: Any) -> None:
    """out[rows[k]] = values[k], for 2-D arrays."""
    for k in range(rows.shape[0]):
        for a in range(values.shape[1]):
            out[rows[k], a] = values[k, a]


@jit
def sort_balls(balls: Any, order: Any, positions: Any, indices: Any, distances: Any, stop: Any) -> None:
    """Balls of the listed positions in order, with members as sorted point indices order[position]."""
    start = 0
    for p in positions:
        if stop[0] != 0:
            return
        low, high = balls.indptr[p], balls.indptr[p + 1]
        for k in range(low, high):
            indices[start + k - low] = order[balls.indices[k]]
            distances[start + k - low] = balls.distances[k]
        _sort_pairs(indices[start : start + high - low], distances[start : start + high - low])
        start += high - low


@jit
def _sort_pairs(keys: Any, values: Any) -> None:
    """Sort distinct keys and their values (Shell sort: good for small balls, acceptable for large ones)."""
    n = keys.shape[0]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, n):
            key, value, to = keys[k], values[k], k
            while to >= gap and keys[to - gap] > key:
                keys[to], values[to] = keys[to - gap], values[to - gap]
                to -= gap
            keys[to], values[to] = key, value
        gap //= 3
