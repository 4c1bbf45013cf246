"""Exact W_∞ between two small discrete measures: the smallest t such that arcs of cost ≤ t carry a plan.

A maximum flow along the arcs of cost ≤ t carries the masses, or it leaves a *Hall violator*: sources or sinks with more
mass than all points on the other side within t. The violator excludes all thresholds up to the next one within which it
finds enough mass, where the flow goes on. Few such steps are enough for most problems; if not, every other one is part
of a binary search. The last violator proves that no smaller t suffices. Nodes and costs are numbered as in the network
simplex.

Masses are rounded: each may be off by a few units of its last digit. A lack or an excess that such changes explain
counts as none. At places that both measures have in common, mass stays at first, and only the difference is placed;
equal masses cancel exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import jit
from ..jit.arithmetic_jit import ROUNDED, add
from .max_flow_jit import BITS, Fill, flow_workspace, give, maximize_flow
from .simplex_jit import INTERRUPTED, OPTIMAL, STALLED
from .simplex_tree_jit import Work

_SUM_ROUNDING = 4.0 * 2.0**-52  # rounding of a sum of masses, for each of them
_N_RAISES = 16  # thresholds before the search: if each mass pushes the next one on, there are as many as masses


class Bottleneck(NamedTuple):
    """Workspace for a plan and its proof, for problems of up to `cap` nodes per side. Sinks come after the sources."""

    fill: Fill  # the flow; in the end the plan, from source i to sink j at j·na + i
    twin: np.ndarray  # (2cap,) the node opposite at the same place; −1: none
    rest: np.ndarray  # (2cap,) mass to be placed, beyond that of the twin
    loose: np.ndarray  # (2cap,) its possible rounding
    violator: np.ndarray  # (2cap,) marks the sources or sinks with too little mass within less than the value
    nearest: np.ndarray  # (2cap,) smallest cost to a marked node opposite


def bottleneck_workspace(cap: int) -> Bottleneck:
    """Workspace for problems of up to `cap` × `cap`."""
    (rest, loose, nearest), fill = np.zeros((3, 2 * cap)), flow_workspace(cap, -(-cap // BITS), cap)
    return Bottleneck(fill, np.zeros(2 * cap, np.intp), rest, loose, np.zeros(2 * cap, np.uint8), nearest)


@jit
def _mass(node: int, na: int, work: Work) -> float:
    return work.supply[node] if node < na else work.demand[node - na]


@jit
def _find_nearest(na: int, nb: int, cost: Any, work: Work, scratch: Bottleneck) -> None:
    """The smallest cost from each node to a marked one opposite."""
    marked, nearest = scratch.violator, scratch.nearest
    nearest[: na + nb] = np.inf
    any_source = marked[:na].any()
    for j in range(nb):
        costs, least = cost[work.row[j] : work.row[j] + na], np.inf
        if marked[na + j]:
            for i in range(na):
                nearest[i] = min(nearest[i], costs[i])
        if any_source:
            for i in range(na):
                least = min(least, costs[i]) if marked[i] else least
            nearest[na + j] = least


@jit
def _lower_bound(na: int, nb: int, cost: Any, work: Work, scratch: Bottleneck) -> float:
    """The largest cost from a node to the nearest one opposite, which is infinite if that is NaN; marks that node."""
    for node in range(na + nb):
        scratch.violator[node] = _mass(node, na, work) > 0.0
    _find_nearest(na, nb, cost, work, scratch)
    bound, loneliest = 0.0, 0
    for node in range(na + nb):
        if scratch.nearest[node] >= bound and scratch.violator[node]:
            bound, loneliest = scratch.nearest[node], node
    scratch.violator[: na + nb] = 0
    scratch.violator[loneliest] = 1
    return bound


@jit
def _find_twins(na: int, nb: int, cost: Any, work: Work, scratch: Bottleneck) -> None:
    """Pair sources and sinks at the same place."""
    twin = scratch.twin
    twin[: na + nb] = -1
    for j in range(nb):
        for i in range(na if scratch.nearest[na + j] == 0.0 else 0):
            if cost[work.row[j] + i] == 0.0 and twin[i] < 0 and min(work.supply[i], work.demand[j]) > 0.0:
                twin[i], twin[na + j] = na + j, i
                break


@jit
def _cancel_common_mass(na: int, nb: int, a: Any, b: Any, work: Work, scratch: Bottleneck) -> None:
    """Masses to be placed go to `rest`, their possible rounding to `loose`."""
    twin, rest, loose = scratch.twin, scratch.rest, scratch.loose
    more, low, rounded = 0.0, 0.0, 0.0  # by how much the total of b exceeds that of a, where they differ
    for node in range(na + nb):
        rest[node] = _mass(node, na, work)
        loose[node] = ROUNDED * rest[node]
        mass, other = a[node] if node < na else b[node - na], twin[node]
        if other < 0 or mass != (a[other] if other < na else b[other - na]):
            more, low = add(more, low, -mass if node < na else mass, 0.0)
            rounded += mass
    more = more if abs(more) > ROUNDED * rounded else 0.0
    for i in range(na):
        sink = twin[i]
        if sink >= 0:
            over = rest[i] - rest[sink]
            if a[i] == b[sink - na]:
                over = a[i] * more
                loose[i] = loose[sink] = ROUNDED * abs(over)
            rest[i], rest[sink] = max(over, 0.0), max(-over, 0.0)


@jit
def _start_flow(na: int, nb: int, work: Work, scratch: Bottleneck) -> None:
    """Only common mass is placed, where it is."""
    fill, n_words = scratch.fill, (na + BITS - 1) // BITS
    fill.flow[: na * nb] = 0.0
    fill.held[: nb * n_words] = 0
    for j in range(nb):
        fill.demand[j] = scratch.rest[na + j]
    for i in range(na):
        fill.supply[i] = scratch.rest[i]
        if scratch.twin[i] >= 0:
            j = scratch.twin[i] - na
            give(i, j, min(work.supply[i], work.demand[j]), na, n_words, fill)


@jit
def _open_arcs(na: int, nb: int, t: float, cost: Any, work: Work, fill: Fill) -> None:
    """Open the arcs of cost ≤ t."""
    n_words = (na + BITS - 1) // BITS
    for j in range(nb):
        for w in range(n_words):
            costs, mask = cost[work.row[j] + w * BITS : work.row[j] + min(w * BITS + BITS, na)], np.int64(0)
            for k in range(costs.shape[0]):
                mask |= np.int64(costs[k] <= t) << k
            fill.open[j * n_words + w] = mask


@jit
def _stretch(na: int, nb: int, share: float, scratch: Bottleneck) -> None:
    """Let sources give more and sinks take less, by this share of the possible rounding of their masses."""
    for i in range(na):
        scratch.fill.supply[i] += share * scratch.loose[i]
    for j in range(nb):
        scratch.fill.demand[j] -= share * scratch.loose[na + j]


@jit
def _mark_sinks(na: int, nb: int, scratch: Bottleneck) -> None:
    """Mark the sink that lacks most, or all if its lack may be rounding, and all sinks that their sources serve."""
    fill, violator, n_words, most = scratch.fill, scratch.violator, (na + BITS - 1) // BITS, 0.0
    for j in range(nb):
        most = max(most, fill.demand[j])
    bar = most if most > scratch.loose[: na + nb].sum() else 0.0
    violator[: na + nb] = 0
    fill.seen[:] = 0
    grows = True
    while grows:
        grows = False
        for j in range(nb):
            if violator[na + j]:
                continue
            joins = fill.demand[j] > 0.0 and fill.demand[j] >= bar
            for w in range(n_words):
                joins = joins or fill.held[j * n_words + w] & fill.seen[w] != 0
            if joins:
                grows = True
                violator[na + j] = 1
                for w in range(n_words):
                    fill.seen[w] |= fill.open[j * n_words + w]


@jit
def _mark_sources(na: int, nb: int, scratch: Bottleneck) -> None:
    """Mark the sources with mass left, and all sources that they reach."""
    scratch.violator[: na + nb] = 0
    for i in range(na):
        scratch.violator[i] = (scratch.fill.seen[i // BITS] >> (i % BITS)) & 1


@jit
def _carries(na: int, nb: int, t: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the arcs of cost ≤ t carry the masses up to rounding; goes on with the flow, and marks the violator."""
    fill, n_words = scratch.fill, (na + BITS - 1) // BITS
    _open_arcs(na, nb, t, cost, work, fill)
    need = maximize_flow(nb, na, n_words, fill, work.stop)
    is_near = need <= scratch.loose[: na + nb].sum()
    if is_near:
        _stretch(na, nb, 1.0, scratch)
        need = maximize_flow(nb, na, n_words, fill, work.stop)
    if need > 0.0:
        _mark_sinks(na, nb, scratch)
    else:
        _stretch(na, nb, -2.0, scratch)  # what is left goes to sinks that take as much more as rounding allows
        maximize_flow(nb, na, n_words, fill, work.stop)
        for i in range(na):
            need = max(need, fill.supply[i])
        if need <= 0.0:
            return True
        _mark_sources(na, nb, scratch)
    if is_near:
        _start_flow(na, nb, work, scratch)
    return False


