"""Many exact transport problems over one metric: a measure against a list of measures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .basis import Work, arc_cost
from .bottleneck import Plan, certified, plan, solve_bottleneck
from .compile import jit
from .formulas import distance, scaled_square
from .minimum import lowest
from .pricing import INTERRUPTED, OPTIMAL
from .simplex import faint_mass, moves, plan_cost, plan_reach, settled_cost, solve
from .start import UNKNOWN, peel
from .twofold import add, times

GAP = 1e-12  # largest primal–dual gap accepted, of the largest cost of the problem
DROWNING = 1e-4  # of the largest cost: a mean cost below this has lost digits to rounding beside it
CLIP = 1e3  # of the mean cost, about: arcs dearer than this are hardly ever used
STEEP = 150.0  # from this order on W_∞ is the unit: looked for by powers, it might take more rounds than there are
ROUNDS = 200  # in which the unit of a problem is looked for
TINY = 1e-290  # next to underflow
LOST = 1e-9  # the same where costs are distances: they lose digits later
_FAINT = 1e-200  # squares below this are too near to underflow: such problems are scaled on their own


class Rows(NamedTuple):
    """Ragged measures: row r holds masses on points `indices[indptr[r]:indptr[r+1]]`, `totals[r]` together."""

    indptr: np.ndarray
    indices: np.ndarray
    masses: np.ndarray
    totals: np.ndarray


class Rule(NamedTuple):
    """What is asked: the order p, a unit that brings distances to about 1, whether common mass may stay in place."""

    p: float
    unit: float
    cancel: bool


class Costs(NamedTuple):
    """Costs from the points of one measure to all points it meets, each computed once for all its problems."""

    table: np.ndarray  # costs to the k-th point met begin at k·na
    tops: np.ndarray  # the largest of them
    place: np.ndarray  # of a point among those met, if its stamp is the current one
    stamp: np.ndarray
    state: np.ndarray  # current stamp, number of points met
    own: np.ndarray  # (width · cap,) costs of a problem that needs a table of its own
    rows: np.ndarray  # (cap,) where the costs to its sinks begin in the shared table
    kept: np.ndarray  # (2, cap) sources and sinks that remain when common mass is cancelled
    potentials: np.ndarray  # of the problems of this measure, for those that come after
    plan: Plan  # for p = ∞


def costs(
    cap: int, n_met: int, n_points: int, n_stored: int, farthest: bool = False, width: int | None = None
) -> Costs:
    """Room for measures of up to `cap` masses that meet up to `n_met` of `n_points` points; `farthest`: for p = ∞.

    `width`: the most masses of a measure that meets others, if those it meets can have more.
    """
    width = cap if width is None else width
    return Costs(
        np.empty(n_met * width + 8),
        np.empty(n_met),
        np.zeros(n_points, np.intp),
        np.zeros(n_points, np.intp),
        np.zeros(2, np.intp),
        np.empty(width * cap + 8),
        np.zeros(cap, np.intp),
        np.zeros((2, cap), np.intp),
        np.empty(n_stored * width),
        plan(cap if farthest else 0),
    )


def n_bytes(
    cap: int, n_met: int, n_points: int, n_stored: int, farthest: bool = False, width: int | None = None
) -> float:
    """Bytes of one such scratch and of the simplex that works in it."""
    width = cap if width is None else width
    plans = 2 * cap if farthest else 0
    return 8.0 * (n_met * (width + 1) + 2 * n_points + cap * (width + plans + 48) + n_stored * width)


@jit
def _same(A: Any, i: int, B: Any, j: int) -> bool:
    a, b = A.indptr[i], B.indptr[j]
    size = A.indptr[i + 1] - a
    if B.indptr[j + 1] - b != size or A.totals[i] != B.totals[j]:
        return False
    for k in range(size):  # noqa: SIM110
        if A.indices[a + k] != B.indices[b + k] or A.masses[a + k] != B.masses[b + k]:
            return False
    return True


@jit
def _meet(A: Any, i: int, y: int, geometry: Any, rule: Rule, scratch: Costs) -> int:
    """Costs to a point y that is met for the first time; its place in the table."""
    k = scratch.state[1]
    scratch.state[1] = k + 1
    scratch.stamp[y] = scratch.state[0]
    scratch.place[y] = k
    a = A.indptr[i]
    na = A.indptr[i + 1] - a
    top = 0.0
    for s in range(na):
        x = A.indices[a + s]
        c = scaled_square(geometry, y, x, rule.unit) if rule.p == 2.0 else distance(geometry, y, x) * rule.unit
        scratch.table[k * na + s] = c
        top = max(top, c)
    scratch.tops[k] = top
    return k


@jit
def _weigh(A: Any, i: int, B: Any, j: int, work: Work) -> None:
    """Masses, cross-multiplied by the other total instead of divided by their own: ties of counted ones stay exact."""
    a, b = A.indptr[i], B.indptr[j]
    for s in range(A.indptr[i + 1] - a):
        work.supply[s] = A.masses[a + s] * B.totals[j]
    for t in range(B.indptr[j + 1] - b):
        work.demand[t] = B.masses[b + t] * A.totals[i]


@jit
def _longest(A: Any, i: int, B: Any, j: int, geometry: Any, work: Work) -> float:
    """The largest distance between points of two rows."""
    top = 0.0
    for t in range(B.indptr[j], B.indptr[j + 1]):
        if work.stop[0] != 0:
            break
        for s in range(A.indptr[i], A.indptr[i + 1]):
            top = max(top, distance(geometry, B.indices[t], A.indices[s]))
    return top


@jit
def _rescale(
    A: Any, i: int, B: Any, j: int, geometry: Any, p: float, length: float, clip: float, scratch: Costs, work: Work
) -> tuple[float, bool]:
    """Costs (d/length)^p, at most `clip`, into a table of this problem alone; the largest, and whether any vanished."""
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    top = 0.0
    vanished = False
    for t in range(nb):
        if work.stop[0] != 0:
            break
        work.row[t] = t * na
        for s in range(na):
            d = distance(geometry, B.indices[b + t], A.indices[a + s])
            c = min((d / length) ** p, clip) if d > 0.0 else 0.0
            vanished |= c < TINY and d > 0.0
            scratch.own[t * na + s] = c
            top = max(top, c)
    return top, vanished


@jit
def pose(
    A: Any, i: int, B: Any, j: int, geometry: Any, rule: Rule, scratch: Costs, work: Work
) -> tuple[float, float, bool]:
    """Masses and where the costs are: the largest cost, the unit of length, and whether the shared table has them.

    Powers other than 1 and 2, and squares near underflow, are taken relative to the problem's largest distance. Ends
    early, with some costs not there, if `stop` was set: so does all that looks at them.
    """
    _weigh(A, i, B, j, work)
    na = A.indptr[i + 1] - A.indptr[i]
    b, stamp = B.indptr[j], scratch.stamp
    if rule.p == 1.0 or rule.p == 2.0 or rule.p == np.inf:  # noqa: PLR1714
        top = 0.0
        for t in range(B.indptr[j + 1] - b):
            if work.stop[0] != 0:
                break
            y = B.indices[b + t]
            k = scratch.place[y] if stamp[y] == scratch.state[0] else _meet(A, i, y, geometry, rule, scratch)
            work.row[t] = k * na
            top = max(top, scratch.tops[k])
        if rule.p != 2.0 or top > _FAINT:
            return top, 1.0 / rule.unit, True
    longest = _longest(A, i, B, j, geometry, work)
    return _rescale(A, i, B, j, geometry, rule.p, longest, 1.0, scratch, work)[0], longest, False


@jit
def _excess(a: float, b: float, c: float, d: float) -> float:
    """a·b − c·d, rounded once."""
    x, x_low = times(a, b, 0.0)
    y, y_low = times(-c, d, 0.0)
    return add(x, x_low, y, y_low)[0]


@jit
def _cancel(A: Any, i: int, B: Any, j: int, scratch: Costs, work: Work) -> tuple[int, int]:
    """Let common mass stay where it is; the sources and sinks that remain, packed, with a table of their own."""
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    s = 0
    t = 0
    while s < na and t < nb:
        x, y = A.indices[a + s], B.indices[b + t]
        if x == y:
            over = work.supply[s] - work.demand[t]
            if 0.0 < abs(over) < DROWNING * work.supply[s]:  # the products were rounded, and little is left of them
                over = _excess(A.masses[a + s], B.totals[j], B.masses[b + t], A.totals[i])
            work.supply[s] = max(over, 0.0)
            work.demand[t] = max(-over, 0.0)
        s += x <= y
        t += y <= x
    ka = 0
    for s in range(na):
        if work.supply[s] > 0.0:
            scratch.kept[0, ka] = s
            work.supply[ka] = work.supply[s]
            work.dual[ka] = work.dual[s]
            ka += 1
    kb = 0
    for t in range(nb):
        scratch.rows[t] = work.row[t]
        if work.demand[t] > 0.0:
            for k in range(ka):
                scratch.own[kb * ka + k] = scratch.table[work.row[t] + scratch.kept[0, k]]
            scratch.kept[1, kb] = t
            work.demand[kb] = work.demand[t]
            kb += 1
    for k in range(kb):
        work.row[k] = k * ka
    return ka, kb


@jit
def _restore(A: Any, i: int, B: Any, j: int, ka: int, kb: int, value: float, scratch: Costs, work: Work) -> float:
    """Potentials of the whole problem from those of the cancelled one, and the gap they leave to the plan's cost."""
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    table, dual, price = scratch.table, work.dual, work.rest
    for k in range(kb):
        price[k] = lowest(scratch.own, k * ka, dual, ka)
    for s in range(na):
        dual[s] = np.inf
    for k in range(kb):
        row = table[scratch.rows[scratch.kept[1, k]] :]
        for s in range(na):
            dual[s] = min(dual[s], row[s] - price[k])
    _weigh(A, i, B, j, work)
    bound = 0.0
    for s in range(na):
        bound += work.supply[s] * dual[s]
    for t in range(nb):
        bound += work.demand[t] * lowest(table, scratch.rows[t], dual, na)
    return value - bound


