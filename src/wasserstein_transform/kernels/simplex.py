"""Exact optimal transport between two small discrete measures: the network simplex on a bipartite graph.

Sources are nodes 0…na−1, sinks na…na+nb−1. The basis is a spanning tree rooted at a sink and kept *strongly
feasible* (an arc without flow points to the root), which rules out cycling. Costs are scaled to at most 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compile import jit

OPTIMAL, STALLED, INTERRUPTED = range(3)

_TOLERANCE = 1e-14  # of the largest cost: what counts as a negative reduced cost


class Work(NamedTuple):
    """The caller's workspace for problems of up to `cap` nodes a side; `stop[0]` ≠ 0 interrupts."""

    supply: np.ndarray  # (cap,) masses of the sources
    demand: np.ndarray  # (cap,) masses of the sinks
    cost: np.ndarray  # (cap·cap,) scaled costs, cost[j·na + i]
    dual: np.ndarray  # (2cap,) potentials
    flow: np.ndarray  # (2cap,) on the arc from a node to its parent
    rest: np.ndarray  # (2cap,) scratch
    parent: np.ndarray
    depth: np.ndarray
    child: np.ndarray
    after: np.ndarray
    before: np.ndarray
    order: np.ndarray
    stop: np.ndarray


def workspace(cap: int, stop: np.ndarray) -> Work:
    """Room for problems of up to `cap` × `cap`."""
    dual, flow, rest = np.zeros((3, 2 * cap))
    parent, depth, child, after, before, order = np.zeros((6, 2 * cap), np.intp)
    supply, demand = np.zeros((2, cap))
    return Work(supply, demand, np.zeros(cap * cap), dual, flow, rest, parent, depth, child, after, before, order, stop)


@jit
def _link(node: int, parent: int, work: Work) -> None:
    work.parent[node] = parent
    first = work.child[parent]
    work.after[node] = first
    work.before[node] = -1
    if first >= 0:
        work.before[first] = node
    work.child[parent] = node


@jit
def _unlink(node: int, work: Work) -> None:
    before, after = work.before[node], work.after[node]
    if before >= 0:
        work.after[before] = after
    else:
        work.child[work.parent[node]] = after
    if after >= 0:
        work.before[after] = before


@jit
def _arc_cost(node: int, na: int, work: Work) -> float:
    """Cost of the tree arc between a node and its parent."""
    up = work.parent[node]
    if node < na:
        return work.cost[(up - na) * na + node]
    return work.cost[(node - na) * na + up]


@jit
def _order_sinks(na: int, nb: int, work: Work) -> None:
    """Sinks by falling regret: what the second-best source costs more than the best, under the sources' potentials."""
    regret = work.rest
    for j in range(nb):
        best = np.inf
        second = np.inf
        for i in range(na):
            r = work.cost[j * na + i] - work.dual[i]
            if r < best:
                second = best
                best = r
            elif r < second:
                second = r
        value = second - best if na > 1 else 0.0
        k = j
        while k > 0 and regret[k - 1] < value:
            regret[k] = regret[k - 1]
            work.order[k] = work.order[k - 1]
            k -= 1
        regret[k] = value
        work.order[k] = j


@jit
def _start(na: int, nb: int, work: Work) -> int:
    """A strongly feasible tree by a greedy plan; returns its root and leaves the nodes in `order`, leaves first.

    On a tie the sink is served and the source lives on with nothing: the perturbation that makes the tree strong.
    """
    _order_sinks(na, nb, work)
    rest = work.rest
    alive = work.depth  # sources still in play; depth is set later
    for i in range(na):
        rest[i] = work.supply[i]
        alive[i] = i
    n_alive = na
    root = na + work.order[nb - 1]
    sinks = work.before  # a copy: `order` is rewritten as nodes are placed
    for k in range(nb):
        sinks[k] = work.order[k]
    placed = 0
    for k in range(nb):
        j = sinks[k]
        need = work.demand[j]
        row = j * na
        while True:
            best = 0
            value = np.inf
            for s in range(n_alive):
                r = work.cost[row + alive[s]] - work.dual[alive[s]]
                if r < value:
                    value = r
                    best = s
            i = alive[best]
            if k < nb - 1 and (n_alive == 1 or rest[i] >= need):
                work.parent[na + j] = i
                work.flow[na + j] = need
                rest[i] = max(rest[i] - need, 0.0)
                work.order[placed] = na + j
                placed += 1
                break
            work.parent[i] = na + j
            work.flow[i] = rest[i]
            need = max(need - rest[i], 0.0)
            work.order[placed] = i
            placed += 1
            n_alive -= 1
            alive[best] = alive[n_alive]
            if n_alive == 0:
                break
    work.order[placed] = root
    return root


