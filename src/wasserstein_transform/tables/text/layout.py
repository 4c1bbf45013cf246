"""Detect the layout of a text file: delimiter, header, decimal commas."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from ..columns import default_names, is_missing, number_of, unique_names
from .cells import has_decimal_comma
from .rows import chunks

_SAMPLE = 1 << 16  # characters that are examined
_LINES, _WIDEST = 8, 1 << 21  # lines that are examined at least, and their characters at most: tables of genes are wide
_ROWS = 200  # rows that are examined
_OWN = {"csv": ",", "tsv": "\t", "txt": None}  # usual delimiter of a format


class Layout(NamedTuple):
    """Layout of a text file."""

    delimiter: str | None  # None means blanks and tabs
    names: tuple[str, ...]
    has_header: bool
    decimal_comma: bool
    row_names: bool = False  # whether the first column has no name in the header


def find_layout(text: str, kind: str, source: str) -> Layout:
    """Detect the layout from the first rows."""
    sample = text if len(text) <= _SAMPLE else _whole_rows(text)
    delimiter, rows = _delimited(sample, kind, source)
    if not rows:
        raise ValueError(f"{source} holds no rows, only comments or blank lines; a table needs at least one")
    decimal_comma = delimiter != "," and _writes_commas(rows)
    rows = _without_last_empty(rows)
    has_header = _is_header(rows, decimal_comma)
    width = len(rows[0])
    if has_header:
        names = rows[0]
        if len(rows) > 1 and all(len(row) == width + 1 and row[-1].strip() for row in rows[1:]):
            names = ["", *names]  # R writes no name for the column of row names
        row_names = not names[0].strip()
        names = ["row", *names[1:]] if row_names else names
        return Layout(delimiter, unique_names(names), True, decimal_comma, row_names)
    width = Counter(map(len, rows)).most_common(1)[0][0]
    return Layout(delimiter, _commented(sample, delimiter, width) or default_names(width), False, decimal_comma)


def _whole_rows(text: str) -> str:
    """The lines that are examined. None is cut, unless it is the first and too long."""
    head = text if len(text) <= _WIDEST else text[: text.rfind("\n", 0, _WIDEST) + 1 or _SAMPLE]
    rest = head.split("\n", _LINES)[_LINES:]
    return head[: max(head.rfind("\n", 0, _SAMPLE) + 1, len(head) - sum(map(len, rest)))]


def _delimited(sample: str, kind: str, source: str) -> tuple[str | None, list[list[str]]]:
    """The best delimiter and its rows, by the share of rows of equal length, then of numbers, then the usual one."""
    own = _OWN[kind]
    best: tuple[tuple[float, float, bool], str | None, list[list[str]]] | None = None
    for delimiter in dict.fromkeys((own, ",", "\t", ";", "|", None)):
        rows = _sampled(sample, delimiter, source)
        score = _score(rows, delimiter, delimiter == own)
        if score is not None and (best is None or score > best[0]):
            best = score, delimiter, rows
    if best is None:  # one column
        return own if own is not None else ",", _sampled(sample, own if own is not None else ",", source)
    return best[1:]


def _sampled(sample: str, delimiter: str | None, source: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for chunk in chunks(sample, delimiter, source, strict=False):
        rows += chunk.rows
        if len(rows) >= _ROWS:
            break
    return rows[:_ROWS]


def _score(rows: list[list[str]], delimiter: str | None, own: bool) -> tuple[float, float, bool] | None:
    """How well a delimiter fits; None if it separates nothing."""
    if not rows:
        return None
    width, alike = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return None
    cells = [cell for row in rows for cell in row]
    numbers = sum(number_of(cell) is not None or (delimiter != "," and has_decimal_comma(cell)) for cell in cells)
    if delimiter is None and not own and not numbers:  # prose, not a table
        return None
    return round(alike / len(rows), 1), round(numbers / len(cells), 2), own


def _writes_commas(rows: list[list[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return any(map(has_decimal_comma, cells)) and not any("." in cell and number_of(cell) is not None for cell in cells)


def _without_last_empty(rows: list[list[str]]) -> list[list[str]]:
    """Drop the empty last cell that a delimiter at the end of each line gives."""
    widest = max(map(len, rows))
    if widest > 1 and all(len(row) < widest or not row[-1].strip() for row in rows):
        return [row[: widest - 1] for row in rows]
    return rows


def _is_header(rows: list[list[str]], decimal_comma: bool) -> bool:
    """Whether the first row has text where the others have numbers; a single row of text is a header."""
    first, others = rows[0], rows[1:]
    is_number = [_is_number(cell, decimal_comma) for cell in first]
    is_word = [not number and not is_missing(cell) for number, cell in zip(is_number, first, strict=True)]
    if not others:
        return all(is_word)
    shift = 1 if all(len(row) == len(first) + 1 for row in others) else 0
    below = [
        [row[k] for row in others if k < len(row) and not is_missing(row[k])] for k in range(shift, len(first) + shift)
    ]
    over_numbers = [2 * sum(_is_number(cell, decimal_comma) for cell in cells) >= max(len(cells), 1) for cells in below]
    n_words = sum(word and over for word, over in zip(is_word, over_numbers, strict=True))
    n_numbers = sum(number and over for number, over in zip(is_number, over_numbers, strict=True))
    if n_words:
        return n_words >= n_numbers  # one text cell among many numbers is an error in a data row
    return not all(is_number) and _counts_up(
        [cell for cell, number in zip(first, is_number, strict=True) if number], others
    )


def _counts_up(cells: list[str], others: list[list[str]]) -> bool:
    """Whether the cells are names such as 1990, 2000, 2010, above numbers that are not all integers."""
    if len(cells) < 2 or not all(cell.strip().isdecimal() for cell in cells):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(cells)}
    return len(steps) == 1 and min(steps) > 0 and any("." in cell and number_of(cell) for row in others for cell in row)


def _is_number(cell: str, decimal_comma: bool) -> bool:
    return number_of(cell) is not None or (decimal_comma and has_decimal_comma(cell))


def _commented(sample: str, delimiter: str | None, width: int) -> tuple[str, ...] | None:
    """Names from the comment just before the rows, as NumPy writes it, if it has one name for each column."""
    last = ""
    for line in sample.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        last = line.strip().lstrip("#").strip() or last
    names = [name.strip() for name in (last.split() if delimiter is None else last.split(delimiter))]
    if len(names) != width or not all(name.isidentifier() for name in names) or len(set(names)) < width:
        return None
    return tuple(names)
