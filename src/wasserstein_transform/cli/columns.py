"""Choose the coordinate columns of a table, and make notes about them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

    from .running import Run

_DEGREES = ("longitude", "latitude", "lon", "lat")
_GROUPED = re.compile(r"[-+]?\d{1,3}([.,' ]\d{3})+([.,]\d+)?")  # 1.234,5 or 1,234.5
_LOOKED_AT = 1000  # rows that are examined


def columns_named(table: DataFrame, columns: str | None) -> list[str] | None:
    """Names of the columns in an option, given by name or by number from 1."""
    if columns is None:
        return None
    words = [word.strip() for word in next(csv.reader([columns], skipinitialspace=True), [])]
    if not any(words):
        raise ValueError("--columns must name at least one column, for example x,y or 1,2")
    return [_one(table, word) for word in words if word]


def _one(table: DataFrame, word: str) -> str:
    from ..tables.columns import column, source_of

    names = list(table.columns)
    if word in names or not word.isdecimal():
        column(table, word)
        return word
    if not 1 <= int(word) <= len(names):
        raise ValueError(f"{source_of(table)} has {len(names)} columns, so there is no column {word}; count from 1")
    return str(names[int(word) - 1])


def column_named(table: DataFrame, word: str | None) -> str | None:
    """Name of a column given by name or by number from 1."""
    return None if word is None else _one(table, word)


def set_aside(table: DataFrame, others: tuple[str, ...], run: Run) -> tuple[str, ...]:
    """Columns that are not coordinates: those with another purpose, and row numbers."""
    from ..tables.columns import counters, numeric

    aside = list(dict.fromkeys(others))
    for name in counters(table):
        if name not in aside and len(numeric(table)) - len(aside) > 1:
            run.note(f"column {name} counts the rows and is left out; use --columns to include it")
            aside.append(name)
    return tuple(aside)


def say_of_columns(table: DataFrame, names: tuple[str, ...], others: tuple[str, ...], run: Run) -> None:
    """Notes on numeric columns that are left out by default, and on degrees."""
    if left := tuple(name for name in others if name not in names):
        run.note(f"{' and '.join(names)} are used as coordinates; use --columns to include {shortened(left)}")
    if any(name.lower() in _DEGREES for name in names) and not any("degrees" in note for note in table.attrs["notes"]):
        run.note("longitude and latitude are degrees, not meters; project them where distances matter")


def say_of_thousands(table: DataFrame, run: Run) -> None:
    """Notes on columns that are text only because of thousands separators."""
    from ..tables.columns import numeric

    for name in set(table.columns) - set(numeric(table)):
        grouped = _grouped(table, name)
        if grouped:
            run.note(f"column {name} is left out: {grouped[0]!r} is not read as a number; remove thousands separators")


def _grouped(table: DataFrame, name: str) -> list[str]:
    """Cells with thousands separators, if at least half of the first cells have them."""
    cells = [str(cell) for cell in table[name].iloc[:_LOOKED_AT]]
    found = [cell for cell in cells if _GROUPED.fullmatch(cell)]
    return found if 2 * len(found) >= len(cells) else []


def shortened(names: tuple[str, ...]) -> str:
    """Names for a message; if there are many, some of them and their number."""
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} ... {names[-1]} ({len(names)})"
