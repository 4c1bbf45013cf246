"""Exact W_∞ between two small discrete measures: the smallest t such that arcs of cost ≤ t carry a plan.

A binary search over the costs. At each threshold t, a maximum flow along the arcs of cost ≤ t carries the masses, or it
leaves a *Hall violator*: sources or sinks with more mass than all points on the other side within t. The violator of
the largest threshold that fails proves that no cost below the value suffices. Nodes and costs are numbered as in the
network simplex.

Masses are rounded: each may be off by a few units of its last digit. A lack or an excess that such changes explain
counts as none. At places that both measures have in common, mass stays at first, and only the difference is placed;
equal masses cancel exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arithmetic import ROUNDED, add, times, total
from .compile import jit
from .max_flow import BITS, Fill, flow_workspace, give, maximize_flow
from .simplex import INTERRUPTED, OPTIMAL, STALLED
from .simplex_tree import Work

_SUM_ROUNDING = 4.0 * np.finfo(np.float64).eps  # rounding of a sum of masses, for each of them


class Bottleneck(NamedTuple):
    """Workspace for a plan and its proof, for problems of up to `cap` nodes per side. Sinks come after the sources."""

    fill: Fill  # the flow; in the end the plan, from source i to sink j at j·na + i
    twin: np.ndarray  # (2cap,) the node opposite at the same place; −1: none
    nearest: np.ndarray  # (2cap,) smallest cost to a node opposite
    rest: np.ndarray  # (2cap,) mass to be placed, beyond that of the twin
    loose: np.ndarray  # (2cap,) its possible rounding
    costs: np.ndarray  # (cap²,) costs that may be the value
    violator: np.ndarray  # (2cap,) marks the sources or sinks with too little mass within less than the value
    near: np.ndarray  # (2cap,) marks the nodes opposite within less than the value


def bottleneck_workspace(cap: int) -> Bottleneck:
    """Workspace for problems of up to `cap` × `cap`."""
    nearest, rest, loose = np.zeros((3, 2 * cap))
    violator, near = np.zeros((2, 2 * cap), np.uint8)
    fill = flow_workspace(cap, -(-cap // BITS), cap)
    return Bottleneck(fill, np.zeros(2 * cap, np.intp), nearest, rest, loose, np.empty(cap * cap), violator, near)


@jit
def _mass(node: int, na: int, work: Work) -> float:
    return work.supply[node] if node < na else work.demand[node - na]


@jit
def _lower_bound(na: int, nb: int, cost: Any, work: Work, scratch: Bottleneck) -> float:
    """The largest cost of a node to the nearest one opposite. That node is the violator; finds the twins, too."""
    nearest, twin = scratch.nearest, scratch.twin
    for node in range(na + nb):
        nearest[node], twin[node], scratch.violator[node] = np.inf, -1, 0
    for j in range(nb):
        if work.stop[0] != 0:
            break
        start, least = work.row[j], np.inf
        for i in range(na):
            c = cost[start + i]
            if c == 0.0 and twin[i] < 0 and twin[na + j] < 0 and min(work.supply[i], work.demand[j]) > 0.0:
                twin[i], twin[na + j] = na + j, i
            least = min(least, c)
            nearest[i] = min(nearest[i], c)
        nearest[na + j] = least
    bound, loneliest = 0.0, 0
    for node in range(na + nb):
        if nearest[node] >= bound and _mass(node, na, work) > 0.0:
            bound, loneliest = nearest[node], node
    scratch.violator[loneliest] = 1
    return bound


@jit
def _excess_of_totals(na: int, nb: int, a: Any, b: Any, twin: Any) -> float:
    """By how much the total of b exceeds that of a: equal masses of twins cancel before they are added."""
    more, low, rounded = 0.0, 0.0, 0.0
    for node in range(na + nb):
        mass = a[node] if node < na else b[node - na]
        if twin[node] < 0 or mass != (a[twin[node]] if twin[node] < na else b[twin[node] - na]):
            more, low = add(more, low, -mass if node < na else mass, 0.0)
            rounded += mass
    return more if abs(more) > ROUNDED * rounded else 0.0


@jit
def _cancel_common_mass(na: int, nb: int, a: Any, b: Any, work: Work, scratch: Bottleneck) -> None:
    """Masses to be placed go to `rest`, their possible rounding to `loose`."""
    twin, rest, loose = scratch.twin, scratch.rest, scratch.loose
    (total_a, low_a), (total_b, low_b) = total(a, na), total(b, nb)
    more = _excess_of_totals(na, nb, a, b, twin)
    for node in range(na + nb):
        rest[node] = _mass(node, na, work)
        loose[node] = ROUNDED * rest[node]
    for i in range(na):
        sink = twin[i]
        if sink < 0:
            continue
        if a[i] == b[sink - na]:
            over = a[i] * more
            loose[i] = ROUNDED * abs(over)
        else:
            x, x_low = times(a[i], total_b, low_b)
            y, y_low = times(-b[sink - na], total_a, low_a)
            over = add(x, x_low, y, y_low)[0]
            loose[i] = max(loose[i], loose[sink])
        loose[sink] = loose[i]
        rest[i], rest[sink] = max(over, 0.0), max(-over, 0.0)


@jit
def _start_flow(na: int, nb: int, t: float, cost: Any, work: Work, scratch: Bottleneck) -> None:
    """Open the arcs of cost ≤ t; common mass stays in its place."""
    fill, n_words = scratch.fill, (na + BITS - 1) // BITS
    for j in range(nb):
        if work.stop[0] != 0:
            return
        for w in range(n_words):
            costs, mask = cost[work.row[j] + w * BITS : work.row[j] + min(w * BITS + BITS, na)], np.int64(0)
            for k in range(costs.shape[0]):
                mask |= np.int64(costs[k] <= t) << k
            fill.open[j * n_words + w], fill.held[j * n_words + w] = mask, 0
        fill.demand[j] = scratch.rest[na + j]
    for i in range(na):
        fill.supply[i] = scratch.rest[i]
        if scratch.twin[i] >= 0:
            j = scratch.twin[i] - na
            give(i, j, min(work.supply[i], work.demand[j]), na, n_words, fill)


@jit
def _stretch(na: int, nb: int, share: float, scratch: Bottleneck) -> None:
    """Let sources give more and sinks take less, by this share of the possible rounding of their masses."""
    for i in range(na):
        scratch.fill.supply[i] += share * scratch.loose[i]
    for j in range(nb):
        scratch.fill.demand[j] -= share * scratch.loose[na + j]


@jit
def _any_left(masses: Any, n: int) -> bool:
    for k in range(n):  # noqa: SIM110 - compiled code has no generators
        if masses[k] > 0.0:
            return True
    return False


@jit
def _mark_violator(na: int, nb: int, lacking: bool, scratch: Bottleneck) -> bool:
    """Mark the sinks that lack mass and those served by sources within reach, or the reached sources; False."""
    fill, violator, n_words = scratch.fill, scratch.violator, (na + BITS - 1) // BITS
    for node in range(na + nb):
        violator[node] = not lacking and node < na and (fill.seen[node // BITS] >> (node % BITS)) & 1 != 0
    fill.seen[:] = 0
    grows = lacking
    while grows:
        grows = False
        for j in range(nb):
            joins = violator[na + j] == 0 and fill.demand[j] > 0.0
            for w in range(0 if violator[na + j] else n_words):
                joins = joins or fill.held[j * n_words + w] & fill.seen[w] != 0
            for w in range(n_words if joins else 0):
                fill.seen[w] |= fill.open[j * n_words + w]
            violator[na + j] |= joins
            grows = grows or joins
    return False


@jit
def _carries(na: int, nb: int, t: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the arcs of cost ≤ t carry the masses up to rounding; the flow, or else a violator."""
    fill, n_words, rounding = scratch.fill, (na + BITS - 1) // BITS, 0.0
    for node in range(na + nb):
        rounding += scratch.loose[node]
    _start_flow(na, nb, t, cost, work, scratch)
    need = maximize_flow(nb, na, n_words, fill, work.stop)
    if need > rounding:
        return _mark_violator(na, nb, True, scratch)
    _stretch(na, nb, 1.0, scratch)
    if _any_left(fill.demand, nb) and maximize_flow(nb, na, n_words, fill, work.stop) > 0.0:
        return _mark_violator(na, nb, True, scratch)
    _stretch(na, nb, -2.0, scratch)
    if _any_left(fill.supply, na):  # what is left at sources goes to sinks that take as much more as rounding allows
        maximize_flow(nb, na, n_words, fill, work.stop)
        if _any_left(fill.supply, na):
            return _mark_violator(na, nb, False, scratch)
    return True


