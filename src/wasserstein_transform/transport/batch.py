"""Batches of exact transport problems over one metric, run by the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile, cut
from ..kernels.basis import workspace
from ..kernels.geometry import Around, Geometry, Table, private
from ..kernels.paths import Streets
from ..kernels.simplex import STALLED
from ..kernels.transport import Rows, Rule, costs, farthest_row, n_bytes, transport_row, upper_row
from ..kernels.vicinity import Vicinity, look_around, scout
from ..measures import Discrete
from ..spaces import Graph, Metric, Sparse
from .base import Status
from .tour import tour, walk

_STEPS = 12.0  # inner-loop steps of the simplex per entry of the cost matrix, about
_CHEAP = 16.0  # distances of so many steps are computed when needed; dearer ones are stored first
_SMALL = 2.0**22  # distances of a graph that may be stored for listed pairs: beyond, paths are looked for around each
_FEW = 50  # so many problems of one measure are worth their part of a spanning tree
_NO_GUIDES = np.empty(0, np.intp)
_Look: TypeAlias = Callable[[int, Ints], None]


@dataclass(frozen=True)
class Report:
    """How a batch of problems was solved.

    Attributes
    ----------
    n_problems : int
        Pairs that were compared.
    n_safe : int
        Problems that failed their certificate at first and were solved again on the safe path.
    gap : float
        The largest primal–dual gap, relative to the largest cost d^p of its problem.
    """

    n_problems: int = 0
    n_safe: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_safe = self.n_problems + other.n_problems, self.n_safe + other.n_safe
        return Report(n_problems, n_safe, max(self.gap, other.gap))


def scale(ground: Metric) -> float:
    """A power of two at the size of the largest distance."""
    top = ground.largest()
    return float(np.ldexp(1.0, np.clip(np.frexp(top)[1], -1000, 1000))) if top > 0 else 1.0


@dataclass(frozen=True)
class Batch:
    """W_p between measures on the points of `ground`."""

    ground: Metric
    p: float
    engine: Engine

    def among(self, measures: Discrete) -> tuple[Floats, Report]:
        """The full matrix of distances, each pair solved once."""
        _check_whole(self.ground)
        n = measures.n
        out = np.zeros((n, n))
        order, parent = tour(measures, self.ground, self.engine)
        walked = measures.take(order)
        sizes = np.diff(walked.indptr).astype(np.float64)
        steps = sizes * (sizes.sum() - np.cumsum(sizes))

        def ahead(i: int) -> _Targets:
            return _Targets(np.arange(i + 1, n), parent[i + 1 :] - (i + 1))

        def store(i: int, targets: Ints, values: Floats) -> None:
            out[order[i], order[targets]] = values
            out[order[targets], order[i]] = values

        return out, self._run(walked, walked, ahead, n, measures.size, steps, store)

    def between(self, A: Discrete, B: Discrete) -> tuple[Floats, Report]:
        """The rectangle of distances from the measures A to the measures B."""
        _check_whole(self.ground)
        self.engine.reserve(8.0 * A.n * B.n, f"{A.n} × {B.n} distances", "take fewer measures at a time")
        out = np.zeros((A.n, B.n))
        if _FEW * A.n > B.n:
            order, parent = tour(B, self.ground, self.engine)
        else:  # a spanning tree of B would cost more than it saves
            order, parent = np.argsort(walk(B, self.ground)), np.full(B.n, -1)
        walked = B.take(order)
        everything = _Targets(np.arange(B.n), parent)
        steps = np.diff(A.indptr) * float(len(B.indices))

        def store(i: int, targets: Ints, values: Floats) -> None:
            out[i, order] = values

        return out, self._run(A, walked, lambda i: everything, B.n, B.size, steps, store)

    def listed(
        self,
        A: Discrete,
        B: Discrete,
        indptr: Ints,
        targets: Ints,
        rank: Ints | None = None,
        homes: Ints | None = None,
    ) -> tuple[Floats, Report]:
        """Distances from each measure i of A to the measures `targets[indptr[i]:indptr[i+1]]` of B, in that order.

        `rank` orders the measures of B such that near ones are near; by default landmarks do. On a graph, paths are
        looked for around `homes[i]`, by default where the measure i has most of its mass.
        """
        rank = walk(B, self.ground) if rank is None else rank
        return self._over(A, B, indptr, targets, rank, self._kernel, "exact transport", homes)

    def at_most(self, A: Discrete, B: Discrete, indptr: Ints, targets: Ints) -> Floats:
        """Upper bounds of the same: costs of plans that are at hand."""
        return self._over(A, B, indptr, targets, np.zeros(B.n), upper_row, "upper bounds")[0]

    def _geometry(self, n_entries: float, whole: bool) -> Geometry | Streets:
        """What the problems read distances from: dear ones are stored if more are asked for than there are.

        Those of a large graph are only if results are as many; else paths are looked for around each measure.
        """
        n_pairs = float(self.ground.n) ** 2
        if isinstance(self.ground, Graph):
            stored = whole or (n_pairs <= _SMALL and 2 * n_entries >= n_pairs and self.ground.is_connected)
            return self.ground.geometry if stored else self.ground.streets
        if self.ground.steps <= _CHEAP or 2 * n_entries < n_pairs:
            return self.ground.geometry
        return Table(self.ground.dense(self.engine))

    def _begin(
        self, geometry: Geometry | Streets, A: Discrete, B: Discrete, homes: Ints | None, width: int, n_met: int
    ) -> Callable[[Flag], tuple[Geometry, _Look]]:
        """What gives a tile its geometry, and a look at what each of its measures needs."""
        if not isinstance(geometry, Streets):
            return lambda stop: (private(geometry), _at_nothing)
        assert isinstance(self.ground, Graph)
        self.engine.reserve(
            8.0 * self.engine.n_threads * (width * (n_met + 1) + 2 * n_met + 7 * len(geometry.indptr)),
            "tables of shortest paths around measures",
            "use a smaller eps or n_jobs",
        )
        near = self.ground.vicinity(self.engine)
        homes = _homes(A) if homes is None else homes
        return _Explorer(geometry, near, A.rows, B.rows, homes, width, n_met).begin

    @property
    def _kernel(self) -> Callable[..., int]:
        return farthest_row if self.p == np.inf else transport_row

    def _over(
        self,
        A: Discrete,
        B: Discrete,
        indptr: Ints,
        targets: Ints,
        rank: Floats | Ints,
        kernel: Callable[..., int],
        label: str,
        homes: Ints | None = None,
    ) -> tuple[Floats, Report]:
        out = np.zeros(len(targets))
        owner = np.repeat(np.arange(A.n), np.diff(indptr))
        order = np.lexsort((rank[targets], owner))  # near ones are met one after the other
        targets = targets[order]
        met = np.append(0, np.cumsum(np.diff(B.indptr)[targets]))[indptr]
        steps = np.diff(A.indptr) * np.diff(met).astype(np.float64)
        n_met = int(min(B.size, np.diff(met).max(initial=0)))

        def near(i: int) -> _Targets:
            return _Targets(targets[indptr[i] : indptr[i + 1]], _NO_GUIDES)

        def store(i: int, targets: Ints, values: Floats) -> None:
            out[order[indptr[i] : indptr[i + 1]]] = values

        return out, self._run(A, B, near, 0, n_met, steps, store, kernel, label, homes)

    def _run(
        self,
        A: Discrete,
        B: Discrete,
        targets_of: Callable[[int], _Targets],
        n_stored: int,
        n_met: int,
        steps: Floats,
        store: Callable[[int, Ints, Floats], None],
        kernel: Callable[..., int] | None = None,
        label: str = "exact transport",
        homes: Ints | None = None,
    ) -> Report:
        kernel = kernel or self._kernel
        sizes = np.diff(A.indptr)
        width = int(sizes[steps > 0].max(initial=1))  # of measures that meet any
        cap = int(max(width, np.diff(B.indptr).max()))
        room = (cap, n_met, B.size, n_stored, self.p == np.inf, width)
        self.engine.reserve(
            self.engine.n_threads * n_bytes(*room), "workspaces of the simplex", "use a smaller eps or n_jobs"
        )
        geometry = self._geometry(float(np.minimum(steps, sizes * float(n_met)).sum()), n_stored > 0)
        begin = self._begin(geometry, A, B, homes, width, n_met)
        rule = Rule(float(self.p), 1.0 / scale(self.ground), self.p == 1 and self.ground.triangle)
        rows_a, rows_b = A.rows, B.rows
        reports = np.zeros((A.n, 2))
        counts = np.zeros(A.n, np.intp)

        def work(tile: Tile, stop: Flag) -> None:
            space, tables = workspace(cap, stop), costs(*room)
            mine, look = begin(stop)
            for i in range(tile.start, tile.stop):
                targets, guides = targets_of(i)
                if len(targets) == 0:
                    continue
                look(i, targets)
                if stop[0]:
                    return
                values = np.empty(len(targets))
                failed = kernel(rows_a, i, rows_b, targets, guides, mine, rule, tables, space, values, reports[i])
                if stop[0]:
                    return
                if failed >= 0:
                    raise RuntimeError(
                        f"the transport problem of measures {i} and {failed} could not be certified: "
                        f"{list(Status)[STALLED].value}; please report it with the data"
                    )
                counts[i] = len(targets)
                store(i, targets, values)

        self.engine.run(work, cut(_STEPS * steps), label)
        return Report(int(counts.sum()), int(reports[:, 1].sum()), float(reports[:, 0].max(initial=0.0)))


@dataclass(frozen=True)
class _Explorer:
    """Looks for the shortest paths that the problems of one measure need, before they are solved."""

    streets: Streets
    near: Vicinity
    A: Rows
    B: Rows
    homes: Ints
    width: int
    n_met: int

    def begin(self, stop: Flag) -> tuple[Around, _Look]:
        """A table for one tile, and what fills it for a measure and its targets."""
        n = len(self.streets.indptr) - 1
        row, column = np.empty((2, n), np.intp)
        around = Around(row, column, np.zeros(1, np.intp), np.empty(self.width * self.n_met))
        room = scout(n, self.width, self.n_met)

        def look(i: int, targets: Ints) -> None:
            look_around(self.streets, self.near, self.homes[i], self.A, i, self.B, targets, around, room, stop)

        return around, look


def _at_nothing(i: int, targets: Ints) -> None:
    """All distances are at hand."""


def _homes(measures: Discrete) -> Ints:
    """Where each measure has most of its mass."""
    owner = np.repeat(np.arange(measures.n), np.diff(measures.indptr))
    heaviest = np.lexsort((-measures.masses, owner))[measures.indptr[:-1]]
    return np.asarray(measures.indices[heaviest])


class _Targets(NamedTuple):
    """The measures one measure is compared with, and at which place among them potentials are inherited from."""

    targets: Ints
    guides: Ints


def _check_whole(ground: Metric) -> None:
    """Refuse a metric that knows near distances only."""
    if isinstance(ground, Sparse):
        ground.refuse("transport between all measures")
    if isinstance(ground, Graph):
        ground.check_connected()
