"""Polylines: their length, smoothing and simplification."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from .._types import Floats

_EVERY = 4  # vertices of a smoothed line per width
_REACH = 4.0  # radius of the filter, in widths
_MOST = 20_000  # most vertices of one line


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


def smoothed(line: Floats, masses: Floats, width: float, closed: bool = False) -> Floats:
    """Smooth a line by Gaussian means along it, weighted by the masses of vertices; its ends stay.

    Means lie on the inner side of a bend; the change by a second smoothing is added back to correct for this (twicing).
    A straight line does not change. All of a closed line is smoothed, and it stays closed.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 10, 101)
    >>> zigzag = np.column_stack([x, 0.1 * (-1.0) ** np.arange(101)])
    >>> found = smoothed(zigzag, np.ones(101), 0.5)
    >>> bool(np.abs(found[10:-10, 1]).max() < 0.02)
    True
    """
    lengths = np.sqrt((np.diff(line, axis=0) ** 2).sum(axis=1))
    at = np.append(0.0, np.cumsum(lengths))
    pieces = min(int(np.ceil(_EVERY * at[-1] / width)), _MOST) if width > 0 else 0
    if pieces < 2:
        return line
    evenly = np.linspace(0.0, at[-1], pieces + 1)
    there = np.column_stack([np.interp(evenly, at, column) for column in line.T])
    heavy = np.interp(evenly, at, masses)[:, None]
    sigma = width * pieces / at[-1]
    once = _mean(there, heavy, sigma, closed)
    found = 2 * once - _mean(once, heavy, sigma, closed)
    found[[0, -1]] = found[:1] if closed else line[[0, -1]]
    return found


def _mean(line: Floats, heavy: Floats, sigma: float, closed: bool) -> Floats:
    """Return Gaussian means along a line: periodic if closed, else extended by point reflection at both ends."""
    massive = np.column_stack([heavy * line, heavy])
    if closed:
        found = _divided(gaussian_filter1d(massive[:-1], sigma, axis=0, mode="wrap", truncate=_REACH))
        return np.concatenate([found, found[:1]])
    n = min(int(_REACH * sigma) + 1, len(line) - 1)
    before = np.column_stack([heavy * (2 * line[0] - line), heavy])[n:0:-1]
    beyond = np.column_stack([heavy * (2 * line[-1] - line), heavy])[-2 : -n - 2 : -1]
    turned = np.concatenate([before, massive, beyond])
    return _divided(gaussian_filter1d(turned, sigma, axis=0, mode="nearest", truncate=_REACH)[n : n + len(line)])


def _divided(sums: Floats) -> Floats:
    return np.asarray(sums[:, :-1] / sums[:, -1:])
