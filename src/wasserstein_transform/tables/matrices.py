"""Read distance matrices from files: square or condensed, with or without names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._shown import Brief
from .._types import Floats
from .columns import default_names
from .formats import arrays
from .kinds import agreed_kind, called
from .reading import read
from .sources import Readable, load
from .table import Table

_KINDS = ("csv", "tsv", "txt", "parquet", "npy", "npz")
_NAMES = ("distances", "D", "matrix", "arr_0")  # usual names of the main array
_ROWS = 64  # rows that are compared with their columns at a time
_NEAR = 1e-9  # allowed asymmetry, relative to the largest distance

Where: TypeAlias = Callable[[int, int], str]


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
        return len(self.distances) if self.distances.ndim == 2 else _n_points(len(self.distances))

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
    content, source_name = load(source, name)
    kind = agreed_kind(content, source_name, kind) if content.strip() else kind
    if kind in ("npy", "npz"):
        return _of_array(_array(content, kind, source_name), source_name)
    if kind is not None and kind not in _KINDS:
        raise ValueError(f"{source_name}: distances are read from {', '.join(_KINDS)}, not from {called(kind)}")
    return _of_table(read(content, kind=kind, name=source_name))


def _array(content: bytes, kind: str, source: str) -> NDArray[Any]:
    if kind == "npy":
        return arrays.array_of(content, source)
    found = arrays.arrays_of(content, source)
    if len(found) == 1:
        return next(iter(found.values()))
    for name in _NAMES:
        if name in found:
            return found[name]
    raise ValueError(f"{source} holds {arrays.described(found)}; one of them must be named distances")


def _of_array(array: NDArray[Any], source: str) -> Matrix:
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise ValueError(
            f"{source} holds an array of shape {array.shape} and kind {array.dtype}; distances are numbers"
        )
    if array.ndim == 2 and 1 in array.shape and array.shape != (1, 1):
        array = array.ravel()
    return Matrix(
        _checked(array.astype(np.float64), source, lambda i, j: f"{source}, row {i + 1}, column {j + 1}"), None, source
    )


def _of_table(table: Table) -> Matrix:
    """Convert a table to a matrix; its shape shows whether it has a row or a column of names."""
    if table.names == default_names(len(table.names)):
        table = _renamed(table)
        header = None
    else:
        header = table.names
    n, m = len(table), len(table.names)
    first = table.columns[table.names[0]]
    if n == m and header is None and n > 1 and _is_missing(first[0]):  # pandas writes a header ",0,1,2" above numbers
        names, table = _texts(table, table.names[0])[1:], table.take(range(1, n)).select(table.names[1:])
    elif m == n + 1 and (first.dtype.kind in "UO" or (n > 1 and _begins_with_zero(table, 0, 1))):
        names, table = _texts(table, table.names[0]), table.select(table.names[1:])
    elif header is None and n == m + 1 and m > 1 and _begins_with_zero(table, 1, 0):  # a header of numbers
        names = [_texts(table, name)[0] for name in table.names]
        table = table.take(range(1, n))
    else:
        names = list(header) if header is not None and n == m else []
    values = table.numbers(table.names)
    if 1 in values.shape and values.shape != (1, 1):
        values = values.ravel()
    elif values.shape == (1, 1) and values[0, 0]:
        values = values[0]  # the one distance of two points

    def where(i: int, j: int) -> str:
        if values.ndim == 1 and len(table) == 1:
            i, j = 0, i
        return table.where(i, table.names[min(j, len(table.names) - 1)])

    return Matrix(_checked(values, table.source, where), tuple(names) or None, table.source)


def _renamed(table: Table) -> Table:
    """Name columns without names by their numbers."""
    numbers = {name: str(k) for k, name in enumerate(table.names, 1)}
    kept = {numbers[name]: cells for name, cells in table.kept.items()}
    return Table(
        {numbers[name]: array for name, array in table.columns.items()}, table.source, rows=table.rows, kept=kept
    )


def _begins_with_zero(table: Table, row: int, column: int) -> bool:
    """Whether a matrix that starts at this row and column has 0 in the first two entries of its diagonal."""
    return all(table.columns[table.names[column + k]][row + k] in (0.0, "0") for k in (0, 1))


def _texts(table: Table, name: str) -> list[str]:
    kept = table.kept.get(name)
    cells = kept.cells if kept is not None and kept.family == "text" else table.columns[name]
    return [str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell) for cell in cells.tolist()]


def _is_missing(cell: Any) -> bool:
    return bool(cell == "" if isinstance(cell, str) else cell != cell)  # noqa: PLR0124  NaN


def _checked(values: Floats, source: str, where: Where) -> Floats:
    """Raise unless values are finite and ≥ 0, and either condensed, or square, symmetric and 0 on the diagonal."""
    if values.ndim == 1:
        _n_points(len(values), source)
    elif values.shape[0] != values.shape[1] or not values.size:
        raise ValueError(
            f"{source} has {values.shape[0]} rows and {values.shape[1]} columns; distances are square, or condensed in "
            "one row or column; if these are coordinates, leave out --distances"
        )
    for wrong, what in ((~np.isfinite(values), "finite"), (values < 0, "0 or more")):
        if wrong.any():
            at = _first(wrong)
            raise ValueError(f"{where(*at)}: a distance must be {what}, got {values[at[: values.ndim]]:g}")
    if values.ndim == 2:
        _check_square(values, where)
    return values


def _check_square(values: Floats, where: Where) -> None:
    if values.diagonal().any():
        k = int(np.flatnonzero(values.diagonal())[0])
        raise ValueError(f"{where(k, k)}: the distance of a point to itself must be 0, got {values[k, k]:g}")
    tolerance = _NEAR * values.max()
    for start in range(0, len(values), _ROWS):
        rows = slice(start, start + _ROWS)
        off = np.abs(values[rows] - values[:, rows].T) > tolerance
        if off.any():
            i, j = _first(off)
            i += start
            raise ValueError(
                f"{where(i, j)}: distances must be symmetric, got {values[i, j]:.12g} here and {values[j, i]:.12g} at "
                f"{where(j, i).removeprefix(where(j, i).split(', ')[0] + ', ')}; fix one of them, or use (D + D.T) / 2"
            )


def _first(wrong: NDArray[np.bool_]) -> tuple[int, int]:
    at: Sequence[Any] = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return int(at[0]), int(at[1]) if len(at) > 1 else 0


def _n_points(length: int, source: str = "") -> int:
    n = (1 + isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or not length:
        raise ValueError(
            f"{source} holds one row or column of {length} numbers; condensed distances are n(n − 1)/2 numbers: "
            "1, 3, 6, 10, …"
        )
    return n
