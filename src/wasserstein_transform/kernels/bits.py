"""Ball membership as one bit for each candidate: every pair is tested once, and later passes only read.

`book` is a `Bits` geometry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .formulas import comparable_square
from .moments import ROOM, squares_of_places
from .rows import is_set, rank_of


@jit
def _set(bits: Any, start: int, k: int) -> None:
    bits[start + k // 8] |= np.uint8(1 << (k % 8))


@jit
def mark_later(
    geometry: Any, places: Any, book: Any, start: int, end: int, limit: float, scratch: Any, bits: Any, stop: Any
) -> None:
    """Set the bits of rows start…end, which `bits` holds, for the positions after their own.

    Euclidean distances of `places` are lower bounds: if they exceed the limit, the distance is not computed.
    """
    for i in range(start, end):
        rank = 0
        runs = book.runs[book.cell[i]]
        at = book.starts[i] - book.starts[start]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            low, high = max(runs[r, 0], i + 1), runs[r, 1]
            if low < high:
                squares_of_places(places, i, low, high, scratch)
            for j in range(low, high):
                if scratch[j - low] <= limit * ROOM and comparable_square(geometry, i, j, limit) <= limit:
                    _set(bits, at, rank + j - runs[r, 0])
            rank += runs[r, 1] - runs[r, 0]


@jit
def copy_earlier(book: Any, start: int, end: int, bits: Any, stop: Any) -> None:
    """Complete rows start…end, which `bits` holds, with the tests that earlier positions made."""
    first = book.starts[start]
    for k in range(bits.shape[0]):
        bits[k] = book.bits[first + k]
    for i in range(start, end):
        rank = 0
        at = book.starts[i] - first
        runs = book.runs[book.cell[i]]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            low, high = runs[r, 0], runs[r, 1]
            cell, back = -1, 0
            for j in range(low, min(high, i)):
                if book.cell[j] != cell:  # candidates are symmetric: i is a candidate of j, at the same
                    cell, back = book.cell[j], rank_of(book, j, i)  # rank for all positions of a cell
                if is_set(book.bits, book.starts[j], back):
                    _set(bits, at, rank + j - low)
            if low <= i < high:
                _set(bits, at, rank + i - low)
            rank += high - low
