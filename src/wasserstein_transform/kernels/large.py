"""The network simplex for large problems, with few candidates at a time.

There, a pass over all costs takes longer than a pivot, and most candidates are outdated after some pivots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work, refresh
from .compile import jit
from .minimum import lowest
from .pivot import pivot
from .pricing import INTERRUPTED, OPTIMAL, STALLED, best_candidate, pays

LARGE = 150  # from this many nodes on both sides together, this is faster
_LISTED = 16  # candidates: one to fifty differ little, all sinks take several times as long
_BLOCK = 256  # costs of a sink processed at a time


@jit
def _best_source(start: int, na: int, cost: Any, dual: Any) -> tuple[float, int]:
    """The minimum of the costs of a sink minus the potentials of the sources, and its source."""
    least, found = np.inf, 0
    for k in range(0, na, _BLOCK):
        low = lowest(cost[start + k :], 0, dual[k:], min(_BLOCK, na - k))
        if low < least:
            least, found = low, k
    while found < na - 1 and cost[start + found] - dual[found] != least:
        found += 1
    return least, found


@jit
def _list_some(na: int, nb: int, begin: int, tolerance: float, cost: Any, work: Work) -> tuple[int, int, float]:
    """List arcs with negative reduced cost from the sink `begin` on, as in `pricing`; returns count, next sink, a sum.

    If no arc was found, all sinks were visited, and the sum is the value of their best potentials.
    """
    dual, listed = work.dual, work.order
    count = 0
    value = 0.0
    j = begin
    for _ in range(nb):
        least, i = _best_source(work.row[j], na, cost, dual)
        value += work.demand[j] * least
        c = cost[work.row[j] + i]
        if pays(c, dual[i], dual[na + j], tolerance):
            listed[2 * count] = i
            listed[2 * count + 1] = na + j
            work.rest[count] = c
            count += 1
        j = j + 1 if j + 1 < nb else 0
        if count == _LISTED or work.stop[0] != 0:
            break
    return count, j, value


@jit
def optimize_large(na: int, nb: int, root: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """Pivot until no arc has negative reduced cost; status and dual value. Potentials are recomputed in every round."""
    left = 1000 + 100 * na * nb
    j = 0
    while True:
        count, following, value = _list_some(na, nb, j, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if count == 0:
            for i in range(na):
                value += work.supply[i] * work.dual[i]
            return OPTIMAL, value
        while True:
            count, place, reduced = best_candidate(count, tolerance, work)
            if place < 0:
                break
            left -= 1
            if left < 0 or not pivot(na, work.order[2 * place], work.order[2 * place + 1], reduced, work):
                return STALLED, 0.0
        if following <= j:
            refresh(na, root, root, cost, work)
        j = following
