"""The basis of the network simplex: a spanning tree of sources and sinks in the caller's workspace.

Sources are nodes 0…na−1, sinks na…na+nb−1. The tree is rooted at a sink and kept *strongly feasible* (an arc without
flow points to the root), which rules out cycling. The cost from source i to sink j is `cost[work.cost_start[j] + i]`:
problems that share their sources share the rows of one table. In a pivot an arc enters the tree and another one leaves.

The initial tree is that of a similar problem. Under the potentials of a similar solved problem, the tight arcs (reduced
cost 0) are the basis of that problem, as far as its points are still present. Peeling this forest from its leaves,
where each node sends or receives its mass, gives a plan along the inherited tree; only if masses do not fit does a node
search its best partner elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit

REMOVED = -np.inf  # potential of a node that was peeled: it is never the best partner
UNKNOWN_POTENTIAL = -np.inf  # of a source; none of its arcs is tight


class Peeling(NamedTuple):
    """Memory for the initial tree, which is made by removing the leaves of the graph of tight arcs."""

    mass: np.ndarray  # (2cap,) mass of a node that is not yet placed
    degree: np.ndarray  # (2cap,) number of tight arcs to nodes that are not removed
    first_arc: np.ndarray  # (2cap,) the tight arc of a node that was listed last; −1: none
    arcs: np.ndarray  # (4, 4cap) tight arcs: source, sink, previous of the source, previous of the sink
    leaves: np.ndarray  # (8cap,) stack of nodes with one tight arc or none, removed ones among them
    order: np.ndarray  # (2cap,) nodes in the order of their removal


class Candidates(NamedTuple):
    """Memory for the arcs that may enter the tree: for each source its best sink, and the list of good ones."""

    best_cost: np.ndarray  # (cap + 8,) the smallest cost of a source minus the potential of the sink
    best_sink: np.ndarray  # (cap + 8,) that sink
    source: np.ndarray  # (cap,) of each listed arc
    sink: np.ndarray  # (cap,) its node
    cost: np.ndarray  # (cap,)


class Excess(NamedTuple):
    """Memory for masses of branches in double-double precision."""

    high: np.ndarray  # (2cap,) mass of the sources minus that of the sinks
    low: np.ndarray  # (2cap,) its rounding error
    magnitude: np.ndarray  # (2cap,) the sum of all masses of the branch


class SimplexWorkspace(NamedTuple):
    """The caller's memory for problems of up to `cap` nodes per side; `stop[0]` ≠ 0 interrupts."""

    supply: np.ndarray  # (cap,) masses of the sources
    demand: np.ndarray  # (cap,) masses of the sinks
    cost_start: np.ndarray  # (cap,) start of the costs to a sink
    potential: np.ndarray  # (2cap,) of each node
    flow: np.ndarray  # (2cap,) on the arc from a node to its parent
    parent: np.ndarray  # (2cap,)
    level: np.ndarray  # (2cap,) depth below the root
    following: np.ndarray  # (2cap,) the next node in a ring in preorder: every node comes right before its subtree
    previous: np.ndarray  # (2cap,) the previous node in that ring
    is_up: np.ndarray  # (2cap,) whether the arc between a node and its parent goes to the parent: true for sources
    on_path: np.ndarray  # (2cap,) marks the nodes between the root and a node whose potential is given
    peeling: Peeling
    candidates: Candidates
    excess: Excess
    stop: np.ndarray


def simplex_workspace(cap: int, stop: np.ndarray) -> SimplexWorkspace:
    """Memory for problems of up to `cap` × `cap`, without costs."""
    supply, demand, candidate_cost = np.zeros((3, cap))
    potential, flow, mass, high, low, magnitude = np.zeros((6, 2 * cap))
    # unsigned, to avoid tests for negative indices
    parent, level, following, previous, degree, order = np.zeros((6, 2 * cap), np.uint32)
    source, sink = np.zeros((2, cap), np.uint32)
    arcs, leaves = np.zeros((4, 4 * cap), np.intp), np.zeros(8 * cap, np.uint32)
    peeling = Peeling(mass, degree, np.zeros(2 * cap, np.intp), arcs, leaves, order)
    candidates = Candidates(np.zeros(cap + 8), np.zeros(cap + 8, np.intp), source, sink, candidate_cost)
    masses, tree = (supply, demand, np.zeros(cap, np.intp)), (potential, flow, parent, level, following, previous)
    (is_up, on_path), excess = np.zeros((2, 2 * cap), np.uint8), Excess(high, low, magnitude)
    return SimplexWorkspace(*masses, *tree, is_up, on_path, peeling, candidates, excess, stop)