@jit
def _near(A: Any, i: int, B: Any, j: int, top: float, scratch: Costs, work: Work) -> tuple[float, float, int]:
    """Cost, gap and status with common mass cancelled: right where the triangle inequality holds."""
    ka, kb = _cancel(A, i, B, j, scratch, work)
    if ka == 0 or kb == 0:  # equal measures, up to rounding of their masses
        rest = 0.0
        for k in range(ka):
            rest += work.supply[k]
        for k in range(kb):
            rest += work.demand[k]
        for s in range(A.indptr[i + 1] - A.indptr[i]):
            work.dual[s] = 0.0
        return 0.0, rest * top, OPTIMAL
    value, _, status, _ = solve(ka, kb, top, top, False, scratch.own, work)
    return value, _restore(A, i, B, j, ka, kb, value, scratch, work), status


@jit
def _overlap(A: Any, i: int, B: Any, j: int) -> bool:
    s, t = A.indptr[i], B.indptr[j]
    s_end, t_end = A.indptr[i + 1], B.indptr[j + 1]
    while s < s_end and t < t_end:
        x, y = A.indices[s], B.indices[t]
        if x == y:
            return True
        s += x < y
        t += y < x
    return False


@jit
def begin(scratch: Costs) -> None:
    """Forget the costs of the measure before."""
    scratch.state[0] += 1
    scratch.state[1] = 0


