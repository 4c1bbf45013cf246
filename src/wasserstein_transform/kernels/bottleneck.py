"""Exact W_∞ between two small discrete measures: the smallest t such that arcs of cost ≤ t admit a plan.

Mass flows along alternating paths of such arcs, from sources with mass left to sinks with mass missing. If there is no
such path, the visited sinks are a *Hall violator*: their total demand exceeds the mass of all sources within t. Then t
is raised to the next arc that leads to them, and the flow continues; the last violator proves that no smaller t
suffices. Nodes and costs are numbered as in the network simplex.

Masses are rounded: each may be off by a few units of its last digit. A lack or an excess that such changes explain
counts as none. At places that both measures have in common, mass stays at first, and only the difference is placed;
equal masses cancel exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arithmetic import ROUNDED, add, times, total
from .compile import jit
from .simplex import INTERRUPTED, OPTIMAL, STALLED
from .simplex_tree import Work

_SUM_ROUNDING = 4.0 * np.finfo(np.float64).eps  # rounding of a sum of masses, for each of them

_UNSEEN, _QUEUED, _MET = range(3)  # entries of `tally`


class Plan(NamedTuple):
    """The caller's memory for a plan and its proof, for problems of up to `cap` nodes per side."""

    flow: np.ndarray  # (cap²,) from source i to sink j at j·na + i
    served: np.ndarray  # (cap²,) sinks to which source i sends mass, from i·nb on
    degree: np.ndarray  # (cap,) their number
    violator: np.ndarray  # (2cap,) marks the sources or sinks with too little mass within less than the value
    tally: np.ndarray  # (3,) sources not seen yet, sinks queued, sources met


def plan(cap: int) -> Plan:
    """Memory for problems of up to `cap` × `cap`."""
    flow, served, degree = np.zeros(cap * cap), np.zeros(cap * cap, np.intp), np.zeros(cap, np.intp)
    return Plan(flow, served, degree, np.zeros(2 * cap, np.uint8), np.zeros(3, np.intp))


@jit
def _mass(node: int, na: int, work: Work) -> float:
    return work.supply[node] if node < na else work.demand[node - na]


@jit
def _survey_distances(na: int, nb: int, cost: Any, work: Work) -> tuple[float, int]:
    """The largest distance of a node to the nearest one opposite, and that node; sums of distances in `dual`.

    `child` tells the twin of a node, opposite at the same place, or −1.
    """
    far, nearest, twin = work.dual, work.flow, work.child
    for node in range(na + nb):
        twin[node] = -1
    for i in range(na):
        far[i] = 0.0
        nearest[i] = np.inf
    for j in range(nb):
        if work.stop[0] != 0:
            break
        start = work.row[j]
        total, least = 0.0, np.inf
        for i in range(na):
            c = cost[start + i]
            if c == 0.0 and twin[i] < 0 and twin[na + j] < 0 and min(work.supply[i], work.demand[j]) > 0.0:
                twin[i] = na + j
                twin[na + j] = i
            total += c
            least = min(least, c)
            far[i] += c
            nearest[i] = min(nearest[i], c)
        far[na + j] = total
        nearest[na + j] = least
    t = 0.0
    loneliest = 0
    for node in range(na + nb):
        if nearest[node] >= t and _mass(node, na, work) > 0.0:
            t = nearest[node]
            loneliest = node
    return t, loneliest


@jit
def _sort_by_distance(first: int, last: int, work: Work) -> None:
    """Sort nodes `first` to `last` into the same positions of `order`, the most distant first."""
    order, far = work.order, work.dual
    for node in range(first, last):
        k = node
        while k > first and far[order[k - 1]] < far[node]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = node


@jit
def _send(i: int, sink: int, mass: float, na: int, nb: int, scratch: Plan) -> None:
    """Send more mass from source i to a sink."""
    arc = (sink - na) * na + i
    if scratch.flow[arc] == 0.0:
        scratch.served[i * nb + scratch.degree[i]] = sink
        scratch.degree[i] += 1
    scratch.flow[arc] += mass


