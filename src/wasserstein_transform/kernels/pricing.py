"""Which arcs may enter the tree: a look through all costs, and the list of candidates it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work
from .compile import jit

OPTIMAL, STALLED, INTERRUPTED = range(3)  # how a simplex ends

_LANES = 8  # numbers that vector units take at a time, or a multiple
_NOISE = 2.0**-50  # of the terms of a reduced cost: their rounding


@jit
def pays(cost: float, u: float, v: float, tolerance: float) -> bool:
    """Whether a reduced cost is negative beyond the tolerance and the rounding of what it is made of."""
    return cost - u - v < -tolerance - _NOISE * (abs(cost) + abs(u) + abs(v))


@jit
def _look(na: int, nb: int, cost: Any, row: Any, prices: Any, least: Any, where: Any) -> None:
    """The least of cost − price over the sinks, for every source, and at which sink: two sinks at a time.

    Whole vectors are read, with what lies behind the last source: nobody asks for what comes out there.
    """
    whole = (na + _LANES - 1) // _LANES * _LANES
    for i in range(whole):
        least[i] = np.inf
        where[i] = 0
    for j in range(0, nb, 2):
        k = min(j + 1, nb - 1)
        start, other = row[j], row[k]
        width = whole if max(start, other) + whole <= cost.shape[0] else na
        first, second, low, at = cost[start : start + width], cost[other : other + width], least[:width], where[:width]
        v, w = prices[na + j], prices[na + k]
        for i in range(first.shape[0]):
            x, y = first[i] - v, second[i] - w
            lesser, best = (y if y < x else x), low[i]
            sink, there = (k if y < x else j), at[i]
            low[i] = lesser if lesser < best else best
            at[i] = sink if lesser < best else there


@jit
def list_candidates(na: int, nb: int, tolerance: float, cost: Any, work: Work) -> int:
    """The most negative arc of every source into `order` (source, sink node, …), its cost into `rest`; their number."""
    dual, listed, costs, row, where = work.dual, work.order, work.rest, work.row, work.child
    _look(na, nb, cost, row, dual, work.low, where)
    count = 0
    for i in range(na):
        j = where[i]
        c = cost[row[j] + i]
        listed[2 * count] = i
        listed[2 * count + 1] = na + j
        costs[count] = c
        count += pays(c, dual[i], dual[na + j], tolerance)
    return count


@jit
def dual_value(na: int, nb: int, work: Work) -> float:
    """After a look: the value of the sinks' potentials and the best that sources can have beside them."""
    value = 0.0
    for i in range(na):
        value += work.supply[i] * work.low[i]
    for j in range(nb):
        value += work.demand[j] * work.dual[na + j]
    return value


@jit
def best_candidate(count: int, tolerance: float, work: Work) -> tuple[int, int, float]:
    """How many listed arcs still pay (the others are dropped), the place of the best one, and its reduced cost."""
    dual, listed, costs = work.dual, work.order, work.rest
    best = -tolerance
    place = -1
    kept = 0
    for k in range(count):
        i, j, c = listed[2 * k], listed[2 * k + 1], costs[k]
        u, v = dual[i], dual[j]
        listed[2 * kept] = i
        listed[2 * kept + 1] = j
        costs[kept] = c
        good = pays(c, u, v, tolerance)
        reduced = c - u - v if good else 0.0
        if reduced < best:
            best = reduced
            place = kept
        kept += good
    return kept, place, best
