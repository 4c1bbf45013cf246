"""Many exact transport problems over one metric: a measure against a list of measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit
from ..jit.arithmetic_jit import ROUNDED, add, times, total
from .bottleneck_jit import certified, solve_bottleneck
from .problems_jit import (
    DROWNING,
    TINY,
    CostRule,
    Costs,
    begin,
    overlap,
    pose,
    rescale,
    solve_without_common_mass,
    weigh,
)
from .simplex_jit import INTERRUPTED, OPTIMAL, solve
from .simplex_tree_jit import UNKNOWN, Work, arc_cost

GAP = 1e-12  # largest accepted primal–dual gap, relative to the largest cost of the problem

CLIP = 1e3  # arcs more expensive than about this times the mean cost are hardly ever used

ROUNDS = 200  # most rounds for finding the unit of a problem

LOST = 1e-9  # like DROWNING, for costs that are distances, which lose digits later


@jit
def _are_equal(A: Any, i: int, B: Any, j: int) -> bool:
    a, b = A.indptr[i], B.indptr[j]
    size = A.indptr[i + 1] - a
    if B.indptr[j + 1] - b != size or A.totals[i] != B.totals[j]:
        return False
    for k in range(size):  # noqa: SIM110
        if A.indices[a + k] != B.indices[b + k] or A.masses[a + k] != B.masses[b + k]:
            return False
    return True


@jit
def _uses_clipped_arcs(na: int, nb: int, root: int, clip: float, cost: Any, work: Work) -> bool:
    """Whether the plan moves mass at the clipped cost."""
    for node in range(na + nb):
        if node != root and work.flow[node] > 0.0 and arc_cost(node, na, cost, work) >= clip:
            return True
    return False


@jit
def settle(na: int, nb: int, root: int, a: Any, b: Any, cost: Any, work: Work) -> tuple[float, float]:
    """Recompute the flows of a tree from the masses; their cost, and the cost of flows that were left out as rounding.

    The flow of an arc is the excess mass of the branch behind it, here in double-double precision, so that small
    differences of large masses keep their digits. Masses are multiplied by the other total. As they are rounded, an
    excess is known up to a few units of the last digit of all masses of the branch.
    """
    net, low, loose, order = work.rest, work.low, work.loose, work.order
    total_a, low_a = total(a, na)
    total_b, low_b = total(b, nb)
    for node in range(na + nb):
        if node < na:
            net[node], low[node] = times(a[node], total_b, low_b)
        else:
            net[node], low[node] = times(-b[node - na], total_a, low_a)
        loose[node] = abs(net[node])
    node, size = root, 0
    while True:
        order[size] = node
        size += 1
        node = work.after[node]
        if node == root:
            break
    value, dropped = 0.0, 0.0
    for k in range(size - 1, 0, -1):
        node = order[k]
        up = work.parent[node]
        flow, price = net[node] if node < na else -net[node], arc_cost(node, na, cost, work)
        is_counted = flow > ROUNDED * loose[node]
        work.flow[node] = flow if is_counted else 0.0
        value += flow * price if is_counted else 0.0
        dropped += 0.0 if is_counted else abs(flow) * price
        loose[up] += loose[node]
        net[up], low[up] = add(net[up], low[up], net[node], low[node])
    return value, dropped


@jit
def _refine(
    A: Any, i: int, B: Any, j: int, geometry: Any, p: float, length: float, value: float, safe: bool, scratch: Costs,
    work: Work,
) -> tuple[float, float, int, float, float]:  # fmt: skip
    """Solve again in the unit of W_p itself, because small costs lose digits next to the largest cost.

    `length`·`value`^(1/p) is an upper bound of W_p and the new length; costs far above 1 are clipped, and the clip is
    raised if the plan would use such arcs. Returns cost, gap, status, largest cost and length.
    """
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    total = A.totals[i] * B.totals[j]
    a, b = A.masses[A.indptr[i] :], B.masses[B.indptr[j] :]
    clip = CLIP
    cost, gap, status, top = 0.0, 0.0, OPTIMAL, 0.0
    for _ in range(ROUNDS):
        shorter = length * max(value, TINY) ** (1.0 / p)
        if shorter == 0.0 or (shorter == length and value < DROWNING):
            break
        length = shorter
        weigh(A, i, B, j, work)
        top, vanished = rescale(A, i, B, j, geometry, p, length, clip, scratch, work)
        for s in range(na):
            work.dual[s] = 0.0
        cost, gap, status, root = solve(na, nb, top, min(top, CLIP), safe, scratch.own, work)
        if status == OPTIMAL:
            bound = cost - gap
            cost, dropped = settle(na, nb, root, a, b, scratch.own, work)
            gap = cost + dropped - bound
        value = max(cost / total, 0.0)
        if status != OPTIMAL or (value == 0.0 and not vanished):
            break
        if clip < 1.0 / TINY and _uses_clipped_arcs(na, nb, root, clip, scratch.own, work):
            clip *= CLIP
            value = 1.0
        elif value >= DROWNING:
            break
    return cost, gap, status, top, length


@jit
def _is_certified(status: int, gap: float, most: float) -> bool:
    """Whether the solution is certified; a NaN gap is not."""
    return status == INTERRUPTED or (status == OPTIMAL and abs(gap) <= GAP * most)


@jit
def _first_attempt(A: Any, i: int, B: Any, j: int, rule: CostRule) -> int:
    """Attempt 0 is without common mass, if it may be cancelled; 1 the whole problem; 2 with Bland's rule."""
    return 0 if rule.cancel and overlap(A, i, B, j) else 1


