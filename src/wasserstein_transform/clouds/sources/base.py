"""What a source of points is."""

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

STRETCH = 1 << 22  # rows of a stretch, about: what one job reads, and what its digest is of
_NUMBERS = "fiub"


class Rows(NamedTuple):
    """Some rows in a row: the number of the first, coordinates, and weights if there are any."""

    first: int
    points: Floats
    weights: Floats | None


class Stretch(NamedTuple):
    """Rows of a source that one job reads; `where` is what the source needs to find them."""

    first: int
    n: int
    where: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Source(ABC):
    """Points in files that are read some rows at a time. A value: it can be sent to another process.

    Parameters
    ----------
    path : Path
    columns : tuple of str, optional
        Names of the coordinates; by default all columns there are, except the weights.
    weights : str, optional
        Where the weights are.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    weights: str | None = None

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates; as many as a point has."""

    @abstractmethod
    def stretches(self) -> list[Stretch]:
        """All rows, in stretches that depend on the source alone."""

    @abstractmethod
    def read(self, stretch: Stretch, most: int) -> Iterator[Rows]:
        """The rows of a stretch, about `most` at a time, checked."""

    @abstractmethod
    def files(self) -> list[Path]:
        """All files that it reads."""

    def looks(self) -> list[list[Any]]:
        """Names, sizes and times of its files: as long as they are the same, so is what they hold."""
        return [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in self.files()]

    def checked(self, first: int, columns: list[NDArray[Any]], weights: NDArray[Any] | None) -> Rows:
        """Rows of finite numbers; otherwise an error that says where."""
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
        """Refuse what is no number before any of it is read."""
        if kind.kind not in _NUMBERS:
            raise ValueError(f"{self.path}: {what} must hold numbers, it has the type {kind}; give columns of numbers")


def evenly(n: int, size: int = STRETCH) -> list[Stretch]:
    """Rows 0…n in stretches of that size."""
    return [Stretch(first, min(size, n - first)) for first in range(0, n, size)]


def need(module: str, what: str) -> Any:
    """A module of the extra `scale`, or how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}, which is not installed; "
            'pip install "wasserstein-transform[scale]" brings it'
        ) from None
