"""Choose the coordinate columns of a table, and make notes about them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..tables import Table
    from .running import Run

_DEGREES = ("longitude", "latitude", "lon", "lat")
_GROUPED = re.compile(r"[-+]?\d{1,3}([.,' ]\d{3})+([.,]\d+)?")  # 1.234,5 or 1,234.5
_LOOKED_AT = 1000  # rows that are examined


def columns_named(table: Table, columns: str | None) -> list[str] | None:
    """Names of the columns in an option, given by name or by number from 1."""
    if columns is None:
        return None
    words = [word.strip() for word in next(csv.reader([columns], skipinitialspace=True), [])]
    if not any(words):
        raise ValueError("--columns must name at least one column, for example x,y or 1,2")
    return [_one(table, word) for word in words if word]


def _one(table: Table, word: str) -> str:
    if word in table.names or not word.isdecimal():
        table.column(word)
        return word
    if not 1 <= int(word) <= len(table.names):
        raise ValueError(f"{table.source} has {len(table.names)} columns, so there is no column {word}; count from 1")
    return table.names[int(word) - 1]


def column_named(table: Table, word: str | None) -> str | None:
    """Name of a column given by name or by number from 1."""
    return None if word is None else _one(table, word)


def set_aside(table: Table, others: tuple[str, ...], run: Run) -> tuple[str, ...]:
    """Columns that are not coordinates: those with another purpose, and row numbers."""
    aside = list(dict.fromkeys(others))
    for name in table.counters:
        if name not in aside and len(table.numeric) - len(aside) > 1:
            run.note(f"column {name} counts the rows and is left out; use --columns to include it")
            aside.append(name)
    return tuple(aside)


def say_of_columns(table: Table, names: tuple[str, ...], others: tuple[str, ...], run: Run) -> None:
    """Notes on numeric columns that are left out by default, and on degrees."""
    if left := tuple(name for name in others if name not in names):
        run.note(f"{' and '.join(names)} are used as coordinates; use --columns to include {shortened(left)}")
    if any(name.lower() in _DEGREES for name in names) and not any("degrees" in note for note in table.notes):
        run.note("longitude and latitude are degrees, not meters; project them where distances matter")


def say_of_thousands(table: Table, run: Run) -> None:
    """Notes on columns that are text only because of thousands separators."""
    for name in table.names:
        grouped = [] if name in table.numeric else _grouped(table, name)
        if grouped:
            run.note(f"column {name} is left out: {grouped[0]!r} is not read as a number; remove thousands separators")


def _grouped(table: Table, name: str) -> list[str]:
    """Cells with thousands separators, if at least half of the first cells have them."""
    cells = [str(cell) for cell in table.column(name)[:_LOOKED_AT]]
    found = [cell for cell in cells if _GROUPED.fullmatch(cell)]
    return found if 2 * len(found) >= len(cells) else []


def shortened(names: tuple[str, ...]) -> str:
    """Names for a message; if there are many, some of them and their number."""
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} ... {names[-1]} ({len(names)})"
