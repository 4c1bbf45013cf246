"""The basis of the network simplex: a spanning tree of sources and sinks in the caller's workspace.

Sources are nodes 0…na−1, sinks na…na+nb−1. The tree is rooted at a sink and kept *strongly feasible* (an arc without
flow points to the root), which rules out cycling. The cost from source i to sink j is `cost[work.row[j] + i]`: problems
that share their sources share the rows of one table. In a pivot an arc enters the tree, and another one leaves.

The initial tree is that of a similar problem. Under the potentials of a similar solved problem, the tight arcs (reduced
cost 0) are the basis of that problem, as far as its points are still present. Peeling this forest from its leaves,
where each node sends or receives its mass, gives a plan along the inherited tree; only if masses do not fit does a node
search its best partner elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit
from ..jit.arithmetic_jit import lowest

DEAD = -np.inf  # potential of a node whose mass is placed: it is never the best partner
UNKNOWN = -np.inf  # unknown potential of a source; none of its arcs is tight


class Work(NamedTuple):
    """The caller's workspace for problems of up to `cap` nodes per side; `stop[0]` ≠ 0 interrupts."""

    supply: np.ndarray  # (cap,) masses of the sources
    demand: np.ndarray  # (cap,) masses of the sinks
    row: np.ndarray  # (cap,) start of the costs to a sink
    dual: np.ndarray  # (2cap,) potentials
    flow: np.ndarray  # (2cap,) flow on the arc from a node to its parent
    rest: np.ndarray  # (2cap,) mass not yet placed
    low: np.ndarray  # (2cap + 8,) rounding error of `rest`, if it is tracked
    loose: np.ndarray  # (2cap,) masses that are rounded, of a branch or a node
    parent: np.ndarray
    level: np.ndarray  # depth below the root
    after: np.ndarray  # the next node in a ring in preorder: every node comes right before its subtree
    before: np.ndarray  # the previous node in that ring
    depth: np.ndarray
    child: np.ndarray  # (2cap + 8,)
    order: np.ndarray
    arcs: np.ndarray  # (4, 4cap) tight arcs: source, sink, next of the source, next of the sink
    queue: np.ndarray  # (8cap,)
    stop: np.ndarray


def workspace(cap: int, stop: np.ndarray) -> Work:
    """A workspace for problems of up to `cap` × `cap`, without costs."""
    dual, flow, rest, loose = np.zeros((4, 2 * cap))
    # unsigned, to avoid tests for negative indices
    parent, level, after, before, order = np.zeros((5, 2 * cap), np.uint32)
    low, depth, child = np.zeros(2 * cap + 8), np.zeros(2 * cap, np.intp), np.zeros(2 * cap + 8, np.intp)
    supply, demand = np.zeros((2, cap))
    row, arcs, queue = np.zeros(cap, np.intp), np.zeros((4, 4 * cap), np.intp), np.zeros(8 * cap, np.uint32)
    tree = parent, level, after, before, depth, child, order
    return Work(supply, demand, row, dual, flow, rest, low, loose, *tree, arcs, queue, stop)


@jit
def arc_cost(node: int, na: int, cost: Any, work: Work) -> float:
    """Cost of the tree arc between a node and its parent."""
    up = work.parent[node]
    if node < na:
        return cost[work.row[up - na] + node]
    return cost[work.row[node - na] + up]


@jit
def grow(na: int, nb: int, root: int, cost: Any, work: Work) -> None:
    """Compute ring, levels and potentials of the initial tree in `parent` and `order` (leaves first)."""
    parent, level, after, before, dual = work.parent, work.level, work.after, work.before, work.dual
    parent[root] = root
    level[root] = 0
    after[root] = root
    before[root] = root
    dual[root] = 0.0
    for k in range(na + nb - 2, -1, -1):
        node = work.order[k]
        up = parent[node]
        following = after[up]
        after[up] = node
        before[node] = up
        after[node] = following
        before[following] = node
        level[node] = level[up] + 1
        dual[node] = arc_cost(node, na, cost, work) - dual[up]


@jit
def refresh(na: int, root: int, base: int, cost: Any, work: Work) -> None:
    """Recompute the potentials from the tree, because rounding errors of pivots accumulate; that of `base` is 0."""
    dual, parent, on_way = work.dual, work.parent, work.child
    x = root
    while True:
        on_way[x] = 0
        x = work.after[x]
        if x == root:
            break
    dual[base] = 0.0
    x = base
    while x != root:
        on_way[x] = 1
        dual[parent[x]] = arc_cost(x, na, cost, work) - dual[x]
        x = parent[x]
    x = work.after[root]
    while x != root:
        if on_way[x] == 0:
            dual[x] = arc_cost(x, na, cost, work) - dual[parent[x]]
        x = work.after[x]