@jit
def _attempt(
    attempt: int, A: Any, i: int, B: Any, j: int, geometry: Any, rule: CostRule, scratch: Costs, work: Work
) -> tuple[float, float, int, int, float, float, bool]:
    """Cost, gap, status, root, largest cost, unit of length, and whether costs are in the shared table."""
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    top, length, shared = pose(A, i, B, j, geometry, rule, scratch, work)
    if attempt == 0:
        value, gap, status = solve_without_common_mass(A, i, B, j, top, scratch, work)
        return value, gap, status, -1, top, length, shared
    table = scratch.table if shared else scratch.own
    value, gap, status, root = solve(na, nb, top, top, attempt == 2, table, work)
    return value, gap, status, root, top, length, shared


@jit
def _drowns(value: float, top: float, total: float, p: float) -> bool:
    """Whether a cost is so small next to the largest one that it has lost digits."""
    return value < (DROWNING if p != 1.0 else LOST) * top * total


@jit
def _root_of(value: float, p: float) -> float:
    if p == 1.0:
        return value
    return np.sqrt(value) if p == 2.0 else value ** (1.0 / p)


@jit
def transport(
    A: Any, i: int, B: Any, j: int, geometry: Any, rule: CostRule, scratch: Costs, work: Work
) -> tuple[float, float, int, int]:
    """W_p of rows i and j, p < ∞, gap relative to the largest cost, status, and whether the safe algorithm was used."""
    p = rule.p
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    total = A.totals[i] * B.totals[j]
    value, gap, status, root, top, length, shared, safe = 0.0, 0.0, OPTIMAL, -1, 0.0, 0.0, False, 0
    for attempt in range(_first_attempt(A, i, B, j, rule), 3):
        value, gap, status, root, top, length, shared = _attempt(attempt, A, i, B, j, geometry, rule, scratch, work)
        if _is_certified(status, gap, total * top):
            break
        safe = 1
    drowns = status == OPTIMAL and _drowns(value, top, total, p)
    if drowns:
        if root < 0:  # common mass was cancelled
            shared = pose(A, i, B, j, geometry, rule, scratch, work)[2]
            root = solve(na, nb, top, top, False, scratch.table if shared else scratch.own, work)[3]
        if root < 0:
            return np.inf, np.inf, INTERRUPTED, safe
        table = scratch.table if shared else scratch.own
        value = settle(na, nb, root, A.masses[A.indptr[i] :], B.masses[B.indptr[j] :], table, work)[0]
        drowns = value != 0.0 or p != 1.0
    share, unit = max(value, 0.0) / total, length
    for bland in (False, True):
        if not drowns:
            break
        value, gap, status, top, length = _refine(A, i, B, j, geometry, p, unit, share, bland, scratch, work)
        if _is_certified(status, gap, total * top):
            break
        safe = 1
    value = length * _root_of(max(value / total, 0.0), p)
    return value, (gap / (total * top) if top > 0.0 else 0.0), status, safe


