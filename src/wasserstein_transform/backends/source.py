"""The interface of distances in a file that are read in parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints


class Cell(NamedTuple):
    """Rows top…bottom and columns left…right of a matrix."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def rows(self) -> slice:
        """The rows as a slice."""
        return slice(self.top, self.bottom)

    @property
    def cols(self) -> slice:
        """The columns as a slice."""
        return slice(self.left, self.right)

    @property
    def edge(self) -> int:
        """Number of its columns with entries on or below the diagonal."""
        return min(max(self.bottom - self.left, 0), self.right - self.left)

    def below(self) -> np.ndarray:
        """Mask of the entries of these columns on or below the diagonal, which are duplicates or undefined."""
        cols, rows = np.arange(self.left, self.left + self.edge), np.arange(self.top, self.bottom)
        return np.asarray(cols <= rows[:, None])

    def bar(self, values: Floats, value: float) -> None:
        """Set the entries on and below the diagonal to a value."""
        np.putmask(values[:, : self.edge], self.below(), value)


class Source(ABC):
    """A symmetric matrix of distances in a file.

    Its upper triangle is covered by cells, each pair by one of them, from top to bottom and from left to right: reading
    them in order reads the file once, sequentially.

    Attributes
    ----------
    name : str
        Name of the file in error messages.
    n : int
        Number of points.
    """

    name: str
    n: int

    @abstractmethod
    def cells(self) -> list[Cell]:
        """Cells that cover the upper triangle, of some megabytes each."""

    @abstractmethod
    def read(self, cell: Cell) -> Floats:
        """The distances of a cell as a new array; on and below the diagonal, any finite numbers."""

    @abstractmethod
    def block(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points `rows` to the points `cols`."""

    @abstractmethod
    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points rows[k] and cols[k]."""
