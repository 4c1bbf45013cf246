"""Reorder a matrix in a file from the order of a tour to that of the points, in blocks and rows, never by columns."""

from __future__ import annotations

import numpy as np

from ...._types import Floats, Ints
from ....engine import AT_A_TIME, Engine, room_for
from .tour import inverse

_SIDE = 1024  # side of the blocks that are mirrored
_SOME = 1 << 20  # distances reordered at a time
_STAGE = "putting distances in order"


def unwound(upper: Floats, order: Ints, engine: Engine) -> Floats:
    """The symmetric matrix of the points; `upper` has its upper triangle in the order of the tour."""
    n = len(order)
    out = room_for((n, n), f"exact distances of {n} measures", engine, "use fewer points", at_a_time=AT_A_TIME)
    tops, step = range(0, n, _SIDE), max(1, _SOME // n)
    starts, place = range(0, n, step), inverse(order)
    with engine.watched() as watched:
        for k, top in enumerate(tops):
            watched.report(_STAGE, k, len(tops) + len(starts))
            for left in range(top, n, _SIDE):
                watched.check()
                _mirror(upper, slice(top, top + _SIDE), slice(left, left + _SIDE))
        for k, start in enumerate(starts):
            watched.check()
            rows = slice(start, start + step)
            out[order[rows]] = upper[rows][:, place]
            watched.report(_STAGE, len(tops) + k + 1, len(tops) + len(starts))
    return out


def _mirror(matrix: Floats, rows: slice, cols: slice) -> None:
    values = matrix[rows, cols]
    if rows == cols:
        above = np.triu(values, 1)
        values[...] = above + above.T
    else:
        matrix[cols, rows] = values.T
