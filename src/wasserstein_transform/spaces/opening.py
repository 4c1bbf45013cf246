"""Open files of distances as metrics, memory-mapped or read in parts."""

from __future__ import annotations

import os
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from .._mapped import is_mapped, read_map
from ..engine import Engine
from .checking import check_condensed, check_square
from .dense import Dense
from .metric import Metric
from .on_disk import OnDisk
from .sources import Condensed, Mapped, Numbers, Square
from .zarrs import Chunked, is_zarr, open_zarr

_PER_POINT = 64.0  # bytes: weights, lists, components


def opened(distances: Any) -> Any:
    """Open a path as a memory-mapped .npy file or a Zarr array; return any other value unchanged."""
    if not isinstance(distances, str | os.PathLike):
        return distances
    path = Path(distances)
    if path.suffix == ".zarr" or (path / "zarr.json").is_file():
        return open_zarr(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} of distances; check the path")
    if path.suffix != ".npy":
        raise ValueError(
            f"distances are read from .npy files and .zarr folders, got {path}; wt.tables.read_matrix reads others"
        )
    return read_map(path)


def metric_in_file(distances: Any, triangle: bool, engine: Engine) -> Metric | None:
    """Check distances in a file and return their metric; None for arrays in memory and for other number types."""
    if is_zarr(distances):
        if distances.dtype not in (np.float32, np.float64):
            raise ValueError(f"a Zarr array of distances must be float32 or float64, got {distances.dtype}")
        chunked = Chunked(distances)
        engine.reserve(4.0 * chunked.chunk_bytes, f"chunks of {chunked.name}", "write it again in smaller chunks")
        return _checked(chunked, distances, triangle, engine)
    if not isinstance(distances, np.ndarray) or not is_mapped(distances):
        return None
    if distances.dtype not in (np.float32, np.float64) or not distances.dtype.isnative:
        return None
    if distances.ndim == 2 and distances.flags.f_contiguous:
        distances = distances.T  # the matrix is symmetric, and reading along rows is faster
    return _checked(Mapped(distances, _name_of(distances)), distances, triangle, engine)


def _checked(numbers: Numbers, distances: Any, triangle: bool, engine: Engine) -> Metric:
    if len(numbers.shape) == 1:
        n = _n_points(numbers)
        engine.reserve(_PER_POINT * n, f"{n} points of {numbers.name}", "use fewer points")
        condensed = Condensed(numbers, n)
        return OnDisk(condensed, check_condensed(condensed, engine), triangle)
    if len(numbers.shape) != 2 or numbers.shape[0] != numbers.shape[1] or numbers.shape[0] == 0:
        raise ValueError(
            f"{numbers.name}: distances must be a square matrix or SciPy's condensed vector, got shape "
            f"{numbers.shape}; for coordinates use Space.from_points"
        )
    square = Square(numbers)
    engine.reserve(_PER_POINT * square.n, f"{square.n} points of {numbers.name}", "use fewer points")
    largest, mirrored = check_square(square, distances.dtype.itemsize, engine)
    if isinstance(numbers, Mapped) and distances.dtype == np.float64 and _is_plain(distances) and mirrored:
        dense = Dense(distances, triangle)
        dense.form.kept("largest", lambda: largest)
        return dense
    return OnDisk(Square(numbers, mirrored), largest, triangle)


def _n_points(numbers: Numbers) -> int:
    length = numbers.shape[0]
    n = (1 + isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or length == 0:
        raise ValueError(
            f"{numbers.name}: distances as a condensed vector must have n(n-1)/2 entries, got {length}; or use a "
            "square matrix of shape (n, n)"
        )
    return n


def _is_plain(array: np.ndarray) -> bool:
    """Whether compiled loops can read the array directly."""
    return bool(array.flags.c_contiguous and array.flags.aligned)


def _name_of(array: np.ndarray) -> str:
    base: Any = array
    while base is not None:
        if getattr(base, "filename", None):
            return str(base.filename)
        base = getattr(base, "base", None)
    return "the file of distances"
