"""Print lines and tables, with control characters escaped."""

from __future__ import annotations

import io
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

_WIDE = 10_000  # columns of a table that is not printed to a terminal
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line, with control characters escaped: names in files could otherwise command the terminal."""
    if progress := sys.modules.get("wasserstein_transform.engine.progress"):  # imported by what takes long
        progress.clear_line()
    print(escape(str(line)), file=sys.stderr if err else sys.stdout)


def escape(text: str) -> str:
    """Text with control characters, but for line breaks and tabs, written as in JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def tell(text: str, *, err: bool = False) -> None:
    """Print text, wrapped to the width of a terminal; in one line elsewhere."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        width = max(shutil.get_terminal_size().columns - 1, 20)
        style: dict[str, Any] = {"subsequent_indent": "  ", "break_on_hyphens": False, "break_long_words": False}
        text = textwrap.fill(escape(text), width, **style)
    say(text, err=err)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a header; cells that do not fit a narrow terminal go on below."""
    for line in table_lines(rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None):
        say(line)


def table_lines(rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """The lines of a table with columns that are aligned, numbers to the right; `width` None: as wide as it needs."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for cells in zip(*rows[1:], strict=True):
        table.add_column(justify="right" if all(map(_is_number, cells)) else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console(file=io.StringIO(), width=width or _WIDE, color_system=None, markup=False, emoji=False)
    with console.capture() as text:
        console.print(table)
    return [line.rstrip() for line in text.get().splitlines()]


def _is_number(text: str) -> bool:
    text = text.removesuffix("%").replace(".", "", 1).lstrip("-−")
    return text.replace("e-", "", 1).replace("e+", "", 1).isdigit()