@jit
def _next_threshold(na: int, nb: int, t: float, cost: Any, work: Work, scratch: Bottleneck) -> float:
    """The smallest cost above t within which the violator finds enough mass; infinite if there is none."""
    nearest, lack = scratch.nearest, 0.0
    _find_nearest(na, nb, cost, work, scratch)
    for node in range(na + nb):
        lack += _mass(node, na, work) if scratch.violator[node] else 0.0
    lack *= 1.0 - _SUM_ROUNDING * (8 + na + nb)
    while True:
        least, found = np.inf, 0.0
        for node in range(na + nb):
            if t < nearest[node] < least:
                least = nearest[node]
        for node in range(na + nb):
            found += _mass(node, na, work) if nearest[node] <= least else 0.0
        t = least
        if found >= lack or not t < np.inf:
            return t


@jit
def solve_bottleneck(na: int, nb: int, a: Any, b: Any, cost: Any, work: Work, scratch: Bottleneck) -> tuple[float, int]:
    """W_∞ and status for masses a and b, and `supply` and `demand` of equal totals; plan and violator in `scratch`.

    Groups of masses that differ only by the rounding of their masses count as equal. A single point counts however
    small its mass is. The status is STALLED if only infinite or NaN costs are left.
    """
    low, high, n_tests = _lower_bound(na, nb, cost, work, scratch), np.inf, 0
    _find_twins(na, nb, cost, work, scratch)
    _cancel_common_mass(na, nb, a, b, work, scratch)
    _start_flow(na, nb, work, scratch)
    while low < np.inf and work.stop[0] == 0:
        n_tests += 1
        searches = n_tests > _N_RAISES and n_tests % 2 == 0
        t = min(2.0 * low, 0.5 * (low + high)) if searches else low  # as long as none suffices, high is infinite
        if not _carries(na, nb, t, cost, work, scratch):
            low = _next_threshold(na, nb, t, cost, work, scratch)
        elif t == low:
            return low, OPTIMAL
        else:
            high = t
            _start_flow(na, nb, work, scratch)
    return low, INTERRUPTED if work.stop[0] != 0 else STALLED


