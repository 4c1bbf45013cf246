"""Many exact transport problems over one metric: a measure against a list of measures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import arithmetic_jit as arithmetic, jit
from . import problems_jit as problems
from .bottleneck_jit import certified, solve_bottleneck
from .simplex_jit import INTERRUPTED, OPTIMAL, solve
from .simplex_tree_jit import UNKNOWN_POTENTIAL, SimplexWorkspace, arc_cost

MAX_GAP = 1e-12  # largest accepted primal–dual gap, relative to the largest cost of the problem

CLIP_FACTOR = 1e3  # arcs more expensive than about this times the mean cost are hardly ever used

MAX_GROWTH = 1e100  # of potentials that are inherited in a smaller unit

MAX_RESCALINGS = 200  # most rounds for finding the unit of a problem

MIN_RELATIVE_DISTANCE = 1e-9  # like MIN_RELATIVE_COST, for costs that are distances, which lose digits later


class PlanArrays(NamedTuple):
    """Plans and potentials: those of problem k are in the rows from `starts[k]` on; without rows if none are wanted."""

    moves: np.ndarray  # (n, 2) source and sink, counted within their measures; −1 for none
    amounts: np.ndarray  # (n, 2) mass, and the potentials of the sources, then those of the sinks
    starts: np.ndarray


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
def _uses_clipped_arcs(na: int, nb: int, root: int, clip: float, cost: Any, work: SimplexWorkspace) -> bool:
    """Whether the plan moves mass at the clipped cost."""
    for node in range(na + nb):
        if node != root and work.flow[node] > 0.0 and arc_cost(node, na, cost, work) >= clip:
            return True
    return False


@jit
def recompute_flows(
    na: int, nb: int, root: int, a: Any, b: Any, cost: Any, work: SimplexWorkspace
) -> tuple[float, float]:
    """Recompute the flows of a tree from the masses; their cost, and the cost of flows that were left out as rounding.

    The flow of an arc is the excess mass of the branch behind it, here in double-double precision, so that small
    differences of large masses keep their digits. Masses are multiplied by the other total. As they are rounded, an
    excess is known up to a few units of the last digit of all masses of the branch.
    """
    net, low, magnitude = work.excess
    total_a, low_a = arithmetic.total(a, na)
    total_b, low_b = arithmetic.total(b, nb)
    for node in range(na + nb):
        if node < na:
            net[node], low[node] = arithmetic.times(a[node], total_b, low_b)
        else:
            net[node], low[node] = arithmetic.times(-b[node - na], total_a, low_a)
        magnitude[node] = abs(net[node])
    value, dropped = 0.0, 0.0
    node = work.previous[root]
    while node != root:
        parent = work.parent[node]
        flow, price = net[node] if node < na else -net[node], arc_cost(node, na, cost, work)
        is_counted = flow > arithmetic.ROUNDED * magnitude[node]
        work.flow[node] = flow if is_counted else 0.0
        value += flow * price if is_counted else 0.0
        dropped += 0.0 if is_counted else abs(flow) * price
        magnitude[parent] += magnitude[node]
        net[parent], low[parent] = arithmetic.add(net[parent], low[parent], net[node], low[node])
        node = work.previous[node]
    return value, dropped


@jit
def _refine(
    A: Any, i: int, B: Any, j: int, pair: problems.Pair, geometry: Any, rule: problems.CostRule, length: float,
    value: float, safe: bool, tables: problems.CostTables, work: SimplexWorkspace,
) -> tuple[float, float, int, float, float, int]:  # fmt: skip
    """Solve again in the unit of W_p itself, because small costs lose digits next to the largest cost.

    `length`·`value`^(1/p) is an upper bound of W_p and the new length; costs far above 1 are clipped, and the clip is
    raised if the plan would use such arcs. The potentials of the last solution are inherited in the new unit. Returns
    cost, gap, status, largest cost, length and root.
    """
    na, nb, p, total = pair.na, pair.nb, rule.p, pair.total_a * pair.total_b
    clip = CLIP_FACTOR
    cost, gap, status, root, max_cost = 0.0, 0.0, OPTIMAL, -1, 0.0
    for _ in range(MAX_RESCALINGS):
        shorter = length * max(value, problems.MIN_COST) ** (1.0 / p)
        if shorter == 0.0 or (shorter == length and value < problems.MIN_RELATIVE_COST):
            break
        growth = (length / shorter) ** p
        for s in range(na):
            work.potential[s] = work.potential[s] * growth if growth < MAX_GROWTH else 0.0
        length = shorter
        problems.load_masses(A, i, B, j, pair, rule, tables, work)
        max_cost, vanished = problems.rescale(A, i, B, j, pair, geometry, p, length, clip, tables, work)
        cost, gap, status, root = solve(na, nb, max_cost, min(max_cost, CLIP_FACTOR), safe, tables.single, work)
        if status == OPTIMAL:
            bound = cost - gap
            cost, dropped = recompute_flows(na, nb, root, tables.masses[0], tables.masses[1], tables.single, work)
            gap = cost + dropped - bound
        value = max(cost / total, 0.0)
        if status != OPTIMAL or (value == 0.0 and not vanished):
            break
        if clip < 1.0 / problems.MIN_COST and _uses_clipped_arcs(na, nb, root, clip, tables.single, work):
            clip *= CLIP_FACTOR
            value = 1.0
        elif value >= problems.MIN_RELATIVE_COST:
            break
    return cost, gap, status, max_cost, length, root


@jit
def _is_certified(status: int, gap: float, max_cost: float) -> bool:
    """Whether the solution is certified; a NaN gap is not."""
    return status == INTERRUPTED or (status == OPTIMAL and abs(gap) <= MAX_GAP * max_cost)


@jit
def _first_attempt(A: Any, i: int, B: Any, j: int, pair: problems.Pair, rule: problems.CostRule) -> int:
    """Attempt 0 is without common mass, if it may be cancelled; 1 the whole problem; 2 the safe algorithm."""
    return 0 if rule.cancel and problems.overlap(A, i, B, j, pair) else 1


@jit
def _attempt(
    attempt: int, A: Any, i: int, B: Any, j: int, pair: problems.Pair, geometry: Any, rule: problems.CostRule,
    tables: problems.CostTables, work: SimplexWorkspace,
) -> tuple[float, float, int, int, float, float, bool]:  # fmt: skip
    """Cost, gap, status, root, largest cost, unit of length, and whether costs are in the shared table."""
    max_cost, length, is_shared = problems.load_problem(A, i, B, j, geometry, rule, tables, work)
    if attempt == 0:
        value, gap, status = problems.solve_without_common_mass(A, i, B, j, pair, max_cost, tables, work)
        return value, gap, status, -1, max_cost, length, is_shared
    table = tables.shared if is_shared else tables.single
    value, gap, status, root = solve(pair.na, pair.nb, max_cost, max_cost, attempt == 2, table, work)
    return value, gap, status, root, max_cost, length, is_shared


@jit
def _lost_digits(value: float, max_cost: float, total: float, rule: problems.CostRule) -> bool:
    """Whether a cost is so small next to the largest one, which may be that of spare mass, that it has lost digits."""
    is_distance = rule.p == 1.0 and not rule.spare
    return value < (MIN_RELATIVE_DISTANCE if is_distance else problems.MIN_RELATIVE_COST) * max_cost * total


@jit
def _root_of(value: float, p: float) -> float:
    if p == 1.0:
        return value
    return np.sqrt(value) if p == 2.0 else value ** (1.0 / p)


@jit
def _length_of_spare(pair: problems.Pair, rule: problems.CostRule) -> float:
    """What W_p of shares is multiplied by if mass may be spare: then masses are not divided by their totals."""
    return pair.total_a ** (1.0 / rule.p) if rule.spare and rule.p != np.inf else 1.0


@jit
def transport(
    A: Any,
    i: int,
    B: Any,
    j: int,
    geometry: Any,
    rule: problems.CostRule,
    tables: problems.CostTables,
    work: SimplexWorkspace,
) -> tuple[float, float, int, int, int, float, bool]:
    """W_p of rows i and j, p < ∞, gap relative to the largest cost, status, and whether the safe algorithm was used.

    Then what describes the plan: the root, the unit of length, and whether the costs are in the shared table.
    """
    p, pair = rule.p, problems.pair_of(A, i, B, j, rule)
    na, nb, total = pair.na, pair.nb, pair.total_a * pair.total_b
    value, gap, status, root, max_cost, length, is_shared, safe = 0.0, 0.0, OPTIMAL, -1, 0.0, 0.0, False, 0
    for attempt in range(_first_attempt(A, i, B, j, pair, rule), 3):
        value, gap, status, root, max_cost, length, is_shared = _attempt(
            attempt, A, i, B, j, pair, geometry, rule, tables, work
        )
        if _is_certified(status, gap, total * max_cost):
            break
        safe = 1
    lost_digits = status == OPTIMAL and _lost_digits(value, max_cost, total, rule)
    if lost_digits:
        if root < 0:  # common mass was cancelled
            is_shared = problems.load_problem(A, i, B, j, geometry, rule, tables, work)[2]
            root = solve(na, nb, max_cost, max_cost, False, tables.shared if is_shared else tables.single, work)[3]
        if root < 0:
            return np.inf, np.inf, INTERRUPTED, safe, root, length, is_shared
        table = tables.shared if is_shared else tables.single
        value = recompute_flows(na, nb, root, tables.masses[0], tables.masses[1], table, work)[0]
        lost_digits = value != 0.0 or p != 1.0
    share, unit = max(value, 0.0) / total, length
    for again in (False, True):
        if not lost_digits:
            break
        refined = _refine(A, i, B, j, pair, geometry, rule, unit, share, again, tables, work)
        value, gap, status, max_cost, length = refined[:5]
        root, is_shared = (refined[5], False) if refined[5] >= 0 else (root, is_shared)
        if _is_certified(status, gap, total * max_cost):
            break
        safe = 1
    value = length * _root_of(max(value / total, 0.0), p) * _length_of_spare(pair, rule)
    return value, (gap / (total * max_cost) if max_cost > 0.0 else 0.0), status, safe, root, length, is_shared


@jit
def _load_potentials(
    parents: Any, shift: int, k: int, na: int, tables: problems.CostTables, work: SimplexWorkspace
) -> None:
    """Start the k-th target from the potentials of its parent; without parents, from those of the previous target."""
    if parents.shape[0] == 0:
        return
    parent = parents[k] - shift
    for s in range(na):
        if parent >= 0:
            work.potential[s] = tables.potentials[parent * na + s]
        elif k > 0:
            work.potential[s] = UNKNOWN_POTENTIAL


@jit
def _store_potentials(
    parents: Any, k: int, na: int, n_used: int, tables: problems.CostTables, work: SimplexWorkspace
) -> None:
    """Keep the potentials of the sources; that of spare mass is unknown if it was not used."""
    for s in range(n_used, na):
        work.potential[s] = UNKNOWN_POTENTIAL
    if parents.shape[0] > 0:
        for s in range(na):
            tables.potentials[k * na + s] = work.potential[s]


@jit
def _write_plan(
    pair: problems.Pair, n_rows: int, start: int, root: int, unit: float, costs: Any, plans: PlanArrays,
    work: SimplexWorkspace,
) -> None:  # fmt: skip
    """Moves, in the unit of the first masses, and potentials of a solved problem; those of sinks are after `n_rows`."""
    count, na = start, pair.na
    for node in range(na + pair.nb):
        if node != root and work.flow[node] > 0.0:
            up = work.parent[node]
            plans.moves[count, 0] = node if node < na else up
            plans.moves[count, 1] = (up if node < na else node) - na
            plans.amounts[count, 0] = work.flow[node] / pair.total_b
            count += 1
    for s in range(na):
        plans.amounts[start + s, 1] = unit * work.potential[s]
    for t in range(pair.nb):
        price = arithmetic.lowest(costs, work.cost_start[t], work.potential, na)
        plans.amounts[start + n_rows + t, 1] = unit * price


@jit
def solve_row(
    A: Any, i: int, B: Any, targets: Any, parents: Any, shift: int, geometry: Any, rule: problems.CostRule,
    plans: PlanArrays, tables: problems.CostTables, work: SimplexWorkspace, out: Any, report: Any, start: int,
) -> int:  # fmt: skip
    """out[k] = W_p(A_i, B_j) for the k-th target j from `start` on; returns the k of the first one that is not easy.

    `report`: largest gap, number of safe solves. The potentials of the points of A_i are inherited from the similar
    target at position `parents[k] - shift`, or from none if it is negative; without parents, from the previous target.
    The first target uses those in `work`.
    """
    if start == 0:
        problems.begin_measure(tables)
    na = A.indptr[i + 1] - A.indptr[i]
    for k in range(start, targets.shape[0]):
        j = targets[k]
        _load_potentials(parents, shift, k, na, tables, work)
        n_used, has_plans = na, plans.moves.shape[0] > 0
        if _are_equal(A, i, B, j):
            out[k] = 0.0
            for s in range(na if has_plans else 0):
                plans.moves[plans.starts[k] + s, :] = s
                plans.amounts[plans.starts[k] + s, 0] = A.masses[A.indptr[i] + s]
        else:
            pair = problems.pair_of(A, i, B, j, rule)
            total, n_used = pair.total_a * pair.total_b, pair.na
            first = _first_attempt(A, i, B, j, pair, rule)
            value, gap, status, root, max_cost, length, is_shared = _attempt(
                first, A, i, B, j, pair, geometry, rule, tables, work
            )
            gap = gap / (total * max_cost) if max_cost > 0.0 else 0.0
            if not (status == OPTIMAL and abs(gap) <= MAX_GAP and value < np.inf) or _lost_digits(
                value, max_cost, total, rule
            ):
                return k
            out[k] = length * _root_of(max(value / total, 0.0), rule.p) * _length_of_spare(pair, rule)
            report[0] = max(report[0], abs(gap))
            if has_plans:
                costs = tables.shared if is_shared else tables.single
                _write_plan(pair, na, plans.starts[k], root, length**rule.p, costs, plans, work)
        _store_potentials(parents, k, na, n_used, tables, work)
    return targets.shape[0]


@jit
def solve_pieces(
    A: Any, B: Any, pieces: Any, offsets: Any, first: int, end: int, piece: int, k: int, width: int, geometry: Any,
    rule: problems.CostRule, plans: PlanArrays, tables: problems.CostTables, work: SimplexWorkspace, out: Any,
    reports: Any,
) -> tuple[int, int]:  # fmt: skip
    """Solve pieces before `end`, from the k-th target of one on; returns the piece and target that is not easy.

    Results of piece c are in `out` from `offsets[c - first]` on. `width` is the number of potentials to forget.
    """
    while piece < end:
        start, n, at = pieces.starts[piece], pieces.ends[piece] - pieces.starts[piece], offsets[piece - first]
        if k == 0:
            work.potential[:width] = UNKNOWN_POTENTIAL
        parents = pieces.parents[start : start + n] if pieces.parents.shape[0] > 0 else pieces.parents
        here = PlanArrays(plans.moves, plans.amounts, plans.starts[at : at + n])
        k = solve_row(
            A, pieces.owners[piece], B, pieces.targets[start : start + n], parents, start, geometry, rule, here, tables,
            work, out[at : at + n], reports[piece - first], k,
        )  # fmt: skip
        if k < n:
            return piece, k
        piece, k = piece + 1, 0
    return piece, 0


@jit
def solve_carefully(
    A: Any, i: int, B: Any, targets: Any, parents: Any, shift: int, geometry: Any, rule: problems.CostRule,
    plans: PlanArrays, tables: problems.CostTables, work: SimplexWorkspace, out: Any, report: Any, k: int,
) -> bool:  # fmt: skip
    """The same for the k-th target alone, which `solve_row` found hard; inherits the potentials that it left."""
    na, pair = A.indptr[i + 1] - A.indptr[i], problems.pair_of(A, i, B, targets[k], rule)
    value, gap, status, safe, root, length, is_shared = transport(A, i, B, targets[k], geometry, rule, tables, work)
    if not (status == OPTIMAL and abs(gap) <= MAX_GAP and value < np.inf):
        return False
    out[k] = value
    report[0] = max(report[0], abs(gap))
    report[1] += safe
    if plans.moves.shape[0] > 0:
        costs = tables.shared if is_shared else tables.single
        _write_plan(pair, na, plans.starts[k], root, length**rule.p, costs, plans, work)
    _store_potentials(parents, k, na, pair.na, tables, work)
    return True


@jit
def solve_row_farthest(
    A: Any, i: int, B: Any, targets: Any, parents: Any, shift: int, geometry: Any, rule: problems.CostRule,
    plans: PlanArrays, tables: problems.CostTables, work: SimplexWorkspace, out: Any, report: Any,
) -> int:  # fmt: skip
    """out[k] = W_∞(A_i, B_j) for the k-th target j, certified by plan and Hall violator; returns the k that failed."""
    problems.begin_measure(tables)
    for k in range(targets.shape[0]):
        j = targets[k]
        if _are_equal(A, i, B, j):
            out[k] = 0.0
            continue
        _, length, _ = problems.load_problem(A, i, B, j, geometry, rule, tables, work)
        pair, masses = problems.pair_of(A, i, B, j, rule), tables.masses
        na, nb = pair.na, pair.nb
        value, status = solve_bottleneck(na, nb, masses[0], masses[1], tables.shared, work, tables.bottleneck)
        if status != OPTIMAL or not certified(na, nb, value, tables.shared, work, tables.bottleneck):
            return k
        out[k] = length * value
    return targets.shape[0]
