"""Loops over the neighbors of points: balls, marks of their members, merging of collocated points.

Points are given by position in `cells`; `limit` is the squared radius of the closed ball. `square` belongs to the
caller and is as long as the longest run; `stop[0]` ≠ 0 interrupts.

With marks (`pairs` is a `Marks` geometry), every pair is tested once, and later passes only read. This halves the time
of a step of the Gaussian Transform in four and more dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..metrics import geometry_jit as geometries, pairs_jit as pairwise


@jit
def count_balls(
    geometry: Any, cells: Any, start: int, end: int, limit: float, square: Any, counts: Any, stop: Any
) -> None:
    """counts[i - start] = number of points in the closed ball of position i."""
    for i in range(start, end):
        count = 0
        for r in range(cells.runs.shape[1]):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            geometries.squares(geometry, i, low, high, limit, square)
            for k in range(high - low):
                count += square[k] <= limit
        counts[i - start] = count


@jit
def fill_balls(
    geometry: Any, cells: Any, start: int, end: int, limit: float, square: Any, indices: Any, distances: Any, stop: Any
) -> None:
    """Members of the balls counted by `count_balls`, ball by ball, as positions, with their distances."""
    filled = 0
    for i in range(start, end):
        for r in range(cells.runs.shape[1]):
            if stop[0] != 0:
                return
            low, high = cells.runs[cells.cell[i], r]
            geometries.squares(geometry, i, low, high, limit, square)
            for k in range(high - low):
                if square[k] <= limit:
                    indices[filled] = low + k
                    distances[filled] = np.sqrt(square[k])
                    filled += 1


@jit
def find_leaders(
    geometry: Any, cells: Any, order: Any, limit: float, leader: Any, rank: Any, following: Any, cell_lists: Any,
    stop: Any,
) -> None:  # fmt: skip
    """leader[i]: the first leader (in `order`) within the limit of i; leaders lead themselves.

    Every point is within the limit of its leader, so there is no chaining, and the cost is points times nearby leaders.
    `rank`, `following` and `cell_lists` (3 rows) are filled: only leaders are visited.
    """
    first, last, after = cell_lists[0], cell_lists[1], cell_lists[2]
    first[:] = -1
    last[:] = -1
    following[:] = -1
    for k in range(order.shape[0]):
        rank[order[k]] = k
        after[cells.cell[k]] = k + 1
    for k in range(order.shape[0]):
        if stop[0] != 0:
            return
        i = order[k]
        c = cells.cell[i]
        best = -1
        for r in range(cells.runs.shape[1]):
            position, end = cells.runs[c, r, 0], cells.runs[c, r, 1]
            while position < end:
                cell = cells.cell[position]
                j = first[cell]
                while j >= 0:
                    if (best < 0 or rank[j] < rank[best]) and geometries.squared(geometry, i, j, limit) <= limit:
                        best = j
                    j = following[j]
                position = after[cell]
        if best < 0:
            best = i
            if last[c] < 0:
                first[c] = i
            else:
                following[last[c]] = i
            last[c] = i
        leader[i] = best


@jit
def mark_pairs(geometry: Any, pairs: Any, start: int, end: int, limit: float, ones: Any, near: Any, stop: Any) -> None:
    """Mark who is near the positions start…end among these and later ones, for both; `pairs` has the marks of all."""
    for i in range(start, end):
        first, runs = pairs.starts[i], pairs.runs[pairs.cell[i]]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            cell, back, low, high = -1, 0, max(runs[r, 0], i), max(runs[r, 1], i)
            geometries.within(geometry, i, low, high, limit, ones, near)
            for j in range(low, high):
                if near[j - low] == 0.0:
                    continue
                if pairs.cell[j] != cell:  # candidates are symmetric: i is a candidate of j, at the same
                    cell, back = pairs.cell[j], pairwise.rank_of(pairs, j, i)  # rank for all positions of a cell
                pairs.marks[first + j - runs[r, 0]] = 1
                pairs.marks[pairs.starts[j] + back] = 1
            first += runs[r, 1] - runs[r, 0]
