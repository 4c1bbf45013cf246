"""The initial basis of a transport problem, from the tree of a similar problem.

Under the potentials of a similar solved problem, the tight arcs (reduced cost 0) are the basis of that problem, as far
as its points are still present. Peeling this forest from its leaves, where each node sends or receives its mass, gives
a plan along the inherited tree; only if masses do not fit does a node search its best partner elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .basis import DEAD, Work
from .compile import jit
from .minimum import lowest

UNKNOWN = -np.inf  # unknown potential of a source; none of its arcs is tight


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
def _any_known(na: int, dual: Any) -> bool:
    for i in range(na):  # noqa: SIM110
        if dual[i] != UNKNOWN:
            return True
    return False


@jit
def _find_tight(na: int, nb: int, slack: float, cost: Any, work: Work) -> None:
    """Potentials of sinks from those of sources, sources raised until each has a tight arc, and the tight arcs."""
    dual, first, degree = work.dual, work.child, work.depth
    for node in range(na + nb):
        first[node] = -1
        degree[node] = 0
    if not _any_known(na, dual):
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