@jit
def _take_back(i: int, sink: int, mass: float, na: int, nb: int, scratch: Plan) -> None:
    """Send less mass from source i to a sink."""
    arc = (sink - na) * na + i
    scratch.flow[arc] -= mass
    if scratch.flow[arc] == 0.0:
        k = i * nb
        while scratch.served[k] != sink:
            k += 1
        scratch.degree[i] -= 1
        scratch.served[k] = scratch.served[i * nb + scratch.degree[i]]


@jit
def _mass_within(node: int, na: int, nb: int, t: float, cost: Any, work: Work) -> tuple[float, float]:
    """The mass on the other side within t of a node, and the smallest cost above t."""
    mass = 0.0
    beyond = np.inf
    for other in range(nb if node < na else na):
        c = cost[work.row[other] + node] if node < na else cost[work.row[node - na] + other]
        if c <= t:
            mass += work.demand[other] if node < na else work.supply[other]
        elif c < beyond:
            beyond = c
    return mass, beyond


@jit
def _excess_of_totals(na: int, nb: int, a: Any, b: Any, work: Work) -> float:
    """By how much the total of b exceeds that of a: equal masses of twins cancel before they are added."""
    more, low, rounded = 0.0, 0.0, 0.0
    for node in range(na + nb):
        twin = work.child[node]
        mass = a[node] if node < na else b[node - na]
        if twin < 0 or mass != (a[twin] if twin < na else b[twin - na]):
            more, low = add(more, low, -mass if node < na else mass, 0.0)
            rounded += mass
    return more if abs(more) > ROUNDED * rounded else 0.0


@jit
def _excess_over_twin(i: int, j: int, a: Any, b: Any, totals: Any, more: float) -> float:
    """The excess of source i over its twin, sink j."""
    if a[i] == b[j]:
        return a[i] * more
    (total_a, low_a), (total_b, low_b) = totals
    x, x_low = times(a[i], total_b, low_b)
    y, y_low = times(-b[j], total_a, low_a)
    return add(x, x_low, y, y_low)[0]


@jit
def _keep_common_mass(na: int, nb: int, a: Any, b: Any, work: Work, scratch: Plan) -> None:
    """Leave common mass in its place; what is to be placed goes to `rest`, its possible rounding to `loose`."""
    rest, slack = work.rest, work.loose
    totals, more = (total(a, na), total(b, nb)), _excess_of_totals(na, nb, a, b, work)
    for node in range(na + nb):
        rest[node] = _mass(node, na, work)
        slack[node] = ROUNDED * rest[node]
        work.low[node] = 0.0
    for i in range(na):
        sink = work.child[i]
        if sink >= 0:
            _send(i, sink, min(rest[i], rest[sink]), na, nb, scratch)
            over = _excess_over_twin(i, sink - na, a, b, totals, more)
            faint = ROUNDED * (abs(over) if a[i] == b[sink - na] else max(rest[i], rest[sink]))
            rest[i], rest[sink] = max(over, 0.0), max(-over, 0.0)
            slack[i], slack[sink] = faint, faint


@jit
def _bound_of_node(node: int, na: int, nb: int, t: float, cost: Any, work: Work) -> float:
    """The smallest cost from t on within which a node with mass left finds its total mass on the other side.

    Starting from these bounds takes 37 % of the time.
    """
    if work.rest[node] <= work.loose[node]:
        return t
    tolerance = _SUM_ROUNDING * (na + nb) * _mass(node, na, work)
    mass, beyond = _mass_within(node, na, nb, t, cost, work)
    while mass < _mass(node, na, work) - tolerance and beyond < np.inf and work.stop[0] == 0:
        t = beyond
        mass, beyond = _mass_within(node, na, nb, t, cost, work)
    return t


@jit
def _serve(sink: int, na: int, nb: int, t: float, cost: Any, work: Work, scratch: Plan) -> None:
    """Serve a sink from sources within t that have mass left, the most distant source first."""
    rest, start = work.rest, work.row[sink - na]
    for k in range(na):
        if rest[sink] <= 0.0:
            return
        i = work.order[k]
        if rest[i] > 0.0 and cost[start + i] <= t:
            mass = min(rest[i], rest[sink])
            _send(i, sink, mass, na, nb, scratch)
            rest[i] -= mass
            rest[sink] -= mass


