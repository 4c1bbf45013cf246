"""Basins of a landscape: the finest regions of an image."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Ints
from ..backends.host import number_parts
from .sides import Singles


def basins(height: Singles, inside: Bools | None = None) -> Ints:
    """Pixels from which water runs to the same place, numbered by first pixels; −1 is not inside.

    Each pixel passes its water to the lowest of its eight neighbors, of equals to the first; if none is lower, nor
    equal and before it, the water stays.
    """
    n = height.size
    lowest, to = height.copy(), np.arange(n).reshape(height.shape)
    levels, numbers = np.pad(height, 1, constant_values=np.inf), np.pad(to, 1, constant_values=n)
    for dy in range(3):
        for dx in range(3):
            there = slice(dy, dy + height.shape[0]), slice(dx, dx + height.shape[1])
            level, number = levels[there], numbers[there]
            better = (level < lowest) | ((level == lowest) & (number < to))
            lowest[better], to[better] = level[better], number[better]
    ends = to.ravel()
    while (ends[ends] != ends).any():  # twice as far each time
        ends = ends[ends]
    return _numbered(ends, inside).reshape(height.shape)


def _numbered(ends: Ints, inside: Bools | None) -> Ints:
    """Basins by their first pixels that are inside."""
    who = np.arange(len(ends)) if inside is None else np.flatnonzero(inside)
    first = np.full(len(ends), len(ends))
    np.minimum.at(first, ends[who], who)
    labels = np.full(len(ends), -1)
    forest = np.searchsorted(who, first[ends[who]])
    number_parts(forest)
    labels[who] = forest
    return labels
