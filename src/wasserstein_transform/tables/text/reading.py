"""Read tables from text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..._types import Ints
from ...engine import current
from ..columns import COLUMN, Rows, listed
from ..sources import reserve
from ..table import Table
from .cells import Column
from .decoding import decode
from .layout import Layout, find_layout
from .quick import read_quickly
from .rows import Chunk, chunks


def read_text(content: bytes, source: str, kind: str = "csv") -> Table:
    """Read a table from text of any layout; `kind` only gives the likely delimiter."""
    text, notes = decode(content, source)
    layout = find_layout(text, kind, source)
    table = read_quickly(content, text, layout, source) if not notes else None
    return _without_row_names(table or _read_carefully(text, layout, source, notes), layout)


def _without_row_names(table: Table, layout: Layout) -> Table:
    """Exclude the row numbers that R and pandas write in the first column from the coordinates."""
    if not layout.row_names or len(table.numeric) < 2 or table.columns[table.names[0]].dtype.kind != "i":
        return table
    first, *others = table.names
    note = (
        f"{table.source}: the first column has no name in the file; it is kept as {first}, but not used as a coordinate"
    )
    axes = tuple(name for name in others if name in table.numeric)
    return replace(table, axes=axes, notes=(*table.notes, note))


def _read_carefully(text: str, layout: Layout, source: str, notes: tuple[str, ...]) -> Table:
    reserve(COLUMN * len(layout.names), source)
    columns = [Column(layout.decimal_comma) for _ in layout.names]
    lines: list[Sequence[int]] = []
    for chunk in _checked(text, layout, source):
        for column, cells in zip(columns, zip(*chunk.rows, strict=True), strict=True):
            column.add(cells)
        lines.append(chunk.lines)
    if not lines:
        raise ValueError(f"{source} has a header ({listed(layout.names)}) and no rows; a table needs at least one")
    _gather(columns, text, layout, source)
    finished = {name: column.finish() for name, column in zip(layout.names, columns, strict=True)}
    return Table(
        {name: values for name, (values, _) in finished.items()},
        source,
        notes=notes,
        rows=Rows("line", _joined(lines)),
        kept={name: kept for name, (_, kept) in finished.items() if kept is not None},
    )


def _gather(columns: list[Column], text: str, layout: Layout, source: str) -> None:
    """Gather the text of columns that numbers do not represent fully, in a second pass."""
    late = [k for k, column in enumerate(columns) if column.lacks_text]
    for k in late:
        columns[k].forget_texts()
    for chunk in _checked(text, layout, source) if late else ():
        for k in late:
            columns[k].gather([row[k] for row in chunk.rows])


def _checked(text: str, layout: Layout, source: str) -> Iterator[Chunk]:
    """The rows after the header, checked to have one cell for each column."""
    width, header = len(layout.names), layout.has_header
    for chunk in chunks(text, layout.delimiter, source):
        current().check()
        rows, lines = (chunk.rows[1:], chunk.lines[1:]) if header else chunk
        header = header and not chunk.rows
        if set(map(len, rows)) - {width}:
            rows = [_fitted(row, width, line, source) for row, line in zip(rows, lines, strict=True)]
        if rows:
            yield Chunk(rows, lines)


def _fitted(row: list[str], width: int, line: int, source: str) -> list[str]:
    if len(row) == width + 1 and not row[-1].strip():  # a delimiter at the end of the line
        return row[:-1]
    if len(row) != width:
        cells = "cell" if len(row) == 1 else "cells"
        raise ValueError(
            f"{source}, line {line}: got {len(row)} {cells}, expected {width}; fix the line, "
            "or put cells that contain the delimiter into quotes"
        )
    return row


def _joined(lines: list[Sequence[int]]) -> Sequence[int] | Ints:
    """Line numbers of all rows, as a range if no line was skipped."""
    first, last, n = lines[0][0], lines[-1][-1], sum(map(len, lines))
    if all(isinstance(part, range) for part in lines) and last - first + 1 == n:
        return range(first, last + 1)
    return np.concatenate([np.asarray(part, np.intp) for part in lines])
