"""Sort points by the key of their cell: distribute them to buckets of consecutive keys, then sort each bucket.

Distribution and radix sort are stable, and within a cell points are sorted by coordinates, so that the result does not
depend on how the work is divided.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .cells import sort_range
from .compile import jit, jit_strict

_FEW = 32  # up to this many points are sorted by insertion
_DIGITS = 256


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
            at = first + int(step_along(points[i, axis], origin, grid.side))
            if marks[at] == 0:  # threads share the marks: concurrent reading is cheap, writing is not
                marks[at] = 1


@jit
def _place(steps: Any, low: int, high: int, step: float) -> int:
    """Position of the step among those from low to high."""
    while low < high:
        middle = (low + high) // 2
        if steps[middle] < step:
            low = middle + 1
        else:
            high = middle
    return low


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
                keys[i - start] += grid.terms[_place(grid.steps, first, last, step)]
        else:
            for i in range(start, end):
                keys[i - start] += grid.terms[first + int(step_along(points[i, axis], origin, grid.side))]
    for k in range(keys.shape[0]):
        counts[keys[k] >> shift] += 1


@jit
def deal(keys: Any, start: int, shift: int, at: Any, dealt: Any, numbers: Any) -> None:
    """Distribute keys and indices of the points from `start` on by bucket; `at` are the next positions to fill."""
    for k in range(keys.shape[0]):
        b = keys[k] >> shift
        dealt[at[b]] = keys[k]
        numbers[at[b]] = start + k
        at[b] += 1


@jit
def put_dealt(keys: Any, numbers: Any, counts: Any, to: Any, out_keys: Any, out_numbers: Any) -> None:
    """Copy the buckets of one tile to their positions `to` in the buckets of all tiles."""
    at = 0
    for b in range(counts.shape[0]):
        for k in range(counts[b]):
            out_keys[to[b] + k] = keys[at]
            out_numbers[to[b] + k] = numbers[at]
            at += 1


@jit
def _compare(keys: Any, numbers: Any, low: int, high: int, out_keys: Any, out_numbers: Any) -> None:
    """Insertion sort, for few elements."""
    for k in range(low, high):
        key, to = keys[k], k
        while to > low and out_keys[to - 1] > key:
            out_keys[to], out_numbers[to] = out_keys[to - 1], out_numbers[to - 1]
            to -= 1
        out_keys[to], out_numbers[to] = key, numbers[k]


@jit
def _by_digit(keys: Any, numbers: Any, least: int, shift: int, counts: Any, out_keys: Any, out_numbers: Any) -> None:
    """Stable sort by one digit of key − least."""
    counts[:] = 0
    for k in range(keys.shape[0]):
        counts[((keys[k] - least) >> shift) & (_DIGITS - 1)] += 1
    total = 0
    for d in range(_DIGITS):
        counts[d], total = total, total + counts[d]
    for k in range(keys.shape[0]):
        d = ((keys[k] - least) >> shift) & (_DIGITS - 1)
        out_keys[counts[d]] = keys[k]
        out_numbers[counts[d]] = numbers[k]
        counts[d] += 1


@jit
def _sort_keys(keys: Any, numbers: Any, counts: Any, scratch: Any, spare: Any, out_keys: Any, out_numbers: Any) -> None:
    """Stable sort by key; `scratch` and `spare` have the same length."""
    n = keys.shape[0]
    if n <= _FEW:
        _compare(keys, numbers, 0, n, out_keys, out_numbers)
        return
    least, most = keys[0], keys[0]
    for k in range(n):
        least, most = min(least, keys[k]), max(most, keys[k])
    passes = 1
    while passes < 8 and (most - least) >> (8 * passes) > 0:
        passes += 1
    if passes % 2 == 1:
        _by_digit(keys, numbers, least, 0, counts, out_keys, out_numbers)
    else:
        _by_digit(keys, numbers, least, 0, counts, scratch, spare)
    for p in range(1, passes):
        if (passes - p) % 2 == 1:
            _by_digit(scratch, spare, least, 8 * p, counts, out_keys, out_numbers)
        else:
            _by_digit(out_keys, out_numbers, least, 8 * p, counts, scratch, spare)


@jit
def sort_buckets(
    points: Any, dealt: Any, numbers: Any, starts: Any, counts: Any, scratch: Any, spare: Any, first: Any, keys: Any,
    order: Any, places: Any, n_cells: Any, stop: Any,
) -> None:  # fmt: skip
    """Sort buckets by key, then by coordinates, then by index; and count the cells of each.

    The first bucket begins at `starts[0]`, where `keys`, `order` and `places` begin; `scratch`, `spare` and `first`
    hold the largest.
    """
    base = starts[0]
    for b in range(n_cells.shape[0]):
        if stop[0] != 0:
            return
        low, high = starts[b], starts[b + 1]
        here, there = keys[low - base : high - base], order[low - base : high - base]
        n = high - low
        _sort_keys(dealt[low:high], numbers[low:high], counts, scratch[:n], spare[:n], here, there)
        for k in range(n):
            first[k] = points[there[k], 0]
        n_cells[b] = _sort_cells(points, here, there, first)
        for k in range(n):
            for a in range(points.shape[1]):
                places[low - base + k, a] = points[there[k], a]


@jit
def _sort_cells(points: Any, keys: Any, order: Any, first: Any) -> int:
    """Sort the points of each cell by their coordinates; returns the number of cells."""
    n, at, count = keys.shape[0], 0, 0
    while at < n:
        upto = at + 1
        while upto < n and keys[upto] == keys[at]:
            upto += 1
        sort_range(points, order, first, at, upto)
        count += 1
        at = upto
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
