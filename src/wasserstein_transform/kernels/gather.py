"""Single passes over rows: bounds, sizes, gather and scatter."""

from __future__ import annotations

from typing import Any

from .compile import jit

_STRIP = 512  # rows that stay in the cache while each axis is processed


@jit
def find_bounds(points: Any, start: int, end: int, low: Any, high: Any) -> None:
    """The smallest and the largest coordinate of rows start…end along each axis.

    Results are written once per strip, because the bounds of other tiles are adjacent (false sharing).
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
    """out[k] = source[rows[k]], for 2-D arrays."""
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
    """out[rows[k]] = values[k], for 2-D arrays."""
    for k in range(rows.shape[0]):
        for a in range(values.shape[1]):
            out[rows[k], a] = values[k, a]


@jit
def sort_balls(balls: Any, order: Any, positions: Any, indices: Any, distances: Any, stop: Any) -> None:
    """Balls of the listed positions in order, with members as sorted point indices order[position]."""
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
    """Sort distinct keys and their values (Shell sort: good for small balls, acceptable for large ones)."""
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
