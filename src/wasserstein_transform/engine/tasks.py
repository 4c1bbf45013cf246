"""Work as values: what to compute, from which inputs, in which tiles, and where results go.

A task has no closure and writes nothing itself, so an executor may run it in this process, send it to another one, or
read its records from a store. That pays where there is much work for few bytes: exact transport, matrices, covariances.
Lighter work is a loop over tiles: `Engine.loop`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._archive import fingerprint
from .._cached import cached_property
from .._types import Floats, Ints

GRAIN = 2e7
"""Inner-loop steps of a tile: some ten milliseconds, so that Ctrl-C is handled soon and threads finish together."""

Flag: TypeAlias = NDArray[np.uint8]
"""One byte; not 0 when the work should stop: Ctrl-C, cancellation, or an error elsewhere. Long kernels check it."""

Record: TypeAlias = Any
"""A tuple of arrays, named or not; its content is defined by a task and its place."""

Shapes: TypeAlias = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and dtype of each array of a record."""


class Tile(NamedTuple):
    """Rows start…stop of some work. Tiles depend on the problem alone, never on the number of threads."""

    start: int
    stop: int


Compute: TypeAlias = Callable[[Any, Tile, Flag, Record], None]
"""compute(inputs, tile, stop, record) fills the record of a tile: a module's function of its inputs alone."""


def evenly(n: int, steps: float, grain: float = GRAIN) -> list[Tile]:
    """Cut n rows of equal cost, `steps` each, into tiles of about `grain` steps."""
    return of_size(n, max(1, int(grain / max(steps, 1.0))))


def of_size(n: int, size: int) -> list[Tile]:
    """Cut n rows into tiles of `size` rows; the last may be smaller."""
    return [Tile(k, min(k + size, n)) for k in range(0, n, size)]


def cut(steps: Floats, grain: float = GRAIN) -> list[Tile]:
    """Cut rows of different cost, `steps` each, into tiles of about `grain` steps; no tile is empty."""
    if len(steps) == 0:
        return []
    number = np.floor((np.cumsum(steps) - steps) / grain)
    starts = np.flatnonzero(np.diff(number, prepend=-1.0))
    return [Tile(int(a), int(b)) for a, b in zip(starts, np.append(starts[1:], len(steps)), strict=True)]


class Place(ABC):
    """Where the record of a tile is in the result, both tuples of arrays; a value that can be sent with its task."""

    @abstractmethod
    def blank(self, out: Record, tile: Tile) -> Record:
        """An empty record for a tile."""

    @abstractmethod
    def put(self, out: Record, tile: Tile, record: Record) -> None:
        """Copy the record of a tile to its place in the result."""

    def view(self, out: Record, tile: Tile) -> Record | None:
        """The record of a tile as a view of the result, so that kernels write there; None if there is no such view."""
        return None


@dataclass(frozen=True, eq=False)
class Rows(Place):
    """Rows start…stop of every array. An array with `starts` has rows of different lengths, one after the other.

    Parameters
    ----------
    starts : tuple of arrays of shape (n + 1,) or None
        Where the rows of each array begin, as in SciPy's CSR format; None for an array with one entry for each row. A
        single item is that of all arrays. By default all have one entry for each row.
    """

    starts: tuple[Ints | None, ...] = (None,)

    def view(self, out: Record, tile: Tile) -> Record:
        starts = self.starts * len(out) if len(self.starts) == 1 else self.starts
        return tuple(
            array[tile.start : tile.stop] if at is None else array[at[tile.start] : at[tile.stop]]
            for array, at in zip(out, starts, strict=True)
        )

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty_like(array) for array in self.view(out, tile))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(self.view(out, tile), record, strict=True):
            target[...] = values


def condensed_starts(n: int) -> Ints:
    """Where the rows of the upper triangle of an n × n matrix begin in SciPy's condensed order."""
    rows = np.arange(n + 1)
    return rows * n - rows * (rows + 1) // 2


@dataclass(frozen=True)
class Mirrored(Place):
    """Rows start…stop of the upper triangle of a symmetric matrix, and the columns that mirror them.

    A record is (upper, lower): the rows from the diagonal to the right, and the columns below it; `lower` is empty if
    the record is not a view of the result.
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


@dataclass(frozen=True, eq=False)
class Task:
    """Work that is cut into tiles; each tile gives a record of arrays.

    Attributes
    ----------
    name : str
        The stage, as shown by progress.
    compute : callable
        compute(inputs, tile, stop, record) fills the record of a tile.
    inputs : any
        Arrays, numbers and named tuples of them: everything that `compute` needs.
    tiles : sequence of Tile
        They depend on the problem alone.
    place : Place
        Where the record of a tile is in the result.
    """

    name: str
    compute: Compute
    inputs: Any
    tiles: Sequence[Tile]
    place: Place

    def record(self, out: Record, tile: Tile, stop: Flag) -> Record:
        """Compute the record of one tile in new arrays."""
        record = self.place.blank(out, tile)
        self.compute(self.inputs, tile, stop, record)
        return record

    def into(self, out: Record, tile: Tile, stop: Flag) -> None:
        """Compute one tile directly in the result; through new arrays if it has no view of the result."""
        record = self.place.view(out, tile)
        if record is not None:
            self.compute(self.inputs, tile, stop, record)
        elif not stop[0]:
            record = self.record(out, tile, stop)
            if not stop[0]:
                self.place.put(out, tile, record)

    def shapes(self, out: Record, tile: Tile) -> Shapes:
        """Shape and dtype of the arrays of a tile's record: with the inputs, enough to compute it anywhere."""
        return tuple((array.shape, array.dtype.str) for array in self.place.blank(out, tile))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what the records depend on, 32 hexadecimal digits: the function, the inputs, the tiles."""
        whose = f"{self.compute.__module__}.{self.compute.__qualname__}"
        return fingerprint((whose, self.inputs, tuple(self.tiles)))


def computed(compute: Compute, inputs: Any, tile: Tile, shapes: Shapes, stop: Flag | None = None) -> Record:
    """Compute the record of one tile in new arrays of these shapes and dtypes, for example in another process."""
    record = tuple(np.zeros(shape, dtype) for shape, dtype in shapes)
    compute(inputs, tile, np.zeros(1, np.uint8) if stop is None else stop, record)
    return record
