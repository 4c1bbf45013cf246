"""Batches of exact transport problems over one metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..._types import Floats, Ints
from ...engine import N_MATRICES, Engine, Flag, Record, Task, Tile, cut_by_cost
from ..cells.rows import inverse
from ..graphs.paths import is_worth_storing
from ..metrics.distances import dense
from ..metrics.geometry_jit import Geometry, Table, for_thread
from ..records import CsrMeasures
from .flows import flows_pay, solve_flows
from .on_graphs import PathTables, are_hops, listed_by_hops, path_tables
from .problems import Positions, Report, mirror, parents_of_listed, spatial_rank, visit_order
from .problems_jit import CostRule, WorkspaceSizes, cost_tables, n_bytes
from .simplex_tree_jit import simplex_workspace
from .transport_jit import PlanArrays, solve_carefully, solve_pieces, solve_row_farthest

if TYPE_CHECKING:
    from ...spaces import Metric

STEPS_PER_COST = 12.0  # approximate inner-loop steps of the simplex per entry of the cost matrix
_MAX_CHEAP_STEPS = 16.0  # distances up to this many steps are computed when needed, others are stored first
_TREE_DISTANCES_PER_PROBLEM = 1000.0  # approximate number of spanning-tree distances that a warm start saves
_N_PIECES = 32  # of a batch with one measure and many targets: few, because each begins without potentials
_MIN_PIECE_COST = 8e4  # entries of cost matrices: about two milliseconds
_NO_INDICES = np.empty(0, np.intp)


class _Pieces(NamedTuple):
    """The pairs to solve, in pieces: measure owners[k] of A with the measures `targets[starts[k]:ends[k]]` of B.

    `parents` gives for each target the position in `targets` of the problem whose potentials it starts from, −1 for
    none. If it is empty, each problem starts from the one before. Potentials are inherited within a piece.
    """

    owners: Ints
    starts: Ints
    ends: Ints
    targets: Ints
    parents: Ints
    cost: Floats  # number of entries of the cost matrices of a piece


class _TileInputs(NamedTuple):
    A: CsrMeasures
    B: CsrMeasures
    pieces: _Pieces
    source: Geometry | PathTables  # of distances
    rule: CostRule
    sizes: WorkspaceSizes
    slot_counts: Ints  # of the plan of each target


def exact_among(metric: Metric, p: float, measures: CsrMeasures, engine: Engine) -> tuple[Floats, Report]:
    """The full matrix of distances; each pair is solved once."""
    n = len(measures.totals)
    out = engine.allocate((n, n), f"exact distances of {n} measures", "use fewer points", n_held=N_MATRICES)
    order, parent = visit_order(measures, metric, engine)
    rows = measures.take(order)
    sizes = np.diff(rows.indptr).astype(np.float64)
    cost = sizes * (sizes.sum() - np.cumsum(sizes))
    pieces = _Pieces(np.arange(n), np.arange(1, n + 1), np.full(n, n), np.arange(n), parent, cost)
    report = _solve_pieces(metric, p, rows, rows, pieces, out, engine, n_met=metric.n, positions=order, rows=order)
    mirror(out, engine)
    return out, report


def exact_between(metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, engine: Engine) -> tuple[Floats, Report]:
    """The rectangle of distances from the measures A to the measures B."""
    n_a, n_b = len(A.totals), len(B.totals)
    engine.reserve(8.0 * n_a * n_b, f"{n_a} × {n_b} distances", "take fewer measures at a time")
    out = np.zeros((n_a, n_b))
    if n_b <= _TREE_DISTANCES_PER_PROBLEM * n_a:
        order, parent = visit_order(B, metric, engine)
    else:
        order, parent = np.argsort(spatial_rank(B, metric, engine)), _NO_INDICES
    rows, cost = np.arange(n_a), np.diff(A.indptr) * float(len(B.indices))
    pieces = _Pieces(rows, np.zeros(n_a, np.intp), np.full(n_a, n_b), np.arange(n_b), parent, cost)
    B = B.take(order)
    return out, _solve_pieces(metric, p, A, B, pieces, out, engine, positions=order, rows=rows, n_met=metric.n)


def exact_listed(
    metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, indptr: Ints, targets: Ints, engine: Engine,
    rank: Ints | None = None, homes: Ints | None = None, plans: PlanArrays | None = None,
) -> tuple[Floats, Report]:  # fmt: skip
    """Distances from each measure i of A to the measures `targets[indptr[i]:indptr[i+1]]` of B, in that order.

    `plans` is filled with their plans and potentials.
    """
    adjacency = metric.adjacency
    if p == 1 and adjacency is not None and homes is not None and are_hops(adjacency, A, B, indptr, targets, homes):
        return listed_by_hops(adjacency, A, indptr, targets, engine)
    n_rows, n, parent = len(A.totals), len(B.totals), _NO_INDICES
    if rank is None and 2 * np.count_nonzero(np.diff(indptr)) > len(targets):
        rank, parent = np.zeros(n, np.intp), np.full(n, -1)  # most have a single target: the order does not matter
    elif rank is None and n * n <= _TREE_DISTANCES_PER_PROBLEM * len(targets):
        order, parent = visit_order(B, metric, engine)
        rank = inverse(order)
    elif rank is None:
        rank = spatial_rank(B, metric, engine)
    out = np.zeros(len(targets))
    by_rank = csr_array((np.arange(len(targets)), rank[targets], indptr), shape=(n_rows, n))
    by_rank = by_rank.tocsc().tocsr()  # sorts each row: similar targets follow each other
    order, targets = by_rank.data, targets[by_rank.data]
    met = np.append(0, np.cumsum(np.diff(B.indptr)[targets]))[indptr]
    owners = np.repeat(np.arange(n_rows), np.diff(indptr))
    parents = parents_of_listed(parent, owners, by_rank.indices) if len(parent) else _NO_INDICES
    cost = np.diff(A.indptr) * np.diff(met).astype(np.float64)
    pieces = _Pieces(np.arange(n_rows), indptr[:-1], indptr[1:], targets, parents, cost)
    n_met = int(min(metric.n, np.diff(met).max(initial=0)))
    where = {"positions": order, "n_met": n_met, "homes": homes, "plans": plans}
    return out, _solve_pieces(metric, p, A, B, pieces, out, engine, **where)


def _solve_pieces(
    metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, pieces: _Pieces, out: Floats, engine: Engine, *,
    positions: Ints, n_met: int, rows: Ints | None = None, homes: Ints | None = None, plans: PlanArrays | None = None,
) -> Report:  # fmt: skip
    """Solve the problems in parallel and put their distances into `out`, and `plans`, where `Positions` says.

    `n_met` is the most points that the targets of a measure have.
    """
    if (
        p == 1
        and plans is None
        and flows_pay(
            metric, STEPS_PER_COST * float(pieces.cost.sum()), int((pieces.ends - pieces.starts).sum()), engine
        )
    ):
        return solve_flows(metric, A, B, _cut_long(pieces), positions, rows, out, engine)
    lengths = np.diff(A.indptr)
    width = int(lengths[pieces.cost > 0].max(initial=1))  # over measures with at least one target
    cap = int(max(width, np.diff(B.indptr).max()))
    n_entries = float(np.minimum(pieces.cost, lengths * float(n_met)).sum())
    pieces = _cut_long(pieces)
    counts = pieces.ends - pieces.starts
    n_stored = int(counts.max()) if len(pieces.parents) else 0
    sizes = WorkspaceSizes(cap, n_met, metric.n, n_stored, p == np.inf, width)
    engine.reserve(engine.n_threads * n_bytes(sizes), "workspaces of the simplex", "use a smaller eps or n_jobs")
    source: Geometry | PathTables | None = _geometry(metric, n_entries, rows is not None, engine)
    if source is None:
        assert metric.adjacency is not None
        source = path_tables(metric.adjacency, A, homes, width, n_met, engine)
    largest = metric.largest(engine)  # the unit is a power of two of this order
    scale = float(np.ldexp(1.0, np.clip(np.frexp(largest)[1], -1000, 1000))) if largest > 0 else 1.0
    rule = CostRule(p, 1.0 / scale, p == 1 and metric.triangle and plans is None, hasattr(metric, "spare"))
    slots = None if plans is None else plans.starts
    inputs = _TileInputs(A, B, pieces, source, rule, sizes, _NO_INDICES if slots is None else np.diff(slots)[positions])
    name = "bottleneck transport" if p == np.inf else "exact transport"
    reports = np.zeros((len(counts), 2))
    layout = Positions(pieces.starts, pieces.ends, positions, None if rows is None else rows[pieces.owners], slots)
    tiles = cut_by_cost(STEPS_PER_COST * pieces.cost)
    more = () if plans is None else (plans.moves, plans.amounts)
    engine.run(Task(name, _solve_tile, inputs, tiles, layout), (out, reports, *more))
    return Report(int(counts.sum()), int(reports[:, 1].sum()), float(reports[:, 0].max(initial=0.0)))


def _cut_long(pieces: _Pieces) -> _Pieces:
    """Cut the targets of expensive measures into pieces, so that threads share few long lists."""
    cost, counts = pieces.cost, pieces.ends - pieces.starts
    n_parts = np.ceil(cost / max(float(cost.sum()) / _N_PIECES, _MIN_PIECE_COST)).astype(np.intp)
    n_parts = np.clip(n_parts, 1, np.maximum(counts, 1))
    if n_parts.max(initial=1) == 1:
        return pieces
    whole = np.repeat(np.arange(len(cost)), n_parts)
    part = np.arange(len(whole)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    starts, counts, n_parts = pieces.starts[whole], counts[whole], n_parts[whole]
    return pieces._replace(
        owners=pieces.owners[whole],
        starts=starts + counts * part // n_parts,
        ends=starts + counts * (part + 1) // n_parts,
        cost=cost[whole] / n_parts,
    )


def _solve_tile(inputs: _TileInputs, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of pieces; fills distances and reports."""
    A, B, pieces, source, rule, sizes, slot_counts = inputs
    distances, reports, moves, amounts = record
    easy: Any = solve_pieces
    careful: Any = solve_carefully  # few problems are hard; the code for them is compiled when the first one is met
    first, end = tile
    work, costs = simplex_workspace(sizes.cap, stop), cost_tables(sizes)
    offsets = np.append(0, np.cumsum(pieces.ends[first:end] - pieces.starts[first:end]))
    slots = slot_counts[pieces.starts[first] : pieces.ends[end - 1]]
    plans = PlanArrays(moves, amounts, np.cumsum(slots) - slots)
    if isinstance(source, PathTables):
        path_table, fill_table = source.for_thread(A, B, stop)
    geometry = path_table if isinstance(source, PathTables) else for_thread(source)

    def problem(piece: int) -> tuple[Any, ...]:
        part, results = slice(pieces.starts[piece], pieces.ends[piece]), slice(*offsets[piece - first :][:2])
        targets = pieces.owners[piece], B, pieces.targets[part], pieces.parents[part], pieces.starts[piece]
        own_plans = plans._replace(starts=plans.starts[results])
        return A, *targets, geometry, rule, own_plans, costs, work, distances[results], reports[piece - first]

    piece = first
    while piece < end:
        last = piece + 1 if isinstance(source, PathTables) or rule.p == np.inf else end
        if isinstance(source, PathTables) and len(targets := pieces.targets[pieces.starts[piece] : pieces.ends[piece]]):
            fill_table(pieces.owners[piece], targets)  # has no room for measures without targets
        if stop[0]:
            return
        if rule.p == np.inf:
            k = solve_row_farthest(*problem(piece))
            piece += k == pieces.ends[piece] - pieces.starts[piece]
        else:
            several = geometry, rule, plans, costs, work, distances, reports
            piece, k = easy(A, B, pieces, offsets, first, last, piece, 0, sizes.width, *several)
            while piece < last and careful(*problem(piece), k):
                piece, k = easy(A, B, pieces, offsets, first, last, piece, k + 1, sizes.width, *several)
        if stop[0]:
            return
        if piece < last:
            i, j = pieces.owners[piece], pieces.targets[pieces.starts[piece] + k]
            raise RuntimeError(
                f"the transport problem of measures {i} and {j} could not be certified: the simplex did not reach the "
                "optimum within its limit of pivots; please report it with the data"
            )


def _geometry(metric: Metric, n_entries: float, whole: bool, engine: Engine) -> Geometry | None:
    """The source of distances: expensive ones are stored if the problems need more of them than there are pairs.

    For a network, None means that paths are searched around each measure instead.
    """
    n_pairs = float(metric.n) ** 2
    if metric.adjacency is not None:
        stores = whole or is_worth_storing(metric.adjacency, metric.n, n_entries, engine)
        return metric.geometry(engine) if stores else None
    if metric.cost <= _MAX_CHEAP_STEPS or 2 * n_entries < n_pairs:
        return metric.geometry(engine)
    engine.reserve(8.0 * n_pairs, f"the {metric.n} × {metric.n} distance matrix", "use fewer points")
    matrix = np.empty((metric.n, metric.n))
    dense(metric, matrix, engine)
    return Table(matrix)
