"""Positions of the distances of one measure in the output. A record is (values, reports), measure by measure."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...._types import Floats, Ints
from ....engine import Place, Record, Tile


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
class Symmetric(ByMeasure):
    """A symmetric matrix: measure i, by its position on the tour, has the values of all measures after it."""

    order: Ints

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        here, others = self.order[i], self.order[i + 1 :]
        out[here, others] = values
        out[others, here] = values


@dataclass(frozen=True, eq=False)
class Upper(ByMeasure):
    """The upper triangle of a matrix in the order of the tour, row by row, for files, where columns are slow."""

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        out[i, i + 1 :] = values


@dataclass(frozen=True, eq=False)
class Rectangle(ByMeasure):
    """Row i has a value for every target, in the order of the tour."""

    order: Ints

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        out[i, self.order] = values


@dataclass(frozen=True, eq=False)
class Lists(ByMeasure):
    """Measure i has the values `order[indptr[i]:indptr[i+1]]`."""

    order: Ints
    indptr: Ints

    def store(self, out: np.ndarray, i: int, values: Floats) -> None:
        out[self.order[self.indptr[i] : self.indptr[i + 1]]] = values