@jit
def _clipped(na: int, nb: int, root: int, clip: float, cost: Any, work: Work) -> bool:
    """Whether the plan moves mass at the clipped cost."""
    faint = faint_mass(na, work)
    for node in range(na + nb):
        if node != root and arc_cost(node, na, cost, work) >= clip and moves(node, na, faint, work):
            return True
    return False


@jit
def _refine(
    A: Any, i: int, B: Any, j: int, geometry: Any, p: float, length: float, value: float, safe: bool, scratch: Costs,
    work: Work,
) -> tuple[float, float, int, int, float, float]:  # fmt: skip
    """Solve again in the unit of the distance itself: beside the largest cost, its own would drown in rounding.

    `length`·`value`^(1/p) bounds the distance from above and is the new length; costs far above 1 are clipped, and the
    clip is lifted where the plan would use such arcs. Returns cost, gap, status, root, largest cost and length.
    """
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    total = A.totals[i] * B.totals[j]
    a, b = A.masses[A.indptr[i] :], B.masses[B.indptr[j] :]
    clip = CLIP
    cost, gap, status, root, top = 0.0, 0.0, OPTIMAL, -1, 0.0
    for _ in range(ROUNDS):
        shorter = length * max(value, TINY) ** (1.0 / p)
        if shorter == 0.0 or (shorter == length and value < DROWNING):
            break
        length = shorter
        _weigh(A, i, B, j, work)
        top, vanished = _rescale(A, i, B, j, geometry, p, length, clip, scratch, work)
        for s in range(na):
            work.dual[s] = 0.0
        cost, gap, status, root = solve(na, nb, top, min(top, CLIP), safe, scratch.own, work)
        if status == OPTIMAL:
            gap -= cost
            cost = settled_cost(na, nb, root, a, b, scratch.own, work)
            gap += cost
        value = max(cost / total, 0.0)
        if status != OPTIMAL or (value == 0.0 and not vanished):
            break
        if clip < 1.0 / TINY and _clipped(na, nb, root, clip, scratch.own, work):
            clip *= CLIP
            value = 1.0
        elif value >= DROWNING:
            break
    return cost, gap, status, root, top, length


