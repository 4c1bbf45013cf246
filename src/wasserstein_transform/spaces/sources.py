"""Sources of distances: square or condensed matrices in files, memory-mapped or in chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from .._types import Floats, Ints
from ..backends import Cell, Source

_SIDE = 1024  # side of the cells of a square matrix
_CELL = 1 << 21  # approximate number of distances in a cell of a condensed vector


class Numbers(ABC):
    """An array of numbers in a file; parts of it are read as float64.

    Attributes
    ----------
    name : str
        The name of the file in error messages.
    shape : tuple of int
        The shape of the array.
    """

    name: str
    shape: tuple[int, ...]

    @abstractmethod
    def part(self, *where: slice) -> Floats:
        """Read a rectangle as a new array."""

    @abstractmethod
    def at(self, *where: Ints) -> Floats:
        """Read single numbers, given one list of indices per axis."""

    def sides(self) -> tuple[int, ...]:
        """The sides of the rectangles that are fastest to read."""
        return tuple(_SIDE for _ in self.shape)


class Mapped(Numbers):
    """Numbers in a memory-mapped file."""

    def __init__(self, array: np.ndarray, name: str) -> None:
        self.name, self.shape = name, array.shape
        self._array = array.view(np.ndarray)

    def part(self, *where: slice) -> Floats:
        return np.array(self._array[where], np.float64)

    def at(self, *where: Ints) -> Floats:
        return np.asarray(self._array[where], np.float64)


class Square(Source):
    """A square matrix of n × n distances; if its halves differ by rounding (mirrored=False), the upper one is used."""

    def __init__(self, numbers: Numbers, mirrored: bool = True) -> None:
        self.numbers, self.name, self.n = numbers, numbers.name, numbers.shape[0]
        self._mirrored = mirrored

    def cells(self) -> list[Cell]:
        """Rectangles in file order, without those below the diagonal."""
        n, (height, width) = self.n, self.numbers.sides()
        return [
            Cell(top, min(top + height, n), left, min(left + width, n))
            for top in range(0, n, height)
            for left in range(top // width * width, n, width)
            if min(left + width, n) > top + 1
        ]

    def read(self, cell: Cell) -> Floats:
        return self.numbers.part(cell.rows, cell.cols)

    def block(self, rows: Ints, cols: Ints) -> Floats:
        if _are_run(rows) and _are_run(cols) and (self._mirrored or rows[-1] <= cols[0]):
            return self.numbers.part(slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1))
        return self.pairs(np.repeat(rows, len(cols)), np.tile(cols, len(rows))).reshape(len(rows), len(cols))

    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        if not self._mirrored:
            rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
        return self.numbers.at(rows, cols)


class Condensed(Source):
    """The n(n−1)/2 distances above the diagonal, row by row, in SciPy's condensed order."""

    def __init__(self, numbers: Numbers, n: int) -> None:
        self.numbers, self.name, self.n = numbers, numbers.name, n

    def cells(self) -> list[Cell]:
        """Cells of some rows each, from the diagonal on, which are contiguous in the file."""
        found, top = list[Cell](), 0
        while top < self.n - 1:
            bottom = min(top + max(1, _CELL // (self.n - top)), self.n)
            found.append(Cell(top, bottom, top, self.n))
            top = bottom
        return found

    def read(self, cell: Cell) -> Floats:
        out, first = np.zeros((cell.bottom - cell.top, cell.right - cell.left)), self._start(cell.top)
        values = self.numbers.part(slice(first, self._start(cell.bottom)))
        for k, i in enumerate(range(cell.top, cell.bottom)):
            at = self._start(i) - first
            out[k, i + 1 - cell.left :] = values[at : at + self.n - i - 1]
        return out

    def _start(self, row: int) -> int:
        return row * self.n - row * (row + 1) // 2

    def block(self, rows: Ints, cols: Ints) -> Floats:
        return self.pairs(np.repeat(rows, len(cols)), np.tile(cols, len(rows))).reshape(len(rows), len(cols))

    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        low, high = np.minimum(rows, cols), np.maximum(rows, cols)
        out, apart = np.zeros(len(rows)), np.flatnonzero(low < high)
        low, high = low[apart], high[apart]
        out[apart] = self.numbers.at(low * self.n - low * (low + 1) // 2 + high - low - 1)
        return out


class Subset(Source):
    """Some points of another source, repeats allowed."""

    def __init__(self, source: Source, points: Ints) -> None:
        self._source, self._points = source, np.asarray(points, np.intp)
        self.name, self.n = f"{len(points)} points of {source.name}", len(points)

    def cells(self) -> list[Cell]:
        n = self.n
        corners = [(top, left) for top in range(0, n, _SIDE) for left in range(top, n, _SIDE)]
        return [Cell(top, min(top + _SIDE, n), left, min(left + _SIDE, n)) for top, left in corners]

    def read(self, cell: Cell) -> Floats:
        return self.block(np.arange(cell.top, cell.bottom), np.arange(cell.left, cell.right))

    def block(self, rows: Ints, cols: Ints) -> Floats:
        return self._source.block(self._points[rows], self._points[cols])

    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        return self._source.pairs(self._points[rows], self._points[cols])


def _are_run(points: Ints) -> bool:
    return len(points) > 0 and bool((np.diff(points) == 1).all())
