"""Distances from files: square or condensed, with or without names."""

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
_NAMES = ("distances", "D", "matrix", "arr_0")  # what people call the array that matters
_ROWS = 64  # that are compared with as many columns at a time
_NEAR = 1e-9  # of the largest: what rounding leaves between two halves

Where: TypeAlias = Callable[[int, int], str]


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Brief):
    """Distances of n points.

    Attributes
    ----------
    distances : array of shape (n, n) or (n(n − 1)/2,)
        Square, or condensed as SciPy's `pdist` gives it: as it came.
    names : tuple of str, optional
        Names of the points.
    source : str
        The name of the file.
    """

    distances: Floats
    names: tuple[str, ...] | None = None
    source: str = "the matrix"

    @property
    def n(self) -> int:
        """How many points there are."""
        return len(self.distances) if self.distances.ndim == 2 else _n_points(len(self.distances))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.distances, dtype, copy=copy)


def read_matrix(source: Readable, *, kind: str | None = None, name: str | None = None) -> Matrix:
    r"""Distances from a file: CSV, TSV, text, Parquet, NPY or NPZ.

    Parameters
    ----------
    source, kind, name
        As for `read`.

    Returns
    -------
    Matrix
        Finite distances ≥ 0, symmetric with 0 on the diagonal, or a condensed vector of n(n − 1)/2 of them; names where
        the file has a row or a column of them. What is wrong is named with file, line and column.

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
    """A table as a matrix: a row and a column of names are told by the shape."""
    if table.names == default_names(len(table.names)):
        table = _renamed(table)
        header = None
    else:
        header = table.names
    n, m = len(table), len(table.names)
    first = table.columns[table.names[0]]
    if n == m and header is None and n > 1 and _is_missing(first[0]):  # pandas writes ",0,1,2" over numbers
        names, table = _texts(table, table.names[0])[1:], table.take(range(1, n)).select(table.names[1:])
    elif m == n + 1 and (first.dtype.kind in "UO" or (n > 1 and _begins_with_zero(table, 0, 1))):
        names, table = _texts(table, table.names[0]), table.select(table.names[1:])
    elif header is None and n == m + 1 and m > 1 and _begins_with_zero(table, 1, 0):  # names that are numbers
        names = [_texts(table, name)[0] for name in table.names]
        table = table.take(range(1, n))
    else:
        names = list(header) if header is not None and n == m else []
    values = table.numbers(table.names)
    if 1 in values.shape and values.shape != (1, 1):
        values = values.ravel()
    elif values.shape == (1, 1) and values[0, 0]:
        values = values[0]  # one distance of two points

    def where(i: int, j: int) -> str:
        if values.ndim == 1 and len(table) == 1:
            i, j = 0, i
        return table.where(i, table.names[min(j, len(table.names) - 1)])

    return Matrix(_checked(values, table.source, where), tuple(names) or None, table.source)


def _renamed(table: Table) -> Table:
    """Columns without names go by their numbers."""
    numbers = {name: str(k) for k, name in enumerate(table.names, 1)}
    kept = {numbers[name]: cells for name, cells in table.kept.items()}
    return Table(
        {numbers[name]: array for name, array in table.columns.items()}, table.source, rows=table.rows, kept=kept
    )


def _begins_with_zero(table: Table, row: int, column: int) -> bool:
    """Whether a matrix that begins there has 0 in its first two places on the diagonal."""
    return all(table.columns[table.names[column + k]][row + k] in (0.0, "0") for k in (0, 1))


def _texts(table: Table, name: str) -> list[str]:
    kept = table.kept.get(name)
    cells = kept.cells if kept is not None and kept.family == "text" else table.columns[name]
    return [str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell) for cell in cells.tolist()]


def _is_missing(cell: Any) -> bool:
    return bool(cell == "" if isinstance(cell, str) else cell != cell)  # noqa: PLR0124  NaN


def _checked(values: Floats, source: str, where: Where) -> Floats:
    """Finite, ≥ 0; a condensed vector, or square, symmetric and 0 on the diagonal."""
    if values.ndim == 1:
        _n_points(len(values), source)
    elif values.shape[0] != values.shape[1] or not values.size:
        raise ValueError(
            f"{source} has {values.shape[0]} rows and {values.shape[1]} columns; distances are square, or condensed in "
            "one row or column; for coordinates leave out --distances"
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
                f"{where(j, i).removeprefix(where(j, i).split(', ')[0] + ', ')}; mend one, or take (D + D.T) / 2"
            )


def _first(wrong: NDArray[np.bool_]) -> tuple[int, int]:
    at: Sequence[Any] = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return int(at[0]), int(at[1]) if len(at) > 1 else 0


def _n_points(length: int, source: str = "") -> int:
    n = (1 + isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length or not length:
        raise ValueError(
            f"{source} holds one row or column of {length} numbers; condensed distances are n(n − 1)/2 of them: "
            "1, 3, 6, 10, …"
        )
    return n