@jit
def _start_flow(na: int, nb: int, a: Any, b: Any, cost: Any, work: Work, scratch: Plan) -> float:
    """An initial flow, and a t within which every node finds enough mass; the node that sets t is the violator."""
    t, violator = _survey_distances(na, nb, cost, work)
    _sort_by_distance(0, na, work)
    _sort_by_distance(na, na + nb, work)
    for i in range(na):
        if work.stop[0] != 0:
            break
        for k in range(i * nb, i * nb + nb):
            scratch.flow[k] = 0.0
        scratch.degree[i] = 0
    for node in range(na + nb):
        scratch.violator[node] = 0
    _keep_common_mass(na, nb, a, b, work, scratch)
    for k in range(na, na + nb):
        if work.stop[0] != 0:
            break
        sink = work.order[k]
        _serve(sink, na, nb, t, cost, work, scratch)
        least = _bound_of_node(sink, na, nb, t, cost, work)
        if least > t:
            t, violator = least, sink
            _serve(sink, na, nb, t, cost, work, scratch)
    for i in range(na):
        least = _bound_of_node(i, na, nb, t, cost, work)
        if least > t:
            t, violator = least, i
    scratch.violator[violator] = 1
    return t


@jit
def _any_left(first: int, last: int, work: Work) -> bool:
    """Whether a node has mass left that is more than rounding."""
    for node in range(first, last):  # noqa: SIM110
        if work.rest[node] > work.loose[node]:
            return True
    return False


@jit
def _start_search(na: int, nb: int, lacking: bool, work: Work, scratch: Plan) -> None:
    """Start a search at the sinks with missing mass; if none is `lacking`, at those that can take a bit more."""
    size = 0
    for i in range(na):
        work.order[i] = i
        work.dual[i] = np.inf
    for sink in range(na, na + nb):
        work.depth[sink] = -1
        if work.rest[sink] > (work.loose[sink] if lacking else 0.0):
            work.depth[sink] = 0
            work.queue[size] = sink
            size += 1
    scratch.tally[_UNSEEN] = na
    scratch.tally[_QUEUED] = size
    scratch.tally[_MET] = 0


@jit
def _visit_source(k: int, na: int, nb: int, lacking: bool, work: Work, scratch: Plan) -> None:
    """Visit the k-th unseen source: it is met if it has mass left, otherwise the sinks it serves are queued."""
    tally, depth = scratch.tally, work.depth
    i = work.order[k]
    tally[_UNSEEN] -= 1
    work.order[k] = work.order[tally[_UNSEEN]]
    work.order[tally[_UNSEEN]] = i
    depth[i] = depth[work.queue[work.before[i]]] + 1
    if work.rest[i] > (0.0 if lacking else work.loose[i]):
        work.after[tally[_MET]] = i
        tally[_MET] += 1
        return
    for place in range(i * nb, i * nb + scratch.degree[i]):
        sink = scratch.served[place]
        if depth[sink] < 0:
            depth[sink] = depth[i] + 1
            work.parent[sink] = i
            work.queue[tally[_QUEUED]] = sink
            tally[_QUEUED] += 1


@jit
def _visit_sources_of(
    place: int, na: int, nb: int, t: float, lacking: bool, cost: Any, work: Work, scratch: Plan
) -> None:
    """Visit the sources within t of a queued sink; for the others, `dual` keeps the smallest cost to any such sink."""
    unseen, slack = work.order, work.dual
    start = work.row[work.queue[place] - na]
    k = 0
    while k < scratch.tally[_UNSEEN]:
        i = unseen[k]
        c = cost[start + i]
        if c < slack[i]:
            slack[i] = c
            work.before[i] = place
        if c <= t:
            _visit_source(k, na, nb, lacking, work, scratch)
        else:
            k += 1


@jit
def _visit_new_sources(na: int, nb: int, t: float, lacking: bool, work: Work, scratch: Plan) -> None:
    """Visit the sources that a higher t makes reachable."""
    k = 0
    while k < scratch.tally[_UNSEEN]:
        if work.dual[work.order[k]] <= t:
            _visit_source(k, na, nb, lacking, work, scratch)
        else:
            k += 1


