"""The Table class: named columns of equal length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from html import escape
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._check import warn_of_rounding
from .._shown import frame, table as as_html
from .._types import Floats, Ints
from .columns import LISTED, Kept, Rows, as_column, free_name, is_missing, listed, number_of

_SHOWN = 5  # rows shown in a notebook

_PLACES = (
    ("x", "y", "z"), ("x", "y"), ("longitude", "latitude"), ("lon", "lat"), ("lng", "lat"), ("easting", "northing"),
)  # fmt: skip
_COUNTS = (
    "id",
    "fid",
    "index",
    "row",
    "no",
    "nr",
    "number",
    "unnamed: 0",
    "column_1",
)  # names of columns that number the rows


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns of equal length, as `read` and `as_table` return them.

    Attributes
    ----------
    columns : mapping from names to arrays of shape (n,)
        In the order of the file. Numbers are float64 (NaN if missing) or int64, text is an array of str, booleans and
        dates have NumPy's types. A column of numbers with text in one cell is a column of text.
    source : str, default "the table"
        Name of the table in error messages: the name of the file, or "the pipe".
    axes : tuple of str, default ()
        Coordinate columns according to the file format (LAS, PLY, GeoJSON); empty if the format has none.
    notes : tuple of str, default ()
        Remarks about reading: another encoding, columns that were left out, columns that were renamed.
    rows : Rows
        Names of the rows in error messages; by default row 1, row 2, ….
    kept : mapping from names to Kept, default {}
        Original cells of columns whose values do not hold everything, such as 007. They are written back.
    left_out : mapping from names to str, default {}
        Columns of the file that were not read, and the reason.
    origin : object, default None
        Data that a format needs for writing, such as the header of a LAS file.

    Examples
    --------
    >>> from wasserstein_transform.tables import Table
    >>> table = Table({"x": [0.0, 1.0, 2.0], "y": [1.0, 1.0, 0.0], "kind": ["a", "b", "a"]})
    >>> table.numbers().shape
    (3, 2)
    >>> table.labels("kind")
    (array([0, 1, 0]), ('a', 'b'))
    """

    columns: Mapping[str, NDArray[Any]]
    source: str = "the table"
    axes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rows: Rows = field(default_factory=Rows)
    kept: Mapping[str, Kept] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    origin: Any = None

    def __post_init__(self) -> None:
        arrays = {str(name): as_column(values, str(name), self.source) for name, values in self.columns.items()}
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name!s:.60} {length}" for name, length in list(lengths.items())[:LISTED])
            raise ValueError(f"{self.source}: all columns must have the same number of rows, got {told}")
        object.__setattr__(self, "columns", MappingProxyType(arrays))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the numeric columns: at least half of the cells that are not missing are numbers."""
        return tuple(name for name, array in self.columns.items() if _is_numeric(array))

    def column(self, name: str) -> NDArray[Any]:
        """The column with this name; a ValueError suggests a similar name if there is none."""
        if name in self.left_out:
            raise ValueError(
                f"{self.source}, column {name!s:.60} {self.left_out[name]}, and was left out; choose another column"
            )
        if name not in self.columns:
            near = get_close_matches(str(name), self.names, 1, 0.5)
            guess = f"did you mean {near[0]}? " if near else ""
            raise ValueError(f"{self.source} has no column {name!s:.60}; {guess}its columns are {listed(self.names)}")
        return self.columns[name]

    def numbers(self, names: Sequence[str] | None = None, leave_out: Sequence[str] = ()) -> Floats:
        """Return columns as points, one row per point.

        Parameters
        ----------
        names : sequence of str, optional
            Columns to use. Default None: the `places` if there are any, else all numeric columns.
        leave_out : sequence of str, default ()
            Columns not to use if `names` is None.

        Returns
        -------
        array of shape (n, m)
            Finite numbers. Text, a missing or an infinite value raises a ValueError that gives file, line and column.
        """
        names = self.chosen(names, leave_out)
        out = np.empty((len(self), len(names)))
        for k, name in enumerate(names):
            out[:, k] = self._floats(name)
        return out

    def chosen(self, names: Sequence[str] | None = None, leave_out: Sequence[str] = ()) -> tuple[str, ...]:
        """Names of the columns that `numbers` uses."""
        if names is not None:
            names = (names,) if isinstance(names, str) else tuple(names)
            counts = Counter(names)
            for name in names:
                self.column(name)
                if counts[name] > 1:
                    raise ValueError(f"{self.source}: column {name!s:.60} is given twice; name it once")
            if not names:
                raise ValueError(f"{self.source}: at least one column is needed, got none")
            return names
        without = {leave_out} if isinstance(leave_out, str) else set(leave_out)
        for name in without:
            self.column(name)
        places = self.places if without.isdisjoint(self.places) else ()
        found = tuple(name for name in places or self.numeric if name not in without)
        if not found:
            beside = f" beside {listed(sorted(without))}" if without else ""
            raise ValueError(f"{self.source} has no column of numbers{beside}; its columns are {listed(self.names)}")
        return found

    @property
    def places(self) -> tuple[str, ...]:
        """Coordinate columns: the `axes` of the format, else columns named such as x and y or lon and lat."""
        known = {name.lower(): name for name in reversed(self.numeric)}
        named = (tuple(known[name] for name in names) for names in _PLACES if known.keys() >= set(names))
        return self.axes or next(named, ())

    @property
    def counters(self) -> tuple[str, ...]:
        """Columns that number the rows: consecutive integers with a name such as `id`."""
        names = []
        for name in self.numeric:
            values = self.columns[name]
            whole = values.dtype.kind in "iu" and len(values) > 1 and name.lower() in _COUNTS
            if whole and bool((np.diff(values) == 1).all()):
                names.append(name)
        return tuple(names)

    def labels(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """A column as labels: an integer code for each row (−1 if missing), and the names of the codes."""
        values = self.column(name)
        missing = np.array([is_missing(cell) for cell in values.tolist()], np.bool_)
        cells = self._texts(name)
        if cells is None:
            found, codes = np.unique(values[~missing], return_inverse=True)
            names = tuple(map(str, found.tolist()))
        else:
            found, codes = np.unique(np.array(cells, object)[~missing].astype(np.str_), return_inverse=True)
            names = tuple(found.tolist())
        out = np.full(len(self), -1, np.intp)
        out[~missing] = codes
        return out, names

    def weights(self, name: str) -> Floats:
        """A column as weights of shape (n,): finite, ≥ 0, not all 0."""
        values = self.numbers((name,))[:, 0]
        if (values < 0).any():
            row = int(np.argmax(values < 0))
            raise ValueError(f"{self.where(row, name)}: a weight must not be negative, got {values[row]:g}")
        if len(values) and not values.any():
            raise ValueError(f"{self.source}, column {name!s:.60}: weights must not all be 0; choose another column")
        return values

    def with_columns(self, new: Mapping[str, ArrayLike]) -> Self:
        """The table with new columns added; if a name is taken, a number is appended to it, with a note in `notes`."""
        columns, notes = dict(self.columns), list(self.notes)
        for name, values in new.items():
            free = free_name(name, columns)
            if free != name:
                notes.append(f"{self.source} has a column {name!s:.60}; the new one is {free}")
            columns[free] = as_column(values, free, self.source)
            if len(columns[free]) != len(self):
                raise ValueError(
                    f"{self.source}: the new column {free} needs {len(self)} values, one for each row, got "
                    f"{len(columns[free])}"
                )
        return replace(self, columns=columns, notes=tuple(notes))

    def select(self, names: Sequence[str]) -> Self:
        """The table with only these columns, in this order."""
        columns = {name: self.column(name) for name in ((names,) if isinstance(names, str) else names)}
        return replace(
            self,
            columns=columns,
            axes=tuple(name for name in self.axes if name in columns),
            kept={name: kept for name, kept in self.kept.items() if name in columns},
        )

    def take(self, rows: ArrayLike) -> Self:
        """The table with only these rows, given by positions or a boolean mask; rows keep their line numbers."""
        index = np.arange(len(self))[np.asarray(rows if np.size(rows) else np.empty(0, np.intp))]
        return replace(
            self,
            columns={name: array[index] for name, array in self.columns.items()},
            rows=self.rows.take(index),
            kept={name: kept._replace(cells=kept.cells.take(index)) for name, kept in self.kept.items()},
        )

    def where(self, row: int, name: str) -> str:
        """Position of a cell for messages: points.csv, line 17, column y."""
        return f"{self.source}, {self.rows.name(row)}, column {name!s:.60}"

    def to_pandas(self) -> Any:
        """The columns as a pandas DataFrame."""
        return frame(dict(self.columns), "table.columns holds the same")

    def _texts(self, name: str) -> Any:
        """The cells as text if they are more than numbers, else None."""
        kept = self.kept.get(name)
        if kept is not None and kept.family == "text":
            return kept.cells
        return self.columns[name] if self.columns[name].dtype.kind in "UO" else None

    def _floats(self, name: str) -> Floats:
        values = self.columns[name]
        if values.dtype.kind == "M":
            raise ValueError(
                f"{self.source}, column {name!s:.60} holds dates, not numbers; leave it out with --columns"
            )
        if values.dtype.kind in "UO":
            return np.array([self._number(cell, row, name) for row, cell in enumerate(values.tolist())], np.float64)
        warn_of_rounding(values, f"{self.source}, column {name!s:.60},")
        floats = values.astype(np.float64)
        if not np.isfinite(floats).all():
            row = int(np.argmin(np.isfinite(floats)))
            raise self._fault(row, name)
        return floats

    def _number(self, cell: str | None, row: int, name: str) -> float:
        number = None if cell is None or is_missing(cell) else number_of(cell)
        if number is None or not np.isfinite(number):
            raise self._fault(row, name)
        return number

    def _fault(self, row: int, name: str) -> ValueError:
        """The error for a cell that should be a finite number."""
        texts = self._texts(name)
        cell = self.columns[name][row] if texts is None else texts[row]
        shown, instead = f"'{cell!s:.40}'", "mend it"
        what = "is not finite" if number_of(str(cell)) is not None else "is not a number"
        if is_missing(cell):
            shown = shown if cell is not None and str(cell).strip() else "the cell is empty and"
            what, instead = "stands for a missing value", "fill it in, drop the row"
            what = what if shown.startswith("'") else "a number is needed"
        return ValueError(f"{self.where(row, name)}: {shown} {what}; {instead}, or leave the column out with --columns")

    def __repr__(self) -> str:
        return f"<Table {self.source}: {len(self)} rows, columns {listed(self.names)}>"

    def _repr_html_(self) -> str:
        head = self.take(range(min(_SHOWN, len(self))))
        rows = zip(*(map(str, array.tolist()) for array in head.columns.values()), strict=True)
        return as_html(escape(f"{self.source}: {len(self)} rows"), self.names, rows)


def _is_numeric(array: NDArray[Any]) -> bool:
    if array.dtype.kind in "iuf":
        return bool(array.dtype.kind != "f" or len(array) == 0 or not np.isnan(array).all())
    if array.dtype.kind not in "UO":
        return False
    there = {cell: count for cell, count in Counter(array.tolist()).items() if not is_missing(cell)}
    n_numbers = sum(count for cell, count in there.items() if number_of(cell) is not None)
    return bool(there) and 2 * n_numbers >= sum(there.values())
