"""Batches of exact W1 problems on a graph, each solved as a flow on its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Record, Task, Tile, cut_by_cost
from ..graphs import paths
from ..records import CsrMeasures
from .flow_jit import EdgeFlow, flow_row
from .problems import Positions, Report, landmark_distances

if TYPE_CHECKING:
    from ...spaces import Metric
    from .batches import _Pieces

_STEPS_PER_FLOW = 2.0  # approximate inner-loop steps of a flow, times (nodes + edges)^1.5
_MIN_LENGTH = 1e-4  # potentials have lost digits beside shorter edges, relative to the largest distance


class _FlowInputs(NamedTuple):
    A: CsrMeasures
    B: CsrMeasures
    pieces: Any
    ends: np.ndarray  # (2, m)
    lengths: Floats
    tree: tuple[Ints, Ints, Floats]  # nodes, parents first; the parent of each node; the length of the edge to it
    largest: float


def flow_steps(metric: Metric) -> float:
    """Approximate steps of one flow on the edges of a graph."""
    assert metric.adjacency is not None
    return _STEPS_PER_FLOW * (paths.n_nodes(metric.adjacency) + len(metric.adjacency.indices) / 2) ** 1.5


def flows_pay(metric: Metric, steps: float, n_problems: int, engine: Engine) -> bool:
    """Whether flows take less than so many steps for the problems, on a connected graph without too short edges."""
    edges = metric.adjacency
    if edges is None or not len(edges.lengths) or flow_steps(metric) * n_problems > steps:
        return False
    return edges.least >= _MIN_LENGTH * metric.largest(engine) and not paths.pieces(edges, paths.n_nodes(edges)).any()


def solve_flows(
    metric: Metric, A: CsrMeasures, B: CsrMeasures, pieces: _Pieces, positions: Ints, rows: Ints | None, out: Floats,
    engine: Engine,
) -> Report:  # fmt: skip
    """Solve the problems in parallel and put their distances into `out`, where `Positions` says."""
    edges = paths.edges_of(metric)
    n, m = paths.n_nodes(edges), len(edges.indices) // 2
    engine.reserve(8.0 * engine.n_threads * (6 * n + 2 * m), "workspaces of flows on edges", "use a smaller n_jobs")
    a = np.repeat(np.arange(n), np.diff(edges.indptr))
    once = a < edges.indices
    ends = np.array([a[once], edges.indices[once]], np.uint32)  # unsigned, to avoid tests for negative indices
    inputs = _FlowInputs(A, B, pieces, ends, edges.lengths[once], _tree(metric, engine), metric.largest(engine))
    counts = pieces.ends - pieces.starts
    layout = Positions(pieces.starts, pieces.ends, positions, None if rows is None else rows[pieces.owners])
    reports = np.zeros((len(counts), 2))
    tiles = cut_by_cost(np.asarray(flow_steps(metric) * counts, np.float64))
    engine.run(Task("exact transport", _solve_tile, inputs, tiles, layout), (out, reports))
    return Report(int(counts.sum()), 0, float(reports[:, 0].max(initial=0.0)))


def _tree(metric: Metric, engine: Engine) -> tuple[Ints, Ints, Floats]:
    """The tree of a breadth-first search from about the middle of the graph."""
    edges = paths.edges_of(metric)
    n = paths.n_nodes(edges)
    graph = csr_array((edges.lengths, edges.indices, edges.indptr), shape=(n, n))
    middle = landmark_distances(metric, engine).max(axis=0).argmin()
    order, parents = breadth_first_order(graph, middle)
    parents[middle] = middle
    lengths = np.zeros(n)
    lengths[order[1:]] = graph[order[1:], parents[order[1:]]]
    return order.astype(np.intp), parents.astype(np.intp), lengths


def _solve_tile(inputs: _FlowInputs, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of pieces; fills distances and reports."""
    A, B, pieces, ends, lengths, tree, largest = inputs
    distances, reports, *_ = record
    n = len(tree[0])
    (supply, potential, flow, length), links = np.zeros((4, n)), np.zeros((4, n), np.uint32)
    parent, level, following, previous = links
    is_up = np.zeros(n, np.bool_)
    work = EdgeFlow(ends, lengths, supply, potential, flow, parent, level, following, previous, length, is_up, stop)
    filled = 0
    for k in range(*tile):
        i, targets = pieces.owners[k], pieces.targets[pieces.starts[k] : pieces.ends[k]]
        results = distances[filled : filled + len(targets)], reports[k - tile.start]
        n_solved = flow_row(A, i, B, targets, *tree, largest, work, *results)
        if stop[0]:
            return
        if n_solved < len(targets):
            raise RuntimeError(
                f"the flow between measures {i} and {targets[n_solved]} could not be certified; please report it with "
                "the data"
            )
        filled += len(targets)
