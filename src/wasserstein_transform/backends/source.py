"""Distances that lie in a file and are read some at a time: what operations on them need to know."""

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
        """How many of its columns have entries on the diagonal or below."""
        return min(max(self.bottom - self.left, 0), self.right - self.left)

    def below(self) -> np.ndarray:
        """Which entries of these columns lie on the diagonal or below: those are mirror images, or nothing."""
        cols, rows = np.arange(self.left, self.left + self.edge), np.arange(self.top, self.bottom)
        return np.asarray(cols <= rows[:, None])

    def bar(self, values: Floats, value: float) -> None:
        """Put a value where entries lie on the diagonal or below."""
        np.putmask(values[:, : self.edge], self.below(), value)


class Source(ABC):
    """A symmetric matrix of distances in a file.

    Its upper triangle is covered by cells, each pair by one of them, from the top down and from left to right: whoever
    goes through them reads the file once, in the order in which it lies there.

    Attributes
    ----------
    name : str
        The file, as errors call it.
    n : int
        Number of points.
    """

    name: str
    n: int

    @abstractmethod
    def cells(self) -> list[Cell]:
        """Cells that cover the upper triangle; each holds some megabytes."""

    @abstractmethod
    def read(self, cell: Cell) -> Floats:
        """The distances of a cell in memory of its own; on the diagonal and below it, any finite numbers."""

    @abstractmethod
    def block(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points `rows` to the points `cols`."""

    @abstractmethod
    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points rows[k] and cols[k]."""
