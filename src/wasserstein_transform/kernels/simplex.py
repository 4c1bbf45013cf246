"""Exact optimal transport between two small discrete measures: the network simplex on a bipartite graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work, arc_cost, grow, refresh
from .compile import jit
from .large import LARGE, optimize_large
from .pivot import pivot
from .pricing import INTERRUPTED, OPTIMAL, STALLED, best_candidate, dual_value, list_candidates, pays
from .start import peel

_TOLERANCE = 1e-14  # reduced costs below minus this, relative to the largest cost, count as negative
_TIGHT = 1e-12  # reduced costs up to this, relative to the largest cost, count as 0 for a warm start
_DRIFT = 1e-13  # for a larger gap, relative to the largest cost, potentials are recomputed


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
def plan_reach(na: int, nb: int, root: int, cost: Any, work: Work) -> float:
    """The largest cost at which the plan moves mass."""
    reach = 0.0
    for node in range(na + nb):
        if node != root and work.flow[node] > 0.0:
            reach = max(reach, arc_cost(node, na, cost, work))
    return reach


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
    root = peel(na, nb, _TIGHT * top, cost, work) if top < np.inf else -1
    if root < 0:
        return np.inf, np.inf, INTERRUPTED if work.stop[0] != 0 else STALLED, root
    grow(na, nb, root, cost, work)
    tolerance = _TOLERANCE * unit
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
        if safe or again or status != OPTIMAL or (abs(gap) <= _DRIFT * top * total and not wide):
            break
        refresh(na, root, _heaviest(na, nb, work) if wide else root, cost, work)
    return value, gap, status, root
