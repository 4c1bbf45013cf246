"""Who is in whose ball, one bit for each candidate: every pair is tested once, and passes after that only read.

`book` is a `Bits` geometry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .formulas import comparable_square
from .rows import is_set, rank_of


@jit
def _set(bits: Any, start: int, k: int) -> None:
    bits[start + k // 8] |= np.uint8(1 << (k % 8))


@jit
def mark_later(geometry: Any, book: Any, start: int, end: int, limit: float, bits: Any, stop: Any) -> None:
    """Set the bits of rows start…end, which `bits` holds, for the positions after their own."""
    for i in range(start, end):
        rank = 0
        runs = book.runs[book.cell[i]]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            for j in range(runs[r, 0], runs[r, 1]):
                if j > i and comparable_square(geometry, i, j, limit) <= limit:
                    _set(bits, book.starts[i] - book.starts[start], rank)
                rank += 1


@jit
def copy_earlier(book: Any, start: int, end: int, bits: Any, stop: Any) -> None:
    """Complete rows start…end, which `bits` holds: the positions before their own have tested them."""
    for i in range(start, end):
        rank = 0
        at = book.starts[i]
        runs = book.runs[book.cell[i]]
        for r in range(runs.shape[0]):
            if stop[0] != 0:
                return
            for j in range(runs[r, 0], runs[r, 1]):
                if j > i:
                    near = is_set(book.bits, at, rank)
                else:  # reach is mutual: i is among the candidates of j
                    near = j == i or is_set(book.bits, book.starts[j], rank_of(book, j, i))
                if near:
                    _set(bits, at - book.starts[start], rank)
                rank += 1
