"""Read distance matrices from files: square or condensed, with or without names."""

from __future__ import annotations

import pandas as pd

from ..spaces.dense import as_distances
from ..tables.columns import coordinates, default_names, is_missing, is_text
from . import arrays
from .files import Readable, load, read
from .formats import TEXT, called, kind_of

MATRIX_KINDS = (*TEXT, "parquet", "npy", "npz")
MATRIX_ARRAY_NAMES = ("distances", "D", "matrix", "arr_0")  # usual names of the main array


def read_matrix(source: Readable, *, kind: str | None = None, name: str | None = None) -> pd.DataFrame:
    r"""Read distances from a file: CSV, TSV, text, Parquet, NPY or NPZ.

    Parameters
    ----------
    source, kind, name
        As for `read`. The file holds a square matrix, with or without a row or a column of names, or condensed
        distances in one row or column, as by SciPy's `pdist`.

    Returns
    -------
    DataFrame of shape (n, n)
        Finite distances ≥ 0, symmetric and with 0 on the diagonal; rows and columns have the names of the points, or
        numbers from 0.

    Raises
    ------
    ValueError
        If the file is not such a matrix. The message gives file and place.

    Notes
    -----
    Time and memory O(n²).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.io.read_matrix(b",Rome,Oslo\nRome,0,2006\nOslo,2006,0\n")
            Rome    Oslo
    Rome     0.0  2006.0
    Oslo  2006.0     0.0
    >>> wt.Space.from_distances(wt.io.read_matrix(b"3\n4\n5\n")).n  # condensed: three distances of three points
    3
    """
    content, shown = load(source, name)
    kind = kind_of(content, shown, kind) if content.strip() else kind
    if kind is not None and kind not in MATRIX_KINDS:
        raise ValueError(f"{shown}: distances are read from {', '.join(MATRIX_KINDS)}, not from {called(kind)}")
    names = list[str]()
    if kind == "npy":
        values = arrays.array_of(content, shown)
    elif kind == "npz":
        values = arrays.main_array(arrays.arrays_of(content, shown), MATRIX_ARRAY_NAMES, shown)
    else:
        names, frame = _without_names(read(content, kind=kind, name=shown))
        values = coordinates(frame, list(frame.columns))
    if 1 in values.shape and (values.shape != (1, 1) or values[0, 0]):  # (1, 1): one distance of two points
        values = values.ravel()
    square = as_distances(values, shown)
    return pd.DataFrame(square, names or None, names or None)


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
