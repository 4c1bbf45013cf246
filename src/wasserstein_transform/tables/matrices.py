"""Read distance matrices from files: square or condensed, with or without names."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._shown import Brief
from .._types import Floats
from . import arrays
from .columns import coordinates, default_names, is_missing, is_text, source_of, where
from .files import Readable, load, read
from .kinds import TEXT, called, kind_of

_KINDS = (*TEXT, "parquet", "npy", "npz")
_NAMES = ("distances", "D", "matrix", "arr_0")  # usual names of the main array
_ROWS = 64  # rows that are compared with their columns at a time
_NEAR = 1e-9  # allowed asymmetry, relative to the largest distance


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Brief):
    r"""Distances of n points, as `read_matrix` returns them. NumPy functions accept it as an array.

    Attributes
    ----------
    distances : array of shape (n, n) or (n(n − 1)/2,)
        Square, or condensed as by SciPy's `pdist`; the form of the file is kept.
    names : tuple of n str, or None
        Names of the points; None (default) if the file has none.
    source : str, default "the matrix"
        Name of the file, used in error messages.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> matrix = wt.tables.read_matrix(b"3\n4\n5\n")  # condensed: three distances of three points
    >>> matrix.n, matrix.names
    (3, None)
    >>> np.asarray(matrix)
    array([3., 4., 5.])
    >>> wt.Space.from_distances(matrix).n
    3
    """

    distances: Floats
    names: tuple[str, ...] | None = None
    source: str = "the matrix"

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.distances) if self.distances.ndim == 2 else _n_points(len(self.distances), self.source)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.distances, dtype, copy=copy)


def read_matrix(source: Readable, *, kind: str | None = None, name: str | None = None) -> Matrix:
    r"""Read distances from a file: CSV, TSV, text, Parquet, NPY or NPZ.

    Parameters
    ----------
    source, kind, name
        As for `read`.

    Returns
    -------
    Matrix
        Finite distances ≥ 0, either square, symmetric and with 0 on the diagonal, or condensed, n(n − 1)/2 of them.
        `names` is set if the file has a row or a column of names.

    Raises
    ------
    ValueError
        If the file is not such a matrix. The message gives file, line and column.

    Notes
    -----
    Time and memory O(n²).

    Examples
    --------
    >>> from wasserstein_transform.tables import read_matrix
    >>> matrix = read_matrix(b",Rome,Oslo\nRome,0,2006\nOslo,2006,0\n")
    >>> matrix.names, matrix.distances.tolist()
    (('Rome', 'Oslo'), [[0.0, 2006.0], [2006.0, 0.0]])
    """
    content, shown = load(source, name)
    kind = kind_of(content, shown, kind) if content.strip() else kind
    if kind is not None and kind not in _KINDS:
        raise ValueError(f"{shown}: distances are read from {', '.join(_KINDS)}, not from {called(kind)}")
    if kind in ("npy", "npz"):
        names, frame = list[str](), _of_array(content, kind, shown)
    else:
        names, frame = _without_names(read(content, kind=kind, name=shown))
    values = coordinates(frame, list(frame.columns))
    if 1 in values.shape and (values.shape != (1, 1) or values[0, 0]):  # (1, 1): one distance of two points
        values = values.ravel()
    return Matrix(_checked(values, frame), tuple(names) or None, shown)


def _of_array(content: bytes, kind: str, source: str) -> pd.DataFrame:
    if kind == "npy":
        array = arrays.array_of(content, source)
    else:
        found = arrays.arrays_of(content, source)
        name = next((name for name in (*_NAMES, *found) if name in found and (name in _NAMES or len(found) == 1)), None)
        if name is None:
            raise ValueError(f"{source} holds {arrays.described(found)}; one of them must be named distances")
        array = found[name]
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise ValueError(
            f"{source} holds an array of shape {array.shape} and kind {array.dtype}; distances are numbers"
        )
    frame = pd.DataFrame(array.astype(np.float64))
    frame.columns = frame.columns + 1
    frame.attrs = {"source": source}
    return frame


def _without_names(frame: pd.DataFrame) -> tuple[list[str], pd.DataFrame]:
    """The names and the numbers of a table; its shape shows whether it has a row or a column of names."""
    n, m = frame.shape
    header = tuple(frame.columns) != default_names(m)
    if not header:
        frame.columns = range(1, m + 1)
    first = frame.iloc[:, 0]
    if not header and n == m > 1 and is_missing(first.iloc[0]):  # pandas writes a header ",0,1,2" above numbers
        return _texts(first)[1:], frame.iloc[1:, 1:]
    if m == n + 1 and (is_text(first) or (n > 1 and _begins_with_zeros(frame.iloc[:, 1:]))):
        return _texts(first), frame.iloc[:, 1:]
    if not header and n == m + 1 > 2 and _begins_with_zeros(frame.iloc[1:]):  # a header of numbers
        return _texts(frame.iloc[0]), frame.iloc[1:]
    return list(frame.columns) if header and n == m else [], frame


def _begins_with_zeros(frame: pd.DataFrame) -> bool:
    """Whether the first two entries of the diagonal are 0."""
    return all(frame.iloc[k, k] in (0.0, "0") for k in (0, 1))


def _texts(cells: pd.Series) -> list[str]:
    return [str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell) for cell in cells.tolist()]


def _checked(values: Floats, frame: pd.DataFrame) -> Floats:
    """Raise unless values are ≥ 0, and either condensed, or square, symmetric and 0 on the diagonal."""
    source, names = source_of(frame), list(frame.columns)

    def at(i: int, j: int) -> str:
        return where(
            frame,
            *(
                (i, names[j])
                if len(names) > 1 and len(frame) > 1
                else (0, names[i])
                if len(names) > 1
                else (i, names[0])
            ),
        )

    if values.ndim == 1:
        _n_points(len(values), source)
    elif values.shape[0] != values.shape[1] or not values.size:
        raise ValueError(
            f"{source} has {values.shape[0]} rows and {values.shape[1]} columns; distances are square, or condensed in "
            "one row or column; if these are coordinates, leave out --distances"
        )
    if (values < 0).any():
        i, j = (*map(int, np.argwhere(values < 0)[0]), 0)[:2]
        raise ValueError(f"{at(i, j)}: a distance must be 0 or more, got {values.reshape(len(values), -1)[i, j]:g}")
    if values.ndim == 1:
        return values
    if values.diagonal().any():
        k = int(np.flatnonzero(values.diagonal())[0])
        raise ValueError(f"{at(k, k)}: the distance of a point to itself must be 0, got {values[k, k]:g}")
    for start in range(0, len(values), _ROWS):
        rows = slice(start, start + _ROWS)
        off = np.argwhere(np.abs(values[rows] - values[:, rows].T) > _NEAR * values.max())
        if len(off):
            i, j = int(off[0, 0]) + start, int(off[0, 1])
            raise ValueError(
                f"{at(i, j)}: distances must be symmetric, got {values[i, j]:.12g} here and {values[j, i]:.12g} at "
                f"{at(j, i).removeprefix(source + ', ')}; fix one of them, or use (D + D.T) / 2"
            )
    return values


def _n_points(length: int, source: str) -> int:
    n = (1 + isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or not length:
        raise ValueError(
            f"{source} holds one row or column of {length} numbers; condensed distances are n(n − 1)/2 numbers: "
            "1, 3, 6, 10, …"
        )
    return n
