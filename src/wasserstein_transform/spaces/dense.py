"""Distances stored as a square matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from .._archive import check_array, check_range
from .._cached import cached_property
from .._mapped import is_mapped
from .._types import Floats, Ints
from ..backends import Matrix
from ..engine import AT_A_TIME, Engine, current, goes_to_disk, room_for
from .changes import largest_change
from .checking import check_square
from .matrices import Out, read_only
from .metric import Metric, check_counts
from .sources import Mapped, Square

_SOME = 1 << 20  # distances copied at a time


@dataclass(frozen=True, eq=False, repr=False)
class Dense(Metric):
    """A metric stored as an n × n matrix, in memory or in a memory-mapped file.

    Parameters
    ----------
    matrix : array of shape (n, n)
        The distances: symmetric, 0 on the diagonal. This class does not check them; `Space.from_distances` does.
    triangle : bool, default False
        Whether the triangle inequality holds.
    gap : float, default 0.0
        Largest primal–dual gap of the transport problems that gave the distances, relative to the largest cost
        of each problem. 0 for distances that were given.
    n_fallbacks : int, default 0
        How many of these problems needed the slow fallback solver.

    Notes
    -----
    Memory 8 n² bytes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_distances([[0.0, 2.0], [2.0, 0.0]])
    >>> space.metric
    <Dense metric of 2 points>
    >>> space.metric.matrix
    array([[0., 2.],
           [2., 0.]])
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
        return Dense(taken(self.matrix, rows), self.triangle, self.gap, self.n_fallbacks)

    def checked(self) -> Dense:
        if self.is_on_disk:
            check_square(Square(Mapped(self.matrix, "metric")), self.matrix.itemsize, current())
            return self
        return Dense(check.distances(self.matrix, "metric"), self.triangle)

    @property
    def n_bytes(self) -> int:
        return self.matrix.nbytes

    @property
    def is_on_disk(self) -> bool:
        return is_mapped(self.matrix)

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest change of a distance, since the points have no coordinates."""
        return largest_change(self, other, engine)

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        if out is None and np.dtype(dtype) == np.float64:
            return read_only(self.matrix)
        return super().dense(engine, dtype, out)


def taken(matrix: Floats, points: Ints, engine: Engine | None = None) -> Floats:
    """The rows and columns of the listed points; a large result may be put on disk, block by block."""
    n, engine = len(points), current(engine)
    if not is_mapped(matrix) and not goes_to_disk(8.0 * n * n, engine, AT_A_TIME):
        return np.ascontiguousarray(matrix[np.ix_(points, points)])
    out = room_for((n, n), f"the distances of {n} points", engine, "take fewer points", at_a_time=AT_A_TIME)
    step = max(1, _SOME // max(matrix.shape[1], 1))
    for start in range(0, n, step):
        engine.check()
        out[start : start + step] = matrix[points[start : start + step]][:, points]
    return out
