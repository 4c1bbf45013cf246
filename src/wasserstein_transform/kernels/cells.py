"""Which points can be near which: a grid of cells, each with the runs of positions its points must look at.

Points are numbered by position, cell after cell. A grid of one cell is the exhaustive search, so every loop over
neighbours is written once, against `Cells`.
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
def find_runs(keys: Any, starts: Any, offsets: Any, widths: Any, runs: Any) -> None:
    """Runs of every cell: for each row offset, the cells key−width … key+width of that row, which lie side by side."""
    for c in range(keys.shape[0]):
        for r in range(offsets.shape[0]):
            key = keys[c] + offsets[r]
            runs[c, r, 0] = starts[_lower(keys, key - widths[r])]
            runs[c, r, 1] = starts[_lower(keys, key + widths[r] + 1)]


@jit
def _before(points: Any, i: int, j: int) -> bool:
    """Whether point i comes before j: by coordinates, then by number."""
    for a in range(points.shape[1]):
        if points[i, a] != points[j, a]:
            return points[i, a] < points[j, a]
    return i < j


@jit
def sort_within(points: Any, starts: Any, order: Any) -> None:
    """Sort the points of each cell by their coordinates (Shell sort: cells are small, and large ones no disaster)."""
    for c in range(starts.shape[0] - 1):
        low, high = starts[c], starts[c + 1]
        gap = 1
        while gap < (high - low) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for at in range(low + gap, high):
                here, to = order[at], at
                while to - gap >= low and _before(points, here, order[to - gap]):
                    order[to] = order[to - gap]
                    to -= gap
                order[to] = here
            gap //= 3