@jit
def arc_cost(node: int, na: int, cost: Any, work: SimplexWorkspace) -> float:
    """Cost of the tree arc between a node and its parent."""
    parent = work.parent[node]
    if node < na:
        return cost[work.cost_start[parent - na] + node]
    return cost[work.cost_start[node - na] + parent]


@jit
def hang(node: int, up: int, work: Any) -> None:
    """Hang a leaf onto a node of the tree."""
    after = work.following[up]
    work.parent[node] = up
    work.following[up] = node
    work.previous[node] = up
    work.following[node] = after
    work.previous[after] = node
    work.level[node] = work.level[up] + 1


@jit
def initialize_tree(na: int, nb: int, root: int, cost: Any, work: SimplexWorkspace) -> None:
    """Compute ring, levels and potentials of the tree in `parent` and `peeling.order` (leaves first)."""
    work.parent[root] = root
    work.level[root] = 0
    work.following[root] = root
    work.previous[root] = root
    work.potential[root] = 0.0
    for k in range(na + nb - 2, -1, -1):
        node = work.peeling.order[k]
        hang(node, work.parent[node], work)
        work.potential[node] = arc_cost(node, na, cost, work) - work.potential[work.parent[node]]
    for node in range(na + nb):
        work.is_up[node] = node < na


@jit
def recompute_potentials(na: int, root: int, base: int, cost: Any, work: SimplexWorkspace) -> None:
    """Compute potentials from the tree, because rounding errors of pivots accumulate; that of `base` is 0."""
    potential, parent, on_path = work.potential, work.parent, work.on_path
    node = root
    while True:
        on_path[node] = 0
        node = work.following[node]
        if node == root:
            break
    potential[base] = 0.0
    node = base
    while node != root:
        on_path[node] = 1
        potential[parent[node]] = arc_cost(node, na, cost, work) - potential[node]
        node = parent[node]
    node = work.following[root]
    while node != root:
        if on_path[node] == 0:
            potential[node] = arc_cost(node, na, cost, work) - potential[parent[node]]
        node = work.following[node]


@jit
def find_leaving_arc(i: int, j: int, work: Any) -> tuple[float, int, bool, int]:
    """The flow change on the cycle of the arc (i, j), the node of the leaving arc, whether on i's side, and the apex.

    Of the blocking arcs, the last one along the cycle from its apex leaves, which keeps trees strongly feasible.
    """
    parent, level, flow, is_up = work.parent, work.level, work.flow, work.is_up
    p, q = i, j
    delta = np.inf
    leaving = -1
    on_source_side = True
    while p != q:
        if level[p] >= level[q]:
            if is_up[p] and flow[p] < delta:
                delta = flow[p]
                leaving = p
                on_source_side = True
            p = parent[p]
        else:
            if not is_up[q] and flow[q] <= delta:
                delta = flow[q]
                leaving = q
                on_source_side = False
            q = parent[q]
    return delta, leaving, on_source_side, p


@jit
def push_flow(i: int, j: int, apex: int, delta: float, parent: Any, flow: Any, is_up: Any) -> None:
    """Move mass around the cycle of the arc (i, j)."""
    p = i
    while p != apex:
        flow[p] += -delta if is_up[p] else delta
        p = parent[p]
    q = j
    while q != apex:
        flow[q] += delta if is_up[q] else -delta
        q = parent[q]


@jit
def _shift_branch(na: int, node: int, bottom: int, rise: int, change: float, work: Any) -> tuple[int, int]:
    """Update levels and potentials along the ring from a node, while below `bottom`; the last node, and the next."""
    level, potential, following = work.level, work.potential, work.following
    while True:
        level[node] += rise
        potential[node] += change if node < na else -change
        after = following[node]
        if level[after] <= bottom:
            return node, after
        node = after


