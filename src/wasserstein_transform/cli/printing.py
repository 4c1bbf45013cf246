"""Print lines and tables, also to terminals and files that can encode only ASCII or a code page."""

from __future__ import annotations

import codecs
import io
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

_GAP = "  "
_NAME = "wasserstein_transform.spelled"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPELLED = {
    "Σ": "S", "ε": "eps", "×": "x", "−": "-", "–": "-", "…": "...", "“": '"', "”": '"', "’": "'", "≥": ">=", "≤": "<=",
    "→": "->", "√": "sqrt", "²": "^2", "³": "^3", "∝": "~", "≈": "~", "·": "*", "‖": "|", "∞": "inf", "∈": "in",
    "½": "1/2", "λ": "lambda",
}  # fmt: skip


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line, with control characters escaped: names in files could otherwise command the terminal."""
    put(escape(str(line)), err=err)


def escape(text: str) -> str:
    """Text with control characters, but for line breaks and tabs, written as in JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def put(line: str, *, err: bool = False) -> None:
    """Print a line as it is. `click.echo` would drop characters that a stream cannot encode."""
    if progress := sys.modules.get("wasserstein_transform.engine.progress"):  # imported by what takes long
        progress.clear_line()
    print(line, file=sys.stderr if err else sys.stdout)


def tell(text: str, *, err: bool = False) -> None:
    """Print text, wrapped to the width of a terminal; in one line elsewhere."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        text = textwrap.fill(
            escape(text),
            max(shutil.get_terminal_size().columns - 1, 20),
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    say(text, err=err)


def replace_unknown_characters(*streams: Any) -> None:
    """Make streams replace characters that they cannot encode instead of raising an error."""
    codecs.register_error(_NAME, _replaced)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_letters, error.object[error.start : error.end])), error.end


def _letters(sign: str) -> str:
    """A replacement of a character in ASCII: a name, the letter without accents, or a question mark."""
    *_, name = unicodedata.name(sign, "").split(" LETTER ")
    greek = name.lower() if "GREEK" in unicodedata.name(sign, "") else ""
    plain = _SPELLED.get(sign) or greek or unicodedata.normalize("NFKD", sign)
    return "".join(letter for letter in plain if letter.isascii()) or "?"


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header, with numbers right-aligned."""
    rows = [[escape(cell) for cell in row] for row in rows]
    blocks = list(split_columns(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    for k, block in enumerate(blocks):
        if k:
            put("")
        for line in align(block):
            put(line)


def split_columns(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[list[list[str]]]:
    """Split a table into blocks of columns that fit the width; each block repeats the first column."""
    widths = _widths(rows)
    start, n = 1, len(rows[0])
    while start < n:
        stop, taken = start + 1, widths[0] + len(_GAP) + widths[start]
        while stop < n and (width is None or taken + len(_GAP) + widths[stop] <= width):
            taken += len(_GAP) + widths[stop]
            stop += 1
        yield [[row[0], *row[start:stop]] for row in rows]
        start = stop


def align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, with columns of numbers right-aligned."""
    widths = _widths(rows)
    right = [all(_is_number(row[k]) for row in rows[1:]) for k in range(len(widths))]
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        yield _GAP.join(_pad(cell, width, is_right) for cell, width, is_right in cells).rstrip()


def _pad(cell: str, width: int, right: bool) -> str:
    padding = " " * (width - _cells(cell))
    return padding + cell if right else cell + padding


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_cells, column)) for column in zip(*rows, strict=True)]


def _cells(text: str) -> int:
    from rich.cells import cell_len  # some characters are two columns wide

    return cell_len(text)


def _is_number(text: str) -> bool:
    text = text.removesuffix("%").replace(".", "", 1).lstrip("-−")
    return text.replace("e-", "", 1).replace("e+", "", 1).isdigit()
