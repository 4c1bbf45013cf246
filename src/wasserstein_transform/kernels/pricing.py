"""Candidates for entering the tree: a pass over all costs, and the list that it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work
from .compile import jit

OPTIMAL, STALLED, INTERRUPTED = range(3)  # how a simplex ends

_LANES = 8  # a multiple of the SIMD width
_NOISE = 2.0**-50  # relative rounding error of the terms of a reduced cost


@jit
def pays(cost: float, u: float, v: float, tolerance: float) -> bool:
    """Whether a reduced cost is negative by more than the tolerance and the rounding error of its terms."""
    return cost - u - v < -tolerance - _NOISE * (abs(cost) + abs(u) + abs(v))


@jit
def _look(na: int, nb: int, cost: Any, row: Any, prices: Any, least: Any, where: Any) -> None:
    """The minimum of cost − price over the sinks for every source, and its sink; two sinks at a time.

    Whole vectors are read, beyond the last source as well; results there are not used.
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
    """Put the most negative arc of every source into `order` (source, sink node, …), costs into `rest`; their count."""
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
    """After a pass over all costs: the dual value of the potentials of the sinks and the best ones of the sources."""
    value = 0.0
    for i in range(na):
        value += work.supply[i] * work.low[i]
    for j in range(nb):
        value += work.demand[j] * work.dual[na + j]
    return value


@jit
def best_candidate(count: int, tolerance: float, work: Work) -> tuple[int, int, float]:
    """The number of listed arcs that still have negative reduced cost, the position of the best one, and its cost."""
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
