"""The nearest points among many columns: what rounded matrix products leave to measure, and exact distances of that.

For a query x and a point y, a product of two rows gives `half` = ½‖y‖² − x·y, half of their squared distance but for
½‖x‖², with an error that is at most `share` · (½‖x‖² + ½‖y‖²) + a constant. So `floor` = half − share · ½‖y‖² bounds
it from below. `near` is a heap of upper bounds, worst first, and then of distances; see `kdtree_jit`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..metrics.pairs_jit import squared_distance
from .kdtree_jit import NO_POINT, sift, sort_heap

OVERFULL = -1  # size of a list of candidates that had no room
_LANES = 64  # points that are compared at a time
_ROUNDING = 2.0**-22  # more than rounding to float32 takes off


@jit
def _round_up(edge: float) -> Any:
    """A float32 that is not smaller."""
    return np.float32(edge + abs(edge) * _ROUNDING)


@jit
def _n_within(products: Any, floors: Any, edge: Any) -> int:
    """How many floors are not above the edge: vectorized, since it has no branches and begins at 0."""
    count = 0
    for b in range(products.shape[0]):
        count += floors[b] - products[b] <= edge
    return count


@jit
def _drop_far(members: Any, floors: Any, size: int, edge: Any) -> int:
    """Keep the candidates with floors up to the edge, in their order; return how many they are."""
    kept = 0
    for c in range(size):
        if floors[c] <= edge:
            members[kept], floors[kept] = members[c], floors[c]
            kept += 1
    return kept


@jit
def _offer_row(products: Any, first: int, own: int, room: float, floors: Any, spreads: Any, near: Any, which: Any,
               members: Any, member_floors: Any, size: int) -> int:  # fmt: skip
    """Offer the points of a block to one query; return its number of candidates."""
    edge = _round_up(near[0] + room)
    width = products.shape[0]
    for start in range(0, width, _LANES):
        end = min(start + _LANES, width)
        if _n_within(products[start:end], floors[start:end], edge) == 0:
            continue
        for b in range(start, end):
            floor = floors[b] - products[b]
            j = first + b
            if not floor <= edge or j == own:
                continue
            if size == members.shape[0]:
                size = _drop_far(members, member_floors, size, edge)
                if 2 * size > members.shape[0]:
                    return OVERFULL
            members[size], member_floors[size] = j, floor
            size += 1
            roof = floor + spreads[b]
            if roof < near[0]:
                near[0], which[0] = roof, j
                sift(near, which, near.shape[0])
                edge = _round_up(near[0] + room)
    return size


@jit
def offer_block(products: Any, first: int, own: Any, rooms: Any, floors: Any, spreads: Any, near: Any, which: Any,
                members: Any, member_floors: Any, sizes: Any, stop: Any) -> None:  # fmt: skip
    """Offer the points from `first` on to every query: one row of `products` each.

    `own` is the point that a query is, −1 if it is none; `rooms` is twice its part of the error, and `spreads` twice
    that of each point. The candidates are `members`, with their floors; `sizes` counts them.
    """
    for q in range(products.shape[0]):
        if stop[0] != 0:
            return
        if sizes[q] != OVERFULL:
            sizes[q] = _offer_row(
                products[q], first, own[q], rooms[q], floors, spreads, near[q], which[q], members[q], member_floors[q],
                sizes[q],
            )  # fmt: skip


@jit
def _measure(points: Any, x: Any, j: int, near: Any, which: Any) -> None:
    """Offer point j to the heap of distances of x."""
    d = np.sqrt(squared_distance(points[j], x))
    if d < near[0] or (d == near[0] and j < which[0]):
        near[0], which[0] = d, j
        sift(near, which, near.shape[0])


@jit
def measure_candidates(points: Any, queries: Any, own: Any, rooms: Any, near: Any, which: Any, members: Any,
                       member_floors: Any, sizes: Any, stop: Any) -> None:  # fmt: skip
    """The nearest of the candidates of every query, of all points where these are not known.

    Both come in the order of their indices, so k distances of 0 are the last ones.
    """
    n, k = points.shape[0], near.shape[1]
    for q in range(queries.shape[0]):
        if stop[0] != 0:
            return
        size = sizes[q]
        if size != OVERFULL:
            size = _drop_far(members[q], member_floors[q], size, _round_up(near[q, 0] + rooms[q]))
        near[q, :] = np.inf
        which[q, :] = NO_POINT
        x = queries[q]
        if size >= k:
            for c in range(size):
                _measure(points, x, members[q, c], near[q], which[q])
                if near[q, 0] == 0.0:
                    break
        else:
            for j in range(n):
                if j != own[q]:
                    _measure(points, x, j, near[q], which[q])
                    if near[q, 0] == 0.0:
                        break
        sort_heap(near[q], which[q])
