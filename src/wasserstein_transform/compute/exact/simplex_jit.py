"""Exact optimal transport between two discrete measures: the network simplex on a bipartite graph.

A pass over all costs lists candidates for entering the tree, one for every source. In large problems such a pass takes
longer than a pivot, and most candidates are outdated after some pivots: there, few are listed at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit
from .simplex_tree_jit import (
    Candidates,
    SimplexWorkspace,
    arc_cost,
    initialize_tree,
    peel,
    pivot,
    recompute_potentials,
)

OPTIMAL, STALLED, INTERRUPTED = range(3)  # how a simplex ends
_SIMD_WIDTH = 8  # or a multiple of it
_REDUCED_COST_ROUNDING = 2.0**-50  # relative to its terms
MIN_NODES_OF_LARGE = 150  # on both sides together; from here on few candidates at a time are faster
MAX_CANDIDATES_OF_LARGE = 16  # listed at a time; one to fifty differ little, all sinks take several times as long
_COSTS_PER_BLOCK = 256  # costs of a sink processed at a time
_MAX_NEGATIVE_COST = 1e-14  # reduced costs below minus this, relative to the largest cost, count as negative
_MAX_TIGHT_COST = 1e-12  # reduced costs up to this, relative to the largest cost, count as 0 for a warm start
_MAX_GAP_OF_DRIFT = 1e-13  # for a larger gap, relative to the largest cost, potentials are recomputed


@jit
def is_negative(cost: float, u: float, v: float, tolerance: float) -> bool:
    """Whether a reduced cost is negative by more than the tolerance and the rounding error of its terms."""
    return cost - u - v < -tolerance - _REDUCED_COST_ROUNDING * (abs(cost) + abs(u) + abs(v))


@jit
def _find_best_sinks(na: int, nb: int, cost: Any, cost_start: Any, prices: Any, best_cost: Any, best_sink: Any) -> None:
    """The minimum of cost − price over the sinks for every source, and its sink; two sinks at a time.

    Whole vectors are read, beyond the last source as well; results there are not used.
    """
    padded = (na + _SIMD_WIDTH - 1) // _SIMD_WIDTH * _SIMD_WIDTH
    for i in range(padded):
        best_cost[i] = np.inf
        best_sink[i] = 0
    for j in range(0, nb, 2):
        k = min(j + 1, nb - 1)
        start, other_start = cost_start[j], cost_start[k]
        width = padded if max(start, other_start) + padded <= cost.shape[0] else na
        costs, other_costs = cost[start : start + width], cost[other_start : other_start + width]
        least, sinks = best_cost[:width], best_sink[:width]
        price, other_price = prices[na + j], prices[na + k]
        for i in range(costs.shape[0]):
            reduced, other = costs[i] - price, other_costs[i] - other_price
            lesser, before = (other if other < reduced else reduced), least[i]
            sink, sink_before = (k if other < reduced else j), sinks[i]
            least[i] = lesser if lesser < before else before
            sinks[i] = sink if lesser < before else sink_before


@jit
def list_candidates(na: int, nb: int, tolerance: float, cost: Any, work: SimplexWorkspace) -> int:
    """List the most negative arc of every source in `candidates`; returns their number."""
    potential, listed = work.potential, work.candidates
    _find_best_sinks(na, nb, cost, work.cost_start, potential, listed.best_cost, listed.best_sink)
    count = 0
    for i in range(na):
        j = listed.best_sink[i]
        c = cost[work.cost_start[j] + i]
        listed.source[count] = i
        listed.sink[count] = na + j
        listed.cost[count] = c
        count += is_negative(c, potential[i], potential[na + j], tolerance)
    return count


@jit
def dual_value(na: int, nb: int, work: SimplexWorkspace) -> float:
    """After a pass over all costs: the dual value of the potentials of the sinks and the best ones of the sources."""
    value = 0.0
    for i in range(na):
        value += work.supply[i] * work.candidates.best_cost[i]
    for j in range(nb):
        value += work.demand[j] * work.potential[na + j]
    return value


@jit
def best_candidate(count: int, tolerance: float, listed: Candidates, potential: Any) -> tuple[int, int, float]:
    """The number of listed arcs that still have negative reduced cost, the index of the best one, and its cost."""
    least = -tolerance
    best = -1
    n_kept = 0
    for k in range(count):
        i, j, c = listed.source[k], listed.sink[k], listed.cost[k]
        u, v = potential[i], potential[j]
        listed.source[n_kept] = i
        listed.sink[n_kept] = j
        listed.cost[n_kept] = c
        negative = is_negative(c, u, v, tolerance)
        reduced = c - u - v if negative else 0.0
        if reduced < least:
            least = reduced
            best = n_kept
        n_kept += negative
    return n_kept, best, least


@jit
def _best_source(start: int, na: int, cost: Any, potential: Any) -> tuple[float, int]:
    """The minimum of the costs of a sink minus the potentials of the sources, and its source."""
    least, source = np.inf, 0
    for k in range(0, na, _COSTS_PER_BLOCK):
        low = arithmetic.lowest(cost[start + k :], 0, potential[k:], min(_COSTS_PER_BLOCK, na - k))
        if low < least:
            least, source = low, k
    while source < na - 1 and cost[start + source] - potential[source] != least:
        source += 1
    return least, source


@jit
def _list_some(
    na: int, nb: int, begin: int, most: int, tolerance: float, cost: Any, work: SimplexWorkspace
) -> tuple[int, int, float]:
    """List at most so many arcs with negative reduced cost from the sink `begin` on; returns count, next sink, a sum.

    If no arc was found, all sinks were visited, and the sum is the dual value of the potentials of the sources and the
    best ones of the sinks.
    """
    potential, listed = work.potential, work.candidates
    count = 0
    value = 0.0
    j = begin
    for _ in range(nb):
        least, i = _best_source(work.cost_start[j], na, cost, potential)
        value += work.demand[j] * least
        c = cost[work.cost_start[j] + i]
        if is_negative(c, potential[i], potential[na + j], tolerance):
            listed.source[count] = i
            listed.sink[count] = na + j
            listed.cost[count] = c
            count += 1
        j = j + 1 if j + 1 < nb else 0
        if count == most or work.stop[0] != 0:
            break
    for i in range(na):
        value += work.supply[i] * potential[i]
    return count, j, value


@jit
def optimize(
    na: int, nb: int, root: int, few: int, tolerance: float, cost: Any, work: SimplexWorkspace
) -> tuple[int, float]:
    """Pivot until no arc has negative reduced cost, best candidate first; status and dual value.

    Every source has a candidate, or, if `few` is positive, so many are listed at a time, and potentials are recomputed
    in every round.
    """
    listed, n_pivots, j, next_sink, value = work.candidates, 1000 + 100 * na * nb, 0, 0, 0.0
    while True:
        if few > 0:
            count, next_sink, value = _list_some(na, nb, j, few, tolerance, cost, work)
        else:
            count = list_candidates(na, nb, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if count == 0:  # the last pass is also the certificate
            return OPTIMAL, value if few > 0 else dual_value(na, nb, work)
        while True:
            count, best, reduced = best_candidate(count, tolerance, listed, work.potential)
            if best < 0:
                break
            if work.stop[0] != 0:
                return INTERRUPTED, 0.0
            n_pivots -= 1
            if n_pivots < 0 or not pivot(na, listed.source[best], listed.sink[best], reduced, work):
                return STALLED, 0.0
        if few > 0 and next_sink <= j:
            recompute_potentials(na, root, root, cost, work)
        j = next_sink


@jit
def plan_cost(na: int, nb: int, root: int, cost: Any, work: SimplexWorkspace) -> float:
    """Cost of the plan."""
    value = 0.0
    for node in range(na + nb):
        if node != root:
            value += work.flow[node] * arc_cost(node, na, cost, work)
    return value


@jit
def solve(
    na: int, nb: int, max_cost: float, unit: float, safe: bool, cost: Any, work: SimplexWorkspace
) -> tuple[float, float, int, int]:
    """Optimal cost, primal–dual gap, status and root for `supply` and `demand` (equal totals) and costs ≤ `max_cost`.

    Reduced costs below −1e-14 · `unit` count as negative; `unit` is the largest cost, or less if most costs are
    smaller. The potentials of the sources in `work` are a warm start; any values are valid. `safe` starts cold and
    lists one arc at a time. The plan is left in `parent` and `flow`, feasible potentials of the sources in `potential`.
    """
    total = 0.0
    for i in range(na):
        total += work.supply[i]
        if safe:
            work.potential[i] = 0.0
    root = peel(na, nb, _MAX_TIGHT_COST * max_cost, cost, work) if max_cost < np.inf else -1
    if root < 0:
        return np.inf, np.inf, INTERRUPTED if work.stop[0] != 0 else STALLED, root
    initialize_tree(na, nb, root, cost, work)
    few = 1 if safe else MAX_CANDIDATES_OF_LARGE if na + nb >= MIN_NODES_OF_LARGE else 0
    for again in range(2):
        status, bound = optimize(na, nb, root, few, _MAX_NEGATIVE_COST * unit, cost, work)
        value = plan_cost(na, nb, root, cost, work)
        gap = value - bound
        wide = unit < max_cost and not again  # potentials of the heaviest points keep the digits that cheap arcs need
        if again or status != OPTIMAL or (abs(gap) <= _MAX_GAP_OF_DRIFT * max_cost * total and not wide):
            break
        i, j = int(work.supply[:na].argmax()), int(work.demand[:nb].argmax())
        heaviest = i if work.supply[i] >= work.demand[j] else na + j
        recompute_potentials(na, root, heaviest if wide else root, cost, work)
    return value, gap, status, root
