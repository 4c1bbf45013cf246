"""The network simplex for large problems: few candidates at a time, and a tree that is cheap to turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work
from .compile import jit
from .minimum import lowest
from .preorder import from_ring, pivot_ring, refresh_ring, to_ring
from .pricing import INTERRUPTED, OPTIMAL, STALLED, pays

LARGE = 100  # nodes of both sides together, from which on this is faster
_LISTED = 16  # candidates: one to fifty hardly differ, all sinks take several times as long
_BLOCK = 256  # costs of a sink that are looked at together


@jit
def _best_of(start: int, na: int, cost: Any, price: Any) -> tuple[float, int]:
    """The least reduced cost of a sink, without the sink's own potential, and the source it comes from."""
    least, found = np.inf, 0
    for k in range(0, na, _BLOCK):
        low = lowest(cost[start + k :], 0, price[k:], min(_BLOCK, na - k))
        if low < least:
            least, found = low, k
    while found < na - 1 and cost[start + found] - price[found] != least:
        found += 1
    return least, found


@jit
def _fill(na: int, nb: int, begin: int, tolerance: float, cost: Any, work: Work) -> tuple[int, int, float]:
    """Arcs that pay, from the sink `begin` on; their number, the sink to go on with, and the dual value's sink part.

    That value is whole where no arc was found: then all sinks were looked at.
    """
    price, listed = work.dual, work.order
    count = 0
    bound = 0.0
    j = begin
    for _ in range(nb):
        least, i = _best_of(work.row[j], na, cost, price)
        bound += work.demand[j] * least
        c = cost[work.row[j] + i]
        if pays(c, price[i], -price[na + j], tolerance):
            listed[2 * count] = i
            listed[2 * count + 1] = j
            work.rest[count] = c
            count += 1
        j = j + 1 if j + 1 < nb else 0
        if count == _LISTED or work.stop[0] != 0:
            break
    return count, j, bound


@jit
def _choose(na: int, count: int, tolerance: float, work: Work) -> tuple[int, int, float]:
    """How many listed arcs still pay (the others are dropped), the place of the best one, and its reduced cost."""
    price, listed, costs = work.dual, work.order, work.rest
    best, place, kept = np.inf, -1, 0
    for k in range(count):
        i, j, c = listed[2 * k], listed[2 * k + 1], costs[k]
        if pays(c, price[i], -price[na + j], tolerance):
            listed[2 * kept], listed[2 * kept + 1], costs[kept] = i, j, c
            reduced = c - price[i] + price[na + j]
            if reduced < best:
                best, place = reduced, kept
            kept += 1
    return kept, place, best


@jit
def _pivots(na: int, nb: int, root: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """Pivots until no arc pays; status and the dual value's sink part. Potentials are computed anew on every round."""
    left = 1000 + 100 * na * nb
    j = 0
    while True:
        count, following, bound = _fill(na, nb, j, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, bound
        if count == 0:
            return OPTIMAL, bound
        while True:
            count, place, reduced = _choose(na, count, tolerance, work)
            if place < 0:
                break
            left -= 1
            i, sink = work.order[2 * place], na + work.order[2 * place + 1]
            if left < 0 or not pivot_ring(na, nb, i, sink, reduced, work):
                return STALLED, bound
        if following <= j:
            refresh_ring(na, root, cost, work)
        j = following


@jit
def optimize_large(na: int, nb: int, root: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """From any strongly feasible tree to an optimal one; status and the dual value's sink part."""
    to_ring(na, nb, root, work)
    status, bound = _pivots(na, nb, root, tolerance, cost, work)
    from_ring(na, nb, root, work)
    return status, bound
