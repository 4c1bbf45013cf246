"""Tables as text: pandas reads and writes them; encoding, delimiter, header and decimal comma are detected here.

Python's csv.Sniffer takes letters for delimiters and knows nothing of decimal commas, row names or comments.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..tables.cells import MISSING, is_value, number_of
from ..tables.columns import EXACT, default_names, is_missing, is_text, listed, unique_names

USUAL_DELIMITERS = {"csv": ",", "tsv": "\t", "txt": None}  # usual delimiter of a format; None means blanks and tabs
# rows that are examined; at least a few, then up to so many characters
MAX_SAMPLE_ROWS, MIN_SAMPLE_ROWS, MAX_SAMPLE_CHARACTERS = 200, 8, 1 << 18
_LINES_ABOVE = re.compile(
    r"(?:\s*#.*(?:\n|\Z)|\s*sep=.\s*\n|\s*\n)*"
)  # before the table: comments, blank lines, Excel's sep=;
# lines to skip, not in quotes
_EMPTY_LINE = re.compile(r'("(?:[^"]|"")*+")|^[ \t]*(?:#(?:[ \t].*)?)?\r?$', re.MULTILINE)
_CODE_NUMBER = re.compile(rb'0(?:(?<=[\n\r,;|\t "]0)|(?<=[\n\r,;|\t "][-+]0))[0-9]')  # a number such as 007
_LIKE_COMMENT = re.compile(r"^\s*#|\r")  # or a sign that Python before 3.13 does not quote
MISSING_SPELLINGS = [*{write(word) for word in MISSING for write in (str, str.upper, str.capitalize)}, "NaN", "N/a"]
_EXACT_FLOATS = {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}


class Layout(NamedTuple):
    """Layout of a text file."""

    delimiter: str | None
    names: tuple[str, ...]
    has_header: bool
    decimal: str


def read_text(content: bytes, source: str, kind: str = "csv") -> pd.DataFrame:
    """Read a table from text of any layout; `kind` only gives the likely delimiter."""
    text, notes = _decoded(content, source)
    rest = _LINES_ABOVE.sub("", text, count=1)
    text = "\n" * text[: len(text) - len(rest)].count("\n") + rest  # so that lines are counted as editors do
    if "#" in text or "\n " in text or "\n\t" in text:
        text = _EMPTY_LINE.sub(lambda found: found[1] or "", text)
    layout = _layout(_sample(text), kind, source)
    content = text.encode()
    frame = _parsed(content, layout, text, source)
    if layout.decimal == "." and layout.delimiter != "," and any(map(_writes_commas, _words(frame))):
        layout = layout._replace(decimal=",")  # they begin after the sample
        frame = _parsed(content, layout, text, source)
    if not len(frame):
        raise ValueError(f"{source} has a header ({listed(layout.names)}) and no rows; a table needs at least one")
    _restore_texts(frame, content, layout, text)
    frame.attrs = {
        "notes": notes, "delimiter": layout.delimiter or " ", "decimal": layout.decimal, "header": layout.has_header,
    }  # fmt: skip
    return frame


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """The text, and a note if it is in neither UTF-8 nor UTF-16."""
    notes = list[str]()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            notes = [f"{source} is not UTF-8 (line {line}); its letters were read as Windows-1252"]
            text = content.decode("cp1252", "replace")
    return text.replace("\r", "\n") if "\n" not in text else text, notes  # as old Macs wrote it


def _sample(text: str) -> list[str]:
    lines, size = list[str](), 0
    for line in io.StringIO(text, newline=""):
        if line.strip():
            lines.append(line)
            size += len(line)
        if len(lines) == MAX_SAMPLE_ROWS or (size > MAX_SAMPLE_CHARACTERS and len(lines) >= MIN_SAMPLE_ROWS):
            break
    return lines


def _cells(lines: Any, delimiter: str | None, strict: bool = False) -> Any:
    if delimiter is None:
        lines, delimiter = (" ".join(line.split()) + "\n" for line in lines), " "
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=True)


def _check_rows(text: str, layout: Layout, source: str) -> None:
    """Raise if quotes do not fit or a row has too many or too few cells, some of which pandas reads without a word."""
    width, line, is_header = len(layout.names), 1, layout.has_header
    reader = _cells(io.StringIO(text, newline=""), layout.delimiter, strict=True)
    try:
        for row in reader:
            n = len(row)
            has_end = n == width + 1 and not row[-1].strip()  # a delimiter at the end of the line
            has_no_row_names = is_header and n == width - 1  # R names none
            if n not in (0, width) and not has_end and not has_no_row_names:
                raise ValueError(
                    f"{source}, line {line}: got {n} cell{'s' * (n != 1)}, expected {width}; fix the line, or put "
                    "cells that contain the delimiter into quotes"
                )
            is_header &= n == 0
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{source}, line {line}: a quote is not closed or does not fit ({error}); within quotes, quotes are doubled"
        ) from None


def _options(layout: Layout, text: str) -> dict[str, Any]:
    return {
        "sep": layout.delimiter or r"\s+", "decimal": layout.decimal, "header": 0 if layout.has_header else None,
        "names": list(layout.names), "index_col": False, "skipinitialspace": f'{layout.delimiter or " "} "' in text,
        "encoding": "utf-8",
    }  # fmt: skip


def _parsed(content: bytes, layout: Layout, text: str, source: str) -> pd.DataFrame:
    options = {
        "na_values": MISSING_SPELLINGS,
        "keep_default_na": False,
        "low_memory": False,
        **_EXACT_FLOATS,
        **_options(layout, text),
    }
    if '"' in text:
        _check_rows(text, layout, source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(io.BytesIO(content), **options)
    except pd.errors.EmptyDataError:
        return pd.DataFrame(columns=list(layout.names))
    except (pd.errors.ParserError, pd.errors.ParserWarning, OverflowError) as error:
        _check_rows(text, layout, source)
        raise ValueError(f"{source} cannot be read: {str(error).strip():.200}") from None
    if len(frame) and frame.iloc[:, -1].isna().any():  # pandas fills rows that are too short
        _check_rows(text, layout, source)
    return frame


def _restore_texts(frame: pd.DataFrame, content: bytes, layout: Layout, text: str) -> None:
    """Make columns text again that numbers or gaps say less about: 007, an integer that a float rounds, a word NA."""
    has_codes = _CODE_NUMBER.search(b"\n" + content) is not None
    doubtful = [name for name, values in frame.items() if _is_doubtful(values, has_codes)]
    if not doubtful:
        return
    options = {**_options(layout, text), "usecols": [list(frame).index(name) for name in doubtful]}
    texts = pd.read_csv(io.BytesIO(content), dtype=str, na_filter=False, **options)
    for name in doubtful:
        values, cells = frame[name], texts[name].str.strip()
        is_rounded = values.dtype.kind == "f" and (cells.str.fullmatch(r"[-+]?\d+") & (values.abs() >= EXACT)).any()
        if is_text(values) or is_rounded or cells.str.match(r"[-+]?0\d").any():
            frame[name] = texts[name]


def _is_doubtful(values: pd.Series, has_codes: bool) -> bool:
    if values.dtype.kind == "f":
        return has_codes or bool((np.abs(values.to_numpy()) >= EXACT).any())
    return has_codes if values.dtype.kind in "iu" else is_text(values) and bool(values.isna().any())


def _layout(sample: list[str], kind: str, source: str) -> Layout:
    """Detect the layout from the first rows."""
    delimiter, rows = _delimited(sample, kind)
    if not rows:
        raise ValueError(f"{source} holds no rows, only comments or blank lines; a table needs at least one")
    decimal = "," if delimiter != "," and _writes_commas([cell for row in rows for cell in row]) else "."
    widest = max(map(len, rows))
    if widest > 1 and all(len(row) < widest or not row[-1].strip() for row in rows):
        rows = [row[: widest - 1] for row in rows]  # a delimiter at the end of each line
    if not _is_header(rows, decimal):
        width = Counter(map(len, rows)).most_common(1)[0][0]
        return Layout(delimiter, default_names(width), False, decimal)
    names = rows[0]
    if (
        len(rows) > 1
        and all(len(row) == len(names) + 1 for row in rows[1:])
        and _are_row_names([r[0] for r in rows[1:]])
    ):
        names = ["", *names]  # R writes no name for the column of row names
    return Layout(delimiter, unique_names([names[0].strip() or "row", *names[1:]]), True, decimal)


def _are_row_names(cells: list[str]) -> bool:
    return cells == [str(k) for k in range(1, len(cells) + 1)] or (
        len(set(cells)) == len(cells) and not any(number_of(cell) is not None for cell in cells)
    )


def _delimited(sample: list[str], kind: str) -> tuple[str | None, list[list[str]]]:
    """The best delimiter and its rows, by the share of rows of equal length, then of numbers, then the usual one."""
    usual = USUAL_DELIMITERS[kind]
    best: tuple[tuple[float, float, bool], str | None, list[list[str]]] | None = None
    for delimiter in dict.fromkeys((usual, ",", "\t", ";", "|", None)):
        rows = _rows(sample, delimiter)
        score = _score(rows, delimiter, delimiter == usual)
        if score is not None and (best is None or score > best[0]):
            best = score, delimiter, rows
    return best[1:] if best is not None else (usual or ",", _rows(sample, usual or ","))


def _rows(sample: list[str], delimiter: str | None) -> list[list[str]]:
    try:
        return list(_cells(sample, delimiter))
    except csv.Error:  # a cell that is too long: the check of all rows says where
        return [line.split(delimiter) for line in sample]


def _score(rows: list[list[str]], delimiter: str | None, is_usual: bool) -> tuple[float, float, bool] | None:
    """How well a delimiter fits; None if it separates nothing."""
    if not rows:
        return None
    width, alike = Counter(map(len, rows)).most_common(1)[0]
    cells = [cell for row in rows for cell in row]
    decimal = "." if delimiter == "," else ","
    n_numbers = sum(_is_value(cell, ".") or number_of(cell, decimal) is not None for cell in cells)
    if width < 2 or (delimiter is None and not is_usual and not n_numbers):  # prose, not a table
        return None
    return round(alike / len(rows), 1), round(n_numbers / len(cells), 2), is_usual


def _writes_commas(cells: list[str]) -> bool:
    """Whether more of the cells are numbers with a decimal comma than with a point."""
    commas = sum("," in cell and number_of(cell, ",") is not None for cell in cells)
    return commas > 0 and commas >= sum("." in cell and number_of(cell) is not None for cell in cells)


def _words(frame: pd.DataFrame) -> Iterator[list[str]]:
    return (values.dropna().astype(str).tolist() for _, values in frame.items() if is_text(values))


def _is_value(cell: str, decimal: str) -> bool:
    return number_of(cell, decimal) is not None or is_value(cell)


def _is_header(rows: list[list[str]], decimal: str) -> bool:
    """Whether the first row has text where the others have numbers; a single row of text is a header."""
    first, others = rows[0], rows[1:]
    is_number = [_is_value(cell, decimal) for cell in first]
    is_word = [not number and not is_missing(cell) for number, cell in zip(is_number, first, strict=True)]
    if not others:
        return all(is_word)
    shift = 1 if all(len(row) == len(first) + 1 for row in others) else 0
    n_words = n_numbers = 0
    for k, (number, word) in enumerate(zip(is_number, is_word, strict=True), shift):
        below = [row[k] for row in others if k < len(row) and not is_missing(row[k])]
        over = 2 * sum(_is_value(cell, decimal) for cell in below) >= max(len(below), 1)
        n_words += word and over
        n_numbers += number and over
    if n_words:
        return n_words >= n_numbers  # one text cell among many numbers is an error in a data row
    numbers = [cell for cell in first if number_of(cell) is not None]
    counts_up = len(numbers) > 1 and numbers == [str(k) for k in range(len(numbers))]  # as pandas writes 0,1,2
    return counts_up and (len(numbers) < len(first) or any("." in cell for row in others for cell in row))


def encode_text(frame: pd.DataFrame, kind: str = "csv") -> bytes:
    """Encode a header and a line for each row, with the delimiter and the decimal sign of the text it was read from."""
    about = frame.attrs if frame.attrs.get("kind") == kind else {}
    delimiter = about.get("delimiter") or USUAL_DELIMITERS[kind] or " "
    names = list(default_names(frame.shape[1]) if frame.columns.dtype.kind in "iu" else map(str, frame.columns))
    needs_quotes = (
        delimiter == " "
        or any(map(_LIKE_COMMENT.search, names))
        or any(values.astype(str).str.contains(_LIKE_COMMENT).any() for _, values in frame.items() if is_text(values))
    )
    text: str = frame.to_csv(
        sep=delimiter, decimal=about.get("decimal", "."), header=names, index=False, lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if needs_quotes else csv.QUOTE_MINIMAL,
    )  # fmt: skip
    return text.encode()
