"""Batches of exact transport problems over one metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..._types import Floats, Ints
from ...engine import N_MATRICES, Engine, Flag, Record, Task, Tile, cut_by_cost
from ..graphs.paths import is_worth_storing
from ..metrics.distances import dense
from ..metrics.geometry_jit import Geometry, Table, for_thread
from ..records import Rows
from .on_graphs import Explorer, are_hops, explorer_of, listed_by_hops
from .problems import Ground, Positions, Report, Scratch, inverse, listed_parents, mirror, tour, walk
from .problems_jit import CostRule, costs, n_bytes
from .simplex_tree_jit import UNKNOWN, workspace
from .transport_jit import careful_transport, farthest_row, transport_row

if TYPE_CHECKING:
    from ...spaces import Metric

_STEPS_PER_COST = 12.0  # approximate inner-loop steps of the simplex per entry of the cost matrix
_MAX_CHEAP_STEPS = 16.0  # distances up to this many steps are computed when needed, others are stored first
_TREE_DISTANCES_PER_PROBLEM = 1000.0  # approximate number of spanning-tree distances that a warm start saves
_N_PIECES = 32  # of a batch with one measure and many targets: few, because each begins without potentials
_MIN_PIECE_COST = 8e4  # entries of cost matrices: about two milliseconds
_NONE = np.empty(0, np.intp)


class _Targets(NamedTuple):
    """The pairs to solve, in pieces: measure owners[k] with the measures `targets[starts[k]:ends[k]]`.

    `parents` gives for each target the position in `targets` of the problem whose potentials it starts from, −1 for
    none. If it is empty, each problem starts from the one before. Potentials are inherited within a piece.
    """

    owners: Ints
    starts: Ints
    ends: Ints
    targets: Ints
    parents: Ints


class _Problems(NamedTuple):
    A: Rows
    B: Rows
    lists: _Targets
    geometry: Geometry | None
    explorer: Explorer | None
    rule: CostRule
    scratch: Scratch


def exact_among(ground: Ground, measures: Rows, engine: Engine) -> tuple[Floats, Report]:
    """The full matrix of distances; each pair is solved once."""
    n = len(measures.totals)
    out = engine.allocate((n, n), f"exact distances of {n} measures", "use fewer points", n_held=N_MATRICES)
    order, parent = tour(measures, ground.metric, engine)
    walked = _take(measures, order)
    sizes = np.diff(walked.indptr).astype(np.float64)
    cost = sizes * (sizes.sum() - np.cumsum(sizes))
    lists = _Targets(np.arange(n), np.arange(1, n + 1), np.full(n, n), np.arange(n), parent)
    report = _run(ground, walked, walked, lists, order, order, out, cost, ground.metric.n, engine)
    mirror(out, engine)
    return out, report


def exact_between(ground: Ground, A: Rows, B: Rows, engine: Engine) -> tuple[Floats, Report]:
    """The rectangle of distances from the measures A to the measures B."""
    n_a, n_b = len(A.totals), len(B.totals)
    engine.reserve(8.0 * n_a * n_b, f"{n_a} × {n_b} distances", "take fewer measures at a time")
    out = np.zeros((n_a, n_b))
    if n_b <= _TREE_DISTANCES_PER_PROBLEM * n_a:
        order, parent = tour(B, ground.metric, engine)
    else:
        order, parent = np.argsort(walk(B, ground.metric, engine)), _NONE
    walked = _take(B, order)
    cost = np.diff(A.indptr) * float(len(B.indices))
    rows = np.arange(n_a)
    lists = _Targets(rows, np.zeros(n_a, np.intp), np.full(n_a, n_b), np.arange(n_b), parent)
    return out, _run(ground, A, walked, lists, order, rows, out, cost, ground.metric.n, engine)


def exact_listed(
    ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine,
    rank: Ints | None = None, homes: Ints | None = None,
) -> tuple[Floats, Report]:  # fmt: skip
    """Distances from each measure i of A to the measures `targets[indptr[i]:indptr[i+1]]` of B, in that order."""
    adjacency = ground.metric.adjacency
    if adjacency is not None and homes is not None and are_hops(ground, A, B, indptr, targets, homes):
        return listed_by_hops(adjacency, A, indptr, targets, engine)
    n_rows, n, parent = len(A.totals), len(B.totals), _NONE
    if rank is None and 2 * np.count_nonzero(np.diff(indptr)) > len(targets):
        rank, parent = np.zeros(n, np.intp), np.full(n, -1)  # most have a single target: the order does not matter
    elif rank is None and n * n <= _TREE_DISTANCES_PER_PROBLEM * len(targets):
        order, parent = tour(B, ground.metric, engine)
        rank = inverse(order)
    elif rank is None:
        rank = walk(B, ground.metric, engine)
    out = np.zeros(len(targets))
    rows = csr_array((np.arange(len(targets)), rank[targets], indptr), shape=(n_rows, n))
    rows = rows.tocsc().tocsr()  # sorts each row: similar targets follow each other
    order, targets = rows.data, targets[rows.data]
    met = np.append(0, np.cumsum(np.diff(B.indptr)[targets]))[indptr]
    cost = np.diff(A.indptr) * np.diff(met).astype(np.float64)
    n_met = int(min(ground.metric.n, np.diff(met).max(initial=0)))
    owners = np.repeat(np.arange(n_rows), np.diff(indptr))
    parents = listed_parents(parent, owners, rows.indices) if len(parent) else _NONE
    lists = _Targets(np.arange(n_rows), indptr[:-1], indptr[1:], targets, parents)
    return out, _run(ground, A, B, lists, order, None, out, cost, n_met, engine, homes)


def _run(
    ground: Ground, A: Rows, B: Rows, lists: _Targets, order: Ints, rows: Ints | None, out: Floats, cost: Floats,
    n_met: int, engine: Engine, homes: Ints | None = None,
) -> Report:  # fmt: skip
    sizes, metric = np.diff(A.indptr), ground.metric
    width = int(sizes[cost > 0].max(initial=1))  # over measures with at least one target
    cap = int(max(width, np.diff(B.indptr).max()))
    n_entries = float(np.minimum(cost, sizes * float(n_met)).sum())
    lists, cost = _cut_long(lists, cost)
    n_stored = int((lists.ends - lists.starts).max()) if len(lists.parents) else 0
    scratch = Scratch(cap, n_met, metric.n, n_stored, ground.p == np.inf, width)
    engine.reserve(engine.n_threads * n_bytes(*scratch), "workspaces of the simplex", "use a smaller eps or n_jobs")
    geometry = _geometry(metric, n_entries, rows is not None, engine)
    explorer = None
    if geometry is None:
        assert metric.adjacency is not None
        explorer = explorer_of(metric.adjacency, A, homes, width, n_met, engine)
    rule = CostRule(float(ground.p), 1.0 / _scale(metric, engine), ground.p == 1 and ground.triangle)
    problems = _Problems(A, B, lists, geometry, explorer, rule, scratch)
    name = "bottleneck transport" if ground.p == np.inf else "exact transport"
    reports = np.zeros((len(cost), 2))
    place = Positions(lists.starts, lists.ends, order, None if rows is None else rows[lists.owners])
    tiles = cut_by_cost(_STEPS_PER_COST * cost)
    engine.run(Task(name, _solve, problems, tiles, place), (out, reports))
    solved = int((lists.ends - lists.starts).sum())
    return Report(solved, int(reports[:, 1].sum()), float(reports[:, 0].max(initial=0.0)))


def _cut_long(lists: _Targets, cost: Floats) -> tuple[_Targets, Floats]:
    """Cut the targets of expensive measures into pieces, so that threads share few long lists; and the new costs."""
    n_parts = np.ceil(cost / max(float(cost.sum()) / _N_PIECES, _MIN_PIECE_COST)).astype(np.intp)
    n_parts = np.clip(n_parts, 1, np.maximum(lists.ends - lists.starts, 1))
    if n_parts.max(initial=1) == 1:
        return lists, cost
    whole = np.repeat(np.arange(len(cost)), n_parts)
    part = np.arange(len(whole)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    starts, counts, n_parts = lists.starts[whole], (lists.ends - lists.starts)[whole], n_parts[whole]
    cut = starts + counts * part // n_parts, starts + counts * (part + 1) // n_parts
    return lists._replace(owners=lists.owners[whole], starts=cut[0], ends=cut[1]), cost[whole] / n_parts


def _solve(problems: _Problems, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of pieces; fills distances and reports."""
    A, B, (owners, starts, ends, all_targets, parents), geometry, explorer, rule, scratch = problems
    values, reports = record
    work, tables = workspace(scratch.cap, stop), costs(*scratch)
    if explorer is None:
        assert geometry is not None
        mine, look = for_thread(geometry), None
    else:
        mine, look = explorer.begin(A, B, stop)
    at = 0
    for k in range(*tile):
        i, start, end = owners[k], starts[k], ends[k]
        if start == end:
            continue
        targets = all_targets[start:end]
        guides = parents[start:end] - start if len(parents) else _NONE
        if look is not None:
            look(i, targets)
        if stop[0]:
            return
        row, results = (A, i, B, targets, guides, mine), (values[at : at + end - start], reports[k - tile.start])
        if rule.p == np.inf:
            failed = farthest_row(*row, rule, tables, work, *results)
        else:
            work.dual[: scratch.width] = UNKNOWN
            failed = _solve_row(*row, rule, tables, work, *results)
        if stop[0]:
            return
        if failed >= 0:
            raise RuntimeError(
                f"the transport problem of measures {i} and {failed} could not be certified: the simplex did not reach "
                "the optimum within its limit of pivots; please report it with the data"
            )
        at += end - start


def _solve_row(*problem: Any) -> int:
    """Solve the problems of one measure. Returns −1, or the target that failed.

    Few problems are hard; the code for them is compiled when the first one is met.
    """
    targets = problem[3]
    easy: Any = transport_row
    careful: Any = careful_transport
    k = easy(*problem, 0)
    while k < len(targets):
        if not careful(*problem, k):
            return int(targets[k])
        k = easy(*problem, k + 1)
    return -1


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


def _scale(metric: Metric, engine: Engine) -> float:
    """A power of two of the order of the largest distance."""
    top = metric.largest(engine)
    return float(np.ldexp(1.0, np.clip(np.frexp(top)[1], -1000, 1000))) if top > 0 else 1.0


def _take(measures: Rows, rows: Ints) -> Rows:
    """The measures with these indices."""
    lengths = np.diff(measures.indptr)[rows]
    indptr = np.append(0, np.cumsum(lengths))
    picked = np.repeat(measures.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Rows(indptr, measures.indices[picked], measures.masses[picked], measures.totals[rows])