@jit
def _feasible(na: int, nb: int, value: float, cost: Any, work: Work, fill: Fill) -> bool:
    """Whether the plan has the masses of both sides, up to rounding, on arcs of cost at most the value."""
    left, whole, wrong = fill.supply, 0.0, 0.0
    for i in range(na):
        left[i] = work.supply[i]
        whole += left[i]
    for j in range(nb):
        lack = work.demand[j]
        for i in range(na):
            mass = fill.flow[j * na + i]
            if mass != 0.0 and not (mass > 0.0 and cost[work.row[j] + i] <= value):
                return False
            left[i] -= mass
            lack -= mass
        wrong += abs(lack)
    for i in range(na):
        wrong += abs(left[i])
    return wrong <= 4.0 * _SUM_ROUNDING * (8 + na + nb) * whole


@jit
def _violated(na: int, nb: int, value: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the violator has more mass than all nodes on the other side within less than the value."""
    violator, nearest, twin, rest = scratch.violator, scratch.nearest, scratch.twin, scratch.rest
    _find_nearest(na, nb, cost, work, scratch)
    more, low, rounding = 0.0, 0.0, 0.0
    for node in range(na + nb):
        mass, other = _mass(node, na, work), twin[node]
        if violator[node] and other >= 0 and nearest[other] < value:
            more, low = add(more, low, rest[node] - rest[other], 0.0)
            rounding += max(scratch.loose[node], scratch.loose[other])
        elif violator[node] or (nearest[node] < value and not (other >= 0 and violator[other])):
            more, low = add(more, low, mass if violator[node] else -mass, 0.0)
            rounding += ROUNDED * mass
    return more > 0.4 * rounding


@jit
def certified(na: int, nb: int, value: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the plan in `scratch` attains the value and the violator excludes smaller ones, so that it is W_∞."""
    return _feasible(na, nb, value, cost, work, scratch.fill) and _violated(na, nb, value, cost, work, scratch)
