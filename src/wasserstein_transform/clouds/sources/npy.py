"""Points in a memory-mapped `.npy` file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._mapped import read_map
from .base import Rows, Source, Stretch, evenly


@dataclass(frozen=True)
class Npy(Source):
    """An array of shape (n, m) in a `.npy` file; weights are another such file, of shape (n,)."""

    def names(self) -> tuple[str, ...]:
        found = tuple(f"x{k}" for k in range(self._array().shape[1]))
        if self.columns is not None:
            raise ValueError(f"{self.path}: a .npy file has no names of columns, got columns={list(self.columns)}")
        return found

    def files(self) -> list[Path]:
        return [self.path] if self.weights is None else [self.path, Path(self.weights)]

    def stretches(self) -> list[Stretch]:
        array, weights = self._array(), self._weights()
        if weights is not None and weights.shape != array.shape[:1]:
            raise ValueError(
                f"{self.weights}: weights must hold one number per point, shape ({len(array)},), got {weights.shape}"
            )
        return evenly(len(array))

    def read(self, stretch: Stretch, most: int) -> Iterator[Rows]:
        array, weights = self._array(), self._weights()
        for first in range(stretch.first, stretch.first + stretch.n, most):
            rows = slice(first, min(first + most, stretch.first + stretch.n))
            yield self.checked(first, list(array[rows].T), None if weights is None else weights[rows])

    def _array(self) -> Any:
        array = _mapped(self.path)
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(
                f"{self.path}: points must be an array of shape (n, m), one row per point, got shape {array.shape}"
            )
        self.check_kind(array.dtype, "the array")
        return array

    def _weights(self) -> Any:
        if self.weights is None:
            return None
        weights = _mapped(Path(self.weights))
        self.check_kind(weights.dtype, "the array of weights")
        return weights


def _mapped(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return read_map(path)
