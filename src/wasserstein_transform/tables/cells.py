"""Text in the cells of a table as people write it: numbers with separators and units, dates, yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import _check as check
from .._archive import archived, check_type
from .._types import Floats

MISSING = ("", "na", "n/a", "#n/a", "nan", "?", "null", "none", "<na>")
"""Cells that mean a missing value, in lower case."""

MAX_LISTED = 8
"""Columns that a note lists."""

_BLANKS = " \u00a0\u202f"  # also those that do not break
_CURRENCIES = "[€$£¥₹]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
_UNIT = rf"{_CURRENCIES}|[%‰°]|°?[^\W\d_]{{1,9}}[²³]?(?:/[^\W\d_]{{1,9}}[²³]?)?"
_NUMBER_WITH_UNIT = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+−]?)\s*(?P<before>{_CURRENCIES})?\s*(?P<sign2>[-+−]?)"
    rf"(?P<body>[0-9.,][0-9.,'’{_BLANKS}]*?(?:[eE][-+]?[0-9]+)?|(?i:inf(?:inity)?))\s*(?P<after>{_UNIT})?(?P<close>\))?"
)
_THOUSANDS_MARKS = {".": rf"[,'’{_BLANKS}]", ",": rf"[.'’{_BLANKS}]"}  # between thousands, by the decimal mark
_BODY_FORMS = {
    point: re.compile(
        rf"(?=[^\d\n]?\d)(?:[1-9]\d{{0,2}}(?P<mark>{mark})\d{{3}}(?:(?P=mark)\d{{3}})*|\d+)?"
        rf"(?:[{point}]\d*)?(?:[eE][-+]?\d+)?|(?i:inf(?:inity)?)"
    )
    for point, mark in _THOUSANDS_MARKS.items()
}
_LINES_OF_NUMBERS = {
    point: re.compile(rf"^[-+]?(?=[\d.,iI])(?:{body.pattern})$", re.MULTILINE | re.ASCII)
    for point, body in _BODY_FORMS.items()
}
_match_plain_number = re.compile(
    r"\s*[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[iI][nN][fF](?:inity)?)\s*"
).fullmatch  # a number as programs write it
_CODE_NUMBER = re.compile(r"0\d+")  # a post code or a number of a part, not a quantity
_find_code_number = re.compile(r"^0\d+$", re.MULTILINE).search
_CLOCK_TIME = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:\s?(?:Z|UTC|[-+]\d\d:?\d\d))?"
_MONTH_NAME = r"(?:Jan|Feb|Mar|Mär|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)[a-zä]*\.?"
_DAY_FORMS = (
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})"
    rf"|\d{{1,2}}\.?[\s-]{_MONTH_NAME}[\s-]\d{{2,4}}|{_MONTH_NAME}\s\d{{1,2}},?\s\d{{4}}|{_MONTH_NAME}\s\d{{4}}"
)
_DATE_OR_TIME = re.compile(rf"(?:(?:{_DAY_FORMS})(?:[T\s]\s?{_CLOCK_TIME})?|{_CLOCK_TIME})", re.IGNORECASE)
_match_clock = re.compile(_CLOCK_TIME, re.IGNORECASE).fullmatch
_TIME_ZONE = re.compile(r"\s?(?:Z|UTC|[-+]\d\d:?\d\d)$")
_match_slashed_date = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|\d{2})(?!\d)").match
_TRUTH_PAIRS = "false true", "no yes", "n y", "f t", "0 1", "0.0 1.0", "off on", "nein ja", "non oui"
_SEX_PAIRS = "f m", "female male"
_LEVELS_OF_PAIR = {frozenset(pair.split()): pair.split() for pair in _TRUTH_PAIRS + _SEX_PAIRS}


@archived
@dataclass(frozen=True)
class Column:
    """How a column of a table is read.

    Attributes
    ----------
    name : str
        Its name; that of a column of an array is its number, from 0.
    kind : str
        "number", "percent", "money", "boolean", "category", "date", "time"; if it is left out also "id", "text", …
    why_not : str
        Why it is left out; "" if it is used.
    unit : str
        Unit of the cells or in the name, such as "mm"; "" if there is none.
    decimal : str
        The decimal mark in text.
    levels : tuple of str
        The values of a category or a boolean.
    day_first : bool
        Whether 03/04/2020 is 3 April.
    """

    name: str
    kind: str
    why_not: str = ""
    unit: str = ""
    decimal: str = "."
    levels: tuple[str, ...] = ()
    day_first: bool = False

    def _check_archived(self) -> None:
        for name in ("name", "kind", "why_not", "unit", "decimal"):
            check_type(getattr(self, name), name, str)
        check_type(self.levels, "levels", tuple)
        check_type(self.day_first, "day_first", bool)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its coordinates: one, but for a category one for each value."""
        return tuple(f"{self.name}={level}" for level in self.levels) if self.kind == "category" else (self.name,)


class Numbers(NamedTuple):
    """Numbers in cells of text, NaN where there is none; the decimal mark; the unit of each cell."""

    values: Floats
    decimal: str
    units: list[str]


