"""Split text into rows of cells with line numbers, in chunks of some thousand rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

_ROWS = 4096  # rows in a chunk at most
_LETTERS = 1 << 22  # characters in a chunk, about: rows may be long


class Chunk(NamedTuple):
    """Rows of cells, and the numbers of the lines where they begin."""

    rows: list[list[str]]
    lines: Sequence[int]


def chunks(text: str, delimiter: str | None, source: str, strict: bool = True) -> Iterator[Chunk]:
    """Rows without comments and blank lines; delimiter None means blanks and tabs."""
    if '"' in text:
        return _quoted(text, delimiter, source, strict)
    return _plain(text, delimiter)


def is_left_out(line: str) -> bool:
    """Whether a line is blank, a comment, or Excel's declaration of the delimiter, such as sep=;."""
    start = line.lstrip()[:4]
    return not start or start[0] == "#" or (start == "sep=" and len(line.strip()) == 5)


def _plain(text: str, delimiter: str | None) -> Iterator[Chunk]:
    """Chunks of a text without quotes, where every line is a row."""
    stream, number = io.StringIO(text, newline=None), 1
    cut = _by_blanks if delimiter is None else _cutter(delimiter)
    longest = max(map(len, text[:_LETTERS].split("\n", _ROWS)[:_ROWS]), default=0)
    some = max(1, min(_ROWS, _LETTERS // (longest + 1)))
    while lines := list(islice(stream, some)):
        here = [k for k, line in enumerate(lines, number) if not is_left_out(line)]
        if len(here) < len(lines):
            yield Chunk([cut(lines[k - number]) for k in here], here)
        else:
            yield Chunk([cut(line) for line in lines], range(number, number + len(lines)))
        number += len(lines)


def _by_blanks(line: str) -> list[str]:
    return line.split()


def _cutter(delimiter: str) -> Callable[[str], list[str]]:
    def cut(line: str) -> list[str]:
        return line.rstrip("\n").split(delimiter)

    return cut


def _quoted(text: str, delimiter: str | None, source: str, strict: bool) -> Iterator[Chunk]:
    """Chunks of a text with quotes, where a row may span several lines."""
    feed = _Feed(text, delimiter is None)
    reader = csv.reader(
        feed, delimiter=delimiter or " ", strict=strict, skipinitialspace=delimiter is None or f'{delimiter} "' in text
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    while True:
        feed.between = True
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise ValueError(f"{source}, line {feed.begins}: {_of_quotes(str(error))}") from None
        if row is None or len(rows) == _ROWS:
            if rows:
                yield Chunk(rows, lines)
            rows, lines = [], []
        if row is None:
            return
        rows.append(row)
        lines.append(feed.begins)


def _of_quotes(error: str) -> str:
    if "field limit" in error:
        return f"a cell has more than {csv.field_size_limit()} characters; is a quote not closed?"
    what = "is opened and not closed" if "end of data" in error else f"does not fit ({error})"
    return f"a quote {what}; in a cell within quotes, quotes are doubled"


class _Feed:
    """Lines for csv.reader. Comments and blank lines are skipped between rows, but not within a quoted cell."""

    def __init__(self, text: str, by_blanks: bool) -> None:
        self._stream = io.StringIO(text, newline="")
        self._by_blanks = by_blanks
        self.number = self.begins = 0
        self.between = True

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        while True:
            line = next(self._stream)
            self.number += 1
            if self.between and is_left_out(line):
                continue
            within = not self.between
            if self.between:
                self.begins, self.between = self.number, False
            return self._single_blanks(line, within) if self._by_blanks else line

    def _single_blanks(self, line: str, within: bool) -> str:
        """Replace tabs outside of quotes by blanks, and drop blanks at the end of a row."""
        parts = line.split('"')
        outside = 1 if within else 0  # a continued row starts within quotes
        parts[outside::2] = [part.replace("\t", " ") for part in parts[outside::2]]
        if (len(parts) - 1) % 2 == outside:
            parts[-1] = parts[-1].rstrip()
        return '"'.join(parts)