@jit
def _grow(na: int, nb: int, root: int, work: Work) -> None:
    """Child lists, depths and potentials of the tree that `_start` left in `parent` and `order`."""
    n = na + nb
    for node in range(n):
        work.child[node] = -1
    work.parent[root] = -1
    work.depth[root] = 0
    work.dual[root] = 0.0
    for k in range(n - 2, -1, -1):
        node = work.order[k]
        up = work.parent[node]
        _link(node, up, work)
        work.depth[node] = work.depth[up] + 1
        work.dual[node] = _arc_cost(node, na, work) - work.dual[up]


@jit
def _refresh(na: int, root: int, work: Work) -> None:
    """Potentials anew from the tree: pivots add their rounding errors up."""
    work.dual[root] = 0.0
    x = root
    while True:
        if work.child[x] >= 0:
            x = work.child[x]
        else:
            while x != root and work.after[x] < 0:
                x = work.parent[x]
            if x == root:
                return
            x = work.after[x]
        work.dual[x] = _arc_cost(x, na, work) - work.dual[work.parent[x]]


@jit
def _enter(na: int, nb: int, first: int, bland: bool, work: Work) -> tuple[int, int, float]:
    """An arc of negative reduced cost, the most negative of a block of sinks counted from `first`; (−1, …) if none."""
    best = -_TOLERANCE
    source = -1
    sink = -1
    block = 1 if bland else max(1, min(nb, 1 + 60 // na))
    j = first
    for scanned in range(1, nb + 1):
        row = j * na
        v = work.dual[na + j]
        for i in range(na):
            r = work.cost[row + i] - work.dual[i] - v
            if r < best:
                best = r
                source = i
                sink = j
                if bland:
                    return source, sink, best
        j += 1
        if j == nb:
            j = 0
        if source >= 0 and scanned >= block:
            break
    return source, sink, best


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
        _unlink(node, work)
        _link(node, up, work)
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
def _optimize(na: int, nb: int, root: int, bland: bool, work: Work) -> int:
    limit = 1000 + 100 * na * nb
    first = 0
    fresh = False
    for _ in range(limit):
        if work.stop[0] != 0:
            return INTERRUPTED
        source, sink, reduced = _enter(na, nb, 0 if bland else first, bland, work)
        if source < 0:
            if fresh:
                return OPTIMAL
            _refresh(na, root, work)
            fresh = True
            continue
        fresh = False
        if not _pivot(na, source, na + sink, reduced, work):
            return STALLED
        first = sink + 1 if sink + 1 < nb else 0
    return STALLED


@jit
def _certify(na: int, nb: int, root: int, work: Work) -> tuple[float, float]:
    """Cost of the plan and its distance to the dual value, after making the potentials feasible."""
    primal = 0.0
    for node in range(na + nb):
        if node != root:
            primal += work.flow[node] * _arc_cost(node, na, work)
    bound = 0.0
    for j in range(nb):
        best = np.inf
        for i in range(na):
            best = min(best, work.cost[j * na + i] - work.dual[i])
        work.dual[na + j] = best
        bound += work.demand[j] * best
    for i in range(na):
        bound += work.supply[i] * work.dual[i]
    return primal, primal - bound


@jit
def solve(na: int, nb: int, safe: bool, work: Work) -> tuple[float, float, int, int]:
    """Optimal cost, primal–dual gap, status and root for `supply`, `demand` (equal totals), `cost` in `work`.

    The sources' potentials in `work.dual` warm the start; any values are valid. `safe` starts cold and follows Bland's
    rule. The plan is left in `parent`, `flow`.
    """
    if safe:
        for i in range(na):
            work.dual[i] = 0.0
    root = _start(na, nb, work)
    _grow(na, nb, root, work)
    status = _optimize(na, nb, root, safe, work)
    value, gap = _certify(na, nb, root, work)
    return value, gap, status, root