# The arc above `leaving` leaves the tree, and its subtree is hung onto `new_parent` by the node `top`. The path from
# `top` up to `leaving` is reversed; what hangs from it besides, A B₁ B₂ C₁ C₂, stays where it is:
#
#            │ (leaves)                         new_parent
#         leaving                                   │ (enters)
#        ╱   │   ╲                                 top
#      C₁    x    C₂                              ╱   ╲
#         ╱  │  ╲                                A     x
#       B₁  top  B₂              →                   ╱ │ ╲
#            │                                     B₁  B₂  leaving
#            A                                             ╱   ╲
#                                                        C₁     C₂
#
# In the ring, leaving C₁ x B₁ top A B₂ C₂ becomes top A x B₁ B₂ leaving C₁ C₂: at each step up the path, the two parts
# of the subtree of the old parent, before and after the node, are joined behind what was laid out before.
@jit
def reroot_subtree(na: int, top: int, leaving: int, new_parent: int, flow_in: float, change: float, work: Any) -> None:
    """Attach the subtree of `leaving` to `new_parent` by its node `top`; `flow_in` is the flow on the new arc.

    `work` is a `SimplexWorkspace`, or has a tree of other nodes under the same names; only the first `na` potentials
    rise by `change`, the others fall.
    """
    parent, level, following, previous, flow = work.parent, work.level, work.following, work.previous, work.flow
    before_subtree = previous[leaving]
    node, above = top, new_parent
    bottom = level[top]
    rise = level[new_parent] + 1 - bottom
    last, after = _shift_branch(na, top, bottom, rise, change, work)
    first_part_end = previous[top]
    while True:
        old_parent, old_flow = parent[node], flow[node]
        parent[node] = above
        flow[node] = flow_in
        if node == leaving:
            break
        bottom -= 1
        rise += 2
        next_part_end = previous[old_parent]
        following[last] = old_parent
        previous[old_parent] = last
        following[first_part_end] = node  # ends the first part, because `node` has its new level
        x = old_parent
        while x != node:
            level[x] += rise
            work.potential[x] += change if x < na else -change
            x = following[x]
        last = first_part_end
        if level[after] > bottom:
            following[first_part_end] = after
            previous[after] = first_part_end
            last, after = _shift_branch(na, after, bottom, rise, change, work)
        first_part_end = next_part_end
        above, flow_in, node = node, old_flow, old_parent
    following[before_subtree] = after
    previous[after] = before_subtree
    after = following[new_parent]
    following[new_parent] = top
    previous[top] = new_parent
    following[last] = after
    previous[after] = last


@jit
def pivot(na: int, i: int, j: int, reduced: float, work: SimplexWorkspace) -> bool:
    """Bring the arc from source i to sink node j into the tree; False if no arc can leave (flows are not numbers)."""
    delta, leaving, on_source_side, apex = find_leaving_arc(i, j, work)
    if leaving < 0:
        return False
    if delta > 0.0:
        push_flow(i, j, apex, delta, work.parent, work.flow, work.is_up)
    top, up, change = (i, j, reduced) if on_source_side else (j, i, -reduced)
    reroot_subtree(na, top, leaving, up, delta, change, work)
    return True


@jit
def _guess_potentials(na: int, nb: int, cost: Any, work: SimplexWorkspace) -> None:
    """Set unknown potentials to the smallest cost of the source: then many arcs are tight, as in assignments."""
    potential = work.potential[:na]
    for i in range(potential.shape[0]):
        potential[i] = np.inf
    for j in range(nb):
        costs = cost[work.cost_start[j] : work.cost_start[j] + na]
        for i in range(costs.shape[0]):
            potential[i] = min(potential[i], costs[i])


@jit
def _cheapest_partner(node: int, na: int, nb: int, cost: Any, cost_start: Any, potential: Any) -> int:
    """The remaining node on the other side with the smallest reduced cost; −1 if costs or potentials are NaN."""
    least = np.inf
    partner = -1
    if node < na:
        for j in range(nb):
            reduced = cost[cost_start[j] + node] - potential[na + j]
            if reduced < least:
                least = reduced
                partner = na + j
    else:
        costs, prices = cost[cost_start[node - na] : cost_start[node - na] + na], potential[:na]
        for i in range(costs.shape[0]):
            reduced = costs[i] - prices[i]
            if reduced < least:
                least = reduced
                partner = i
    return partner


@jit
def _add_arc(n_arcs: int, i: int, sink: int, peeling: Peeling) -> int:
    """List a tight arc; returns their number. If ties give too many, the last ones are left out."""
    arcs, first_arc, degree = peeling.arcs, peeling.first_arc, peeling.degree
    if n_arcs == arcs.shape[1]:
        return n_arcs
    arcs[0, n_arcs] = i
    arcs[1, n_arcs] = sink
    arcs[2, n_arcs] = first_arc[i]
    arcs[3, n_arcs] = first_arc[sink]
    first_arc[i] = n_arcs
    first_arc[sink] = n_arcs
    degree[i] += 1
    degree[sink] += 1
    return n_arcs + 1


