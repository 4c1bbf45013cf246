"""Print tables on terminals of any width: columns that do not fit go into another block below."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence

from .printing import escaped, put

_GAP = "  "


def show(rows: Sequence[Sequence[str]], style: Callable[[str], str] = str) -> None:
    """Print rows under a header, with numbers right-aligned; `style` may color cells but not change their width."""
    rows = [[escaped(cell) for cell in row] for row in rows]
    blocks = list(fitting(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    for k, block in enumerate(blocks):
        if k:
            put("")
        for line in aligned(block, style):
            put(line)


def fitting(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[list[list[str]]]:
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


def aligned(rows: Sequence[Sequence[str]], style: Callable[[str], str] = str) -> Iterator[str]:
    """The lines of a table, with columns of numbers right-aligned."""
    widths = _widths(rows)
    right = [all(_is_number(row[k]) for row in rows[1:]) for k in range(len(widths))]
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        yield _GAP.join(_padded(cell, width, is_right, style) for cell, width, is_right in cells).rstrip()


def _padded(cell: str, width: int, right: bool, style: Callable[[str], str]) -> str:
    padding = " " * (width - _cells(cell))
    return padding + style(cell) if right else style(cell) + padding


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_cells, column)) for column in zip(*rows, strict=True)]


def _cells(text: str) -> int:
    from rich.cells import cell_len  # some characters are two columns wide

    return cell_len(text)


def _is_number(text: str) -> bool:
    text = text.removesuffix("%").replace(".", "", 1).lstrip("-−")
    return text.replace("e-", "", 1).replace("e+", "", 1).isdigit()
