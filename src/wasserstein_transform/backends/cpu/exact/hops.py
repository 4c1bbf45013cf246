"""Batches of problems along the edges of a graph whose edges all have the same length."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...._types import Floats, Ints
from ....engine import Engine, Flag, Record, Task, Tile, cut
from ....kernels.hops import hops_rows
from ....kernels.paths import Adjacency
from ....kernels.posing import Rows as KernelRows
from ....kernels.prices import hops_room, n_bytes
from ...base import Ground
from ...forms import Network
from ...records import Report, Rows
from .. import paths
from .places import Lists

_STEPS = 40.0  # approximate inner-loop steps per point of a problem
_FAINT = 1e-9  # smaller shares of mass need the simplex: differences of totals, which are rounded, move here


def fit(ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, homes: Ints) -> bool:
    """Whether measures are supported within one edge of their homes, and compared only with those of neighbors."""
    form = ground.form
    if ground.p != 1 or not isinstance(form, Network) or A.indices is not B.indices:
        return False
    if not paths.adjacency_of(form).even or len(homes) != len(A.totals):
        return False
    if (np.minimum.reduceat(A.masses, A.indptr[:-1]) < _FAINT * A.totals).any():
        return False
    owners = homes[np.repeat(np.arange(len(A.totals)), np.diff(A.indptr))]
    asking = homes[np.repeat(np.arange(len(A.totals)), np.diff(indptr))]
    return _joined(form, owners, A.indices) and _joined(form, asking, homes[targets])


def _joined(form: Network, a: Ints, b: Ints) -> bool:
    """Whether a[k] and b[k] are the same node or neighbors."""
    n = form.n_nodes
    other = a != b
    edges = csr_array((np.ones(len(form.indices), np.int8), form.indices, form.indptr), shape=(n, n))
    asked = csr_array((np.ones(int(other.sum()), np.int8), (a[other], b[other])), shape=(n, n))
    return bool(edges.multiply(asked).nnz == asked.nnz)


class _Sizes(NamedTuple):
    """Sizes of the workspace; see `hops_room`."""

    n: int
    width: int
    cap: int
    n_met: int


class _Problems(NamedTuple):
    adjacency: Adjacency
    measures: KernelRows
    indptr: Ints
    targets: Ints
    sizes: _Sizes


def listed(form: Any, measures: Rows, indptr: Ints, targets: Ints, engine: Engine) -> tuple[Floats, Report]:
    """Distances from each measure i to the measures `targets[indptr[i]:indptr[i+1]]`, in that order."""
    adjacency, widths, asked = paths.adjacency_of(form), np.diff(measures.indptr), np.diff(indptr) > 0
    degrees = np.append(0, np.cumsum(np.diff(adjacency.indptr)[measures.indices] + 1))
    around = np.diff(degrees[measures.indptr])
    met = np.append(0, np.cumsum(widths[targets]))[indptr]
    most = (around + np.diff(met))[asked].max(initial=0)
    sizes = _Sizes(
        form.n_nodes,
        int(widths[asked].max(initial=1)),
        int(widths[targets].max(initial=1)),
        int(min(most, form.n_nodes)),
    )
    engine.reserve(engine.n_threads * n_bytes(*sizes), "room for flows around edges", "use a smaller n_jobs")
    problems = _Problems(adjacency, KernelRows(*measures), indptr, targets, sizes)
    cost = np.where(asked, around + _STEPS * (np.diff(met) + np.diff(indptr) * widths), 0.0)
    out, reports = np.zeros(len(targets)), np.zeros((len(widths), 2))
    place = Lists(np.diff(indptr), np.arange(len(targets)), indptr)
    engine.run(Task("exact transport", _solve, problems, cut(cost), place, heavy=True), (out, reports))
    return out, Report(len(targets), 0, float(reports[:, 0].max(initial=0.0)))


def _solve(problems: _Problems, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of measures."""
    adjacency, rows, indptr, targets, sizes = problems
    room, (values, reports) = hops_room(*sizes), record
    i, j = hops_rows(adjacency, rows, tile.start, tile.stop, indptr, targets, values, reports, room, stop)
    if i >= 0 and not stop[0]:
        raise RuntimeError(
            f"the transport problem of measures {i} and {j} could not be certified; please report it with the data"
        )