def read_numbers(cells: Sequence[str], decimal: str = ".") -> Numbers:
    """Read 3,682.50 or 1.234,56, 84.7%, € 12, (1,200) and 12 kg; the mark that fits most cells is taken.

    `decimal` is taken if both marks fit as many cells.
    """
    cells, marks = list(map(str.strip, cells)), (decimal, "," if decimal == "." else ".")
    if in_one_unit := _read_in_one_unit(cells, marks):
        return in_one_unit
    matches = [None if _CODE_NUMBER.fullmatch(cell) else _NUMBER_WITH_UNIT.fullmatch(cell) for cell in cells]
    fits = {mark: [match and _BODY_FORMS[mark].fullmatch(match["body"]) for match in matches] for mark in marks}
    best = max(marks, key=lambda mark: sum(fit is not None for fit in fits[mark]))
    values, units = np.full(len(matches), np.nan), [""] * len(matches)
    for k, (match, fit) in enumerate(zip(matches, fits[best], strict=True)):
        if match and fit and bool(match["open"]) == bool(match["close"]):
            values[k], units[k] = _value(match, best), match["before"] or match["after"] or ""
    return Numbers(values, best, units)


def _read_in_one_unit(cells: list[str], marks: tuple[str, str]) -> Numbers | None:
    """Read cells that are all numbers in one unit, a column at a time; None if they are something else."""
    first, n = _NUMBER_WITH_UNIT.fullmatch(cells[0]) if cells else None, len(cells)
    if first is None:
        return None
    before, after = cells[0][slice(*first.span("before"))], cells[0][first.end("body") :].removesuffix(")")
    if before:
        cells = [cell.replace(before, "", 1).lstrip() for cell in cells if before in cell]
    if after:
        cells = [cell.removesuffix(after) for cell in cells if cell.endswith(after)]
    text = "\n".join(cells)
    if len(cells) < n or text.count("\n") != n - 1 or _find_code_number(text):
        return None
    mark = next((mark for mark in marks if len(_LINES_OF_NUMBERS[mark].findall(text)) == n), None)
    if mark is None:
        return None
    plain = text.translate({ord(other): None for other in f".,'’{_BLANKS}" if other != mark}).replace(",", ".")
    return Numbers(np.array(list(map(float, plain.split("\n")))), mark, [before or after.strip()] * n)


def _value(match: re.Match[str], decimal: str) -> float:
    body = re.sub(rf"['’{_BLANKS}{',' if decimal == '.' else '.'}]", "", match["body"]).replace(",", ".")
    minus = (match["sign"] in "-−" and match["sign"]) or (match["sign2"] in "-−" and match["sign2"]) or match["open"]
    return -float(body) if minus else float(body)


def number_of(cell: str, decimal: str = ".") -> float | None:
    """The number in a cell as programs write it, or None.

    Python's 1_000 and digits of other scripts do not count as numbers.
    """
    if decimal == ",":
        cell = "_" if "." in cell else cell.replace(",", ".")
    return float(cell) if _match_plain_number(cell) else None


def is_value(cell: str) -> bool:
    """Whether a cell is a number with separators or a unit, or a date: something below a header, not in it."""
    match = _NUMBER_WITH_UNIT.fullmatch(cell.strip())
    return is_date(cell) or (match is not None and any(body.fullmatch(match["body"]) for body in _BODY_FORMS.values()))


def is_money(unit: str) -> bool:
    """Whether a unit is a currency."""
    return re.fullmatch(_CURRENCIES, unit) is not None


def is_date(cell: str) -> bool:
    """Whether a cell is a date or a time of the day in a usual form."""
    return _DATE_OR_TIME.fullmatch(cell.strip()) is not None


def is_clock(cell: str) -> bool:
    """Whether a cell is a time of the day without a date."""
    return _match_clock(cell.strip()) is not None


def clock_without_zone(cell: str) -> str:
    """A time of the day without its zone."""
    return _TIME_ZONE.sub("", cell.strip())


def day_and_month(cell: str) -> tuple[int, int] | None:
    """The two first numbers of a date such as 13/04/2020 or 4.5.20, whose order depends on the country."""
    match = _match_slashed_date(cell.strip())
    return match and (int(match[1]), int(match[3]))


def month_first(cell: str, day_first: bool) -> str | None:
    """A date such as 13/04/2020 as 04/13/2020, other dates as they are; None if there is no such month."""
    match = _match_slashed_date(cell.strip())
    if match is None:
        return cell.strip()
    day, month = (match[1], match[3]) if day_first else (match[3], match[1])
    return f"{month}/{day}/{cell.strip()[match.end(3) + 1 :]}" if int(month) <= 12 else None


def boolean_levels(cells: Iterable[str]) -> list[str] | None:
    """Return the two values in lower case, the one that means no first; None if the cells are something else."""
    return _LEVELS_OF_PAIR.get(frozenset(cell.strip().lower() for cell in cells))


def boolean_codes(levels: Sequence[str]) -> dict[str, int]:
    """Return what words mean, in lower case: 0 for what means the same as the first of two levels, 1 for the second."""
    same = next((pairs for pairs in (_TRUTH_PAIRS, _SEX_PAIRS) if " ".join(levels) in pairs), ())
    return {word: code for pair in same for code, word in enumerate(pair.split())}


def say_left_out(columns: list[Column]) -> list[str]:
    """Say which columns are left out and why: at most one note."""
    left = [column for column in columns if column.why_not]
    if not left:
        return []
    if left[0].why_not == "is beside the coordinates":
        used = " and ".join(column.name for column in columns if not column.why_not)
        others = [column.name for column in left if column.kind == "number"]
        include = check.option_text("columns=[...]")
        return [f"{used} are used as coordinates; {include} includes {list_names(others)}"] if others else []
    names = list_names([f"{column.name} ({column.why_not})" for column in left])
    return [f"left out: {names}; {check.option_text('columns=[...]')} names those to use"]


def list_names(words: list[str]) -> str:
    """Names in a note: the first few, and how many more there are."""
    more = f" and {len(words) - MAX_LISTED} more" if len(words) > MAX_LISTED else ""
    return ", ".join(words[:MAX_LISTED]) + more
