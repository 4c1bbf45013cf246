"""Batches of exact transport problems over one metric."""

from __future__ import annotations

from dataclasses import dataclass

from .._types import Floats, Ints
from ..backends import Ground, Memory, Report, backend_of
from ..engine import Engine
from ..measures import Discrete
from ..spaces import Metric


@dataclass(frozen=True)
class Batch:
    """Compute W_p between measures on the points of `ground` by the backend of the engine."""

    ground: Metric
    p: float
    engine: Engine

    @property
    def _ground(self) -> Ground:
        return Ground(self.ground.form, self.ground.triangle, float(self.p))

    def among(self, measures: Discrete) -> tuple[Floats, Report]:
        """The full matrix of distances (n, n); each pair is solved once."""
        self.ground.check_whole("transport between all measures")
        return backend_of(self.engine).exact_among(self._ground, measures.rows, self.engine)

    def between(self, A: Discrete, B: Discrete) -> tuple[Floats, Report]:
        """The distances from the measures A to the measures B, shape (n_a, n_b)."""
        self.ground.check_whole("transport between all measures")
        return backend_of(self.engine).exact_between(self._ground, A.rows, B.rows, self.engine)

    def listed(
        self,
        A: Discrete,
        B: Discrete,
        indptr: Ints,
        targets: Ints,
        rank: Ints | None = None,
        homes: Ints | None = None,
        memory: Memory | None = None,
    ) -> tuple[Floats, Report]:
        """Distances from each measure i of A to the measures `targets[indptr[i]:indptr[i+1]]` of B, in that order.

        `rank` is an order of the measures of B in which close measures are close; by default it comes from landmarks.
        On a graph, paths are searched from `homes[i]`, by default the point with the most mass of measure i. Pass the
        same `memory` again if the same pairs are solved repeatedly with other masses or distances.
        """
        backend = backend_of(self.engine)
        return backend.exact_listed(self._ground, A.rows, B.rows, indptr, targets, self.engine, rank, homes, memory)

    def at_most(self, A: Discrete, B: Discrete, indptr: Ints, targets: Ints) -> Floats:
        """Upper bounds of these distances: the costs of feasible plans that are cheap to find."""
        return backend_of(self.engine).exact_at_most(self._ground, A.rows, B.rows, indptr, targets, self.engine)
