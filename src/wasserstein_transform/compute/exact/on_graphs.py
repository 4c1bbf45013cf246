"""Exact transport on graphs, without a matrix of all distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Record, Task, Tile, cut_by_cost
from ..graphs import paths
from ..graphs.path_tables_jit import fill_path_table, path_search
from ..metrics.geometry_jit import Adjacency, PathTable
from ..records import CsrMeasures
from . import hops_jit as hops
from .problems import Positions, Report

_STEPS_PER_POINT = 40.0  # approximate inner-loop steps per point of a problem
_MIN_MASS_SHARE = 1e-9  # smaller shares of mass need the simplex: differences of totals, which are rounded, move here


class PathTables(NamedTuple):
    """Shortest paths around the homes of measures, searched for one measure at a time."""

    adjacency: Adjacency
    homes: Ints
    width: int
    n_met: int

    def for_thread(self, A: CsrMeasures, B: CsrMeasures, stop: Flag) -> tuple[PathTable, Callable[[int, Ints], None]]:
        """A table for one tile, and the function that fills it for a measure and its targets."""
        n = len(self.adjacency.indptr) - 1
        row, column = np.empty((2, n), np.intp)
        table = PathTable(row, column, np.zeros(1, np.intp), np.empty(self.width * self.n_met))
        search = path_search(n, self.width, self.n_met)

        def fill(i: int, targets: Ints) -> None:
            fill_path_table(self.adjacency, self.homes[i], A, i, B, targets, table, search, stop)

        return table, fill


def path_tables(
    adjacency: Adjacency, A: CsrMeasures, homes: Ints | None, width: int, n_met: int, engine: Engine
) -> PathTables:
    """Reserve memory for the tables."""
    engine.reserve(
        8.0 * engine.n_threads * (width * (n_met + 1) + 2 * n_met + 7 * len(adjacency.indptr)),
        "tables of shortest paths around measures",
        "use a smaller eps or n_jobs",
    )
    homes = _heaviest_nodes(A) if homes is None else homes
    return PathTables(adjacency, homes, width, n_met)


def _heaviest_nodes(measures: CsrMeasures) -> Ints:
    """The node with the largest mass of each measure."""
    owner = np.repeat(np.arange(len(measures.totals)), np.diff(measures.indptr))
    heaviest = np.lexsort((-measures.masses, owner))[measures.indptr[:-1]]
    return np.asarray(measures.indices[heaviest])


def are_hops(adjacency: Adjacency, A: CsrMeasures, B: CsrMeasures, indptr: Ints, targets: Ints, homes: Ints) -> bool:
    """Whether measures are supported within one edge of their homes, and compared only with those of neighbors."""
    if A.indices is not B.indices or not adjacency.even or len(homes) != len(A.totals):
        return False
    if (np.minimum.reduceat(A.masses, A.indptr[:-1]) < _MIN_MASS_SHARE * A.totals).any():
        return False
    owners = homes[np.repeat(np.arange(len(A.totals)), np.diff(A.indptr))]
    sources = homes[np.repeat(np.arange(len(A.totals)), np.diff(indptr))]
    return _are_neighbors(adjacency, owners, A.indices) and _are_neighbors(adjacency, sources, homes[targets])


def _are_neighbors(adjacency: Adjacency, a: Ints, b: Ints) -> bool:
    """Whether a[k] and b[k] are the same node or neighbors."""
    n, other = paths.n_nodes(adjacency), a != b
    edges = csr_array((np.ones(len(adjacency.indices), np.int8), adjacency.indices, adjacency.indptr), shape=(n, n))
    pairs = csr_array((np.ones(int(other.sum()), np.int8), (a[other], b[other])), shape=(n, n))
    return bool(edges.multiply(pairs).nnz == pairs.nnz)


class _HopProblems(NamedTuple):
    adjacency: Adjacency
    measures: CsrMeasures
    indptr: Ints
    targets: Ints
    sizes: hops.HopSizes


def listed_by_hops(
    adjacency: Adjacency, measures: CsrMeasures, indptr: Ints, targets: Ints, engine: Engine
) -> tuple[Floats, Report]:
    """Distances from each measure i to the measures `targets[indptr[i]:indptr[i+1]]`, in that order."""
    widths, has_targets, n = np.diff(measures.indptr), np.diff(indptr) > 0, paths.n_nodes(adjacency)
    degrees = np.append(0, np.cumsum(np.diff(adjacency.indptr)[measures.indices] + 1))
    around = np.diff(degrees[measures.indptr])
    met = np.append(0, np.cumsum(widths[targets]))[indptr]
    most_met = (around + np.diff(met))[has_targets].max(initial=0)
    sizes = hops.HopSizes(
        n=n,
        width=int(widths[has_targets].max(initial=1)),
        cap=int(widths[targets].max(initial=1)),
        n_met=int(min(most_met, n)),
    )
    engine.reserve(engine.n_threads * hops.n_bytes(sizes), "workspaces of flows around edges", "use a smaller n_jobs")
    problems = _HopProblems(adjacency, measures, indptr, targets, sizes)
    cost = np.where(has_targets, around + _STEPS_PER_POINT * (np.diff(met) + np.diff(indptr) * widths), 0.0)
    out, reports = np.zeros(len(targets)), np.zeros((len(widths), 2))
    layout = Positions(indptr[:-1], indptr[1:], np.arange(len(targets)))
    engine.run(Task("exact transport", _solve_hops, problems, cut_by_cost(cost), layout), (out, reports))
    return out, Report(len(targets), 0, float(reports[:, 0].max(initial=0.0)))


def _solve_hops(problems: _HopProblems, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of measures."""
    adjacency, rows, indptr, targets, sizes = problems
    distances, reports, *_ = record
    i, j = hops.hops_rows(adjacency, rows, *tile, indptr, targets, distances, reports, hops.hop_workspace(sizes), stop)
    if i >= 0 and not stop[0]:
        raise RuntimeError(
            f"the transport problem of measures {i} and {j} could not be certified; please report it with the data"
        )
