"""Exact optimal transport between two discrete measures: the network simplex on a bipartite graph.

A pass over all costs lists candidates for entering the tree, one for every source. In large problems such a pass takes
longer than a pivot, and most candidates are outdated after some pivots: there, few are listed at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..jit.arithmetic_jit import lowest
from .simplex_tree_jit import Work, arc_cost, grow, peel, pivot, refresh

OPTIMAL, STALLED, INTERRUPTED = range(3)  # how a simplex ends
_SIMD_WIDTH = 8  # or a multiple of it
_COST_ROUNDING = 2.0**-50  # relative rounding error of the terms of a reduced cost
LARGE = 150  # nodes on both sides together; from here on few candidates at a time are faster
_MAX_CANDIDATES = 16  # in large problems: one to fifty differ little, all sinks take several times as long
_COSTS_PER_BLOCK = 256  # costs of a sink processed at a time
_COST_TOLERANCE = 1e-14  # reduced costs below minus this, relative to the largest cost, count as negative
_TIGHT_TOLERANCE = 1e-12  # reduced costs up to this, relative to the largest cost, count as 0 for a warm start
_MAX_DRIFT = 1e-13  # for a larger gap, relative to the largest cost, potentials are recomputed


@jit
def pays(cost: float, u: float, v: float, tolerance: float) -> bool:
    """Whether a reduced cost is negative by more than the tolerance and the rounding error of its terms."""
    return cost - u - v < -tolerance - _COST_ROUNDING * (abs(cost) + abs(u) + abs(v))


@jit
def _find_best_sinks(na: int, nb: int, cost: Any, row: Any, prices: Any, least: Any, where: Any) -> None:
    """The minimum of cost − price over the sinks for every source, and its sink; two sinks at a time.

    Whole vectors are read, beyond the last source as well; results there are not used.
    """
    whole = (na + _SIMD_WIDTH - 1) // _SIMD_WIDTH * _SIMD_WIDTH
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
    _find_best_sinks(na, nb, cost, row, dual, work.low, where)
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


@jit
def _best_source(start: int, na: int, cost: Any, dual: Any) -> tuple[float, int]:
    """The minimum of the costs of a sink minus the potentials of the sources, and its source."""
    least, source = np.inf, 0
    for k in range(0, na, _COSTS_PER_BLOCK):
        low = lowest(cost[start + k :], 0, dual[k:], min(_COSTS_PER_BLOCK, na - k))
        if low < least:
            least, source = low, k
    while source < na - 1 and cost[start + source] - dual[source] != least:
        source += 1
    return least, source


@jit
def _list_some(na: int, nb: int, begin: int, tolerance: float, cost: Any, work: Work) -> tuple[int, int, float]:
    """List arcs with negative reduced cost from the sink `begin` on; returns count, next sink, a sum.

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
        if count == _MAX_CANDIDATES or work.stop[0] != 0:
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


@jit
def _first_paying(na: int, nb: int, tolerance: float, cost: Any, work: Work) -> tuple[int, int]:
    """The first arc with negative reduced cost (Bland's rule): source and sink node, or −1."""
    for j in range(nb):
        if work.stop[0] != 0:
            break
        for i in range(na):
            if pays(cost[work.row[j] + i], work.dual[i], work.dual[na + j], tolerance):
                return i, na + j
    return -1, -1


@jit
def _optimize(na: int, nb: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """Pivot until no arc has negative reduced cost, best candidate first; status and dual value."""
    left = 1000 + 100 * na * nb
    while True:
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        count = list_candidates(na, nb, tolerance, cost, work)
        if count == 0:  # the last pass is also the certificate
            return OPTIMAL, dual_value(na, nb, work)
        while True:
            count, place, reduced = best_candidate(count, tolerance, work)
            if place < 0:
                break
            if work.stop[0] != 0:
                return INTERRUPTED, 0.0
            left -= 1
            if left < 0 or not pivot(na, work.order[2 * place], work.order[2 * place + 1], reduced, work):
                return STALLED, 0.0


@jit
def _optimize_safely(na: int, nb: int, root: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """The same with Bland's rule: the first arc with negative reduced cost enters."""
    left = 1000 + 100 * na * nb
    fresh = False
    while True:
        source, sink = _first_paying(na, nb, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if source < 0:
            if fresh:
                list_candidates(na, nb, np.inf, cost, work)
                return OPTIMAL, dual_value(na, nb, work)
            refresh(na, root, root, cost, work)
            fresh = True
            continue
        fresh = False
        left -= 1
        reduced = cost[work.row[sink - na] + source] - work.dual[source] - work.dual[sink]
        if left < 0 or not pivot(na, source, sink, reduced, work):
            return STALLED, 0.0


@jit
def plan_cost(na: int, nb: int, root: int, cost: Any, work: Work) -> float:
    """Cost of the plan."""
    value = 0.0
    for node in range(na + nb):
        if node != root:
            value += work.flow[node] * arc_cost(node, na, cost, work)
    return value


@jit
def fill_plan(na: int, nb: int, root: int, total: float, work: Work, out: Any) -> None:
    """The shares of `total` that the plan moves from each source to each sink, into an array of zeros."""
    for node in range(na + nb):
        if node != root:
            up = work.parent[node]
            i, j = (node, up - na) if node < na else (up, node - na)
            out[i, j] = work.flow[node] / total


@jit
def _heaviest(na: int, nb: int, work: Work) -> int:
    heaviest, most = 0, work.supply[0]
    for i in range(na):
        if work.supply[i] > most:
            heaviest, most = i, work.supply[i]
    for j in range(nb):
        if work.demand[j] > most:
            heaviest, most = na + j, work.demand[j]
    return heaviest


@jit
def solve(
    na: int, nb: int, top: float, unit: float, safe: bool, cost: Any, work: Work
) -> tuple[float, float, int, int]:
    """Optimal cost, primal–dual gap, status and root for `supply`, `demand` (equal totals) and costs of at most `top`.

    Reduced costs below −1e-14 · `unit` count as negative; `unit` is the largest cost, or less if most costs are
    smaller. The potentials of the sources in `work.dual` are a warm start; any values are valid. `safe` starts cold and
    uses Bland's rule. The plan is left in `parent` and `flow`, feasible potentials of the sources in `dual`.
    """
    total = 0.0
    for i in range(na):
        total += work.supply[i]
        if safe:
            work.dual[i] = 0.0
    root = peel(na, nb, _TIGHT_TOLERANCE * top, cost, work) if top < np.inf else -1
    if root < 0:
        return np.inf, np.inf, INTERRUPTED if work.stop[0] != 0 else STALLED, root
    grow(na, nb, root, cost, work)
    tolerance = _COST_TOLERANCE * unit
    for again in range(2):
        if safe:
            status, bound = _optimize_safely(na, nb, root, tolerance, cost, work)
        elif na + nb >= LARGE:
            status, bound = optimize_large(na, nb, root, tolerance, cost, work)
        else:
            status, bound = _optimize(na, nb, tolerance, cost, work)
        value = plan_cost(na, nb, root, cost, work)
        gap = value - bound
        wide = unit < top and not again  # potentials of the heaviest points keep the digits that cheap arcs need
        if safe or again or status != OPTIMAL or (abs(gap) <= _MAX_DRIFT * top * total and not wide):
            break
        refresh(na, root, _heaviest(na, nb, work) if wide else root, cost, work)
    return value, gap, status, root
