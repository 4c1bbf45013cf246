"""Which points can be near which: a grid of cells, each with the runs of positions its points must look at.

Points are numbered by position, cell after cell. A grid of one cell is the exhaustive search, so every loop over
neighbors is written once, against `Cells`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit


class Cells(NamedTuple):
    """`cell[i]`: cell of position i; `runs[c, r]`: the r-th half-open run of positions to look at from cell c."""

    cell: np.ndarray
    runs: np.ndarray


def one_cell(n: int) -> Cells:
    """Everybody looks at everybody, in short runs: between two of them loops look at Ctrl-C."""
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

    Also the cell of each position of theirs, and how many positions each cell looks at. Keys rise, so the ends of runs
    do, too, and are found by walking on.
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
    """Whether point i comes before j: by coordinates, then by number."""
    for a in range(points.shape[1]):
        if points[i, a] != points[j, a]:
            return points[i, a] < points[j, a]
    return i < j


@jit
def sort_range(points: Any, order: Any, first: Any, low: int, high: int) -> None:
    """Sort the points order[low:high] by their coordinates (Shell sort: cells are small, large ones no disaster).

    `first` holds their first coordinates, which mostly decide: points themselves lie all over the memory.
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
