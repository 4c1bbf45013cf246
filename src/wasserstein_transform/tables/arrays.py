"""The columns of an array as coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .. import _check as check
from .._types import Floats
from .cells import Column, say_left_out
from .filling import gaps_in_words

MIN_NUMBERS_BESIDE_FLAGS = 2  # columns of numbers beside which those of 0 and 1 are left out, as categories are
MAX_COLUMNS_WITH_FLAGS = 50  # more columns are often of one kind, such as pixels
MAX_DENSE_CELLS = 10_000_000  # of a sparse matrix that is stored


@dataclass(frozen=True, eq=False)
class TableValues:
    """What was read from a table or an array: all columns, and the coordinates of those that are used."""

    columns: list[Column]
    values: Floats
    """Coordinates, shape (n, m), NaN in gaps."""
    notes: list[str]
    has_names: bool = False
    errors: Floats | None = None
    error_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(name for column in self.used for name in column.names)

    @property
    def used(self) -> list[Column]:
        """The columns that are used."""
        return [column for column in self.columns if not column.why_not]


def read_array(X: Any, columns: Sequence[Any] | None) -> TableValues:
    """Read the columns with the given numbers, else all but mostly empty ones, and flags beside numbers."""
    values, notes = floats_of(X), []
    if issparse(X):
        notes.append(f"the sparse matrix was stored as {values.shape[0]} × {values.shape[1]} numbers")
    m = values.shape[1]
    chosen = list(range(m)) if columns is None else list(np.atleast_1d(np.asarray(columns, object)))
    if not chosen or not all(type(k) is not bool and isinstance(k, int | np.integer) and 0 <= k < m for k in chosen):
        raise ValueError(
            f"columns of an array must be numbers from 0 to {m - 1}, got {check.shown(columns)}; a DataFrame has names"
        )
    empty = 2 * np.isnan(values).sum(axis=0) > len(values) if columns is None else np.zeros(m, bool)
    given, flags = set(map(int, chosen)), np.zeros(m, bool)
    if columns is None and m <= MAX_COLUMNS_WITH_FLAGS and not issparse(X):
        flags = ((values == 0) | (values == 1) | np.isnan(values)).all(axis=0)
        flags &= np.count_nonzero(~flags & ~empty) >= MIN_NUMBERS_BESIDE_FLAGS
    why = [
        "is mostly empty" if empty[k] else "holds 0 and 1" if flags[k] else "" if k in given else "was not asked for"
        for k in range(m)
    ]
    all_columns = [Column(str(k), "coordinate", why[k]) for k in range(m)]
    if empty.all():
        raise ValueError(f"every column is mostly empty, {gaps_in_words(values, tuple(map(str, range(m))))}")
    notes += say_left_out([column for k, column in enumerate(all_columns) if empty[k] or flags[k]])
    used = [k for k in range(m) if not why[k]]
    return TableValues(all_columns, values if len(used) == m else np.ascontiguousarray(values[:, used]), notes)


def floats_of(X: Any, name: str = "points") -> Floats:
    """Return a checked copy of an array, shape (n, m), with NaN where values are missing."""
    if issparse(X):
        n, m = X.shape
        if n * m > MAX_DENSE_CELLS:
            raise ValueError(
                f"{name} must be a dense array, got a sparse matrix of {n} × {m}; reduce it first: "
                f"sklearn.decomposition.TruncatedSVD(50).fit_transform(X)"
            )
        X = X.toarray()
    if isinstance(X, list | tuple):
        with suppress(ValueError):  # rows of different lengths: `check.points` raises the error
            X = np.asarray(X)
    gaps = np.isnan(X) if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not np.ma.is_masked(X) else None
    if gaps is None or not gaps.any():
        values = check.points(X, name)
    else:
        values = check.points(np.where(gaps, 0.0, X), name)
        values[gaps] = np.nan
    check.not_distances(values, name)
    return values
