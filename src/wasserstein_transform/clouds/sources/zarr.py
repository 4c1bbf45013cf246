"""Points in Zarr: an array of shape (n, m), or a group with an array for each coordinate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .base import STRETCH, Rows, Source, Stretch, evenly, need


@dataclass(frozen=True)
class Zarr(Source):
    """A Zarr array of shape (n, m), with weights in another array; or a group of arrays of shape (n,), by name."""

    def files(self) -> list[Path]:
        folders = [self.path, *([Path(self.weights)] if self.weights and self._is_array() else [])]
        return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())

    def names(self) -> tuple[str, ...]:
        found = self._open(self.path)
        if self._is_array():
            if self.columns is not None:
                raise ValueError(f"{self.path}: a Zarr array has no names of columns, got columns={list(self.columns)}")
            return tuple(f"x{k}" for k in range(found.shape[1]))
        if not self.columns:
            there = ", ".join(sorted(found.array_keys()))
            raise ValueError(f"{self.path} is a group of arrays ({there}); name the columns that are coordinates")
        return self.columns

    def stretches(self) -> list[Stretch]:
        points, weights = self._arrays()
        n = points[0].shape[0]
        for array in [*points, *weights]:
            if array.shape[0] != n:
                raise ValueError(
                    f"{self.path}: all arrays must have the same number of rows, got {n} and {array.shape[0]}"
                )
        if n == 0:
            raise ValueError(f"{self.path} has no rows; a cloud needs at least one point")
        chunk = max(1, points[0].chunks[0])
        return evenly(n, max(1, STRETCH // chunk) * chunk)

    def read(self, stretch: Stretch, most: int) -> Iterator[Rows]:
        points, weights = self._arrays()
        chunk = points[0].chunks[0]
        step = max(1, most // chunk) * chunk if chunk <= most else most
        for first in range(stretch.first, stretch.first + stretch.n, step):
            rows = slice(first, min(first + step, stretch.first + stretch.n))
            read = [np.asarray(array[rows]) for array in points]
            columns = list(read[0].T) if self._is_array() else read
            yield self.checked(first, columns, np.asarray(weights[0][rows]) if weights else None)

    def _is_array(self) -> bool:
        return hasattr(self._open(self.path), "shape")

    def _arrays(self) -> tuple[list[Any], list[Any]]:
        """Return the arrays of coordinates, and the array of weights if there is one."""
        found = self._open(self.path)
        if self._is_array():
            weights = [] if self.weights is None else [self._open(Path(self.weights))]
            points = [found]
        else:
            points = [self._member(found, name) for name in self.names()]
            weights = [] if self.weights is None else [self._member(found, self.weights)]
        self._check(points, 2 if self._is_array() else 1)
        self._check(weights, 1)
        return points, weights

    def _member(self, group: Any, name: str) -> Any:
        if name not in set(group.array_keys()):
            raise ValueError(f"{self.path} has no array {name!r}; there are {', '.join(sorted(group.array_keys()))}")
        return group[name]

    def _check(self, arrays: list[Any], ndim: int) -> None:
        for array in arrays:
            if getattr(array, "ndim", None) != ndim or 0 in array.shape[1:]:
                shape = "(n, m), one row per point" if ndim == 2 else "(n,)"
                raise ValueError(
                    f"{array}: an array of shape {shape} is needed, got {getattr(array, 'shape', 'a group')}"
                )
            self.check_kind(array.dtype, f"the array {array.name}")
            if "pickle" in str(array.metadata.to_dict()).lower():
                raise ValueError(
                    f"{array}: data packed by pickle can run code when it is read, so it is not read; write it anew"
                )

    def _open(self, path: Path) -> Any:
        zarr = need("zarr", "a Zarr store")
        if not path.exists():
            raise FileNotFoundError(f"there is no Zarr array or group {path}")
        try:
            return zarr.open(path, mode="r")
        except Exception as error:  # stores of different kinds raise different exceptions
            raise ValueError(f"{path} is not a Zarr array or group, or damaged ({error}); write it anew") from None
