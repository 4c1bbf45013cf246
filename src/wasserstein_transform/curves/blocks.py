"""Large clouds in blocks: compact sets of points, and what lies around them."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints

MAX_BLOCK = 500_000  # points computed at a time


def cut_into_blocks(points: Floats, size: int) -> list[Ints]:
    """Return the rows of blocks of at most `size` points: halves along the longest side, again and again.

    Points are distinct. Halves are told by a coordinate, not by a rank, so ties do not depend on the machine.
    """
    waiting, blocks = [np.arange(len(points))], list[Ints]()
    while waiting:
        rows = waiting.pop()
        if len(rows) <= size:
            blocks.append(rows)
            continue
        inside = points[rows]
        along = inside[:, int(np.ptp(inside, axis=0).argmax())]
        middle = np.partition(along, len(rows) // 2)[len(rows) // 2]
        left = along < middle if middle > along.min() else along <= middle
        waiting += [rows[~left], rows[left]]
    return blocks


def with_margin(points: Floats, inside: Ints, reach: float) -> tuple[Ints, Ints]:
    """Return the rows of all points in the box around a block, wider by `reach`, and where the block is among them."""
    low, high = points[inside].min(axis=0) - reach, points[inside].max(axis=0) + reach
    near = np.ones(len(points), bool)
    for column, least, most in zip(points.T, low, high, strict=True):
        near &= (column >= least) & (column <= most)
    rows = np.flatnonzero(near)
    return rows, np.searchsorted(rows, inside)
