"""Who is in whose ball, one bit for each candidate: every pair is tested once, and passes after that only read.

`book` is a `Bits` geometry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit
from .geometry import sided


@jit
def _is_set(bits: Any, start: int, k: int) -> bool:
    return (bits[start + k // 8] >> (k % 8)) & 1 != 0


@jit
def _set(bits: Any, start: int, k: int) -> None:
    bits[start + k // 8] |= np.uint8(1 << (k % 8))


@jit
def _rank(book: Any, i: int, j: int) -> int:
    """Where j stands among the candidates of i."""
    runs = book.runs[book.cell[i]]
    count = 0
    for r in range(runs.shape[0]):
        if runs[r, 0] <= j < runs[r, 1]:
            return count + j - runs[r, 0]
        count += runs[r, 1] - runs[r, 0]
    return -1


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
                if j > i and sided(geometry, i, j, limit) <= limit:
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
                    near = _is_set(book.bits, at, rank)
                else:  # reach is mutual: i is among the candidates of j
                    near = j == i or _is_set(book.bits, book.starts[j], _rank(book, j, i))
                if near:
                    _set(bits, at - book.starts[start], rank)
                rank += 1


@jit
def read_run(book: Any, i: int, start: int, end: int, weights: Any, out: Any) -> None:
    """out[k] = weights[start + k] if start + k, of a run of i, is in the ball of i, else 0."""
    rank = _rank(book, i, start) if start < end else 0
    for k in range(end - start):
        w = weights[start + k]
        out[k] = w if _is_set(book.bits, book.starts[i], rank + k) else 0.0
