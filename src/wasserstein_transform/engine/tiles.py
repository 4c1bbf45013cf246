"""Tiles: rows that one thread computes at a time; they depend on the problem alone."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Ints

GRAIN = 2e7
"""Inner-loop steps of a tile: some ten milliseconds, so that Ctrl-C is handled soon and threads finish together."""

Flag: TypeAlias = NDArray[np.uint8]
"""One byte; not 0 when the work should stop: Ctrl-C, cancellation, or an error elsewhere. Long kernels check it."""

_N_TILES = 64  # enough for many threads to finish together
_MIN_GRAIN = 5e5  # steps, about a millisecond: starting a tile takes a tenth of that


class Tile(NamedTuple):
    """Rows start…stop of some work. Tiles depend on the problem alone, never on the number of threads."""

    start: int
    stop: int


def fair_grain(total: float, grain: float = GRAIN) -> float:
    """Steps of a tile: `grain`, or less if that makes few tiles of the `total`, so that many threads share the work."""
    return min(grain, max(total / _N_TILES, _MIN_GRAIN))


def cut_evenly(n: int, steps: float, grain: float = GRAIN) -> list[Tile]:
    """Cut n rows of equal cost, `steps` each, into tiles of about `grain` steps; smaller ones of little work."""
    steps = max(steps, 1.0)
    return cut_by_size(n, max(1, int(fair_grain(n * steps, grain) / steps)))


def cut_by_size(n: int, size: int) -> list[Tile]:
    """Cut n rows into tiles of `size` rows; the last may be smaller."""
    starts = range(0, n, size)
    return list(map(Tile, starts, (*starts[1:], n)))


def cut_by_cost(steps: Floats, grain: float = GRAIN) -> list[Tile]:
    """Cut rows of different cost, `steps` each, into tiles of about `grain` steps, as `cut_evenly`; none is empty."""
    if len(steps) == 0:
        return []
    ends = np.cumsum(steps)
    number = np.floor((ends - steps) / fair_grain(float(ends[-1]), grain))
    starts = np.flatnonzero(np.diff(number, prepend=-1.0))
    return [Tile(int(a), int(b)) for a, b in zip(starts, np.append(starts[1:], len(steps)), strict=True)]


def condensed_starts(n: int) -> Ints:
    """Where the rows of the upper triangle of an n × n matrix begin in SciPy's condensed order."""
    rows = np.arange(n + 1)
    return rows * n - rows * (rows + 1) // 2
