"""Stored distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from .._archive import check_array, check_range
from .._cached import cached_property
from .._types import Floats, Ints
from ..backends import Matrix
from ..engine import Engine
from .matrices import Out, read_only
from .metric import Metric, check_counts, largest_change


@dataclass(frozen=True, eq=False, repr=False)
class Dense(Metric):
    """A stored n × n distance matrix.

    Parameters
    ----------
    matrix : array of shape (n, n)
        Symmetric, 0 on the diagonal; `Space.from_distances` checks it.
    triangle : bool
        Whether the triangle inequality holds.
    gap : float
        Largest primal–dual gap of the transport problems the distances come from, relative to the largest cost
        of each problem; 0 for distances that were given.
    n_fallbacks : int
        How many of these problems took the slow, safe path.
    """

    matrix: Floats
    triangle: bool = False
    gap: float = 0.0
    n_fallbacks: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", np.ascontiguousarray(self.matrix, np.float64))

    def _in_words(self) -> str:
        return f", gap {self.gap:.1e}" if self.gap else ""

    @cached_property
    def form(self) -> Matrix:
        return Matrix(self.matrix)

    def _check_archived(self) -> None:
        check_array(self.matrix, "the matrix of distances", "f", len(self.matrix), len(self.matrix))
        check_range(self.matrix, "distances", 0.0)
        check_counts(self.triangle, self.gap, self.n_fallbacks)

    def take(self, rows: Ints) -> Dense:
        return Dense(np.ascontiguousarray(self.matrix[np.ix_(rows, rows)]), self.triangle, self.gap, self.n_fallbacks)

    def checked(self) -> Dense:
        return Dense(check.distances(self.matrix, "metric"), self.triangle)

    @property
    def n_bytes(self) -> int:
        return self.matrix.nbytes

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest change of a distance: points of a matrix have no place of their own."""
        return largest_change(self, other, engine)

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        if out is None and np.dtype(dtype) == np.float64:
            return read_only(self.matrix)
        return super().dense(engine, dtype, out)
