"""What batches of transport problems have in common: their ground, where results go, sizes of workspaces, a report."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._archive import archived
from .._shown import Tabled
from .._types import Floats, Ints
from ..engine import Engine, Place, Record, Tile
from .metric import MetricArrays

_MIRRORED_SIDE = 1024  # side of the blocks of a matrix that are mirrored


@dataclass(frozen=True)
class Ground:
    """The ground of discrete measures: a metric, whether the triangle inequality holds, and the order p of W_p."""

    metric: MetricArrays
    triangle: bool
    p: float


@archived
@dataclass(frozen=True)
class Report(Tabled):
    """How a batch of problems was solved.

    Attributes
    ----------
    n_problems : int
        Number of pairs that were solved.
    n_fallbacks : int
        Number of problems that failed their certificate at first and were solved again by the safe algorithm.
    gap : float
        The largest primal–dual gap, relative to the largest cost d^p of its problem.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.wasserstein_pairs([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], [[0.0], [1.0], [2.0]])
    >>> found.report.n_problems, found.report.n_fallbacks, found.report.gap < 1e-12
    (1, 0, True)
    """

    n_problems: int = 0
    n_fallbacks: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_fallbacks = self.n_problems + other.n_problems, self.n_fallbacks + other.n_fallbacks
        return Report(n_problems, n_fallbacks, max(self.gap, other.gap))


@dataclass(frozen=True, eq=False)
class ByMeasure(Place):
    """Measure i has counts[i] values."""

    counts: Ints

    def blank(self, out: Record, tile: Tile) -> Record:
        return np.zeros(int(self.counts[tile.start : tile.stop].sum())), np.zeros((tile.stop - tile.start, 2))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        values, reports = record
        at = 0
        for i in range(*tile):
            self.store(out[0], i, values[at : at + self.counts[i]])
            at += self.counts[i]
        out[1][tile.start : tile.stop] = reports

    @abstractmethod
    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        """Store the values of measure i."""


@dataclass(frozen=True, eq=False)
class MatrixRows(ByMeasure):
    """Row rows[i] of a matrix has the values of the last measures on the tour, as many as counts[i].

    Of a symmetric matrix, only those after measure i on the tour; the matrix is mirrored in the end, because in a file
    columns are slow.
    """

    rows: Ints
    order: Ints

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        out[self.rows[i], self.order[len(self.order) - self.counts[i] :]] = values


@dataclass(frozen=True, eq=False)
class Lists(ByMeasure):
    """Measure i has the values `order[indptr[i]:indptr[i+1]]`."""

    order: Ints
    indptr: Ints

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        out[self.order[self.indptr[i] : self.indptr[i + 1]]] = values


class Scratch(NamedTuple):
    """Sizes of the workspaces; see `costs`."""

    cap: int
    n_met: int
    n_points: int
    n_stored: int
    farthest: bool
    width: int


def mirror(matrix: Floats, engine: Engine) -> None:
    """Complete a matrix of which one of the entries (i, j) and (j, i) is stored, and the other is 0; block by block."""
    n, side = len(matrix), _MIRRORED_SIDE
    with engine.watched() as watched:
        for top in range(0, n, side):
            watched.report("mirroring distances", top, n)
            for left in range(top, n, side):
                watched.check()
                rows, cols = slice(top, top + side), slice(left, left + side)
                both = matrix[rows, cols] + matrix[cols, rows].T
                matrix[rows, cols], matrix[cols, rows] = both, both.T