@jit
def _certified(status: int, gap: float, most: float) -> bool:
    """Whether nothing is left to do: NaN is no certificate."""
    return status == INTERRUPTED or (status == OPTIMAL and abs(gap) <= GAP * most)


@jit
def transport(
    A: Any, i: int, B: Any, j: int, geometry: Any, rule: Rule, farthest: float, scratch: Costs, work: Work
) -> tuple[float, float, int, int, int]:
    """W_p of rows i and j, gap relative to the largest cost, status, root and whether the safe path was taken.

    From the order STEEP on it is looked for from W_∞ = `farthest` on, which it is little less than: beside the largest
    distance, powers of all that matters may vanish.
    """
    p = rule.p
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    total = A.totals[i] * B.totals[j]
    value, gap, status, root, top, length, safe = total, 0.0, OPTIMAL, -1, 1.0, farthest, 0
    drowns = farthest > 0.0
    if p < STEEP:
        # without common mass, if that may stay in place; the whole problem; the whole problem by Bland's rule
        for attempt in range(0 if rule.cancel and _overlap(A, i, B, j) else 1, 3):
            top, length, shared = pose(A, i, B, j, geometry, rule, scratch, work)
            if attempt == 0:
                value, gap, status = _near(A, i, B, j, top, scratch, work)
            else:
                table = scratch.table if shared else scratch.own
                value, gap, status, root = solve(na, nb, top, top, attempt == 2, table, work)
            if _certified(status, gap, total * top):
                break
            safe = 1
        limit = (DROWNING if p != 1.0 else LOST) * top * total
        drowns = status == OPTIMAL and value < limit and (value > 0.0 or p != 1.0)
    share, unit = max(value, 0.0) / total, length
    for bland in (False, True):
        if not drowns:
            break
        value, gap, status, root, top, length = _refine(A, i, B, j, geometry, p, unit, share, bland, scratch, work)
        if _certified(status, gap, total * top):
            break
        safe = 1
    value = max(value / total, 0.0)
    if p == 2.0:
        value = np.sqrt(value)
    elif p != 1.0:
        value = value ** (1.0 / p)
    return length * value, (gap / (total * top) if top > 0.0 else 0.0), status, root, safe


@jit
def transport_row(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: Rule, scratch: Costs, work: Work, out: Any,
    report: Any,
) -> int:  # fmt: skip
    """out[k] = W_p(A_i, B_j) for the k-th target j; returns −1, or the j that failed. `report`: gap, safe solves.

    From the order STEEP on, `out` must hold W_∞ before.

    The potentials of A_i's points carry over from the target at place `guides[k]`, which is near: neighboring problems
    nearly share them; from none where it is negative. Without guides they carry over from the target before. The first
    target takes those that are in `work.dual`.
    """
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    keep = guides.shape[0] > 0
    for k in range(targets.shape[0]):
        j = targets[k]
        if keep and guides[k] >= 0:
            for s in range(na):
                work.dual[s] = scratch.potentials[guides[k] * na + s]
        elif keep and k > 0:
            for s in range(na):
                work.dual[s] = UNKNOWN
        if _same(A, i, B, j):
            out[k] = 0.0
        else:
            value, gap, status, _, safe = transport(A, i, B, j, geometry, rule, out[k], scratch, work)
            if not (status == OPTIMAL and abs(gap) <= GAP and value < np.inf):
                return j
            out[k] = value
            report[0] = max(report[0], abs(gap))
            report[1] += safe
        if keep:
            for s in range(na):
                scratch.potentials[k * na + s] = work.dual[s]
    return -1


