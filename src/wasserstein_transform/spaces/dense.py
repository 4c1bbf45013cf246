"""Distances stored as a square matrix, in memory or in a memory-mapped file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from .._archive import check_array, check_range
from .._types import Floats, Ints, cached_property
from ..compute.metrics.geometry_jit import Geometry, Table
from ..compute.trees.spanning import table_and_unit
from ..engine import N_MATRICES, Engine, as_writable, current, is_mapped, read_map
from .metric import Metric, Out, check_counts, read_only

_BLOCK_DISTANCES = 1 << 20  # distances copied at a time
_BLOCK_SIDE = 256  # side of the blocks in which a matrix is checked; both stay in the processor's cache
_MAX_ASYMMETRY = {4: 1e-6, 8: 1e-9}  # by bytes per number, as a share of the largest distance


@dataclass(frozen=True, eq=False, repr=False)
class Dense(Metric):
    """A metric stored as an n × n matrix, in memory or in a memory-mapped file.

    Parameters
    ----------
    matrix : array of shape (n, n)
        The distances: symmetric, 0 on the diagonal. This class does not check them; `Space.from_distances` does.
    triangle : bool, default False
        Whether the triangle inequality holds.
    gap : float, default 0.0
        Largest primal–dual gap of the transport problems that gave the distances, relative to the largest cost
        of each problem. 0 for distances that were given.
    n_fallbacks : int, default 0
        How many of these problems needed the slow fallback solver.

    Notes
    -----
    Memory 8 n² bytes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_distances([[0.0, 2.0], [2.0, 0.0]])
    >>> space.metric
    <Dense metric of 2 points>
    >>> space.metric.matrix
    array([[0., 2.],
           [2., 0.]])
    """

    matrix: Floats
    triangle: bool = False
    gap: float = 0.0
    n_fallbacks: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", np.ascontiguousarray(self.matrix, np.float64))

    def _in_words(self) -> str:
        return f", gap {self.gap:.1e}" if self.gap else ""

    @property
    def n(self) -> int:
        return len(self.matrix)

    def _make_geometry(self, engine: Engine) -> Table:
        return Table(as_writable(self.matrix))

    def tree_geometry(self, engine: Engine) -> tuple[Geometry, float]:
        return table_and_unit(as_writable(self.matrix), self.largest(engine))

    @cached_property
    def _largest(self) -> float:
        return float(self.matrix.max())

    def largest(self, engine: Engine | None = None) -> float:
        return self._largest

    def _check_archived(self) -> None:
        check_array(self.matrix, "the matrix of distances", "f", len(self.matrix), len(self.matrix))
        check_range(self.matrix, "distances", 0.0)
        check_counts(self.triangle, self.gap, self.n_fallbacks)

    def take(self, rows: Ints) -> Dense:
        return Dense(take_points(self.matrix, rows), self.triangle, self.gap, self.n_fallbacks)

    def checked(self) -> Dense:
        matrix = as_distances(self.matrix, "metric")
        return self if matrix is self.matrix else Dense(matrix, self.triangle)

    @property
    def n_bytes(self) -> int:
        return self.matrix.nbytes

    @property
    def is_on_disk(self) -> bool:
        return is_mapped(self.matrix)

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        if out is None and np.dtype(dtype) == np.float64:
            return read_only(self.matrix)
        return super().dense(engine, dtype, out)


def take_points(matrix: Floats, points: Ints, engine: Engine | None = None) -> Floats:
    """The rows and columns of the listed points; a large result may be put on disk, block by block."""
    n, engine = len(points), current(engine)
    if not is_mapped(matrix) and not engine.goes_to_disk(8.0 * n * n, N_MATRICES):
        return np.ascontiguousarray(matrix[np.ix_(points, points)])
    out = engine.allocate((n, n), f"the distances of {n} points", "take fewer points", n_held=N_MATRICES)
    step = max(1, _BLOCK_DISTANCES // max(matrix.shape[1], 1))
    for start in range(0, n, step):
        engine.check()
        out[start : start + step] = matrix[points[start : start + step]][:, points]
    return out


def open_distances(distances: Any) -> Any:
    """Open a path as a memory-mapped .npy file; return any other value unchanged."""
    if not isinstance(distances, str | os.PathLike):
        return distances
    path = Path(distances)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} of distances; check the path")
    if path.suffix != ".npy":
        raise ValueError(f"distances are read from .npy files, got {path}; wt.io.read_matrix reads others")
    return read_map(path)


def as_distances(
    distances: Any, name: str = "distances", engine: Engine | None = None, *, copy: bool = False
) -> Floats:
    """Check distances in memory or in a mapped file, and return them as a square matrix.

    A symmetric square float64 file is used as it is, and so is an array, without `copy`. Others are copied into memory;
    if the halves of a matrix differ by rounding, the upper one is used.
    """
    engine = current(engine)
    array: Floats = distances
    is_file = is_mapped(distances)
    if (is_file or type(distances) is np.ndarray) and distances.dtype.kind == "f":
        name = f"{_name_of(array)}: distances" if is_file else name
    else:
        engine.reserve(9.0 * np.size(distances), f"{name} as an array", "use fewer points")
        array = check.floats(distances, name)
    if array.ndim == 1:
        return _read_condensed(array, name, engine)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] == 0:
        raise ValueError(
            f"{name} must be a square matrix or SciPy's condensed vector, got shape {array.shape}; for coordinates use "
            "Space.from_points"
        )
    if array.flags.f_contiguous:
        array = array.T  # the matrix is symmetric, and reading along rows is faster
    fits = array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
    fits &= is_file or not copy or (isinstance(distances, np.ndarray) and not np.may_share_memory(array, distances))
    if _check_square(array, name, engine) and fits:
        return array
    return _mirror(array, _allocate(len(array), name, engine), engine)


def _mirror(upper: np.ndarray, out: Floats, engine: Engine) -> Floats:
    """Fill a symmetric matrix from the entries above the diagonal, which may be its own."""
    for rows, cols in _blocks(len(out), "reading distances", engine):
        block = upper[rows, cols].astype(np.float64)
        if rows == cols:
            block = np.triu(block, 1) + np.triu(block, 1).T
        out[rows, cols], out[cols, rows] = block, block.T
    return out


def _read_condensed(distances: np.ndarray, name: str, engine: Engine) -> Floats:
    length = len(distances)
    n = (1 + isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or length == 0:
        raise ValueError(
            f"{name} as a condensed vector must have n(n-1)/2 entries, got {length}; or use a square matrix "
            "of shape (n, n)"
        )
    out, start = _allocate(n, name, engine), 0
    with engine.progress_scope() as watched:
        for i in range(n - 1):
            row = distances[start : start + n - 1 - i].astype(np.float64)
            _check_values(row, (start,), name)
            out[i, i + 1 :] = row
            start += len(row)
            if i % _BLOCK_SIDE == 0:
                watched.check()
                watched.report("reading distances", i, n)
    return _mirror(out, out, engine)


def _allocate(n: int, name: str, engine: Engine) -> Floats:
    what = f"{name} as a {n} × {n} table"
    return engine.allocate((n, n), what, "write them as a square float64 .npy file, which is mapped as it is")


def _blocks(n: int, stage: str, engine: Engine) -> Iterator[tuple[slice, slice]]:
    """Blocks on and above the diagonal, row by row."""
    with engine.progress_scope() as watched:
        for top in range(0, n, _BLOCK_SIDE):
            for left in range(top, n, _BLOCK_SIDE):
                watched.check()
                yield slice(top, min(top + _BLOCK_SIDE, n)), slice(left, min(left + _BLOCK_SIDE, n))
            watched.report(stage, min(top + _BLOCK_SIDE, n), n)


def _check_square(distances: np.ndarray, name: str, engine: Engine) -> bool:
    """Raise an error, with the entry, if a square matrix does not hold distances; tell whether it is symmetric."""
    largest, off, where = 0.0, 0.0, (0, 0)
    for rows, cols in _blocks(len(distances), "checking distances", engine):
        block, mirrored = (np.asarray(distances[r, c], np.float64) for r, c in ((rows, cols), (cols, rows)))
        largest = max(largest, _check_values(block, (rows.start, cols.start), name))
        if rows == cols and block.diagonal().any():
            i = int(np.argmax(block.diagonal() > 0))
            at = rows.start + i
            raise ValueError(f"{name} must be 0 on the diagonal, got {block[i, i]} at [{at}, {at}]")
        if (block == mirrored.T).all():
            continue
        largest = max(largest, _check_values(mirrored, (cols.start, rows.start), name))
        differences = np.abs(block - mirrored.T)
        if differences.max() > off:
            off = float(differences.max())
            row, col = divmod(int(differences.argmax()), differences.shape[1])
            where = rows.start + row, cols.start + col
    if off > _MAX_ASYMMETRY.get(distances.dtype.itemsize, 1e-9) * largest:
        i, j = where
        raise ValueError(
            f"{name} must be symmetric, got {distances[i, j]} at [{i}, {j}] and {distances[j, i]} at "
            f"[{j}, {i}]; use (D + D.T) / 2"
        )
    return off == 0.0


def _check_values(values: Floats, corner: tuple[int, ...], name: str) -> float:
    """Return the largest number, or raise an error if one is not finite or negative; `corner` is the first position."""
    largest = float(values.max())
    if values.min() >= 0 and largest < np.inf:  # False if one is NaN
        return largest
    wrong = ~np.isfinite(values)
    if not wrong.any():
        wrong = values < 0
    at = np.unravel_index(wrong.argmax(), values.shape)
    shown = f"{values[at]} at {[int(first + k) for first, k in zip(corner, at, strict=True)]}"
    if not np.isfinite(values[at]):
        raise ValueError(f"{name} must be finite, got {shown}; drop or fill such entries")
    raise ValueError(f"{name} must not be negative, got {shown}")


def _name_of(array: np.ndarray) -> str:
    base: Any = array
    while base is not None:
        if getattr(base, "filename", None):
            return str(base.filename)
        base = getattr(base, "base", None)
    return "the file of distances"
