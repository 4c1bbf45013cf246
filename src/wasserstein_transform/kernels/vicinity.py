"""Shortest paths between one measure of a graph and those it meets, found before their problems are solved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit
from .geometry import Around
from .paths import Front, Streets, forget, front, spread, spread_beyond


class Vicinity(NamedTuple):
    """All nodes within `radius` of each node, nearest first: where searches that come from elsewhere may end."""

    indptr: np.ndarray
    indices: np.ndarray
    distances: np.ndarray
    radius: float


class Scout(NamedTuple):
    """Room to find the distances between one measure and those it meets."""

    front: Front
    met: np.ndarray  # nodes of the measures met
    near: np.ndarray  # from home to the points of the measure
    far: np.ndarray  # from home to the nodes met


def scout(n: int, width: int, n_met: int) -> Scout:
    """Room for measures of up to `width` points that meet up to `n_met` of n nodes."""
    return Scout(front(n), np.empty(n_met, np.intp), np.empty(width), np.empty(n_met))


@jit
def _mark(A: Any, i: int, B: Any, targets: Any, around: Around, room: Scout) -> int:
    """Give every node that row i meets a place in the table; how many."""
    n_met = 0
    for k in range(targets.shape[0]):
        for t in range(B.indptr[targets[k]], B.indptr[targets[k] + 1]):
            y = B.indices[t]
            if room.front.mass[y] == 0.0:
                room.front.mass[y] = 1.0
                around.row[y] = n_met
                room.met[n_met] = y
                n_met += 1
    for s in range(A.indptr[i], A.indptr[i + 1]):
        around.column[A.indices[s]] = s - A.indptr[i]
    around.width[0] = A.indptr[i + 1] - A.indptr[i]
    return n_met


@jit
def _look_from_home(streets: Streets, home: int, A: Any, i: int, n_met: int, room: Scout) -> float:
    """Distances from home to the points of row i and to all it meets; the largest of the latter that is finite."""
    mass, dist, a = room.front.mass, room.front.dist, A.indptr[i]
    width = A.indptr[i + 1] - a
    need = float(n_met)
    for s in range(width):
        need += mass[A.indices[a + s]] == 0.0
        mass[A.indices[a + s]] = 1.0
    count = spread(streets, home, np.inf, need, 0.0, room.front)
    top = 0.0
    for s in range(width):
        room.near[s] = dist[A.indices[a + s]]
        mass[A.indices[a + s]] = 0.0
    for k in range(n_met):
        room.far[k] = dist[room.met[k]]
        mass[room.met[k]] = 1.0
        if room.far[k] < np.inf:
            top = max(top, room.far[k])
    forget(count, room.front)
    return top


@jit
def _find(streets: Streets, source: int, s: int, width: int, n_met: int, top: float, table: Any, room: Scout) -> None:
    """Distances from one point to all nodes met; none is longer than the way through home."""
    limit = np.nextafter(room.near[s] + top, 0.0) if room.near[s] < np.inf else np.inf
    count = spread(streets, source, limit, float(n_met), 0.0, room.front)
    for k in range(n_met):
        table[k * width + s] = min(room.front.dist[room.met[k]], room.near[s] + room.far[k])
    forget(count, room.front)


@jit
def _find_halfway(
    streets: Streets, near: Vicinity, source: int, s: int, width: int, n_met: int, top: float, table: Any, room: Scout
) -> None:
    """The same where a search would see too much: it ends a radius early, and ways from the other side meet it.

    Of a way from here to y, the first node beyond the limit has a distance over that edge, and is less than
    (length − limit) from y.
    """
    dist = room.front.dist
    limit = max(room.near[s] + top - near.radius, 0.0)
    count = spread_beyond(streets, source, limit, room.front)
    for k in range(n_met):
        y = room.met[k]
        best = min(dist[y], room.near[s] + room.far[k])
        for e in range(near.indptr[y], near.indptr[y + 1]):
            if near.distances[e] + limit >= best:
                break
            best = min(best, near.distances[e] + dist[near.indices[e]])
        table[k * width + s] = best
    forget(count, room.front)


@jit
def look_around(
    streets: Streets, near: Vicinity, home: int, A: Any, i: int, B: Any, targets: Any, around: Around, room: Scout,
    stop: Any,
) -> None:  # fmt: skip
    """Distances between the points of row i of A and those of the target rows of B.

    No way is longer than the one through `home`, so a search from a point ends where only such ways are left.
    """
    n_met = _mark(A, i, B, targets, around, room)
    top = _look_from_home(streets, home, A, i, n_met, room)
    a, width = A.indptr[i], A.indptr[i + 1] - A.indptr[i]
    for s in range(width):
        if stop[0] != 0:
            break
        source = A.indices[a + s]
        if near.radius > 0.0 and room.near[s] < np.inf:
            _find_halfway(streets, near, source, s, width, n_met, top, around.table, room)
        else:
            _find(streets, source, s, width, n_met, top, around.table, room)
    for k in range(n_met):
        room.front.mass[room.met[k]] = 0.0
