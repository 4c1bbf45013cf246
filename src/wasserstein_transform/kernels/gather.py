"""One pass over rows: bounds, sizes, rows taken and put by number."""

from __future__ import annotations

from typing import Any

from .compile import jit

_STRIP = 512  # rows that stay at hand while each axis is looked at


@jit
def find_bounds(points: Any, start: int, end: int, low: Any, high: Any) -> None:
    """The least and the largest coordinate of rows start…end along each axis.

    Written once for many rows: the bounds of other tiles lie beside, and threads would wait for each other's writing.
    """
    for a in range(points.shape[1]):
        low[a] = high[a] = points[start, a]
    for first in range(start, end, _STRIP):
        for a in range(points.shape[1]):
            least = most = points[first, a]
            for i in range(first, min(first + _STRIP, end)):
                least, most = min(least, points[i, a]), max(most, points[i, a])
            low[a], high[a] = min(low[a], least), max(high[a], most)


@jit
def largest_size(values: Any) -> float:
    """The largest absolute value."""
    most = 0.0
    for k in range(values.shape[0]):
        size = abs(values[k])
        most = size if size > most else most
    return most


@jit
def take_rows(source: Any, rows: Any, out: Any) -> None:
    """out[k] = source[rows[k]], both of two axes."""
    for k in range(rows.shape[0]):
        for a in range(source.shape[1]):
            out[k, a] = source[rows[k], a]


@jit
def take_columns(source: Any, rows: Any, out: Any) -> None:
    """out[:, k] = source[rows[k]]."""
    for k in range(rows.shape[0]):
        for a in range(source.shape[1]):
            out[a, k] = source[rows[k], a]


@jit
def put_rows(values: Any, rows: Any, out: Any) -> None:
    """out[rows[k]] = values[k], both of two axes."""
    for k in range(rows.shape[0]):
        for a in range(values.shape[1]):
            out[rows[k], a] = values[k, a]


@jit
def sort_balls(balls: Any, order: Any, positions: Any, indices: Any, distances: Any, stop: Any) -> None:
    """Balls of the listed positions one after the other, members by number, which is order[position], and rising."""
    at = 0
    for p in positions:
        if stop[0] != 0:
            return
        low, high = balls.indptr[p], balls.indptr[p + 1]
        for k in range(low, high):
            indices[at + k - low] = order[balls.indices[k]]
            distances[at + k - low] = balls.distances[k]
        _sort_pairs(indices[at : at + high - low], distances[at : at + high - low])
        at += high - low


@jit
def _sort_pairs(keys: Any, values: Any) -> None:
    """Sort different keys, and values along with them (Shell sort: balls are small, and large ones no disaster)."""
    n = keys.shape[0]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, n):
            key, value, to = keys[at], values[at], at
            while to >= gap and keys[to - gap] > key:
                keys[to], values[to] = keys[to - gap], values[to - gap]
                to -= gap
            keys[to], values[to] = key, value
        gap //= 3