@jit
def farthest_row(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: Rule, scratch: Costs, work: Work, out: Any,
    report: Any,
) -> int:  # fmt: skip
    """out[k] = W_∞(A_i, B_j) for the k-th target j, each with a plan and a Hall violator; −1, or the j that failed."""
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    for k in range(targets.shape[0]):
        j = targets[k]
        if _same(A, i, B, j):
            out[k] = 0.0
            continue
        nb = B.indptr[j + 1] - B.indptr[j]
        _, length, _ = pose(A, i, B, j, geometry, rule, scratch, work)
        value, status = solve_bottleneck(na, nb, scratch.table, work, scratch.plan)
        total = A.totals[i] * B.totals[j]
        if status != OPTIMAL or not certified(na, nb, value, scratch.table, work, scratch.plan, total):
            return j
        out[k] = length * value
    return -1


@jit
def _common_share(A: Any, i: int, B: Any, j: int) -> float:
    """The share of mass that two measures have in common."""
    s, t = A.indptr[i], B.indptr[j]
    s_end, t_end = A.indptr[i + 1], B.indptr[j + 1]
    common = 0.0
    while s < s_end and t < t_end:
        x, y = A.indices[s], B.indices[t]
        if x == y:
            common += min(A.masses[s] * B.totals[j], B.masses[t] * A.totals[i])
        s += x <= y
        t += y <= x
    return common / (A.totals[i] * B.totals[j])


@jit
def _longest_move(A: Any, i: int, B: Any, j: int, geometry: Any, root: int, work: Work) -> float:
    """The largest distance at which the plan moves mass."""
    a, b = A.indptr[i], B.indptr[j]
    na, nb = A.indptr[i + 1] - a, B.indptr[j + 1] - b
    faint = faint_mass(na, work)
    reach = 0.0
    for node in range(na + nb):
        if node != root and moves(node, na, faint, work):
            up = work.parent[node]
            s, t = (node, up - na) if node < na else (up, node - na)
            reach = max(reach, distance(geometry, B.indices[b + t], A.indices[a + s]))
    return reach


@jit
def upper_row(
    A: Any, i: int, B: Any, targets: Any, guides: Any, geometry: Any, rule: Rule, scratch: Costs, work: Work, out: Any,
    report: Any,
) -> int:  # fmt: skip
    """out[k] ≥ W_p(A_i, B_j) for the k-th target j, by plans: a greedy one, and common mass at rest. Returns −1."""
    begin(scratch)
    na = A.indptr[i + 1] - A.indptr[i]
    for k in range(targets.shape[0]):
        if work.stop[0] != 0:
            return targets[k]
        j = targets[k]
        nb = B.indptr[j + 1] - B.indptr[j]
        top, length, shared = pose(A, i, B, j, geometry, rule, scratch, work)
        table = scratch.table if shared else scratch.own
        for s in range(na):
            work.dual[s] = 0.0
        root = peel(na, nb, 0.0, table, work) if top < np.inf else -1
        if root < 0:
            out[k] = np.inf
            continue
        if rule.p == np.inf:
            out[k] = length * plan_reach(na, nb, root, table, work)
            continue
        greedy = plan_cost(na, nb, root, table, work) / (A.totals[i] * B.totals[j])
        cost = min(max(greedy, 0.0), top * max(1.0 - _common_share(A, i, B, j), 0.0))
        out[k] = length * cost ** (1.0 / rule.p)
        if greedy < TINY:  # the powers have vanished
            out[k] = max(out[k], _longest_move(A, i, B, j, geometry, root, work))
    return -1
