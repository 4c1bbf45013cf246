"""Text in the cells of a table as people write it: numbers with separators and units, dates, yes and no."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._archive import archived, check_type
from .._types import Floats

MISSING = ("", "na", "n/a", "#n/a", "nan", "?", "null", "none", "<na>")
"""Cells that mean a missing value, in lower case."""

_BLANKS = " \u00a0\u202f"  # also those that do not break
_MONEY = "[€$£¥₹]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
_UNIT = rf"{_MONEY}|[%‰°]|°?[^\W\d_]{{1,9}}[²³]?(?:/[^\W\d_]{{1,9}}[²³]?)?"
_WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−]?)\s*(?P<before>{_MONEY})?\s*(?P<sign2>[-+−]?)"
    rf"(?P<body>[0-9.,][0-9.,'’{_BLANKS}]*?(?:[eE][-+]?[0-9]+)?|inf)\s*(?P<after>{_UNIT})?(?P<close>\))?"
)
_BODIES = {
    point: re.compile(
        rf"(?=\D?\d)(?:\d{{1,3}}(?P<mark>[{'.' if point == ',' else ','}'’{_BLANKS}])\d{{3}}(?:(?P=mark)\d{{3}})*|\d+)?"
        rf"(?:[{point}]\d*)?(?:[eE][-+]?\d+)?|inf"
    )
    for point in ".,"
}
_CODE = re.compile(r"0\d+")  # a post code or a number of a part, not a quantity
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:\s?(?:Z|UTC|[-+]\d\d:?\d\d))?"
_MONTH = r"(?:Jan|Feb|Mar|Mär|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)[a-zä]*\.?"
_DAY = (
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})"
    rf"|\d{{1,2}}\.?[\s-]{_MONTH}[\s-]\d{{2,4}}|{_MONTH}\s\d{{1,2}},?\s\d{{4}}|{_MONTH}\s\d{{4}}"
)
_DATE = re.compile(rf"(?:(?:{_DAY})(?:[T\s]\s?{_CLOCK})?|{_CLOCK})", re.IGNORECASE)
_BOOLEANS = {
    frozenset(pair.split()): pair.split()
    for pair in (
        "false true", "no yes", "n y", "f t", "f m", "female male", "0 1", "0.0 1.0", "off on", "nein ja", "non oui",
    )
}  # fmt: skip


@archived
@dataclass(frozen=True)
class Column:
    """How a column of a table is read.

    Attributes
    ----------
    name : str
        Its name; that of a column of an array is its number, from 0.
    kind : str
        "number", "percent", "money", "boolean", "category", "date"; if it is left out also "id", "text", …
    why_not : str
        Why it is left out; "" if it is used.
    unit : str
        Unit of the cells or in the name, such as "mm"; "" if there is none.
    decimal : str
        The decimal mark in text.
    levels : tuple of str
        The values of a category or a boolean.
    """

    name: str
    kind: str
    why_not: str = ""
    unit: str = ""
    decimal: str = "."
    levels: tuple[str, ...] = ()

    def _check_archived(self) -> None:
        for name in ("name", "kind", "why_not", "unit", "decimal"):
            check_type(getattr(self, name), name, str)
        check_type(self.levels, "levels", tuple)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coordinates: one, but for a category one for each value."""
        return tuple(f"{self.name}={level}" for level in self.levels) if self.kind == "category" else (self.name,)


class Numbers(NamedTuple):
    """Numbers in cells of text: NaN where there is none; the decimal mark; the units found, most frequent first."""

    values: Floats
    decimal: str
    units: tuple[str, ...]


def read_numbers(cells: Iterable[str], decimal: str = ".", *, fixed: bool = False) -> Numbers:
    """Read 3,682.50 or 1.234,56, 84.7%, € 12, (1,200) and 12 kg; the mark that fits most cells is taken.

    `decimal` is taken if both marks fit as many cells, or if it is `fixed`.
    """
    found = [None if _CODE.fullmatch(cell) else _WRITTEN.fullmatch(cell) for cell in map(str.strip, cells)]
    marks = (decimal,) if fixed else (decimal, *(mark for mark in ".," if mark != decimal))
    fits = {mark: [one and _BODIES[mark].fullmatch(one["body"]) for one in found] for mark in marks}
    best = max(marks, key=lambda mark: sum(fit is not None for fit in fits[mark]))
    values, units = np.full(len(found), np.nan), Counter[str]()
    for k, (one, fit) in enumerate(zip(found, fits[best], strict=True)):
        if one and fit and bool(one["open"]) == bool(one["close"]):
            values[k] = _value(one, best)
            units[one["before"] or one["after"] or ""] += 1
    return Numbers(values, best, tuple(unit for unit, _ in units.most_common()))


def _value(one: re.Match[str], decimal: str) -> float:
    body = re.sub(rf"['’{_BLANKS}{',' if decimal == '.' else '.'}]", "", one["body"]).replace(",", ".")
    minus = (one["sign"] in "-−" and one["sign"]) or (one["sign2"] in "-−" and one["sign2"]) or one["open"]
    return -float(body) if minus else float(body)


def is_value(cell: str) -> bool:
    """Whether a cell is a number with separators or a unit, or a date: something below a header, not in it."""
    found = _WRITTEN.fullmatch(cell.strip())
    return is_date(cell) or (found is not None and any(body.fullmatch(found["body"]) for body in _BODIES.values()))


def is_money(unit: str) -> bool:
    """Whether a unit is a currency."""
    return re.fullmatch(_MONEY, unit) is not None


def is_date(cell: str) -> bool:
    """Whether a cell is a date or a time of the day in a usual form."""
    return _DATE.fullmatch(cell.strip()) is not None


def boolean_levels(cells: Iterable[str]) -> list[str] | None:
    """Return the two values in lower case, the one that means no first; None if the cells are something else."""
    return _BOOLEANS.get(frozenset(cell.strip().lower() for cell in cells))
