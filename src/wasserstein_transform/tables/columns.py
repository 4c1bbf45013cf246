"""Columns of a table, as arrays of numbers or strings, and their names."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "?", "null", "none"))
"""Cells that mean a missing value, in lower case."""

EXACT = 2**53
"""Integers up to this one are represented exactly as floats."""

COLUMN = 2000.0
"""Bytes of memory that a text column takes while it is read, in addition to its cells."""

LISTED = 12
"""The most names that an error message lists."""

_SHORT = 16  # strings up to this length always go into a fixed-width array
_WIDEST = 64  # longer strings never do: NumPy gives every string the space of the longest


class Kept(NamedTuple):
    """The original cells of a column, kept if its values do not hold everything: 007, or a date with its time zone.

    `family` names the formats that can write them back: "text", "json" or "arrow".
    """

    family: str
    cells: Any  # a NumPy or Arrow array


class Rows(NamedTuple):
    """Names of the rows of a table in error messages: line 17, feature 3."""

    unit: str = "row"
    numbers: Sequence[int] | NDArray[np.intp] | None = None

    def name(self, k: int) -> str:
        """Name of the row at position k."""
        return f"{self.unit} {k + 1 if self.numbers is None else self.numbers[k]}"

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """The names of some of the rows."""
        numbers = None if self.numbers is None else np.asarray(self.numbers, np.intp)
        return self._replace(numbers=rows + 1 if numbers is None else numbers[rows])


def is_missing(cell: object) -> bool:
    """Whether a cell holds no value."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):  # missing values of pandas
        return True
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def number_of(cell: str) -> float | None:
    """The number in a cell, or None. Python's 1_000 and digits of other scripts do not count as numbers."""
    if "_" in cell or not cell.isascii():
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def words(cells: Sequence[Any]) -> NDArray[Any]:
    """An array of strings; of objects if strings are long or missing (None)."""
    if (
        set(map(type, cells)) <= {str} and _lie_side_by_side(list(map(len, cells))) and "\0" not in "".join(cells)
    ):  # NumPy drops \0 at the end of strings
        return np.array(cells, np.str_) if len(cells) else np.empty(0, np.str_)
    out = np.empty(len(cells), object)
    out[:] = cells
    return out


def _lie_side_by_side(lengths: list[int]) -> bool:
    """Whether a fixed-width array takes about as much memory as the strings themselves."""
    longest = max(lengths, default=0)
    return longest <= _SHORT or (
        longest <= _WIDEST and longest * len(lengths) <= _SHORT * len(lengths) + 4 * sum(lengths)
    )


def as_column(values: Any, name: str, source: str) -> NDArray[Any]:
    """Convert any array to a column: int64, float64, bool, dates, or strings."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))  # lists of different lengths
    if array.ndim != 1:
        raise ValueError(f"{source}, column {name}: one value for each row is needed, got shape {array.shape}")
    kind = array.dtype.kind
    if kind in "iu":
        return (
            array
            if array.dtype == np.uint64 and array.max(initial=0) > 2**63 - 1
            else array.astype(np.int64, copy=False)
        )
    if kind == "f":
        return array.astype(np.float64, copy=False)
    if kind in "bM" or (kind == "U" and array.dtype.itemsize <= 4 * _WIDEST):
        return array
    if kind == "O":
        return _of_objects(array.tolist())
    if kind in "UTS":
        return words(
            [cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell) for cell in array.tolist()]
        )
    raise ValueError(f"{source}, column {name}: numbers or words are needed, got {array.dtype}")


def _of_objects(cells: list[Any]) -> NDArray[Any]:
    """Numbers with NaN for missing cells if all cells are numbers; else strings with None for missing cells."""
    there = [cell for cell in cells if not is_missing(cell) or isinstance(cell, str)]
    if there and all(isinstance(cell, bool | np.bool_) for cell in there) and len(there) == len(cells):
        return np.array(cells, np.bool_)
    if there and all(isinstance(cell, int | float | np.number) and not isinstance(cell, bool) for cell in there):
        whole = len(there) == len(cells) and all(isinstance(cell, int | np.integer) for cell in there)
        if whole and all(-(2**63) <= cell < 2**63 for cell in there):
            return np.array(cells, np.int64)
        return np.array([np.nan if is_missing(cell) else _float(cell) for cell in cells])
    return words([cell if isinstance(cell, str) else None if is_missing(cell) else str(cell) for cell in cells])


def _float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer larger than any float
        return np.inf if number > 0 else -np.inf


def default_names(n: int) -> tuple[str, ...]:
    """Names for columns without names: x, y, z, or x1, …, xn."""
    return ("x", "y", "z")[:n] if n <= 3 else tuple(f"x{k}" for k in range(1, n + 1))


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names unique: a second x becomes x_2, an empty name column_3."""
    listed = [name.strip() or f"column_{k}" for k, name in enumerate(names, 1)]
    taken, seen, counts, out = set(listed), set[str](), dict[str, int](), []
    for name in listed:
        free = name
        if name in seen:  # continue from the last number: a file may repeat a name many times
            free, counts[name] = _counted(name, taken, counts.get(name, 1) + 1)
            taken.add(free)
        seen.add(name)
        out.append(free)
    return tuple(out)


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the first number appended that makes it unused if it is taken."""
    return _counted(name, taken, 2)[0] if name in taken else name


def _counted(name: str, taken: Container[str], k: int) -> tuple[str, int]:
    while f"{name}_{k}" in taken:
        k += 1
    return f"{name}_{k}", k


def listed(names: Sequence[str]) -> str:
    """Names for an error message: the first few, each shortened."""
    more = f", … ({len(names)} in all)" if len(names) > LISTED else ""
    return ", ".join(name[:60] for name in names[:LISTED]) + more if names else "none"
