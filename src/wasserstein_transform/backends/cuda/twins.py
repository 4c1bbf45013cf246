"""Points that are the same to the last bit see the same: one of them is asked, and its answer is copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from .device import Array

_WORTH = 0.1  # of all points: fewer that need not be asked are not worth the trouble


def twins(columns: Array, xp: Any) -> Array | None:
    """For every row one that is the same, itself where it stands for them; None where few rows repeat."""
    n = len(columns)
    if not _seem_to_repeat(columns, xp):
        return None
    order = xp.lexsort(columns.T)
    ordered = columns[order]
    differs = xp.ones(n, np.bool_)
    differs[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[xp.flatnonzero(differs)]
    if len(first) > (1 - _WORTH) * n:
        return None
    twin = xp.empty(n, np.int64)
    twin[order] = first[xp.cumsum(differs.astype(np.int64)) - 1]
    return twin


def _seem_to_repeat(columns: Array, xp: Any) -> bool:
    """Whether many rows may be the same: of each a number is made, and numbers are sorted faster than rows."""
    mixed = columns[:, 0]
    for k in range(1, columns.shape[1]):
        mixed = 0.6180339887498949 * mixed + columns[:, k]
    rising = xp.sort(mixed)
    return int((rising[1:] == rising[:-1]).sum().item()) >= _WORTH * len(columns)


def repeat(out: tuple[Array, ...], order: Array, twin: Array, xp: Any) -> None:
    """Copy the answers of those who were asked; `order` are the points of the positions."""
    of = xp.empty(len(order), np.int64)
    of[order] = order[twin]
    for array in out:
        if array.size:
            array[...] = array[of]
