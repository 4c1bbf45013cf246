"""Large clouds in blocks: compact sets of points, and what lies around them."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints

MAX_BLOCK = 500_000  # points computed at a time


def cut_into_blocks(columns: Floats, size: int) -> list[Ints]:
    """Return the points of blocks of at most `size`: halves along the longest side, again and again.

    `columns` has a row for each coordinate; points are distinct. Halves are told by a coordinate, not by a rank: ties
    do not depend on the machine.
    """
    waiting, blocks = [np.arange(columns.shape[1])], list[Ints]()
    while waiting:
        points = waiting.pop()
        if len(points) <= size:
            blocks.append(points)
            continue
        sides = [np.ptp(column[points]) for column in columns]
        along = columns[int(np.argmax(sides))][points]
        middle = np.partition(along, len(points) // 2)[len(points) // 2]
        left = along < middle if middle > along.min() else along <= middle
        waiting += [points[~left], points[left]]
    return blocks


def with_margin(columns: Floats, inside: Ints, reach: float) -> tuple[Ints, Ints]:
    """Return all points in the box around a block, wider by `reach`, and where the block is among them."""
    near = np.ones(columns.shape[1], bool)
    for column in columns:
        within = column[inside]
        near &= (column >= within.min() - reach) & (column <= within.max() + reach)
    points = np.flatnonzero(near)
    return points, np.searchsorted(points, inside)
