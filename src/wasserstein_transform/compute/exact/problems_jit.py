"""Set up a transport problem: masses, costs and the unit; cancel common mass.

Measures A and B are compressed rows: row r has `masses` at `indices[indptr[r]:indptr[r+1]]`, with sum `totals[r]`.
The triangle inequality allows to cancel common mass: similar measures leave small problems. With spare mass the last
point of each row lies nowhere, and has the total mass of the other measure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit
from ..metrics import geometry_jit as geometries
from .bottleneck_jit import BottleneckWorkspace, bottleneck_workspace
from .simplex_jit import OPTIMAL, solve
from .simplex_tree_jit import SimplexWorkspace

MIN_RELATIVE_COST = 1e-4  # a mean cost below this, relative to the largest cost, has lost digits to rounding
MIN_COST = 1e-290  # smaller ones are close to underflow
_MIN_SQUARE = 1e-200  # problems with squares below this, close to underflow, are scaled separately


class CostRule(NamedTuple):
    """The order p, a unit that scales distances to about 1, and whether common mass may be cancelled or be spare."""

    p: float
    unit: float
    cancel: bool
    spare: bool = False


class Pair(NamedTuple):
    """Numbers of sources and sinks of a problem, the total masses of both, and how many of each side lie nowhere."""

    na: int
    nb: int
    total_a: float
    total_b: float
    n_spare: int


class WorkspaceSizes(NamedTuple):
    """How much memory the problems of a batch need."""

    cap: int  # the most masses of a measure
    n_met: int  # the most target points of a measure
    n_points: int  # all points
    n_stored: int  # problems of a measure whose potentials are kept
    farthest: bool  # p = ∞
    width: int  # the most masses of a measure with targets


class CostTables(NamedTuple):
    """Costs from the points of one measure to the points of all its targets, each computed once for all problems."""

    masses: np.ndarray  # (2, cap) of both measures
    shared: np.ndarray  # costs to the k-th target point begin at k times the points of the measure
    max_costs: np.ndarray  # the largest of them, without that of spare mass
    target_index: np.ndarray  # index of a point among the target points, if its stamp is the current one
    stamp: np.ndarray
    state: np.ndarray  # current stamp, number of target points
    single: np.ndarray  # (width · cap,) costs of a problem that needs a table of its own
    shared_start: np.ndarray  # (cap,) start of the costs to its sinks in the shared table
    remaining: np.ndarray  # (2, cap) sources and sinks that remain when common mass is cancelled
    prices: np.ndarray  # (cap,) potentials of the remaining sinks
    potentials: np.ndarray  # potentials of the problems of this measure, for later problems
    bottleneck: BottleneckWorkspace  # for p = ∞


def cost_tables(sizes: WorkspaceSizes) -> CostTables:
    """Memory for problems of these sizes."""
    return CostTables(
        np.zeros((2, sizes.cap)),
        np.empty(sizes.n_met * sizes.width + 8),
        np.empty(sizes.n_met),
        np.zeros(sizes.n_points, np.intp),
        np.zeros(sizes.n_points, np.intp),
        np.zeros(2, np.intp),
        np.empty(sizes.width * sizes.cap + 8),
        np.zeros(sizes.cap, np.intp),
        np.zeros((2, sizes.cap), np.intp),
        np.zeros(sizes.cap),
        np.empty(sizes.n_stored * sizes.width),
        bottleneck_workspace(sizes.cap if sizes.farthest else 0),
    )


def n_bytes(sizes: WorkspaceSizes) -> float:
    """Bytes of this memory and of the workspace of the simplex."""
    cap, n_met, n_points, n_stored, farthest, width = sizes
    plans = 1.1 * cap + 20 if farthest else 0
    return 8.0 * (n_met * (width + 1) + 2 * n_points + cap * (width + plans + 56) + n_stored * width)


@jit
def pair_of(A: Any, i: int, B: Any, j: int, rule: CostRule) -> Pair:
    """The sizes and totals of the problem of two rows; opposite of a measure without mass, none is spare."""
    na, nb = A.indptr[i + 1] - A.indptr[i], B.indptr[j + 1] - B.indptr[j]
    total_a, total_b = A.totals[i], B.totals[j]
    if not rule.spare:
        return Pair(na, nb, total_a, total_b, 0)
    return Pair(na - (total_b == 0.0), nb - (total_a == 0.0), total_a + total_b, total_a + total_b, 1)


@jit
def begin_measure(tables: CostTables) -> None:
    """Forget the costs of the previous measure."""
    tables.state[0] += 1
    tables.state[1] = 0


@jit
def _add_target_point(A: Any, i: int, y: int, geometry: Any, rule: CostRule, tables: CostTables) -> int:
    """Compute the costs to a new target point y; returns its index in the table."""
    k = tables.state[1]
    tables.state[1] = k + 1
    tables.stamp[y] = tables.state[0]
    tables.target_index[y] = k
    a = A.indptr[i]
    na = A.indptr[i + 1] - a
    max_cost = 0.0
    for s in range(na):
        x = A.indices[a + s]
        c = (
            geometries.scaled_square(geometry, y, x, rule.unit)
            if rule.p == 2.0
            else geometries.distance(geometry, y, x) * rule.unit
        )
        tables.shared[k * na + s] = c
        max_cost = max(max_cost, c if s < na - rule.spare else 0.0)
    tables.max_costs[k] = max_cost
    return k


@jit
def load_masses(
    A: Any, i: int, B: Any, j: int, pair: Pair, rule: CostRule, tables: CostTables, work: SimplexWorkspace
) -> None:
    """Masses, multiplied by the other total instead of divided by their own, so that ties of integers stay exact."""
    a, b, masses = A.indptr[i], B.indptr[j], tables.masses
    for s in range(pair.na):
        masses[0, s] = A.masses[a + s]
    for t in range(pair.nb):
        masses[1, t] = B.masses[b + t]
    if rule.spare and B.totals[j] > 0.0:
        masses[0, pair.na - 1] = B.totals[j]
    if rule.spare and A.totals[i] > 0.0:
        masses[1, pair.nb - 1] = A.totals[i]
    for s in range(pair.na):
        work.supply[s] = masses[0, s] * pair.total_b
    for t in range(pair.nb):
        work.demand[t] = masses[1, t] * pair.total_a


@jit
def _longest(A: Any, i: int, B: Any, j: int, pair: Pair, geometry: Any, work: SimplexWorkspace) -> float:
    """The largest distance between points of two rows."""
    top = 0.0
    for t in range(B.indptr[j], B.indptr[j] + pair.nb):
        if work.stop[0] != 0:
            break
        for s in range(A.indptr[i], A.indptr[i] + pair.na):
            top = max(top, geometries.distance(geometry, B.indices[t], A.indices[s]))
    return top


@jit
def rescale(
    A: Any, i: int, B: Any, j: int, pair: Pair, geometry: Any, p: float, length: float, clip: float,
    tables: CostTables, work: SimplexWorkspace,
) -> tuple[float, bool]:  # fmt: skip
    """Costs (d/length)^p, clipped, in the own table of this problem; the largest, and whether any underflowed."""
    a, b, na = A.indptr[i], B.indptr[j], pair.na
    top = 0.0
    vanished = False
    for t in range(pair.nb):
        if work.stop[0] != 0:
            break
        work.cost_start[t] = t * na
        for s in range(na):
            d = geometries.distance(geometry, B.indices[b + t], A.indices[a + s])
            share = d / length if d > 0.0 else 0.0
            c = min(share * share if p == 2.0 else share**p, clip)
            vanished |= c < MIN_COST and d > 0.0
            tables.single[t * na + s] = c
            top = max(top, c)
    return top, vanished


@jit
def load_problem(
    A: Any, i: int, B: Any, j: int, geometry: Any, rule: CostRule, tables: CostTables, work: SimplexWorkspace
) -> tuple[float, float, bool]:
    """Set up masses and costs; returns the largest cost, the unit of length, and whether the shared table is used.

    Powers other than 1 and 2, and squares near underflow, are relative to the largest distance of the problem. If
    `stop` is set, it ends early with some costs missing, as do all functions that use them.
    """
    pair = pair_of(A, i, B, j, rule)
    load_masses(A, i, B, j, pair, rule, tables, work)
    na = A.indptr[i + 1] - A.indptr[i]
    b, stamp, last = B.indptr[j], tables.stamp, pair.na - 1  # the last source may be spare mass
    if rule.p == 1.0 or rule.p == 2.0 or rule.p == np.inf:  # noqa: PLR1714
        top = 0.0
        for t in range(pair.nb):
            if work.stop[0] != 0:
                break
            y = B.indices[b + t]
            is_listed = stamp[y] == tables.state[0]
            k = tables.target_index[y] if is_listed else _add_target_point(A, i, y, geometry, rule, tables)
            work.cost_start[t] = k * na
            top = max(top, tables.max_costs[k], tables.shared[k * na + last])
        if rule.p != 2.0 or top > _MIN_SQUARE:
            return top, 1.0 / rule.unit, True
    longest = _longest(A, i, B, j, pair, geometry, work)
    return rescale(A, i, B, j, pair, geometry, rule.p, longest, 1.0, tables, work)[0], longest, False


@jit
def _cancel(A: Any, i: int, B: Any, j: int, pair: Pair, tables: CostTables, work: SimplexWorkspace) -> tuple[int, int]:
    """Cancel common mass; the remaining sources and sinks are packed, with their own cost table."""
    a, b, na, nb = A.indptr[i], B.indptr[j], pair.na, pair.nb
    s = 0
    t = 0
    while s < na - pair.n_spare and t < nb - pair.n_spare:
        x, y = A.indices[a + s], B.indices[b + t]
        if x == y:
            over = work.supply[s] - work.demand[t]
            if (
                0.0 < abs(over) < MIN_RELATIVE_COST * work.supply[s]
            ):  # the difference of rounded products has lost digits
                over = arithmetic.excess(A.masses[a + s], pair.total_b, B.masses[b + t], pair.total_a)
            work.supply[s] = max(over, 0.0)
            work.demand[t] = max(-over, 0.0)
        s += x <= y
        t += y <= x
    ka = 0
    for s in range(na):
        if work.supply[s] > 0.0:
            tables.remaining[0, ka] = s
            work.supply[ka] = work.supply[s]
            work.potential[ka] = work.potential[s]
            ka += 1
    kb = 0
    for t in range(nb):
        tables.shared_start[t] = work.cost_start[t]
        if work.demand[t] > 0.0:
            for k in range(ka):
                tables.single[kb * ka + k] = tables.shared[work.cost_start[t] + tables.remaining[0, k]]
            tables.remaining[1, kb] = t
            work.demand[kb] = work.demand[t]
            kb += 1
    for k in range(kb):
        work.cost_start[k] = k * ka
    return ka, kb


@jit
def _restore(pair: Pair, ka: int, kb: int, value: float, tables: CostTables, work: SimplexWorkspace) -> float:
    """Potentials of the whole problem from those of the cancelled one; returns their gap to the cost of the plan."""
    na, nb = pair.na, pair.nb
    shared, potential, prices = tables.shared, work.potential, tables.prices
    for k in range(kb):
        prices[k] = arithmetic.lowest(tables.single, k * ka, potential, ka)
    for s in range(na):
        potential[s] = np.inf
    for k in range(kb):
        costs = shared[tables.shared_start[tables.remaining[1, k]] :]
        for s in range(na):
            potential[s] = min(potential[s], costs[s] - prices[k])
    bound = 0.0
    for s in range(na):
        bound += tables.masses[0, s] * pair.total_b * potential[s]
    for t in range(nb):
        bound += tables.masses[1, t] * pair.total_a * arithmetic.lowest(shared, tables.shared_start[t], potential, na)
    return value - bound


@jit
def solve_without_common_mass(
    A: Any, i: int, B: Any, j: int, pair: Pair, top: float, tables: CostTables, work: SimplexWorkspace
) -> tuple[float, float, int]:
    """Cost, gap and status with common mass cancelled; correct if the triangle inequality holds."""
    ka, kb = _cancel(A, i, B, j, pair, tables, work)
    if ka == 0 or kb == 0:  # equal measures, up to rounding of their masses
        rest = 0.0
        for k in range(ka):
            rest += work.supply[k]
        for k in range(kb):
            rest += work.demand[k]
        for s in range(pair.na):
            work.potential[s] = 0.0
        return 0.0, rest * top, OPTIMAL
    value, _, status, _ = solve(ka, kb, top, top, False, tables.single, work)
    return value, _restore(pair, ka, kb, value, tables, work), status


@jit
def overlap(A: Any, i: int, B: Any, j: int, pair: Pair) -> bool:
    """Whether two measures have a point in common."""
    s, t = A.indptr[i], B.indptr[j]
    s_end, t_end = s + pair.na - pair.n_spare, t + pair.nb - pair.n_spare
    while s < s_end and t < t_end:
        x, y = A.indices[s], B.indices[t]
        if x == y:
            return True
        s += x < y
        t += y < x
    return False
