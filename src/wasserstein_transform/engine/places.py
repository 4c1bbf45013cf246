"""Places: where the record of a tile is in the result.

A result and a record are tuples of arrays. `view` returns the record as a view of the result, so that kernels write
directly to the result. Where there is no such view, `blank` makes new arrays and `put` copies them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .._types import Ints
from .tiles import Tile

Record: TypeAlias = Any
"""A tuple of arrays, named or not; its content is defined by a task and its place."""


class Place(ABC):
    """Base class: where the record of a tile is in the result. Places are values: they can be pickled with their task.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> class Reversed(wt.engine.Place):
    ...     def blank(self, out, tile):
    ...         return (np.empty(tile.stop - tile.start),)
    ...     def put(self, out, tile, record):
    ...         out[0][::-1][tile.start : tile.stop] = record[0]
    >>> out = (np.zeros(3),)
    >>> Reversed().put(out, wt.engine.Tile(0, 2), (np.array([1.0, 2.0]),))
    >>> out[0]
    array([0., 2., 1.])
    """

    @abstractmethod
    def blank(self, out: Record, tile: Tile) -> Record:
        """Return an empty record for a tile.

        Parameters
        ----------
        out : tuple of arrays
            The result.
        tile : Tile
            The tile.

        Returns
        -------
        tuple of arrays
        """

    @abstractmethod
    def put(self, out: Record, tile: Tile, record: Record) -> None:
        """Copy the record of a tile to its place in the result.

        Parameters
        ----------
        out : tuple of arrays
            The result.
        tile : Tile
            The tile.
        record : tuple of arrays
            The record of the tile, as `blank` makes it.
        """

    def view(self, out: Record, tile: Tile) -> Record | None:
        """Return the record of a tile as a view of the result; None if there is no such view."""
        return None


class Slices(Place):
    """Results whose tiles are slices."""

    @abstractmethod
    def where(self, tile: Tile) -> slice:
        """Return the slice of the result that belongs to the tile."""

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
    """Rows start…stop of every array.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> out = (np.zeros((4, 2)),)
    >>> (part,) = wt.engine.Rows().view(out, wt.engine.Tile(1, 3))
    >>> part.shape
    (2, 2)
    """

    def where(self, tile: Tile) -> slice:
        return slice(tile.start, tile.stop)


@dataclass(frozen=True, eq=False)
class Ragged(Slices):
    """Rows of different lengths, stored one after the other: row i is indptr[i]…indptr[i+1].

    Parameters
    ----------
    indptr : array of int, shape (n + 1,)
        Where rows begin, as in SciPy's CSR format.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> place = wt.engine.Ragged(np.array([0, 2, 3, 6]))
    >>> place.view((np.arange(6),), wt.engine.Tile(1, 3))
    (array([2, 3, 4, 5]),)
    """

    indptr: Ints

    def where(self, tile: Tile) -> slice:
        return slice(int(self.indptr[tile.start]), int(self.indptr[tile.stop]))


@dataclass(frozen=True)
class Tilewise(Slices):
    """One row for each tile; all tiles except the last have the same size.

    Parameters
    ----------
    size : int
        Number of rows of a tile.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> place = wt.engine.Tilewise(100)
    >>> place.view((np.arange(3),), wt.engine.Tile(100, 200))
    (array([1]),)
    """

    size: int

    def where(self, tile: Tile) -> slice:
        return slice(tile.start // self.size, -(-tile.stop // self.size))


@dataclass(frozen=True)
class PerArray(Place):
    """Arrays that are cut differently: each has a place of its own.

    Parameters
    ----------
    places : tuple of places whose tiles are slices
        The place of each array of the result.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> place = wt.engine.PerArray((wt.engine.Rows(), wt.engine.Tilewise(2)))
    >>> place.view((np.arange(4), np.arange(2)), wt.engine.Tile(2, 4))
    (array([2, 3]), array([1]))
    """

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
    """Marks that all tiles share: tiles only set marks, so their order does not matter.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> out = (np.array([1, 0, 0], np.uint8),)
    >>> wt.engine.Marks().put(out, wt.engine.Tile(0, 1), (np.array([0, 0, 1], np.uint8),))
    >>> out[0]
    array([1, 0, 1], dtype=uint8)
    """

    def view(self, out: Record, tile: Tile) -> Record:
        return out

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros_like(array) for array in out)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(out, record, strict=True):
            target[values != 0] = 1


@dataclass(frozen=True)
class Condensed(Slices):
    """Rows of the upper triangle of an n × n matrix, in SciPy's condensed order.

    Parameters
    ----------
    n : int
        Number of rows of the square matrix.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.engine.Condensed(4).view((np.arange(6),), wt.engine.Tile(1, 3))  # pairs (1, 2), (1, 3), (2, 3)
    (array([3, 4, 5]),)
    """

    n: int

    def where(self, tile: Tile) -> slice:
        return slice(self._at(tile.start), self._at(tile.stop))

    def _at(self, row: int) -> int:
        return row * self.n - row * (row + 1) // 2


@dataclass(frozen=True, eq=False)
class Scattered(Place):
    """Row k of the task is row `rows[k]` of the result.

    Parameters
    ----------
    rows : array of int
        Rows of the result.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> out = (np.zeros(4),)
    >>> wt.engine.Scattered(np.array([3, 0])).put(out, wt.engine.Tile(0, 2), (np.array([1.0, 2.0]),))
    >>> out[0]
    array([2., 0., 0., 1.])
    """

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

    A record is (upper, lower): the rows from the diagonal to the right, and the columns below it; `lower` is empty if
    the record is not a view of the result.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> matrix, tile = np.zeros((3, 3)), wt.engine.Tile(0, 1)
    >>> record = wt.engine.Mirrored().blank((matrix,), tile)
    >>> record[0][:] = [[0.0, 1.0, 2.0]]
    >>> wt.engine.Mirrored().put((matrix,), tile, record)
    >>> matrix
    array([[0., 1., 2.],
           [1., 0., 0.],
           [2., 0., 0.]])
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
    """Square blocks of a symmetric matrix, on and above the diagonal, with their mirror images.

    A record is upper, lower for each of its blocks in turn, as for `Mirrored`.

    Parameters
    ----------
    corners : array of int, shape (k, 2)
        Top row and left column of each block.
    side : int
        Rows and columns of a block.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> matrix, tile = np.zeros((3, 3)), wt.engine.Tile(0, 1)
    >>> place = wt.engine.Blocks(np.array([[0, 2]]), side=2)
    >>> record = place.blank((matrix,), tile)
    >>> record[0][:] = [[1.0], [2.0]]
    >>> place.put((matrix,), tile, record)
    >>> matrix
    array([[0., 0., 1.],
           [0., 0., 2.],
           [1., 2., 0.]])
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
    """Copy values right of the diagonal to `upper` and mirrored to `lower`; both share a square on the diagonal."""
    rows = len(values)
    square = np.triu(values[:, :rows], 1)
    upper[:, :rows] = square + square.T
    upper[:, rows:] = values[:, rows:]
    lower[rows:] = values[:, rows:].T
