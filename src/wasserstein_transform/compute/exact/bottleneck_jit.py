"""Exact W_∞ between two small discrete measures: the smallest cost t such that arcs of cost ≤ t carry a plan.

A maximum flow along the arcs of cost ≤ t carries the masses, or it leaves a *Hall violator*: sources or sinks with more
mass than all points on the other side within t. The violator excludes all thresholds up to the next one within which it
finds enough mass, where the flow goes on. The last violator proves that no smaller t suffices. Nodes and costs are
numbered as in the network simplex.

Masses are rounded: each may be off by a few units of its last digit. A lack or an excess that such changes explain
counts as none. At points that both measures have in common, mass stays at first, and only the difference is placed;
equal masses cancel exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit
from .max_flow_jit import BITS, FlowWorkspace, flow_workspace, maximize_flow, push
from .simplex_jit import INTERRUPTED, OPTIMAL, STALLED
from .simplex_tree_jit import SimplexWorkspace

_SUM_ROUNDING = 4.0 * 2.0**-52  # rounding of a sum of masses, for each of them
_PROOF = 0.4  # of the possible rounding of the masses: a violator with more excess mass is a proof
_NO_DOUBT = 2.0  # the same for thresholds that are not tried: flows may round on both sides


class BottleneckWorkspace(NamedTuple):
    """Memory for a plan and its proof, for problems of up to `cap` nodes per side. Sinks come after the sources."""

    flow: FlowWorkspace  # in the end the plan: `amount` from source i to sink j at j·na + i
    mass: np.ndarray  # (2cap,) of each node
    same_point: np.ndarray  # (2cap,) the node on the other side at the same point; −1: none
    to_place: np.ndarray  # (2cap,) mass beyond that of the node at the same point
    rounding: np.ndarray  # (2cap,) of the mass to be placed
    violator: np.ndarray  # (2cap,) marks the sources or sinks with too little mass within less than the value
    nearest: np.ndarray  # (2cap,) smallest cost to a marked node on the other side


def bottleneck_workspace(cap: int) -> BottleneckWorkspace:
    """Memory for problems of up to `cap` × `cap`."""
    mass, to_place, rounding, nearest = np.zeros((4, 2 * cap))
    flow, same_point = flow_workspace(cap, -(-cap // BITS), cap), np.zeros(2 * cap, np.intp)
    return BottleneckWorkspace(flow, mass, same_point, to_place, rounding, np.zeros(2 * cap, np.uint8), nearest)


@jit
def solve_bottleneck(
    na: int, nb: int, a: Any, b: Any, cost: Any, work: SimplexWorkspace, memory: BottleneckWorkspace
) -> tuple[float, int]:
    """W_∞ and status for masses a and b, and `supply` and `demand` of equal totals; plan and violator in `memory`.

    Groups of masses that differ only by the rounding of their masses count as equal. A single point counts however
    small its mass is. The status is STALLED if only infinite or NaN costs are left.
    """
    for node in range(na + nb):
        memory.mass[node] = work.supply[node] if node < na else work.demand[node - na]
    t = _lower_bound(na, nb, cost, work.cost_start, memory)
    _cancel_common_mass(na, nb, a, b, cost, work.cost_start, memory)
    _start_flow(na, nb, memory)
    while t < np.inf and work.stop[0] == 0:
        if _carries(na, nb, t, cost, work, memory):
            return t, OPTIMAL
        t = _next_threshold(na, nb, t, cost, work.cost_start, memory)
    return t, INTERRUPTED if work.stop[0] != 0 else STALLED


@jit
def _find_nearest(na: int, nb: int, cost: Any, cost_start: Any, memory: BottleneckWorkspace) -> None:
    """The smallest cost from each node to a marked one on the other side."""
    marked, nearest = memory.violator, memory.nearest
    nearest[: na + nb] = np.inf
    any_source = marked[:na].any()
    for j in range(nb):
        costs, least = cost[cost_start[j] : cost_start[j] + na], np.inf
        if marked[na + j]:
            for i in range(na):
                nearest[i] = min(nearest[i], costs[i])
        if any_source:
            for i in range(na):
                least = min(least, costs[i]) if marked[i] else least
            nearest[na + j] = least


@jit
def _lower_bound(na: int, nb: int, cost: Any, cost_start: Any, memory: BottleneckWorkspace) -> float:
    """The largest cost from a node to the nearest one opposite, which is infinite if that is NaN; marks that node."""
    for node in range(na + nb):
        memory.violator[node] = memory.mass[node] > 0.0
    _find_nearest(na, nb, cost, cost_start, memory)
    bound, loneliest = 0.0, 0
    for node in range(na + nb):
        if memory.nearest[node] >= bound and memory.violator[node]:
            bound, loneliest = memory.nearest[node], node
    memory.violator[: na + nb] = 0
    memory.violator[loneliest] = 1
    return bound


@jit
def _cancel_common_mass(
    na: int, nb: int, a: Any, b: Any, cost: Any, cost_start: Any, memory: BottleneckWorkspace
) -> None:
    """Pair sources and sinks at the same point; compute the masses to be placed and their possible rounding."""
    same_point, mass, to_place, rounding = memory.same_point, memory.mass, memory.to_place, memory.rounding
    for node in range(na + nb):
        same_point[node], to_place[node], rounding[node] = -1, mass[node], arithmetic.ROUNDED * mass[node]
    more, low, rounded = 0.0, 0.0, 0.0  # by how much the total of b exceeds that of a, where they differ
    for j in range(nb):
        for i in range(na if memory.nearest[na + j] == 0.0 else 0):
            if cost[cost_start[j] + i] == 0.0 and same_point[i] < 0 and min(mass[i], mass[na + j]) > 0.0:
                same_point[i], same_point[na + j] = na + j, i
                break
    for node in range(na + nb):
        own, other = a[node] if node < na else b[node - na], same_point[node]
        if other < 0 or own != (a[other] if other < na else b[other - na]):
            more, low = arithmetic.add(more, low, -own if node < na else own, 0.0)
            rounded += own
    more = more if abs(more) > arithmetic.ROUNDED * rounded else 0.0
    for i in range(na):
        sink = same_point[i]
        if sink >= 0:
            over = to_place[i] - to_place[sink]
            if a[i] == b[sink - na]:
                over = a[i] * more
                rounding[i] = rounding[sink] = arithmetic.ROUNDED * abs(over)
            to_place[i], to_place[sink] = max(over, 0.0), max(-over, 0.0)


@jit
def _start_flow(na: int, nb: int, memory: BottleneckWorkspace) -> None:
    """Only common mass is placed, where it is."""
    flow, n_words = memory.flow, (na + BITS - 1) // BITS
    flow.amount[: na * nb] = 0.0
    flow.senders[: nb * n_words] = 0
    for j in range(nb):
        flow.demand[j] = memory.to_place[na + j]
    for i in range(na):
        flow.supply[i] = memory.to_place[i]
        sink = memory.same_point[i]
        if sink >= 0:
            push(i, sink - na, min(memory.mass[i], memory.mass[sink]), na, n_words, flow)


@jit
def _allow_arcs(na: int, nb: int, t: float, cost: Any, cost_start: Any, flow: FlowWorkspace) -> None:
    """Allow flow along the arcs of cost ≤ t."""
    n_words = (na + BITS - 1) // BITS
    for j in range(nb):
        for w in range(n_words):
            costs, mask = cost[cost_start[j] + w * BITS : cost_start[j] + min(w * BITS + BITS, na)], np.int64(0)
            for k in range(costs.shape[0]):
                mask |= np.int64(costs[k] <= t) << k
            flow.allowed[j * n_words + w] = mask


@jit
def _relax_masses(na: int, nb: int, share: float, memory: BottleneckWorkspace) -> None:
    """Let sources give more and sinks take less, by this share of the possible rounding of their masses."""
    for i in range(na):
        memory.flow.supply[i] += share * memory.rounding[i]
    for j in range(nb):
        memory.flow.demand[j] -= share * memory.rounding[na + j]


@jit
def _carries(na: int, nb: int, t: float, cost: Any, work: SimplexWorkspace, memory: BottleneckWorkspace) -> bool:
    """Whether the arcs of cost ≤ t carry the masses up to rounding; goes on with the flow, and marks the violator."""
    flow, violator, n_words = memory.flow, memory.violator, (na + BITS - 1) // BITS
    _allow_arcs(na, nb, t, cost, work.cost_start, flow)
    lack = maximize_flow(nb, na, n_words, flow, work.stop)
    may_be_rounding = lack <= memory.rounding[: na + nb].sum()
    if may_be_rounding:
        _relax_masses(na, nb, 1.0, memory)
        lack = maximize_flow(nb, na, n_words, flow, work.stop)
    if lack <= 0.0:
        _relax_masses(na, nb, -2.0, memory)  # what is left goes to sinks that take as much more as rounding allows
        maximize_flow(nb, na, n_words, flow, work.stop)
        left = 0.0
        for i in range(na):
            left = max(left, flow.supply[i])
        if left <= 0.0:
            return True
    for i in range(na):  # sources with mass left, and those they reach
        violator[i] = lack <= 0.0 and (flow.reached[i // BITS] >> (i % BITS)) & 1
    for j in range(nb):  # sinks that no source with mass left reaches
        violator[na + j] = lack > 0.0 and flow.round[j] < 0
    if may_be_rounding:
        _start_flow(na, nb, memory)
    return False


@jit
def _next_threshold(na: int, nb: int, t: float, cost: Any, cost_start: Any, memory: BottleneckWorkspace) -> float:
    """The smallest cost above t within which the violator finds enough mass; infinite if there is none."""
    _find_nearest(na, nb, cost, cost_start, memory)
    while True:
        least = np.inf
        for node in range(na + nb):
            if t < memory.nearest[node] < least:
                least = memory.nearest[node]
        t = least
        if not (t < np.inf and _has_excess(na, nb, t, _NO_DOUBT, memory)):
            return t


@jit
def _has_excess(na: int, nb: int, t: float, doubt: float, memory: BottleneckWorkspace) -> bool:
    """Whether the violator has more mass than all nodes on the other side within t, beyond doubt about rounding."""
    violator, nearest, same_point, to_place = memory.violator, memory.nearest, memory.same_point, memory.to_place
    more, low, rounding = 0.0, 0.0, 0.0
    for node in range(na + nb):
        mass, other = memory.mass[node], same_point[node]
        if violator[node] and other >= 0 and nearest[other] <= t:
            more, low = arithmetic.add(more, low, to_place[node] - to_place[other], 0.0)
            rounding += max(memory.rounding[node], memory.rounding[other])
        elif violator[node] or (nearest[node] <= t and not (other >= 0 and violator[other])):
            more, low = arithmetic.add(more, low, mass if violator[node] else -mass, 0.0)
            rounding += arithmetic.ROUNDED * mass
    return more > doubt * rounding


@jit
def certified(na: int, nb: int, value: float, cost: Any, work: SimplexWorkspace, memory: BottleneckWorkspace) -> bool:
    """Whether the plan in `memory` attains the value and the violator excludes smaller ones, so that it is W_∞."""
    _find_nearest(na, nb, cost, work.cost_start, memory)
    below = np.nextafter(value, -np.inf)
    return _is_feasible(na, nb, value, cost, work.cost_start, memory) and _has_excess(na, nb, below, _PROOF, memory)


@jit
def _is_feasible(na: int, nb: int, value: float, cost: Any, cost_start: Any, memory: BottleneckWorkspace) -> bool:
    """Whether the plan has the masses of both sides, up to rounding, on arcs of cost at most the value."""
    left, total, error = memory.flow.supply, 0.0, 0.0
    for i in range(na):
        left[i] = memory.mass[i]
        total += left[i]
    for j in range(nb):
        lack = memory.mass[na + j]
        for i in range(na):
            amount = memory.flow.amount[j * na + i]
            if amount != 0.0 and not (amount > 0.0 and cost[cost_start[j] + i] <= value):
                return False
            left[i] -= amount
            lack -= amount
        error += abs(lack)
    for i in range(na):
        error += abs(left[i])
    return error <= 4.0 * _SUM_ROUNDING * (8 + na + nb) * total