@jit
def _inherit(guides: Any, k: int, na: int, scratch: Costs, work: Work) -> None:
    """Start the k-th target from the potentials of its guide; without guides, from those of the previous target."""
    if guides.shape[0] == 0:
        return
    for s in range(na):
        if guides[k] >= 0:
            work.dual[s] = scratch.potentials[guides[k] * na + s]
        elif k > 0:
            work.dual[s] = UNKNOWN


@jit
def _bequeath(guides: Any, k: int, na: int, scratch: Costs, work: Work) -> None:
    if guides.shape[0] > 0:
        for s in range(na):
            scratch.potentials[k * na + s] = work.dual[s]


@jit
def transport_row(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: CostRule, scratch: Costs, work: Work,
    out: Any, report: Any, start: int,
) -> int:  # fmt: skip
    """out[k] = W_p(A_i, B_j) for the k-th target j from `start` on; returns the k of the first one that is not easy.

    `report`: largest gap, number of safe solves. The potentials of the points of A_i are inherited from the similar
    target at position `guides[k]`, or from none if it is negative. Without guides they are inherited from the previous
    target. The first target uses those in `work.dual`.
    """
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    for k in range(start, targets.shape[0]):
        j = targets[k]
        _inherit(guides, k, na, scratch, work)
        if _are_equal(A, i, B, j):
            out[k] = 0.0
        else:
            total = A.totals[i] * B.totals[j]
            first = _first_attempt(A, i, B, j, rule)
            value, gap, status, _, top, length, _ = _attempt(first, A, i, B, j, geometry, rule, scratch, work)
            gap = gap / (total * top) if top > 0.0 else 0.0
            if not (status == OPTIMAL and abs(gap) <= GAP and value < np.inf) or _drowns(value, top, total, rule.p):
                return k
            out[k] = length * _root_of(max(value / total, 0.0), rule.p)
            report[0] = max(report[0], abs(gap))
        _bequeath(guides, k, na, scratch, work)
    return targets.shape[0]


@jit
def careful_transport(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: CostRule, scratch: Costs, work: Work,
    out: Any, report: Any, k: int,
) -> bool:  # fmt: skip
    """The same for the k-th target alone, which is not easy; returns whether it is certified."""
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    _inherit(guides, k, na, scratch, work)
    value, gap, status, safe = transport(A, i, B, targets[k], geometry, rule, scratch, work)
    if not (status == OPTIMAL and abs(gap) <= GAP and value < np.inf):
        return False
    out[k] = value
    report[0] = max(report[0], abs(gap))
    report[1] += safe
    _bequeath(guides, k, na, scratch, work)
    return True


@jit
def farthest_row(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: CostRule, scratch: Costs, work: Work,
    out: Any, report: Any,
) -> int:  # fmt: skip
    """out[k] = W_∞(A_i, B_j) for the k-th target j, certified by plan and Hall violator; −1, or the j that failed."""
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    for k in range(targets.shape[0]):
        j = targets[k]
        if _are_equal(A, i, B, j):
            out[k] = 0.0
            continue
        nb = B.indptr[j + 1] - B.indptr[j]
        _, length, _ = pose(A, i, B, j, geometry, rule, scratch, work)
        a, b = A.masses[A.indptr[i] :], B.masses[B.indptr[j] :]
        value, status = solve_bottleneck(na, nb, a, b, scratch.table, work, scratch.bottleneck)
        if status != OPTIMAL or not certified(na, nb, value, scratch.table, work, scratch.bottleneck):
            return j
        out[k] = length * value
    return -1
