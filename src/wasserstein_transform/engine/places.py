"""Where the record of a tile lies in the result.

A result and a record are tuples of arrays. `view` is the record as part of the result, so that kernels write where the
result lies; where there is no such part, `blank` makes arrays and `put` copies them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .._types import Ints
from .tiles import Tile

Record: TypeAlias = Any
"""A tuple of arrays, named or not; what is in it, a task and its place know."""


class Place(ABC):
    """Where the record of a tile lies in the result. Values: they travel with their task."""

    @abstractmethod
    def blank(self, out: Record, tile: Tile) -> Record:
        """An empty record for the tile."""

    @abstractmethod
    def put(self, out: Record, tile: Tile, record: Record) -> None:
        """Copy the record of a tile to its place in the result."""

    def view(self, out: Record, tile: Tile) -> Record | None:
        """The record of a tile as part of the result; None if it lies scattered."""
        return None


class Slices(Place):
    """Results whose tiles are slices."""

    @abstractmethod
    def where(self, tile: Tile) -> slice:
        """The part of the result that belongs to the tile."""

    def view(self, out: Record, tile: Tile) -> Record:
        part = self.where(tile)
        return tuple(array[part] for array in out)

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty_like(array) for array in self.view(out, tile))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(self.view(out, tile), record, strict=True):
            target[...] = values


@dataclass(frozen=True)
class Rows(Slices):
    """Rows start…stop of every array."""

    def where(self, tile: Tile) -> slice:
        return slice(tile.start, tile.stop)


@dataclass(frozen=True, eq=False)
class Ragged(Slices):
    """Rows of different lengths, one after the other: row i is indptr[i]…indptr[i+1]."""

    indptr: Ints

    def where(self, tile: Tile) -> slice:
        return slice(int(self.indptr[tile.start]), int(self.indptr[tile.stop]))


@dataclass(frozen=True)
class Tilewise(Slices):
    """One row for each tile, all of which but the last have that size."""

    size: int

    def where(self, tile: Tile) -> slice:
        return slice(tile.start // self.size, -(-tile.stop // self.size))


@dataclass(frozen=True)
class PerArray(Place):
    """Arrays that are cut differently: the k-th one lies as the k-th place says."""

    places: tuple[Slices, ...]

    def view(self, out: Record, tile: Tile) -> Record:
        return tuple(array[place.where(tile)] for array, place in zip(out, self.places, strict=True))

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty_like(array) for array in self.view(out, tile))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(self.view(out, tile), record, strict=True):
            target[...] = values


@dataclass(frozen=True)
class Marks(Place):
    """Marks that tiles share: each only ever sets some, so it does not matter who comes first."""

    def view(self, out: Record, tile: Tile) -> Record:
        return out

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros_like(array) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(out, record, strict=True):
            target[values != 0] = 1


@dataclass(frozen=True)
class Condensed(Slices):
    """Rows of the upper triangle of an n × n matrix, in SciPy's condensed order."""

    n: int

    def where(self, tile: Tile) -> slice:
        return slice(self._at(tile.start), self._at(tile.stop))

    def _at(self, row: int) -> int:
        return row * self.n - row * (row + 1) // 2


@dataclass(frozen=True, eq=False)
class Scattered(Place):
    """Row k of the work is row `rows[k]` of the result."""

    rows: Ints

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty((tile.stop - tile.start, *array.shape[1:]), array.dtype) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        rows = self.rows[tile.start : tile.stop]
        for target, values in zip(out, record, strict=True):
            target[rows] = values


@dataclass(frozen=True)
class Mirrored(Place):
    """Rows start…stop of the upper triangle of a symmetric matrix, and the columns that mirror them.

    A record is (upper, lower): the rows from the diagonal on, and what is left and below; `lower` is empty where the
    record is an array of its own.
    """

    def view(self, out: Record, tile: Tile) -> Record:
        (matrix,) = out
        return matrix[tile.start : tile.stop, tile.start :], matrix[tile.start :, tile.start : tile.stop]

    def blank(self, out: Record, tile: Tile) -> Record:
        upper = np.zeros((tile.stop - tile.start, len(out[0]) - tile.start), out[0].dtype)
        return upper, upper[:0, :0]

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        upper, lower = self.view(out, tile)
        put_mirrored(upper, lower, record[0])


@dataclass(frozen=True, eq=False)
class Blocks(Place):
    """Square blocks of a symmetric matrix, on and above the diagonal, and their mirror images.

    Block k has the corner corners[k] = (top, left). A record is upper, lower of its blocks in turn, as in `Mirrored`.
    """

    corners: Ints
    side: int

    def view(self, out: Record, tile: Tile) -> Record:
        return tuple(part for k in range(*tile) for part in self._block(out[0], k))

    def _block(self, matrix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        top, left = self.corners[k]
        rows, cols = slice(top, top + self.side), slice(left, left + self.side)
        return matrix[rows, cols], matrix[cols, rows]

    def blank(self, out: Record, tile: Tile) -> Record:
        uppers = [np.zeros_like(self._block(out[0], k)[0]) for k in range(*tile)]
        return tuple(part for upper in uppers for part in (upper, upper[:0, :0]))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for k, values in zip(range(*tile), record[::2], strict=True):
            upper, lower = self._block(out[0], k)
            if self.corners[k, 0] == self.corners[k, 1]:
                put_mirrored(upper, lower, values)
            else:
                upper[...] = values
                lower[...] = values.T


def put_mirrored(upper: np.ndarray, lower: np.ndarray, values: np.ndarray) -> None:
    """Values from the diagonal on to `upper`, and mirrored to `lower`; the two overlap in a square on the diagonal."""
    rows = len(values)
    square = np.triu(values[:, :rows], 1)
    upper[:, :rows] = square + square.T
    upper[:, rows:] = values[:, rows:]
    lower[rows:] = values[:, rows:].T