@jit
def _list_costs(na: int, nb: int, bound: float, cost: Any, work: Work, costs: Any) -> int:
    """List the finite costs above a bound; returns their number."""
    size = 0
    for j in range(nb):
        if work.stop[0] != 0:
            break
        for i in range(na):
            c = cost[work.row[j] + i]
            if bound < c < np.inf:
                costs[size] = c
                size += 1
    return size


@jit
def _middle(costs: Any, size: int) -> float:
    """The median of three of the costs."""
    x, y, z = costs[size // 4], costs[size // 2], costs[size - 1 - size // 4]
    return max(min(x, y), min(max(x, y), z))


@jit
def _keep_between(low: float, high: float, costs: Any, size: int) -> int:
    """Keep the costs strictly between low and high; returns their number."""
    kept = 0
    for k in range(size):
        c = costs[k]
        costs[kept] = c
        kept += low < c < high
    return kept


@jit
def _drop_stale_flow(na: int, nb: int, fill: Fill) -> None:
    """Set the flow to 0 where a source does not serve a sink."""
    n_words = (na + BITS - 1) // BITS
    for j in range(nb):
        for i in range(na):
            if (fill.held[j * n_words + i // BITS] >> (i % BITS)) & 1 == 0:
                fill.flow[j * na + i] = 0.0


@jit
def solve_bottleneck(na: int, nb: int, a: Any, b: Any, cost: Any, work: Work, scratch: Bottleneck) -> tuple[float, int]:
    """W_∞ and status for masses a and b, and `supply` and `demand` of equal totals; plan and violator in `scratch`.

    Groups of masses that differ only by the rounding of their masses count as equal. A single point counts however
    small its mass is. The status is STALLED if only infinite or NaN costs are left.
    """
    low = _lower_bound(na, nb, cost, work, scratch)
    _cancel_common_mass(na, nb, a, b, work, scratch)
    value, size, fits = np.inf, 0, False
    if work.stop[0] == 0 and low < np.inf:
        fits = _carries(na, nb, low, cost, work, scratch)
        value = low if fits else np.inf
        size = 0 if fits else _list_costs(na, nb, low, cost, work, scratch.costs)
    while size > 0 and work.stop[0] == 0:
        t = _middle(scratch.costs, size)
        fits = _carries(na, nb, t, cost, work, scratch)
        low, value = (low, t) if fits else (t, value)
        size = _keep_between(low, value, scratch.costs, size)
    if not fits and value < np.inf:  # the flow is that of a smaller threshold
        _carries(na, nb, value, cost, work, scratch)
    _drop_stale_flow(na, nb, scratch.fill)
    if work.stop[0] != 0:
        return 0.0, INTERRUPTED
    return value, OPTIMAL if value < np.inf else STALLED


@jit
def _feasible(na: int, nb: int, value: float, cost: Any, work: Work, fill: Fill) -> bool:
    """Whether the plan has the masses of both sides, up to rounding, on arcs of cost at most the value."""
    rest, tolerance, wrong = fill.supply, 0.0, 0.0
    for i in range(na):
        rest[i] = work.supply[i]
        tolerance += _SUM_ROUNDING * (8 + na + nb) * rest[i]
    for j in range(nb):
        if work.stop[0] != 0:
            return False
        lack = work.demand[j]
        for i in range(na):
            mass = fill.flow[j * na + i]
            if mass != 0.0:
                if not (mass > 0.0 and cost[work.row[j] + i] <= value):
                    return False
                rest[i] -= mass
                lack -= mass
        wrong += abs(lack)
    for i in range(na):
        wrong += abs(rest[i])
    return wrong <= 4.0 * tolerance


@jit
def _violated(na: int, nb: int, value: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the violator has more mass than all nodes on the other side within less than the value."""
    near, violator, twin, rest = scratch.near, scratch.violator, scratch.twin, scratch.rest
    near[: na + nb] = 0
    for j in range(nb):
        if work.stop[0] != 0:
            return False
        for i in range(na):
            if (violator[na + j] or violator[i]) and cost[work.row[j] + i] < value:
                near[na + j] |= violator[i]
                near[i] |= violator[na + j]
    more, low, rounding = 0.0, 0.0, 0.0
    for node in range(na + nb):
        mass = _mass(node, na, work)
        if violator[node] and twin[node] >= 0 and near[twin[node]]:
            more, low = add(more, low, rest[node] - rest[twin[node]], 0.0)
            rounding += scratch.loose[node]
        elif violator[node] or (near[node] and not (twin[node] >= 0 and violator[twin[node]])):
            more, low = add(more, low, mass if violator[node] else -mass, 0.0)
            rounding += ROUNDED * mass
    return more > 0.4 * rounding


@jit
def certified(na: int, nb: int, value: float, cost: Any, work: Work, scratch: Bottleneck) -> bool:
    """Whether the plan in `scratch` attains the value and the violator excludes smaller ones, so that it is W_∞."""
    return _feasible(na, nb, value, cost, work, scratch.fill) and _violated(na, nb, value, cost, work, scratch)
