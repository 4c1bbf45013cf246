"""Exact optimal transport between two small discrete measures: the network simplex on a bipartite graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import Work, arc_cost, grow, link, refresh, unlink
from .compile import jit
from .flows import settle
from .large import LARGE, optimize_large
from .minimum import lowest
from .pricing import INTERRUPTED, OPTIMAL, STALLED, pays
from .start import peel

_TOLERANCE = 1e-14  # of the largest cost: what counts as a negative reduced cost
_TIGHT = 1e-12  # of the largest cost: what counts as a reduced cost of 0 when a basis is inherited
_FAINT = 8.0 * 2.0**-52  # share of the mass that may be rounding
_DRIFT = 1e-13  # of the largest cost: a gap above this has potentials computed anew


@jit
def _list_candidates(na: int, nb: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """The most negative arc of every sink into `order` (source, sink, …); their number and the dual value's sink part.

    With no arc listed, that value belongs to feasible potentials: the last look for arcs is also the certificate.
    """
    dual, listed = work.dual, work.order
    count = 0
    bound = 0.0
    for j in range(nb):
        if work.stop[0] != 0:
            break
        start = work.row[j]
        least = lowest(cost, start, dual, na)
        bound += work.demand[j] * least
        if least - dual[na + j] < -tolerance:
            i = 0
            while i < na - 1 and cost[start + i] - dual[i] != least:
                i += 1
            if pays(cost[start + i], dual[i], dual[na + j], tolerance):
                listed[2 * count] = i
                listed[2 * count + 1] = j
                count += 1
    return count, bound


@jit
def _best_candidate(na: int, count: int, tolerance: float, cost: Any, work: Work) -> tuple[int, int, float]:
    """How many listed arcs still pay (the others are dropped), the place of the best one, and its reduced cost."""
    dual, listed = work.dual, work.order
    best = -tolerance
    place = -1
    kept = 0
    for k in range(count):
        i, j = listed[2 * k], listed[2 * k + 1]
        c = cost[work.row[j] + i]
        reduced = c - dual[i] - dual[na + j]
        if pays(c, dual[i], dual[na + j], tolerance):
            listed[2 * kept] = i
            listed[2 * kept + 1] = j
            if reduced < best:
                best = reduced
                place = kept
            kept += 1
    return kept, place, best


@jit
def _pivot(na: int, i: int, j: int, reduced: float, work: Work) -> bool:
    """Bring the arc from source i to sink node j into the tree; False if no arc can leave (flows are not numbers)."""
    parent, depth, flow, dual = work.parent, work.depth, work.flow, work.dual
    p, q = i, j
    delta = np.inf
    out = -1
    on_source_side = True
    while p != q:  # the last blocking arc along the cycle, seen from its apex, leaves
        if depth[p] >= depth[q]:
            if p < na and flow[p] < delta:
                delta = flow[p]
                out = p
                on_source_side = True
            p = parent[p]
        else:
            if q >= na and flow[q] <= delta:
                delta = flow[q]
                out = q
                on_source_side = False
            q = parent[q]
    if out < 0:
        return False
    apex = p
    if delta > 0.0:
        p = i
        while p != apex:
            flow[p] += -delta if p < na else delta
            p = parent[p]
        q = j
        while q != apex:
            flow[q] += delta if q < na else -delta
            q = parent[q]
    top, up, step = (i, j, reduced) if on_source_side else (j, i, -reduced)
    node, carried = top, delta
    while True:  # turn the cut branch around: its path from `top` to `out` changes direction
        old, kept = parent[node], flow[node]
        unlink(node, work)
        link(node, up, work)
        flow[node] = carried
        if node == out:
            break
        node, up, carried = old, node, kept
    x = top
    while True:
        depth[x] = depth[parent[x]] + 1
        dual[x] += step if x < na else -step
        if work.child[x] >= 0:
            x = work.child[x]
            continue
        while x != top and work.after[x] < 0:
            x = parent[x]
        if x == top:
            return True
        x = work.after[x]


@jit
def _optimize(na: int, nb: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """Pivots until no arc pays, best of a list of candidates first; status and the dual value's sink part."""
    left = 1000 + 100 * na * nb
    while True:
        count, bound = _list_candidates(na, nb, tolerance, cost, work)
        if work.stop[0] != 0:
            return INTERRUPTED, bound
        if count == 0:
            return OPTIMAL, bound
        while True:
            count, place, reduced = _best_candidate(na, count, tolerance, cost, work)
            if place < 0:
                break
            if work.stop[0] != 0:
                return INTERRUPTED, bound
            left -= 1
            if left < 0 or not _pivot(na, work.order[2 * place], na + work.order[2 * place + 1], reduced, work):
                return STALLED, bound


