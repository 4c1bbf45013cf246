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
_MAX_CANDIDATES_OF_LARGE = 16  # one to fifty differ little, all sinks take several times as long
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
    na: int, nb: int, begin: int, tolerance: float, cost: Any, work: SimplexWorkspace
) -> tuple[int, int, float]:
    """List arcs with negative reduced cost from the sink `begin` on; returns count, next sink, a sum.

    If no arc was found, all sinks were visited, and the sum is the value of their best potentials.
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
        if count == _MAX_CANDIDATES_OF_LARGE or work.stop[0] != 0:
            break
    return count, j, value


@jit
def _pivot_listed(na: int, count: int, n_pivots: int, tolerance: float, work: SimplexWorkspace) -> tuple[int, int]:
    """Pivot with the listed arcs, best first, until none has negative reduced cost; pivots left, and status."""
    listed = work.candidates
    while True:
        count, best, reduced = best_candidate(count, tolerance, listed, work.potential)
        if best < 0:
            return n_pivots, OPTIMAL
        if work.stop[0] != 0:
            return n_pivots, INTERRUPTED
        n_pivots -= 1
        if n_pivots < 0 or not pivot(na, listed.source[best], listed.sink[best], reduced, work):
            return n_pivots, STALLED


@jit
def optimize_large(
    na: int, nb: int, root: int, tolerance: float, cost: Any, work: SimplexWorkspace
) -> tuple[int, float]:
    """Pivot until no arc has negative reduced cost; status and dual value. Potentials are recomputed in every round."""
    n_pivots, j = 1000 + 100 * na * nb, 0
    while True:
        count, next_sink, value = _list_some(na, nb, j, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if count == 0:
            for i in range(na):
                value += work.supply[i] * work.potential[i]
            return OPTIMAL, value
        n_pivots, status = _pivot_listed(na, count, n_pivots, tolerance, work)
        if status != OPTIMAL:
            return status, 0.0
        if next_sink <= j:
            recompute_potentials(na, root, root, cost, work)
        j = next_sink


@jit
def _first_negative_arc(na: int, nb: int, tolerance: float, cost: Any, work: SimplexWorkspace) -> tuple[int, int]:
    """The first arc with negative reduced cost (Bland's rule): source and sink node, or −1."""
    for j in range(nb):
        if work.stop[0] != 0:
            break
        for i in range(na):
            if is_negative(cost[work.cost_start[j] + i], work.potential[i], work.potential[na + j], tolerance):
                return i, na + j
    return -1, -1


@jit
def _optimize(na: int, nb: int, tolerance: float, cost: Any, work: SimplexWorkspace) -> tuple[int, float]:
    """Pivot until no arc has negative reduced cost, best candidate first; status and dual value."""
    n_pivots = 1000 + 100 * na * nb
    while True:
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        count = list_candidates(na, nb, tolerance, cost, work)
        if count == 0:  # the last pass is also the certificate
            return OPTIMAL, dual_value(na, nb, work)
        n_pivots, status = _pivot_listed(na, count, n_pivots, tolerance, work)
        if status != OPTIMAL:
            return status, 0.0


@jit
def _optimize_safely(
    na: int, nb: int, root: int, tolerance: float, cost: Any, work: SimplexWorkspace
) -> tuple[int, float]:
    """The same with Bland's rule: the first arc with negative reduced cost enters."""
    n_pivots, is_fresh = 1000 + 100 * na * nb, False
    while True:
        source, sink = _first_negative_arc(na, nb, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if source >= 0:
            is_fresh = False
            n_pivots -= 1
            reduced = cost[work.cost_start[sink - na] + source] - work.potential[source] - work.potential[sink]
            if n_pivots < 0 or not pivot(na, source, sink, reduced, work):
                return STALLED, 0.0
        elif is_fresh:
            list_candidates(na, nb, np.inf, cost, work)
            return OPTIMAL, dual_value(na, nb, work)
        else:
            recompute_potentials(na, root, root, cost, work)
            is_fresh = True


@jit
def plan_cost(na: int, nb: int, root: int, cost: Any, work: SimplexWorkspace) -> float:
    """Cost of the plan."""
    value = 0.0
    for node in range(na + nb):
        if node != root:
            value += work.flow[node] * arc_cost(node, na, cost, work)
    return value


@jit
def fill_plan(na: int, nb: int, root: int, total: float, work: SimplexWorkspace, out: Any) -> None:
    """The shares of `total` that the plan moves from each source to each sink, into an array of zeros."""
    for node in range(na + nb):
        if node != root:
            up = work.parent[node]
            i, j = (node, up - na) if node < na else (up, node - na)
            out[i, j] = work.flow[node] / total


@jit
def _heaviest(na: int, nb: int, work: SimplexWorkspace) -> int:
    """The node with the largest mass."""
    heaviest, mass = 0, work.supply[0]
    for i in range(na):
        if work.supply[i] > mass:
            heaviest, mass = i, work.supply[i]
    for j in range(nb):
        if work.demand[j] > mass:
            heaviest, mass = na + j, work.demand[j]
    return heaviest


@jit
def solve(
    na: int, nb: int, max_cost: float, unit: float, safe: bool, cost: Any, work: SimplexWorkspace
) -> tuple[float, float, int, int]:
    """Optimal cost, primal–dual gap, status and root for `supply` and `demand` (equal totals) and costs ≤ `max_cost`.

    Reduced costs below −1e-14 · `unit` count as negative; `unit` is the largest cost, or less if most costs are
    smaller. The potentials of the sources in `work` are a warm start; any values are valid. `safe` starts cold and uses
    Bland's rule. The plan is left in `parent` and `flow`, feasible potentials of the sources in `potential`.
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
    tolerance = _MAX_NEGATIVE_COST * unit
    for again in range(2):
        if safe:
            status, bound = _optimize_safely(na, nb, root, tolerance, cost, work)
        elif na + nb >= MIN_NODES_OF_LARGE:
            status, bound = optimize_large(na, nb, root, tolerance, cost, work)
        else:
            status, bound = _optimize(na, nb, tolerance, cost, work)
        value = plan_cost(na, nb, root, cost, work)
        gap = value - bound
        wide = unit < max_cost and not again  # potentials of the heaviest points keep the digits that cheap arcs need
        if safe or again or status != OPTIMAL or (abs(gap) <= _MAX_GAP_OF_DRIFT * max_cost * total and not wide):
            break
        recompute_potentials(na, root, _heaviest(na, nb, work) if wide else root, cost, work)
    return value, gap, status, root
