"""Watershed basins of a contrast map: the finest regions of an image."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Floats, Ints
from ..kernels.contours import fill_basins, find_exits


def basins(height: Floats, inside: Bools | None = None) -> Ints:
    """Return the watershed basins of a height map, numbered from 0; −1 outside `inside`.

    Each pixel drains to the lowest of its eight neighbors, over level ground to the nearest exit. A pixel that drains
    to several basins alike is a basin of its own, so that basins of a mirrored map are the mirrored basins.
    """
    away, memory, labels = (np.full(height.shape, -1) for _ in range(3))
    find_exits(height, away, memory.ravel())
    fill_basins(height, away, memory.ravel(), labels)
    if inside is not None:
        labels.ravel()[inside] = np.unique(labels.ravel()[inside], return_inverse=True)[1]
        labels.ravel()[~inside] = -1
    return labels
