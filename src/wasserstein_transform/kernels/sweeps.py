"""Shortest paths from several nodes at once in SIMD lanes, by sweeps over the graph instead of heaps.

Distances converge to the smallest solution of d(v) = min d(u) + length(u, v), with one rounding per edge: the same bits
as with Dijkstra's algorithm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit
from .minimum import _lesser
from .paths import Adjacency, Front, forget, spread

LANES = 32


class Sweeps(NamedTuple):
    """Workspace for searches from LANES nodes."""

    dist: np.ndarray  # (nodes · LANES,)
    best: np.ndarray  # (LANES,)
    due: np.ndarray  # (nodes,) whether the distance of a neighbor has decreased since the node was visited


def sweeps(n: int) -> Sweeps:
    """Room for a graph of n nodes."""
    return Sweeps(np.empty(n * LANES), np.empty(LANES), np.zeros(n, np.bool_))


@jit
def _begin(n: int, start: int, end: int, room: Sweeps) -> None:
    for k in range(n * LANES):
        room.dist[k] = np.inf
    for v in range(n):
        room.due[v] = False
    for v in range(start, end):
        room.dist[v * LANES + v - start] = 0.0


@jit
def _shorten(best: Any, other: Any, length: float) -> None:
    """Relax paths over a neighbor. The loop length is not constant, so that it is vectorized and not unrolled."""
    for l in range(best.shape[0]):
        best[l] = _lesser(best[l], other[l] + length)


@jit
def _look(adjacency: Adjacency, v: int, room: Sweeps) -> bool:
    """Relax paths to v over its neighbors; returns whether any distance decreased."""
    own = room.dist[v * LANES : (v + 1) * LANES]
    best = room.best
    for l in range(best.shape[0]):
        best[l] = own[l]
    for e in range(adjacency.indptr[v], adjacency.indptr[v + 1]):
        u = adjacency.indices[e]
        _shorten(best, room.dist[u * LANES : (u + 1) * LANES], adjacency.lengths[e])
    nearer = 0
    for l in range(best.shape[0]):
        nearer += best[l] < own[l]
        own[l] = best[l]
    return nearer > 0


@jit
def _sweep(adjacency: Adjacency, n: int, backward: bool, room: Sweeps) -> bool:
    """Visit all nodes that are due; returns whether any is left."""
    left = False
    for k in range(n):
        v = n - 1 - k if backward else k
        if not room.due[v]:
            continue
        room.due[v] = False
        if _look(adjacency, v, room):
            left = True
            for e in range(adjacency.indptr[v], adjacency.indptr[v + 1]):
                room.due[adjacency.indices[e]] = True
    return left


@jit
def search_many(adjacency: Adjacency, start: int, end: int, most: int, room: Sweeps, scratch: Front) -> None:
    """Distances of all nodes from the nodes start…end, at most LANES of them; infinity without a path.

    After `most` sweeps, heaps are used.
    """
    n = adjacency.indptr.shape[0] - 1
    _begin(n, start, end, room)
    for v in range(start, end):
        for e in range(adjacency.indptr[v], adjacency.indptr[v + 1]):
            room.due[adjacency.indices[e]] = True
    for k in range(most):
        if not _sweep(adjacency, n, k % 2 == 1, room):
            return
    for v in range(start, end):
        count = spread(adjacency, v, np.inf, np.inf, 0.0, scratch)
        for u in range(n):
            room.dist[u * LANES + v - start] = scratch.dist[u]
        forget(count, scratch)


@jit
def fill_upper_by_sweeps(
    adjacency: Adjacency, start: int, end: int, most: int, upper: Any, lower: Any, room: Sweeps, scratch: Front,
    stop: Any,
) -> None:  # fmt: skip
    """Rows start…end of the full matrix from column `start` on, and their transpose unless `lower` is empty."""
    for first in range(start, end, LANES):
        if stop[0] != 0:
            return
        last = min(first + LANES, end)
        search_many(adjacency, first, last, most, room, scratch)
        for i in range(first, last):
            for k in range(i - start, upper.shape[1]):
                upper[i - start, k] = room.dist[(start + k) * LANES + i - first]
                if lower.shape[0] > 0:
                    lower[k, i - start] = room.dist[(start + k) * LANES + i - first]
