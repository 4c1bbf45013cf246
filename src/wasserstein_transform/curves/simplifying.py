"""Simplify polylines."""

from __future__ import annotations

import numpy as np

from .._types import Floats


def simplified(line: Floats, tolerance: float) -> Floats:
    """Remove vertices of a line while it stays within the tolerance of all of them (Douglas and Peucker, 1973).

    Examples
    --------
    >>> import numpy as np
    >>> simplified(np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [2.0, 2.0]]), 0.2)
    array([[0., 0.],
           [2., 0.],
           [2., 2.]])
    """
    kept = np.zeros(len(line), bool)
    kept[[0, -1]] = True
    waiting = [(0, len(line) - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        off = _off_segment(line[a + 1 : b], line[a], line[b])
        worst = int(off.argmax())
        if off[worst] > tolerance:
            middle = a + 1 + worst
            kept[middle] = True
            waiting += [(a, middle), (middle, b)]
    return line[kept]


def _off_segment(points: Floats, a: Floats, b: Floats) -> Floats:
    along = b - a
    square = float(along @ along)
    t = np.clip((points - a) @ along / square, 0.0, 1.0) if square > 0 else np.zeros(len(points))
    return np.asarray(np.sqrt(((points - a - t[:, None] * along) ** 2).sum(axis=1)))


def length_of(line: Floats) -> float:
    """Return the length of a line."""
    return float(np.sqrt((np.diff(line, axis=0) ** 2).sum(axis=1)).sum())
