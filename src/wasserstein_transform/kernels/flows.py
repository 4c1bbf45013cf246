"""Recompute the flows of a tree from the masses, so that small differences of large masses keep their digits.

The flow of an arc is the excess mass of the branch behind it. Masses are rounded, so it is known up to a few units of
the last digit of the masses that make it. Equal masses at both ends of an arc are equal, and make none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import ROUNDED, add, times, total
from .compile import jit
from .simplex_tree import Work, arc_cost, turn


@jit
def _pair(na: int, nb: int, root: int, a: Any, b: Any, work: Work) -> None:
    """Pair neighbors in the tree that have equal masses, in `mate`; −1 for a node without."""
    mate = work.depth
    for node in range(na + nb):
        mate[node] = -1
    for node in range(na + nb):
        up = work.parent[node]
        if node != root and mate[node] < 0 and mate[up] < 0:
            i, j = (node, up - na) if node < na else (up, node - na)
            if a[i] == b[j]:
                mate[node] = up
                mate[up] = node


@jit
def _weigh(na: int, nb: int, root: int, a: Any, b: Any, work: Work) -> tuple[int, float]:
    """Begin with branches of one node, and masses multiplied by the other total; pairs have none.

    Returns the heaviest node, and by how much the total of b exceeds that of a.
    """
    net, low, loose = work.rest, work.low, work.loose
    total_a, low_a = total(a, na)
    total_b, low_b = total(b, nb)
    heaviest, more, more_low, rounded = root, 0.0, 0.0, 0.0
    for node in range(na + nb):
        net[node], low[node], loose[node], work.child[node] = 0.0, 0.0, 0.0, 0
        if work.depth[node] < 0:
            if node < na:
                net[node], low[node] = times(a[node], total_b, low_b)
            else:
                net[node], low[node] = times(-b[node - na], total_a, low_a)
            mass = a[node] if node < na else b[node - na]
            more, more_low = add(more, more_low, -mass if node < na else mass, 0.0)
            rounded += mass
            loose[node] = abs(net[node])
            if loose[node] > loose[heaviest]:
                heaviest = node
    return heaviest, more if abs(more) > ROUNDED * rounded else 0.0


@jit
def _join(node: int, other: int, arc: int, na: int, a: Any, totals: Any, more: float, work: Work) -> float:
    """The flow from the branch of a node to another node, on the arc of `arc`; then both are one branch.

    A flow that may be rounding is set to 0 and returned.
    """
    net, low, loose = work.rest, work.low, work.loose
    flow, faint = net[node] if node < na else -net[node], ROUNDED * loose[node]
    if work.depth[node] == other:
        mass = a[node if node < na else other]
        flow += mass * (totals[1] if node < na else totals[0])
        net[other], low[other] = add(net[other], low[other], mass * more, 0.0)
        loose[other] += abs(mass * more)
    loose[other] += loose[node]
    net[other], low[other] = add(net[other], low[other], net[node], low[node])
    work.flow[arc] = flow if abs(flow) > faint else 0.0
    return 0.0 if abs(flow) > faint else abs(flow)


@jit
def _settle(na: int, nb: int, root: int, a: Any, b: Any, cost: Any, work: Work) -> tuple[int, float]:
    """Flows of the tree between the masses a and b, cross-multiplied by the totals, in double-double precision.

    Branches are those away from the heaviest node. Returns the node of the most negative flow, or −1, and what flows
    would cost that may be rounding.
    """
    _pair(na, nb, root, a, b, work)
    heaviest, more = _weigh(na, nb, root, a, b, work)
    totals = total(a, na)[0], total(b, nb)[0]
    order, parent, way = work.order, work.parent, work.queue
    node, steps = heaviest, 0
    while True:
        way[steps] = node
        work.child[node] = 1
        if node == root:
            break
        node = parent[node]
        steps += 1
    node, size = root, 0
    while True:
        order[size] = node
        size += 1
        node = work.after[node]
        if node == root:
            break
    dropped = 0.0
    for k in range(size - 1, 0, -1):
        if work.child[order[k]] == 0:
            faint = _join(order[k], parent[order[k]], order[k], na, a, totals, more, work)
            dropped += faint * arc_cost(order[k], na, cost, work)
    for k in range(steps, 0, -1):
        faint = _join(way[k], way[k - 1], way[k - 1], na, a, totals, more, work)
        dropped += faint * arc_cost(way[k - 1], na, cost, work)
    worst = -1
    for node in range(na + nb):
        if node != root and work.flow[node] < (work.flow[worst] if worst >= 0 else 0.0):
            worst = node
    return worst, dropped


@jit
def _exchange(na: int, nb: int, out: int, cost: Any, work: Work) -> bool:
    """Cut the arc of `out` and join both parts by the cheapest arc in the other direction, as the dual simplex does."""
    inside, level, dual = work.child, work.level, work.dual
    for node in range(na + nb):
        inside[node] = 0
    node = out
    while True:
        inside[node] = 1
        node = work.after[node]
        if level[node] <= level[out]:
            break
    side = 0 if out < na else 1  # sources on this side give to sinks on the other
    least, source, sink = 1e300, -1, -1
    for j in range(nb):
        if work.stop[0] != 0:
            return False
        if inside[na + j] == side:
            continue
        for i in range(na):
            reduced = cost[work.row[j] + i] - dual[i] - dual[na + j]
            if inside[i] == side and reduced < least:
                least, source, sink = reduced, i, na + j
    if source < 0:
        return False
    top, up, step = (sink, source, -least) if out < na else (source, sink, least)
    turn(na, top, out, up, 0.0, step, work)
    return True


@jit
def settle(na: int, nb: int, root: int, a: Any, b: Any, cost: Any, work: Work) -> tuple[float, float]:
    """Cost of the plan of a tree, with flows recomputed from the masses a and b, and of what was left out as rounding.

    Pivots may have taken a tiny negative flow for 0; then the dual simplex continues. If it does not end, it is NaN.
    """
    for _ in range(1000 + 4 * (na + nb)):
        worst, dropped = _settle(na, nb, root, a, b, cost, work)
        if worst < 0:
            value = 0.0
            for node in range(na + nb):
                if node != root and work.flow[node] > 0.0:
                    value += work.flow[node] * arc_cost(node, na, cost, work)
            return value, dropped
        if not _exchange(na, nb, worst, cost, work):
            break
    return np.nan, 0.0
