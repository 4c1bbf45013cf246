"""Search the shortest paths that the problems of one measure need, before they are solved."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...._types import Ints
from ....engine import Engine, Flag
from ....kernels.geometry import PathTable
from ....kernels.paths import Adjacency
from ....kernels.posing import Rows as KernelRows
from ....kernels.vicinity import Vicinity, look_around, path_search
from ...forms import Network
from ...records import Rows
from .. import paths


class Explorer(NamedTuple):
    """Searches shortest paths around the homes of measures."""

    adjacency: Adjacency
    near: Vicinity
    homes: Ints
    width: int
    n_met: int

    def begin(self, A: KernelRows, B: KernelRows, stop: Flag) -> tuple[PathTable, Callable[[int, Ints], None]]:
        """A table for one tile, and the function that fills it for a measure and its targets."""
        n = len(self.adjacency.indptr) - 1
        row, column = np.empty((2, n), np.intp)
        table = PathTable(row, column, np.zeros(1, np.intp), np.empty(self.width * self.n_met))
        scratch = path_search(n, self.width, self.n_met)

        def look(i: int, targets: Ints) -> None:
            look_around(self.adjacency, self.near, self.homes[i], A, i, B, targets, table, scratch, stop)

        return table, look


def explorer_of(form: Network, A: Rows, homes: Ints | None, width: int, n_met: int, engine: Engine) -> Explorer:
    """Reserve memory for the tables, and find the nodes near each node."""
    adjacency = paths.adjacency_of(form)
    engine.reserve(
        8.0 * engine.n_threads * (width * (n_met + 1) + 2 * n_met + 7 * len(adjacency.indptr)),
        "tables of shortest paths around measures",
        "use a smaller eps or n_jobs",
    )
    return Explorer(adjacency, paths.vicinity(form, engine), _homes(A) if homes is None else homes, width, n_met)


def _homes(measures: Rows) -> Ints:
    """The node with the largest mass of each measure."""
    owner = np.repeat(np.arange(len(measures.totals)), np.diff(measures.indptr))
    heaviest = np.lexsort((-measures.masses, owner))[measures.indptr[:-1]]
    return np.asarray(measures.indices[heaviest])