@jit
def _leaving(na: int, i: int, j: int, work: Work) -> tuple[float, int, bool, int]:
    """The flow change on the cycle of the arc (i, j), the node of the leaving arc, whether on i's side, and the apex.

    Of the blocking arcs, the last one along the cycle from its apex leaves, which keeps trees strongly feasible.
    """
    parent, level, flow = work.parent, work.level, work.flow
    p, q = i, j
    delta = np.inf
    out = -1
    on_source_side = True
    while p != q:
        if level[p] >= level[q]:
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
    return delta, out, on_source_side, p


@jit
def _push(na: int, i: int, j: int, apex: int, delta: float, parent: Any, flow: Any) -> None:
    """Move mass around the cycle."""
    p = i
    while p != apex:
        flow[p] += -delta if p < na else delta
        p = parent[p]
    q = j
    while q != apex:
        flow[q] += delta if q < na else -delta
        q = parent[q]


@jit
def _lift(na: int, x: int, bottom: int, rise: int, step: float, work: Work) -> tuple[int, int]:
    """Update levels and potentials along the ring from x, while below `bottom`; returns the last node and the next."""
    level, dual, after = work.level, work.dual, work.after
    while True:
        level[x] += rise
        dual[x] += step if x < na else -step
        y = after[x]
        if level[y] <= bottom:
            return x, y
        x = y


@jit
def turn(na: int, top: int, out: int, up: int, carried: float, step: float, work: Work) -> None:
    """Attach the branch that was cut at `out` to `up` by its node `top`, reversing the path from `top` to `out`."""
    parent, level, after, before, flow = work.parent, work.level, work.after, work.before, work.flow
    start = before[out]
    node, above = top, up
    bottom = level[top]
    rise = level[up] + 1 - bottom
    last, following = _lift(na, top, bottom, rise, step, work)
    earlier = before[top]
    while True:
        old, kept = parent[node], flow[node]
        parent[node] = above
        flow[node] = carried
        if node == out:
            break
        # the subtree of `old` without `node`: a part before it in the ring, and a part after it
        bottom -= 1
        rise += 2
        behind = before[old]
        after[last] = old
        before[old] = last
        after[earlier] = node  # ends the first part, because `node` has its new level
        x = old
        while x != node:
            level[x] += rise
            work.dual[x] += step if x < na else -step
            x = after[x]
        last = earlier
        if level[following] > bottom:
            after[earlier] = following
            before[following] = earlier
            last, following = _lift(na, following, bottom, rise, step, work)
        earlier = behind
        above, carried, node = node, kept, old
    after[start] = following
    before[following] = start
    following = after[up]
    after[up] = top
    before[top] = up
    after[last] = following
    before[following] = last


@jit
def pivot(na: int, i: int, j: int, reduced: float, work: Work) -> bool:
    """Bring the arc from source i to sink node j into the tree; False if no arc can leave (flows are not numbers)."""
    delta, out, on_source_side, apex = _leaving(na, i, j, work)
    if out < 0:
        return False
    if delta > 0.0:
        _push(na, i, j, apex, delta, work.parent, work.flow)
    top, up, step = (i, j, reduced) if on_source_side else (j, i, -reduced)
    turn(na, top, out, up, delta, step, work)
    return True


@jit
def _guess(na: int, nb: int, cost: Any, work: Work) -> None:
    """Set unknown potentials to the mean cost of the source, which is larger for sources far from all sinks."""
    dual = work.dual[:na]
    for i in range(dual.shape[0]):
        dual[i] = 0.0
    total = 0.0
    for j in range(nb):
        total += work.demand[j]
    for j in range(nb):
        costs, share = cost[work.row[j] : work.row[j] + na], work.demand[j] / total
        for i in range(costs.shape[0]):
            dual[i] += share * costs[i]


@jit
def _partner(node: int, na: int, nb: int, cost: Any, row: Any, dual: Any) -> int:
    """The active node on the other side with the smallest reduced cost."""
    best = np.inf
    who = -1
    if node < na:
        for j in range(nb):
            reduced = cost[row[j] + node] - dual[na + j]
            if reduced < best:
                best = reduced
                who = na + j
    else:
        costs, prices = cost[row[node - na] : row[node - na] + na], dual[:na]
        for i in range(costs.shape[0]):
            reduced = costs[i] - prices[i]
            if reduced < best:
                best = reduced
                who = i
    return who


