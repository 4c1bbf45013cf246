"""Base class of sources of points."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats

STRETCH = 1 << 22  # rows of a stretch, about: the input of one job and of its digest
_NUMBERS = "fiub"


class Rows(NamedTuple):
    """Consecutive rows: the number of the first, coordinates, and weights if there are any."""

    first: int
    points: Floats
    weights: Floats | None


class Stretch(NamedTuple):
    """Rows of a source that one job reads; `where` tells the source how to find them."""

    first: int
    n: int
    where: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Source(ABC):
    """Points in files, read a number of rows at a time; `open_source` makes one.

    It is a small value that can be pickled and sent to another process.

    Parameters
    ----------
    path : Path
        The file or folder.
    columns : tuple of str, optional
        Names of the coordinates; None means all columns except the weights.
    weights : str, optional
        Where the weights are; None means equal weights.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0, 0.0], [1.0, 0.0], [5.0, 2.0]])
    ...     source = wt.clouds.open_source(f"{folder}/points.npy")
    ...     for rows in source.read(source.stretches()[0], most=2):
    ...         print(rows.first, rows.points.tolist())
    0 [[0.0, 0.0], [1.0, 0.0]]
    2 [[5.0, 2.0]]
    """

    path: Path
    columns: tuple[str, ...] | None = None
    weights: str | None = None

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the names of the coordinates, as many as a point has."""

    @abstractmethod
    def stretches(self) -> list[Stretch]:
        """Return all rows in stretches; they depend on the source alone."""

    @abstractmethod
    def read(self, stretch: Stretch, most: int) -> Iterator[Rows]:
        """Yield the rows of a stretch, checked.

        Parameters
        ----------
        stretch : Stretch
            One of `stretches()`.
        most : int
            Number of rows at a time, about.

        Yields
        ------
        Rows
        """

    @abstractmethod
    def files(self) -> list[Path]:
        """Return all files that are read."""

    def looks(self) -> list[list[Any]]:
        """Return names, sizes and times of the files; while these are equal, the content is taken to be unchanged."""
        return [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in self.files()]

    def checked(self, first: int, columns: list[NDArray[Any]], weights: NDArray[Any] | None) -> Rows:
        """Return rows after checking that all numbers are finite; the error names the row."""
        points = np.empty((len(columns[0]), len(columns)))
        for k, (name, column) in enumerate(zip(self.names(), columns, strict=True)):
            points[:, k] = self._finite(first, column, f"column {name!r}")
        if weights is None:
            return Rows(first, points, None)
        masses = np.asarray(self._finite(first, weights, "the weights"), np.float64)
        if (masses < 0).any():
            row = int((masses < 0).argmax())
            raise ValueError(f"{self.path}: weights must not be negative, got {masses[row]} in row {first + row}")
        return Rows(first, points, np.ascontiguousarray(masses))

    def _finite(self, first: int, column: NDArray[Any], what: str) -> NDArray[Any]:
        if not np.isfinite(column).all():
            row = int((~np.isfinite(column)).argmax())
            raise ValueError(
                f"{self.path}: {what} must be finite, got {column[row]} in row {first + row}; drop or fill such rows"
            )
        return column

    def check_kind(self, kind: np.dtype[Any], what: str) -> None:
        """Reject a type that is not numeric, before reading."""
        if kind.kind not in _NUMBERS:
            raise ValueError(f"{self.path}: {what} must hold numbers, it has the type {kind}; give columns of numbers")


def evenly(n: int, size: int = STRETCH) -> list[Stretch]:
    """Cut rows 0…n into stretches of a size."""
    return [Stretch(first, min(size, n - first)) for first in range(0, n, size)]


def need(module: str, what: str) -> Any:
    """Import a module of the extra `scale`, or raise an error that tells how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}, which is not installed; "
            'install it: pip install "wasserstein-transform[scale]"'
        ) from None
