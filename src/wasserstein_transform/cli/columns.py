"""Choose the coordinate columns of a table, and make notes about them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

    from .running import Run

_DEGREES = ("longitude", "latitude", "lon", "lat")


def columns_named(table: DataFrame, columns: str | None, option: str = "columns") -> list[str] | None:
    """Names of the columns in an option, given by name or by number from 1."""
    if columns is None:
        return None
    words = [word.strip() for word in next(csv.reader([columns], skipinitialspace=True), [])]
    if not any(words):
        raise ValueError(f"--{option} must name at least one column, for example x,y or 1,2")
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
    say_of_left_out(names, others, run)
    if any(name.lower() in _DEGREES for name in names) and not any("degrees" in note for note in table.attrs["notes"]):
        run.note("longitude and latitude are degrees, not meters; project them where distances matter")


def say_of_left_out(names: tuple[str, ...], others: tuple[str, ...], run: Run) -> None:
    """A note on numeric columns that are left out by default."""
    if left := tuple(sorted(name for name in others if name not in names)):
        run.note(f"{' and '.join(names)} are used as coordinates; use --columns to include {shortened(left)}")


def shortened(names: tuple[str, ...]) -> str:
    """Names for a message; if there are many, some of them and their number."""
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} ... {names[-1]} ({len(names)})"
