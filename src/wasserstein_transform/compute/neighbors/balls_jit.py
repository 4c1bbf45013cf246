"""Loops over the neighbors of points: balls, ball membership as bits, merging of collocated points.

Points are given by position in `cells`; `limit` is the squared radius of the closed ball. `square` belongs to the
caller and is as long as the longest run; `stop[0]` ≠ 0 interrupts.

With bits (`pairs` is a `Bits` geometry), every pair is tested once, and later passes only read. This halves the time of
a step of the Gaussian Transform in four and more dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..metrics import geometry_jit as geometries, pairs_jit as pairwise
from .moments_jit import ROUNDING_FACTOR, coordinate_squares


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
def _set(bits: Any, start: int, k: int) -> None:
    bits[start + k // 8] |= np.uint8(1 << (k % 8))


@jit
def mark_later(
    geometry: Any, coordinates: Any, pairs: Any, start: int, end: int, limit: float, scratch: Any, bits: Any, stop: Any
) -> None:
    """Set the bits of rows start…end, which `bits` holds, for the positions after their own.

    Euclidean distances of `coordinates` are lower bounds: if they exceed the limit, the distance is not computed.
    """
    for i in range(start, end):
        rank = 0
        runs = pairs.runs[pairs.cell[i]]
        byte = pairs.starts[i] - pairs.starts[start]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            low, high = max(runs[r, 0], i + 1), runs[r, 1]
            if low < high:
                coordinate_squares(coordinates, i, low, high, scratch)
            for j in range(low, high):
                if (
                    scratch[j - low] <= limit * ROUNDING_FACTOR
                    and geometries.comparable_square(geometry, i, j, limit) <= limit
                ):
                    _set(bits, byte, rank + j - runs[r, 0])
            rank += runs[r, 1] - runs[r, 0]


@jit
def copy_earlier(pairs: Any, start: int, end: int, bits: Any, stop: Any) -> None:
    """Complete rows start…end, which `bits` holds, with the tests that earlier positions made."""
    first = pairs.starts[start]
    for k in range(bits.shape[0]):
        bits[k] = pairs.bits[first + k]
    for i in range(start, end):
        rank = 0
        byte = pairs.starts[i] - first
        runs = pairs.runs[pairs.cell[i]]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            low, high = runs[r, 0], runs[r, 1]
            cell, back = -1, 0
            for j in range(low, min(high, i)):
                if pairs.cell[j] != cell:  # candidates are symmetric: i is a candidate of j, at the same
                    cell, back = pairs.cell[j], pairwise.rank_of(pairs, j, i)  # rank for all positions of a cell
                if pairwise.is_set(pairs.bits, pairs.starts[j], back):
                    _set(bits, byte, rank + j - low)
            if low <= i < high:
                _set(bits, byte, rank + i - low)
            rank += high - low
