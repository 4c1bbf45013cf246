"""Many distances, for any geometry. `stop[0]` ≠ 0 interrupts the functions that take it."""

from __future__ import annotations

from typing import Any

from ..jit import jit
from .geometry_jit import distance, distances


@jit
def is_run(positions: Any) -> bool:
    """Whether positions are consecutive."""
    for k in range(1, positions.shape[0]):
        if positions[k] != positions[0] + k:
            return False
    return positions.shape[0] > 0


@jit
def fill_block(geometry: Any, rows: Any, cols: Any, out: Any, stop: Any) -> None:
    """out[a, b] = distance of rows[a] and cols[b]."""
    along = is_run(cols)
    for a in range(rows.shape[0]):
        if stop[0] != 0:
            return
        i = rows[a]
        if along:
            first = cols[0]
            distances(geometry, i, first, first + cols.shape[0], out[a])
            if first <= i < first + cols.shape[0]:
                out[a, i - first] = 0.0
            continue
        for b in range(cols.shape[0]):
            out[a, b] = 0.0 if i == cols[b] else distance(geometry, i, cols[b])


@jit
def _copy(source: Any, out: Any) -> None:
    for k in range(out.shape[0]):
        out[k] = source[k]


@jit
def fill_square(geometry: Any, top: int, left: int, upper: Any, lower: Any, scratch: Any, stop: Any) -> None:
    """The block of the full matrix at (top, left ≥ top) and its transpose; pairs of a diagonal block are computed once.

    `lower` is empty if no transpose is needed. As many rows as `scratch` has are computed at a time, so that the
    transpose is written in whole cache lines.
    """
    height, width = upper.shape
    for first in range(0, height, scratch.shape[0]):
        last = min(first + scratch.shape[0], height)
        for i in range(first, last):
            if stop[0] != 0:
                return
            start = 0
            if top == left:
                upper[i, i] = 0.0
                start = i + 1
            if start < width:
                distances(geometry, top + i, left + start, left + width, scratch[i - first, start:])
                _copy(scratch[i - first, start:], upper[i, start:])
        if lower.shape[0] == 0:
            continue
        for j in range(first + 1 if top == left else 0, width):
            for i in range(first, min(last, j) if top == left else last):
                lower[j, i] = scratch[i - first, j]


@jit
def fill_condensed(geometry: Any, n: int, start: int, end: int, out: Any, scratch: Any, stop: Any) -> None:
    """Rows start…end of the condensed vector, in SciPy's order, in pieces of the length of `scratch`."""
    piece = scratch.shape[0]
    filled = 0
    for i in range(start, end):
        for j in range(i + 1, n, piece):
            if stop[0] != 0:
                return
            end_of_piece = min(j + piece, n)
            distances(geometry, i, j, end_of_piece, scratch)
            _copy(scratch, out[filled : filled + end_of_piece - j])
            filled += end_of_piece - j


@jit
def fill_pairs(geometry: Any, rows: Any, cols: Any, out: Any) -> None:
    """out[k] = distance of rows[k] and cols[k]."""
    for k in range(rows.shape[0]):
        out[k] = distance(geometry, rows[k], cols[k])
