"""Distances in bulk, for any geometry. `stop[0]` ≠ 0 interrupts those that take it."""

from __future__ import annotations

from typing import Any

from .compile import jit
from .geometry import distance


@jit
def fill_block(geometry: Any, rows: Any, cols: Any, out: Any) -> None:
    """out[a, b] = distance of rows[a] and cols[b]."""
    for a in range(rows.shape[0]):
        for b in range(cols.shape[0]):
            i, j = rows[a], cols[b]
            out[a, b] = 0.0 if i == j else distance(geometry, i, j)


@jit
def fill_square(geometry: Any, start: int, end: int, out: Any, stop: Any) -> None:
    """Rows start…end of the full matrix: each unordered pair once, mirrored."""
    for i in range(start, end):
        out[i, i] = 0.0
        for j in range(i + 1, out.shape[1]):
            if stop[0] != 0:
                return
            d = distance(geometry, i, j)
            out[i, j] = d
            out[j, i] = d


@jit
def fill_condensed(geometry: Any, n: int, start: int, end: int, out: Any, stop: Any) -> None:
    """Rows start…end of the condensed vector, in SciPy's order."""
    for i in range(start, end):
        at = i * n - i * (i + 1) // 2
        for j in range(i + 1, n):
            if stop[0] != 0:
                return
            out[at] = distance(geometry, i, j)
            at += 1


@jit
def fill_matched(geometry: Any, half: int, out: Any) -> None:
    """out[i] = distance of points i and half + i."""
    for i in range(half):
        out[i] = distance(geometry, i, half + i)


@jit
def fill_pairs(geometry: Any, rows: Any, cols: Any, out: Any) -> None:
    """out[k] = distance of rows[k] and cols[k]."""
    for k in range(rows.shape[0]):
        out[k] = distance(geometry, rows[k], cols[k])