@jit
def _add_arc(count: int, i: int, sink: int, work: Work) -> int:
    """List a tight arc; returns their number. If ties give too many, the last ones are left out."""
    arcs, first, degree = work.arcs, work.child, work.depth
    if count == arcs.shape[1]:
        return count
    arcs[0, count] = i
    arcs[1, count] = sink
    arcs[2, count] = first[i]
    arcs[3, count] = first[sink]
    first[i] = count
    first[sink] = count
    degree[i] += 1
    degree[sink] += 1
    return count + 1


@jit
def _find_tight(na: int, nb: int, slack: float, cost: Any, work: Work) -> None:
    """Potentials of sinks from those of sources, sources raised until each has a tight arc, and the tight arcs."""
    dual, first, degree = work.dual, work.child, work.depth
    for node in range(na + nb):
        first[node] = -1
        degree[node] = 0
    n_known = 0
    for i in range(na):
        n_known += dual[i] != UNKNOWN
    if n_known == 0:
        _guess(na, nb, cost, work)
    count = 0
    for j in range(nb):
        if work.stop[0] != 0:
            return
        start = work.row[j]
        least = lowest(cost, start, dual, na)
        dual[na + j] = least
        costs, prices, limit = cost[start : start + na], dual[:na], least + slack
        for i in range(costs.shape[0]):
            if costs[i] - prices[i] <= limit:
                count = _add_arc(count, i, na + j, work)
    for i in range(na):
        if degree[i] == 0 and work.stop[0] == 0:
            sink = _partner(i, na, nb, cost, work.row, dual)
            if sink < 0:
                return
            dual[i] = cost[work.row[sink - na] + i] - dual[sink]
            count = _add_arc(count, i, sink, work)


@jit
def _neighbor(node: int, na: int, work: Work) -> int:
    """An active node at the other end of a tight arc; −1 if there is none."""
    side = 1 if node < na else 0
    k = work.child[node]
    while k >= 0:
        other = work.arcs[side, k]
        if work.dual[other] != DEAD:
            return other
        k = work.arcs[3 - side, k]
    return -1


@jit
def _release(gone: int, keeper: int, na: int, size: int, work: Work) -> int:
    """Queue the neighbors of a removed node that are leaves now; returns the size of the queue."""
    side = 1 if gone < na else 0
    k = work.child[gone]
    while k >= 0:
        other = work.arcs[side, k]
        if work.dual[other] != DEAD:
            work.depth[other] -= 1
            if work.depth[other] <= 1 and other != keeper:
                work.queue[size] = other
                size += 1
        k = work.arcs[3 - side, k]
    return size


@jit
def peel(na: int, nb: int, slack: float, cost: Any, work: Work) -> int:
    """A strongly feasible tree in `parent` and `flow`; returns its root and leaves the nodes in `order`, leaves first.

    The most recently freed leaf goes first, so that peeling follows chains like the north-west corner rule. In a tie
    the sink is removed and the source stays with mass 0: this perturbation makes the tree strongly feasible. Returns −1
    if costs or potentials are NaN, or if `stop` was set, because large measures take seconds.
    """
    _find_tight(na, nb, slack, cost, work)
    dual, rest, queue = work.dual, work.rest, work.queue
    for i in range(na):
        rest[i] = work.supply[i]
    for j in range(nb):
        rest[na + j] = work.demand[j]
    size = 0
    for node in range(na + nb):
        if work.depth[node] == 1:
            queue[size] = node
            size += 1
    n_sources, n_sinks, placed, lowest_alive = na, nb, 0, 0
    while True:
        if work.stop[0] != 0:
            return -1
        if size > 0:
            size -= 1
            node = queue[size]
            if dual[node] == DEAD:
                continue
            other = _neighbor(node, na, work)
        else:  # only cycles of ties are left
            while lowest_alive < na + nb and dual[lowest_alive] == DEAD:
                lowest_alive += 1
            if lowest_alive == na + nb:
                return -1
            node = lowest_alive
            other = -1
        if other < 0:
            other = _partner(node, na, nb, cost, work.row, dual)
            if other < 0:
                return -1
        i, sink = (node, other) if node < na else (other, node)
        if n_sinks > 1 and (n_sources == 1 or rest[i] >= rest[sink]):
            gone, up = sink, i
            n_sinks -= 1
        else:
            gone, up = i, sink
            n_sources -= 1
        work.parent[gone] = up
        work.flow[gone] = rest[gone]
        rest[up] = max(rest[up] - rest[gone], 0.0)
        work.order[placed] = gone
        placed += 1
        dual[gone] = DEAD
        if n_sources == 0:
            break
        size = _release(gone, node, na, size, work)
        if gone != node:
            queue[size] = node
            size += 1
    work.order[placed] = sink
    return sink
