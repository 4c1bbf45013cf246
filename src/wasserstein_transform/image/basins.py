"""Watershed basins of a contrast map: the finest regions of an image."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Ints
from ..backends.host import number_parts
from .sides import Singles


def basins(height: Singles, inside: Bools | None = None) -> Ints:
    """Return the watershed basins of a height map, numbered by their first pixels; −1 outside `inside`.

    Each pixel drains to the lowest of its eight neighbors, ties to the first; a pixel is a sink if no neighbor is
    lower, and none before it is equal.
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
    while (ends[ends] != ends).any():  # pointer jumping: twice as far each time
        ends = ends[ends]
    return _numbered(ends, inside).reshape(height.shape)


def _numbered(ends: Ints, inside: Bools | None) -> Ints:
    """Number basins by their first pixels inside the mask."""
    who = np.arange(len(ends)) if inside is None else np.flatnonzero(inside)
    first = np.full(len(ends), len(ends))
    np.minimum.at(first, ends[who], who)
    labels = np.full(len(ends), -1)
    forest = np.searchsorted(who, first[ends[who]])
    number_parts(forest)
    labels[who] = forest
    return labels