@jit
def _stretch_masses(na: int, nb: int, work: Work, scratch: Plan) -> bool:
    """Let the visited sources give as much more as rounding allows, if that is all that their sinks lack."""
    lack, more = 0.0, 0.0
    for sink in range(na, na + nb):
        if work.depth[sink] == 0:
            lack += work.rest[sink] - work.loose[sink]
    for k in range(scratch.tally[_UNSEEN], na):
        i = work.order[k]
        if work.low[i] == 0.0:
            more += work.loose[i]
    if not 0.0 < lack <= more:
        return False
    for k in range(scratch.tally[_UNSEEN], na):
        i = work.order[k]
        if work.low[i] == 0.0:
            work.low[i] = 1.0
            work.rest[i] += work.loose[i]
            work.loose[i] *= 2.0
    return True


@jit
def _next_bound(na: int, nb: int, t: float, lacking: bool, work: Work, scratch: Plan) -> float:
    """The smallest t within which the visited sinks find their missing mass; t itself if no source is left."""
    slack, unseen, n_unseen = work.dual, work.order, scratch.tally[_UNSEEN]
    lack = 0.0
    for sink in range(na, na + nb):
        if lacking and work.depth[sink] == 0:
            lack += work.rest[sink] - work.loose[sink]
    while True:
        least = np.inf
        for k in range(n_unseen):
            if slack[unseen[k]] > t:
                least = min(least, slack[unseen[k]])
        if not least < np.inf:
            return t
        t = least
        for k in range(n_unseen):
            if slack[unseen[k]] == t:
                lack -= work.supply[unseen[k]]
        if lack <= 0.0:
            return t


@jit
def _search(na: int, nb: int, t: float, lacking: bool, cost: Any, work: Work, scratch: Plan) -> float:
    """Search sources with mass left from the sinks with missing mass, raising t until some are met, listed in `after`.

    None are met if only infinite or NaN costs are left, or if sources can give more now, and another search is needed.
    """
    _start_search(na, nb, lacking, work, scratch)
    tally = scratch.tally
    place = 0
    while True:
        while place < tally[_QUEUED] and work.stop[0] == 0:
            _visit_sources_of(place, na, nb, t, lacking, cost, work, scratch)
            place += 1
        if tally[_MET] > 0 or work.stop[0] != 0:
            return t
        if lacking and _stretch_masses(na, nb, work, scratch):
            tally[_MET] = -1
            return t
        least = _next_bound(na, nb, t, lacking, work, scratch)
        if not least > t:
            return t
        for node in range(na + nb):
            scratch.violator[node] = lacking and node >= na and work.depth[node] >= 0
        for k in range(0 if lacking else tally[_UNSEEN]):
            scratch.violator[work.order[k]] = 1
        t = least
        _visit_new_sources(na, nb, t, lacking, work, scratch)


@jit
def _next_sink(i: int, na: int, t: float, cost: Any, work: Work, scratch: Plan) -> int:
    """A sink one step closer to the roots to which source i may send mass; −1 if there is none."""
    depth, place = work.depth, work.before
    while place[i] < scratch.tally[_QUEUED]:
        sink = work.queue[place[i]]
        if depth[sink] == depth[i] - 1 and cost[work.row[sink - na] + i] <= t:
            passes = work.rest[sink] if depth[sink] == 0 else scratch.flow[(sink - na) * na + work.parent[sink]]
            if passes > 0.0:
                return sink
        place[i] += 1
    return -1


@jit
def _augment(end: int, na: int, nb: int, work: Work, scratch: Plan) -> None:
    """Send as much as possible along the path in `order`: source, sink, source that serves it, …, unsatisfied sink."""
    path, rest = work.order, work.rest
    mass = min(rest[path[0]], rest[path[end]])
    for k in range(1, end, 2):
        mass = min(mass, scratch.flow[(path[k] - na) * na + path[k + 1]])
    rest[path[0]] -= mass
    rest[path[end]] -= mass
    for k in range(0, end, 2):
        _send(path[k], path[k + 1], mass, na, nb, scratch)
    for k in range(1, end, 2):
        _take_back(path[k + 1], path[k], mass, na, nb, scratch)


