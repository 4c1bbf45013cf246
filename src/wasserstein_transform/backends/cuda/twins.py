"""Identical points have identical neighborhoods: moments are computed for one of them and copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from .device import Array

_WORTH = 0.1  # smallest share of repeated points for which this pays off


def twins(columns: Array, xp: Any) -> Array | None:
    """For every row, the representative of its equal rows; None if few rows repeat."""
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
    """Whether many rows may repeat, tested with one number per row, because sorting numbers is faster."""
    mixed = columns[:, 0]
    for k in range(1, columns.shape[1]):
        mixed = 0.6180339887498949 * mixed + columns[:, k]
    rising = xp.sort(mixed)
    return int((rising[1:] == rising[:-1]).sum().item()) >= _WORTH * len(columns)


def repeat(out: tuple[Array, ...], order: Array, twin: Array, xp: Any) -> None:
    """Copy the results of the representatives; `order` maps positions to points."""
    of = xp.empty(len(order), np.int64)
    of[order] = order[twin]
    for array in out:
        if array.size:
            array[...] = array[of]