@jit
def _list_tight_arcs(na: int, nb: int, slack: float, cost: Any, work: SimplexWorkspace) -> None:
    """Potentials of sinks from those of sources, sources raised until each has a tight arc, and the tight arcs."""
    potential, peeling = work.potential, work.peeling
    for node in range(na + nb):
        peeling.first_arc[node] = -1
        peeling.degree[node] = 0
    n_known = 0
    for i in range(na):
        n_known += potential[i] != UNKNOWN_POTENTIAL
    if n_known == 0:
        _guess_potentials(na, nb, cost, work)
    n_arcs = 0
    for j in range(nb):
        if work.stop[0] != 0:
            return
        start = work.cost_start[j]
        least = arithmetic.lowest(cost, start, potential, na)
        potential[na + j] = least
        costs, prices, limit = cost[start : start + na], potential[:na], least + slack
        for i in range(costs.shape[0]):
            if costs[i] - prices[i] <= limit:
                n_arcs = _add_arc(n_arcs, i, na + j, peeling)
    for i in range(na):
        if peeling.degree[i] == 0 and work.stop[0] == 0:
            sink = _cheapest_partner(i, na, nb, cost, work.cost_start, potential)
            if sink < 0:
                return
            potential[i] = cost[work.cost_start[sink - na] + i] - potential[sink]
            n_arcs = _add_arc(n_arcs, i, sink, peeling)


@jit
def _remaining_neighbor(node: int, na: int, peeling: Peeling, potential: Any) -> int:
    """A node at the other end of a tight arc that was not removed; −1 if there is none."""
    side = 1 if node < na else 0
    k = peeling.first_arc[node]
    while k >= 0:
        other = peeling.arcs[side, k]
        if potential[other] != REMOVED:
            return other
        k = peeling.arcs[3 - side, k]
    return -1


@jit
def _push_new_leaves(removed: int, partner: int, na: int, n_leaves: int, peeling: Peeling, potential: Any) -> int:
    """Put the neighbors of a removed node that are leaves now, but its partner, onto the stack; returns its size."""
    side = 1 if removed < na else 0
    k = peeling.first_arc[removed]
    while k >= 0:
        other = peeling.arcs[side, k]
        if potential[other] != REMOVED:
            peeling.degree[other] -= 1
            if peeling.degree[other] <= 1 and other != partner:
                peeling.leaves[n_leaves] = other
                n_leaves += 1
        k = peeling.arcs[3 - side, k]
    return n_leaves


@jit
def peel(na: int, nb: int, slack: float, cost: Any, work: SimplexWorkspace) -> int:
    """A strongly feasible tree in `parent` and `flow`; returns its root and leaves the nodes in `peeling.order`.

    The most recently freed leaf goes first, so that peeling follows chains like the north-west corner rule. In a tie
    the sink is removed and the source stays with mass 0: this perturbation makes the tree strongly feasible. Returns −1
    if costs or potentials are NaN, or if `stop` was set, because large measures take seconds.
    """
    _list_tight_arcs(na, nb, slack, cost, work)
    potential, peeling, mass, leaves = work.potential, work.peeling, work.peeling.mass, work.peeling.leaves
    for i in range(na):
        mass[i] = work.supply[i]
    for j in range(nb):
        mass[na + j] = work.demand[j]
    n_leaves = 0
    for node in range(na + nb):
        if peeling.degree[node] == 1:
            leaves[n_leaves] = node
            n_leaves += 1
    n_sources, n_sinks, n_removed, first_remaining = na, nb, 0, 0
    while True:
        if work.stop[0] != 0:
            return -1
        if n_leaves > 0:
            n_leaves -= 1
            node = leaves[n_leaves]
            if potential[node] == REMOVED:
                continue
            partner = _remaining_neighbor(node, na, peeling, potential)
        else:  # only cycles of ties are left
            while first_remaining < na + nb and potential[first_remaining] == REMOVED:
                first_remaining += 1
            if first_remaining == na + nb:
                return -1
            node = first_remaining
            partner = -1
        if partner < 0:
            partner = _cheapest_partner(node, na, nb, cost, work.cost_start, potential)
            if partner < 0:
                return -1
        i, sink = (node, partner) if node < na else (partner, node)
        if n_sinks > 1 and (n_sources == 1 or mass[i] >= mass[sink]):
            removed, parent = sink, i
            n_sinks -= 1
        else:
            removed, parent = i, sink
            n_sources -= 1
        work.parent[removed] = parent
        work.flow[removed] = mass[removed]
        mass[parent] = max(mass[parent] - mass[removed], 0.0)
        peeling.order[n_removed] = removed
        n_removed += 1
        potential[removed] = REMOVED
        if n_sources == 0:
            break
        n_leaves = _push_new_leaves(removed, node, na, n_leaves, peeling, potential)
        if removed != node:
            leaves[n_leaves] = node
            n_leaves += 1
    peeling.order[n_removed] = sink
    return sink
