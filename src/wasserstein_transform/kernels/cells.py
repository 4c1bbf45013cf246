"""Candidate pairs: a grid of cells, each with the runs of positions that are candidates for its points.

Points are numbered by position, cell by cell. A grid of one cell is the exhaustive search, so every loop over
neighbors is written once, against `Cells`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit


class Cells(NamedTuple):
    """`cell[i]`: cell of position i; `runs[c, r]`: the r-th half-open run of candidate positions of cell c."""

    cell: np.ndarray
    runs: np.ndarray


def one_cell(n: int) -> Cells:
    """One cell with all points as candidates, in short runs, between which loops check the stop flag."""
    ends = np.append(np.arange(0, n, 256), n)
    return Cells(np.zeros(n, np.intp), np.stack([ends[:-1], ends[1:]], axis=1)[None].astype(np.intp))


@jit
def _lower(keys: Any, key: int) -> int:
    low, high = 0, keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def find_runs(
    keys: Any, starts: Any, offsets: Any, widths: Any, first: int, last: int, cell: Any, runs: Any, seen: Any
) -> None:
    """Runs of the cells first…last: for each row offset, the cells key−width … key+width of that row, side by side.

    Also the cell of each of their positions, and the number of candidates of each cell. Keys increase, so the ends of
    runs increase as well and are found by a linear scan.
    """
    for c in range(first, last):
        seen[c - first] = 0
        for k in range(starts[c], starts[c + 1]):
            cell[k - starts[first]] = c
    for r in range(offsets.shape[0]):
        low = _lower(keys, keys[first] + offsets[r] - widths[r])
        high = _lower(keys, keys[first] + offsets[r] + widths[r] + 1)
        for c in range(first, last):
            key = keys[c] + offsets[r]
            while low < keys.shape[0] and keys[low] < key - widths[r]:
                low += 1
            while high < keys.shape[0] and keys[high] < key + widths[r] + 1:
                high += 1
            runs[c - first, r, 0] = starts[low]
            runs[c - first, r, 1] = starts[high]
            seen[c - first] += starts[high] - starts[low]


@jit
def _before(points: Any, i: int, j: int) -> bool:
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
        for at in range(low + gap, high):
            here, x, to = order[at], first[at], at
            while to - gap >= low and (
                x < first[to - gap] or (x == first[to - gap] and _before(points, here, order[to - gap]))
            ):
                order[to], first[to] = order[to - gap], first[to - gap]
                to -= gap
            order[to], first[to] = here, x
        gap //= 3
