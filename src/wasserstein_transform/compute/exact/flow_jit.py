"""Exact W1 along the edges of a graph: a flow of least cost on its edges, by the network simplex.

W1 of the lengths of shortest paths is the cost of sending masses along edges, so n nodes and m edges replace a table of
n² costs. Edges have no capacity and both directions: every spanning tree carries a flow, and the tree of one problem is
the start of the next. An arc of the tree belongs to its lower node, goes up or down, and without flow it goes up, which
rules out cycling.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit_strict
from .simplex_jit import INTERRUPTED, OPTIMAL, STALLED
from .simplex_tree_jit import find_leaving_arc, hang, push_flow, reroot_subtree
from .transport_jit import MAX_GAP

_MAX_STRETCH = 1e-13  # relative to the length of an edge, potentials of its ends may differ by so much more
_ROUNDING = 2.0**-51  # of a potential


class EdgeFlow(NamedTuple):
    """The edges, and a spanning tree with its flow and potentials."""

    ends: np.ndarray  # (2, m) nodes of each edge
    lengths: np.ndarray  # (m,)
    supply: np.ndarray  # (n,) mass that a node sends, or receives if it is negative
    potential: np.ndarray  # (n,) rises along a used arc by its length
    flow: np.ndarray  # (n,) on the arc between a node and its parent
    parent: np.ndarray  # (n,)
    level: np.ndarray  # (n,) depth below the root
    following: np.ndarray  # (n,) the next node in a ring in preorder
    previous: np.ndarray  # (n,) the previous node in that ring
    length: np.ndarray  # (n,) of the arc to the parent
    is_up: np.ndarray  # (n,) whether that arc goes to the parent
    stop: np.ndarray


@jit_strict
def _plant(order: Any, parents: Any, lengths: Any, work: EdgeFlow) -> None:
    """Make the tree with these parents of the nodes in `order`, where the root is first and parents precede."""
    for k in range(order.shape[0]):
        node = order[k]
        work.length[node] = lengths[node]
        if k == 0:
            work.parent[node] = node
            work.following[node] = node
            work.previous[node] = node
            work.level[node] = 0
        else:
            hang(node, parents[node], work)


@jit_strict
def _sum_branches(root: int, work: EdgeFlow) -> None:
    """Set `flow` to the mass that leaves the branch of each node, or enters it if it is negative."""
    for node in range(work.supply.shape[0]):
        work.flow[node] = work.supply[node]
    node = work.previous[root]
    while node != root:
        work.flow[work.parent[node]] += work.flow[node]
        node = work.previous[node]


@jit_strict
def _route(root: int, work: EdgeFlow) -> None:
    """Send all masses along the tree."""
    _sum_branches(root, work)
    for node in range(work.supply.shape[0]):
        work.is_up[node] = work.flow[node] >= 0.0
        work.flow[node] = abs(work.flow[node])


@jit_strict
def _recompute_potentials(root: int, work: EdgeFlow) -> None:
    """Compute potentials from the tree, because rounding errors of pivots accumulate."""
    work.potential[root] = 0.0
    node = work.following[root]
    while node != root:
        rise = work.length[node]
        work.potential[node] = work.potential[work.parent[node]] - (rise if work.is_up[node] else -rise)
        node = work.following[node]


@jit_strict
def _pivot(edge: int, work: EdgeFlow) -> bool:
    """Bring an edge into the tree, from its lower potential to its higher one; False if no arc can leave."""
    i, j = work.ends[0, edge], work.ends[1, edge]
    if work.potential[j] < work.potential[i]:
        i, j = j, i
    length = work.lengths[edge]
    change = work.potential[j] - work.potential[i] - length
    delta, leaving, on_tail_side, apex = find_leaving_arc(i, j, work)
    if leaving < 0:
        return False
    if delta > 0.0:
        push_flow(i, j, apex, delta, work.parent, work.flow, work.is_up)
    top, new_parent = (i, j) if on_tail_side else (j, i)
    node, up = top, on_tail_side
    while True:  # arcs from `top` to `leaving` are turned over: they belong to their other nodes
        old_length, old_up = work.length[node], work.is_up[node]
        work.length[node], work.is_up[node] = length, up
        if node == leaving:
            break
        length, up, node = old_length, not old_up, work.parent[node]
    n = work.supply.shape[0]
    reroot_subtree(n, top, leaving, new_parent, delta, change if on_tail_side else -change, work)
    return True


@jit_strict
def _excess(edge: int, work: EdgeFlow) -> float:
    """By how much more than its length the potentials of the ends of an edge differ; 0 if it may be rounding."""
    u, v, length = work.potential[work.ends[0, edge]], work.potential[work.ends[1, edge]], work.lengths[edge]
    excess = abs(u - v) - length
    return excess if excess > _MAX_STRETCH * length + _ROUNDING * (abs(u) + abs(v)) else 0.0


@jit_strict
def _certificate(root: int, work: EdgeFlow) -> tuple[float, float]:
    """Cost of the flow, summed again from the masses, and its gap to the bound of the potentials, made feasible."""
    _sum_branches(root, work)
    cost, bound, stretch = 0.0, 0.0, 1.0
    for node in range(work.supply.shape[0]):
        if node != root:
            cost += abs(work.flow[node]) * work.length[node]
        bound -= work.supply[node] * work.potential[node]
    for k in range(work.lengths.shape[0]):
        apart = abs(work.potential[work.ends[0, k]] - work.potential[work.ends[1, k]])
        stretch = max(stretch, apart / work.lengths[k])
    return cost, cost - bound / stretch


@jit_strict
def cheapest_flow(root: int, work: EdgeFlow) -> tuple[float, float, int]:
    """Cost, primal–dual gap and status of the flow that balances `supply`; starts from the tree in `work`."""
    m = work.lengths.shape[0]
    block, n_pivots, edge, n_passed, is_fresh = int(np.sqrt(m)) + 10, 1000 + 100 * m, 0, m, False
    _route(root, work)
    while not (is_fresh and n_passed >= m):
        if n_passed >= m:
            _recompute_potentials(root, work)
            n_passed, is_fresh = 0, True
        worst, entering = 0.0, -1
        for _ in range(min(block, m)):
            excess = _excess(edge, work)
            if excess > worst:
                worst, entering = excess, edge
            edge = edge + 1 if edge + 1 < m else 0
        n_passed += block
        if entering >= 0:
            n_passed, is_fresh = 0, False
            n_pivots -= 1
            if work.stop[0] != 0:
                return 0.0, 0.0, INTERRUPTED
            if n_pivots < 0 or not _pivot(entering, work):
                return 0.0, 0.0, STALLED
    cost, gap = _certificate(root, work)
    return cost, gap, OPTIMAL


@jit_strict
def _load_masses(A: Any, i: int, B: Any, j: int, work: EdgeFlow) -> bool:
    """Supply of the problem of rows i and j, multiplied by both totals; whether there is any."""
    for node in range(work.supply.shape[0]):
        work.supply[node] = 0.0
    s, s_end, t, t_end, differs = A.indptr[i], A.indptr[i + 1], B.indptr[j], B.indptr[j + 1], False
    while s < s_end or t < t_end:
        in_a = t == t_end or (s < s_end and A.indices[s] <= B.indices[t])
        in_b = s == s_end or (t < t_end and B.indices[t] <= A.indices[s])
        node = A.indices[s] if in_a else B.indices[t]
        mass, other = A.masses[s] if in_a else 0.0, B.masses[t] if in_b else 0.0
        work.supply[node] = arithmetic.excess(mass, B.totals[j], other, A.totals[i])
        differs |= work.supply[node] != 0.0
        s += in_a
        t += in_b
    return differs


@jit_strict
def flow_row(
    A: Any, i: int, B: Any, targets: Any, order: Any, parents: Any, lengths: Any, largest: float, work: EdgeFlow,
    out: Any, report: Any,
) -> int:  # fmt: skip
    """out[k] = W1 of A_i and B_j for the k-th target j, from the given tree; returns the k that failed, or all."""
    for k in range(targets.shape[0]):
        out[k] = 0.0
        if not _load_masses(A, i, B, targets[k], work):
            continue
        _plant(order, parents, lengths, work)
        cost, gap, status = cheapest_flow(order[0], work)
        total = A.totals[i] * B.totals[targets[k]]
        if status != OPTIMAL or not abs(gap) <= MAX_GAP * largest * total:
            return k
        out[k] = cost / total
        report[0] = max(report[0], abs(gap) / (largest * total))
    return targets.shape[0]
