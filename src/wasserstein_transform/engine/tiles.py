"""Work cut into tiles: by the problem alone, never by the number of threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats

GRAIN = 2e7
"""Inner-loop steps of a tile: some ten milliseconds, so that Ctrl-C is heard and threads end together."""


class Tile(NamedTuple):
    """Rows start…stop of a piece of work."""

    start: int
    stop: int


def evenly(n: int, steps: float, grain: float = GRAIN) -> list[Tile]:
    """The same for n rows of equally many steps, without a number for each."""
    size = max(1, int(grain / max(steps, 1.0)))
    return [Tile(start, min(start + size, n)) for start in range(0, n, size)]


def of_size(n: int, size: int) -> list[Tile]:
    """Rows 0…n in tiles of the same size."""
    return [Tile(k, min(k + size, n)) for k in range(0, n, size)]


def cut(steps: Floats, grain: float = GRAIN) -> list[Tile]:
    """Consecutive rows grouped until each tile holds about `grain` of their estimated `steps`; no tile is empty."""
    if len(steps) == 0:
        return []
    number = np.floor((np.cumsum(steps) - steps) / grain)
    starts = np.flatnonzero(np.diff(number, prepend=-1.0))
    return [Tile(int(a), int(b)) for a, b in zip(starts, np.append(starts[1:], len(steps)), strict=True)]
