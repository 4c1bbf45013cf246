"""Cut work into tiles: by the problem alone, never by the number of threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats

GRAIN = 2e7
"""Inner-loop steps of a tile: some ten milliseconds, so that Ctrl-C is handled soon and threads finish together."""


class Tile(NamedTuple):
    """Rows start…stop of a task.

    Attributes
    ----------
    start, stop : int
        First row, and the row after the last one.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> start, stop = wt.engine.Tile(0, 100)
    >>> stop - start
    100
    """

    start: int
    stop: int


def evenly(n: int, steps: float, grain: float = GRAIN) -> list[Tile]:
    """Cut n rows of equal cost into tiles of about `grain` steps.

    Parameters
    ----------
    n : int
        Number of rows.
    steps : float
        Estimated inner-loop steps of a row.
    grain : float, default 2e7
        Steps of a tile.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.engine.evenly(5, steps=10.0, grain=20.0)
    [Tile(start=0, stop=2), Tile(start=2, stop=4), Tile(start=4, stop=5)]
    """
    size = max(1, int(grain / max(steps, 1.0)))
    return [Tile(start, min(start + size, n)) for start in range(0, n, size)]


def of_size(n: int, size: int) -> list[Tile]:
    """Cut n rows into tiles of `size` rows; the last may be smaller.

    Parameters
    ----------
    n, size : int
        Number of rows, and of rows of a tile.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.engine.of_size(5, 3)
    [Tile(start=0, stop=3), Tile(start=3, stop=5)]
    """
    return [Tile(k, min(k + size, n)) for k in range(0, n, size)]


def cut(steps: Floats, grain: float = GRAIN) -> list[Tile]:
    """Cut rows of different cost into tiles of about `grain` steps; no tile is empty.

    Parameters
    ----------
    steps : array of shape (n,)
        Estimated inner-loop steps of each row.
    grain : float, default 2e7
        Steps of a tile.

    Returns
    -------
    list of Tile

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.engine.cut(np.array([5.0, 1.0, 1.0, 1.0]), grain=4.0)
    [Tile(start=0, stop=1), Tile(start=1, stop=4)]
    """
    if len(steps) == 0:
        return []
    number = np.floor((np.cumsum(steps) - steps) / grain)
    starts = np.flatnonzero(np.diff(number, prepend=-1.0))
    return [Tile(int(a), int(b)) for a, b in zip(starts, np.append(starts[1:], len(steps)), strict=True)]