@jit
def _send_rest(source: int, na: int, nb: int, t: float, cost: Any, work: Work, scratch: Plan) -> None:
    """Send the mass left at a source along the paths of the last search, as far as possible."""
    path = work.order
    path[0] = source
    end = 0
    while work.rest[source] > 0.0:
        sink = _next_sink(path[end], na, t, cost, work, scratch)
        if sink >= 0 and work.depth[sink] == 0:
            path[end + 1] = sink
            _augment(end + 1, na, nb, work, scratch)
            end = 0
        elif sink >= 0:
            path[end + 1] = sink
            path[end + 2] = work.parent[sink]
            end += 2
        elif end > 0:
            end -= 2
            work.before[path[end]] += 1
        else:
            return


@jit
def solve_bottleneck(na: int, nb: int, a: Any, b: Any, cost: Any, work: Work, scratch: Plan) -> tuple[float, int]:
    """W_∞ and status for masses a and b, and `supply` and `demand` of equal totals; plan and violator in `scratch`.

    Groups of masses that differ only by the rounding of their masses count as equal. A single point counts however
    small its mass is. The status is STALLED if only infinite or NaN costs are left.
    """
    t = _start_flow(na, nb, a, b, cost, work, scratch)
    if work.stop[0] != 0:
        return 0.0, INTERRUPTED
    if not t < np.inf:
        return t, STALLED
    lacking = True
    while True:
        if work.stop[0] != 0:
            return t, INTERRUPTED
        if lacking and not _any_left(na, na + nb, work):
            lacking = False  # the mass left at sources goes to sinks that take as much more as rounding allows
            for sink in range(na, na + nb):
                work.rest[sink] += work.loose[sink]
        if not lacking and not _any_left(0, na, work):
            return t, OPTIMAL
        t = _search(na, nb, t, lacking, cost, work, scratch)
        if scratch.tally[_MET] == 0:
            return t, INTERRUPTED if work.stop[0] != 0 else STALLED
        for k in range(scratch.tally[_MET]):
            if work.stop[0] != 0:
                return t, INTERRUPTED
            _send_rest(work.after[k], na, nb, t, cost, work, scratch)


@jit
def _feasible(na: int, nb: int, value: float, cost: Any, work: Work, scratch: Plan) -> bool:
    """Whether the plan has the masses of both sides, up to rounding, on arcs of cost at most the value."""
    rest, tolerance = work.rest, 0.0
    for i in range(na):
        rest[i] = work.supply[i]
        tolerance += _SUM_ROUNDING * (8 + na + nb) * rest[i]
    wrong = 0.0
    for j in range(nb):
        if work.stop[0] != 0:
            return False
        lack = work.demand[j]
        for i in range(na):
            mass = scratch.flow[j * na + i]
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
def _violated(na: int, nb: int, value: float, a: Any, b: Any, cost: Any, work: Work, scratch: Plan) -> bool:
    """Whether the violator has more mass than all nodes on the other side within less than the value."""
    near, violator = work.depth, scratch.violator
    for node in range(na + nb):
        near[node] = 0
    for j in range(nb):
        if work.stop[0] != 0:
            return False
        for i in range(na):
            if (violator[na + j] or violator[i]) and cost[work.row[j] + i] < value:
                near[na + j] |= violator[i]
                near[i] |= violator[na + j]
    totals, longer = (total(a, na), total(b, nb)), _excess_of_totals(na, nb, a, b, work)
    more, low, rounded = 0.0, 0.0, 0.0
    for node in range(na + nb):
        twin, mass = work.child[node], _mass(node, na, work)
        if violator[node] and twin >= 0 and near[twin]:
            i, sink = (node, twin) if node < na else (twin, node)
            over = _excess_over_twin(i, sink - na, a, b, totals, longer)
            more, low = add(more, low, over if node < na else -over, 0.0)
            rounded += abs(over) if a[i] == b[sink - na] else mass
        elif violator[node]:
            more, low = add(more, low, mass, 0.0)
            rounded += mass
        elif near[node] and not (twin >= 0 and violator[twin]):
            more, low = add(more, low, -mass, 0.0)
            rounded += mass
    return more > 0.4 * ROUNDED * rounded


@jit
def certified(na: int, nb: int, value: float, a: Any, b: Any, cost: Any, work: Work, scratch: Plan) -> bool:
    """Whether the plan in `scratch` attains the value and the violator excludes smaller ones, so that it is W_∞."""
    return _feasible(na, nb, value, cost, work, scratch) and _violated(na, nb, value, a, b, cost, work, scratch)