@jit
def _optimize_safely(na: int, nb: int, root: int, tolerance: float, cost: Any, work: Work) -> tuple[int, float]:
    """The same by Bland's rule: the first arc that pays enters."""
    left = 1000 + 100 * na * nb
    fresh = False
    while True:
        source = -1
        sink = -1
        for j in range(nb):
            if source >= 0 or work.stop[0] != 0:
                break
            for i in range(na):
                if pays(cost[work.row[j] + i], work.dual[i], work.dual[na + j], tolerance):
                    source, sink = i, j
                    break
        if work.stop[0] != 0:
            return INTERRUPTED, 0.0
        if source < 0:
            if fresh:
                return OPTIMAL, _list_candidates(na, nb, np.inf, cost, work)[1]
            refresh(na, root, cost, work)
            fresh = True
            continue
        fresh = False
        left -= 1
        reduced = cost[work.row[sink] + source] - work.dual[source] - work.dual[na + sink]
        if left < 0 or not _pivot(na, source, na + sink, reduced, work):
            return STALLED, 0.0


@jit
def moves(node: int, na: int, faint: float, work: Work) -> bool:
    """Whether the arc of a node carries mass; a faint rest of two larger masses is what rounding left over."""
    mass = work.flow[node]
    up = work.parent[node]
    i, j = (node, up - na) if node < na else (up, node - na)
    return mass > faint or (mass > 0.0 and 2.0 * mass > min(work.supply[i], work.demand[j]))


@jit
def faint_mass(na: int, work: Work) -> float:
    """Mass that may be rounding: of masses, their sums and products."""
    total = 0.0
    for i in range(na):
        total += work.supply[i]
    return _FAINT * total


@jit
def plan_cost(na: int, nb: int, root: int, cost: Any, work: Work) -> float:
    """Cost of the plan."""
    value = 0.0
    faint = faint_mass(na, work)
    for node in range(na + nb):
        if node != root and moves(node, na, faint, work):
            value += work.flow[node] * arc_cost(node, na, cost, work)
    return value


@jit
def settled_cost(na: int, nb: int, root: int, a: Any, b: Any, cost: Any, work: Work) -> float:
    """Cost of the plan, its flows computed anew from the masses a and b."""
    settle(na, nb, root, a, b, work)
    return plan_cost(na, nb, root, cost, work)


@jit
def fill_plan(na: int, nb: int, root: int, total: float, work: Work, out: Any) -> None:
    """The shares of `total` that the plan moves from each source to each sink, into an array of zeros."""
    faint = faint_mass(na, work)
    for node in range(na + nb):
        if node != root and moves(node, na, faint, work):
            up = work.parent[node]
            i, j = (node, up - na) if node < na else (up, node - na)
            out[i, j] = work.flow[node] / total


@jit
def plan_reach(na: int, nb: int, root: int, cost: Any, work: Work) -> float:
    """The largest cost at which the plan moves mass."""
    reach = 0.0
    faint = faint_mass(na, work)
    for node in range(na + nb):
        if node != root and moves(node, na, faint, work):
            reach = max(reach, arc_cost(node, na, cost, work))
    return reach


@jit
def solve(
    na: int, nb: int, top: float, unit: float, safe: bool, cost: Any, work: Work
) -> tuple[float, float, int, int]:
    """Optimal cost, primal–dual gap, status and root for `supply`, `demand` (equal totals) and costs of at most `top`.

    Reduced costs count as negative from 1e-14 of `unit` on: of the largest cost, or less where most are smaller.
    The sources' potentials in `work.dual` warm the start; any values are valid. `safe` starts cold and follows Bland's
    rule. The plan is left in `parent`, `flow`, feasible potentials of the sources in `dual`.
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
        for i in range(na):
            bound += work.supply[i] * work.dual[i]
        gap = value - bound
        if safe or again or status != OPTIMAL or abs(gap) <= _DRIFT * top * total:
            break
        refresh(na, root, cost, work)
    return value, gap, status, root
