"""The grid of cells: sort points by cell, find the candidates of each cell, gather and scatter rows.

Points are numbered by position, cell by cell. The candidates of a cell are runs of positions. A grid of one cell is the
exhaustive search, so every loop over neighbors is written once, against `Cells`.

To sort points by the key of their cell, they are distributed to buckets of consecutive keys, and each bucket is sorted.
Both are stable, and within a cell points are sorted by coordinates, so the result does not depend on how the work is
divided.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit, jit_strict

_MAX_POINTS_TO_INSERT = 32  # up to this many points are sorted by insertion
_RADIX = 256


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
def find_runs(
    keys: Any, starts: Any, offsets: Any, widths: Any, first: int, last: int, cell: Any, runs: Any, n_candidates: Any
) -> None:
    """Runs of the cells first…last: for each row offset, the cells key−width … key+width of that row, side by side.

    Also the cell of each of their positions, and the number of candidates of each cell. Keys increase, so the ends of
    runs increase as well and are found by a linear scan.
    """
    for c in range(first, last):
        n_candidates[c - first] = 0
        for k in range(starts[c], starts[c + 1]):
            cell[k - starts[first]] = c
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
            n_candidates[c - first] += starts[high] - starts[low]


@jit
def _comes_before(points: Any, i: int, j: int) -> bool:
    """Whether point i comes before j: by coordinates, then by index."""
    for a in range(points.shape[1]):
        if points[i, a] != points[j, a]:
            return points[i, a] < points[j, a]
    return i < j


@jit
def sort_range(points: Any, order: Any, first: Any, low: int, high: int) -> None:
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


class Grid(NamedTuple):
    """How the key of a cell is computed: the sum of a term for each axis, looked up by the step along it.

    Along axis `axes[a]` the terms are `terms[firsts[a]:firsts[a + 1]]`, indexed by the step. If `wide[a]`, `steps`
    lists the steps that occur in increasing order, with their terms. If the side is 0, the coordinate is the step.
    """

    axes: np.ndarray
    origin: np.ndarray
    side: float
    wide: np.ndarray
    firsts: np.ndarray
    steps: np.ndarray
    terms: np.ndarray


@jit_strict
def step_along(x: float, origin: float, side: float) -> float:
    """The number of cells from the origin."""
    return np.floor((x - origin) / side) if side > 0.0 else x


@jit
def mark_steps(points: Any, grid: Grid, start: int, end: int, marks: Any) -> None:
    """Set the marks of all steps that points start…end take along axes that are not wide."""
    for a in range(grid.axes.shape[0]):
        if grid.wide[a]:
            continue
        axis, first, origin = grid.axes[a], grid.firsts[a], grid.origin[a]
        for i in range(start, end):
            step = first + int(step_along(points[i, axis], origin, grid.side))
            if marks[step] == 0:  # threads share the marks: concurrent reading is cheap, writing is not
                marks[step] = 1


@jit
def count_keys(points: Any, grid: Grid, start: int, end: int, shift: int, keys: Any, counts: Any) -> None:
    """keys[i - start] = key of point i; also count the points of each bucket, key >> shift."""
    counts[:] = 0
    keys[:] = 0
    for a in range(grid.axes.shape[0]):
        axis, first, last, origin = grid.axes[a], grid.firsts[a], grid.firsts[a + 1], grid.origin[a]
        if grid.wide[a]:
            for i in range(start, end):
                step = step_along(points[i, axis], origin, grid.side)
                keys[i - start] += grid.terms[lower_bound(grid.steps, first, last, step)]
        else:
            for i in range(start, end):
                keys[i - start] += grid.terms[first + int(step_along(points[i, axis], origin, grid.side))]
    for k in range(keys.shape[0]):
        counts[keys[k] >> shift] += 1


@jit
def scatter_keys(keys: Any, start: int, shift: int, next_position: Any, out_keys: Any, out_numbers: Any) -> None:
    """Distribute keys and indices of the points from `start` on by bucket, from their next positions on."""
    for k in range(keys.shape[0]):
        bucket = keys[k] >> shift
        out_keys[next_position[bucket]] = keys[k]
        out_numbers[next_position[bucket]] = start + k
        next_position[bucket] += 1


@jit
def copy_scattered(keys: Any, numbers: Any, counts: Any, to: Any, out_keys: Any, out_numbers: Any) -> None:
    """Copy the buckets of one tile to their positions `to` in the buckets of all tiles."""
    source = 0
    for b in range(counts.shape[0]):
        for k in range(counts[b]):
            out_keys[to[b] + k] = keys[source]
            out_numbers[to[b] + k] = numbers[source]
            source += 1


@jit
def _sort_by_insertion(keys: Any, numbers: Any, low: int, high: int, out_keys: Any, out_numbers: Any) -> None:
    """Insertion sort, for few elements."""
    for k in range(low, high):
        key, to = keys[k], k
        while to > low and out_keys[to - 1] > key:
            out_keys[to], out_numbers[to] = out_keys[to - 1], out_numbers[to - 1]
            to -= 1
        out_keys[to], out_numbers[to] = key, numbers[k]


@jit
def _sort_by_digit(
    keys: Any, numbers: Any, min_key: int, shift: int, counts: Any, out_keys: Any, out_numbers: Any
) -> None:
    """Stable sort by one digit of key − min_key."""
    counts[:] = 0
    for k in range(keys.shape[0]):
        counts[((keys[k] - min_key) >> shift) & (_RADIX - 1)] += 1
    total = 0
    for d in range(_RADIX):
        counts[d], total = total, total + counts[d]
    for k in range(keys.shape[0]):
        d = ((keys[k] - min_key) >> shift) & (_RADIX - 1)
        out_keys[counts[d]] = keys[k]
        out_numbers[counts[d]] = numbers[k]
        counts[d] += 1


@jit
def _sort_keys(
    keys: Any, numbers: Any, counts: Any, spare_keys: Any, spare_numbers: Any, out_keys: Any, out_numbers: Any
) -> None:
    """Stable sort by key; `spare_keys` and `spare_numbers` have the same length."""
    n = keys.shape[0]
    if n <= _MAX_POINTS_TO_INSERT:
        _sort_by_insertion(keys, numbers, 0, n, out_keys, out_numbers)
        return
    min_key, max_key = keys[0], keys[0]
    for k in range(n):
        min_key, max_key = min(min_key, keys[k]), max(max_key, keys[k])
    passes = 1
    while passes < 8 and (max_key - min_key) >> (8 * passes) > 0:
        passes += 1
    if passes % 2 == 1:
        _sort_by_digit(keys, numbers, min_key, 0, counts, out_keys, out_numbers)
    else:
        _sort_by_digit(keys, numbers, min_key, 0, counts, spare_keys, spare_numbers)
    for p in range(1, passes):
        if (passes - p) % 2 == 1:
            _sort_by_digit(spare_keys, spare_numbers, min_key, 8 * p, counts, out_keys, out_numbers)
        else:
            _sort_by_digit(out_keys, out_numbers, min_key, 8 * p, counts, spare_keys, spare_numbers)


@jit
def sort_buckets(
    points: Any, bucket_keys: Any, numbers: Any, starts: Any, counts: Any, spare_keys: Any, spare_numbers: Any,
    first: Any, keys: Any, order: Any, sorted_points: Any, n_cells: Any, stop: Any,
) -> None:  # fmt: skip
    """Sort buckets by key, then by coordinates, then by index; and count the cells of each.

    The first bucket begins at `starts[0]`, where `keys`, `order` and `sorted_points` begin; `spare_keys`,
    `spare_numbers` and `first` hold the largest.
    """
    base = starts[0]
    for b in range(n_cells.shape[0]):
        if stop[0] != 0:
            return
        low, high = starts[b], starts[b + 1]
        cell_keys, members = keys[low - base : high - base], order[low - base : high - base]
        n = high - low
        _sort_keys(
            bucket_keys[low:high],
            numbers[low:high],
            counts,
            spare_keys[:n],
            spare_numbers[:n],
            cell_keys,
            members,
        )
        for k in range(n):
            first[k] = points[members[k], 0]
        n_cells[b] = _sort_cells(points, cell_keys, members, first)
        for k in range(n):
            for a in range(points.shape[1]):
                sorted_points[low - base + k, a] = points[members[k], a]


@jit
def _sort_cells(points: Any, keys: Any, order: Any, first: Any) -> int:
    """Sort the points of each cell by their coordinates; returns the number of cells."""
    n, start, count = keys.shape[0], 0, 0
    while start < n:
        end = start + 1
        while end < n and keys[end] == keys[start]:
            end += 1
        sort_range(points, order, first, start, end)
        count += 1
        start = end
    return count


@jit
def find_cells(keys: Any, start: int, end: int, starts: Any, cell_keys: Any) -> None:
    """The first positions of the cells among positions start…end, and their keys."""
    c = 0
    for k in range(start, end):
        if k == start or keys[k] != keys[k - 1]:
            starts[c] = k
            cell_keys[c] = keys[k]
            c += 1


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
