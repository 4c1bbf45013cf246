"""Write tables as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..table import Table

_DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}


def encode_text(table: Table, kind: str = "csv") -> bytes:
    """Encode a header and a line for each row; numbers keep all bits, unchanged cells keep their original text."""
    delimiter = _DELIMITERS[kind]
    alone = len(table.names) == 1
    columns = [_quoted(cells_of(table, name), delimiter, alone) for name in table.names]
    header = delimiter.join(_quoted(list(table.names), delimiter, alone))
    lines = map(delimiter.join, zip(*columns, strict=True))
    return "\n".join((header, *lines, "")).encode()


def cells_of(table: Table, name: str) -> list[str]:
    """A column as text: the original cells, or the shortest text that reads back as the same value."""
    kept = table.kept.get(name)
    if kept is not None and kept.family == "text":
        return list(kept.cells.tolist())
    return _cells(table.columns[name])


def _cells(array: NDArray[Any]) -> list[str]:
    if array.dtype.kind in "iufb":
        return list(map(repr, array.tolist()))
    if array.dtype.kind == "M":
        return ["" if np.isnat(moment) else str(moment) for moment in array]
    return ["" if cell is None else cell for cell in array.tolist()]


def _quoted(cells: list[str], delimiter: str, alone: bool) -> list[str]:
    """Quote cells that contain delimiters, quotes, line ends or #, or have blanks at their ends."""
    signs = ('"', "\n", "\r", "#", delimiter)
    joined = "".join(cells)
    if joined.isascii() and not any(sign in joined for sign in (*signs, " ", "\t", "\v", "\f")) and all(cells):
        return cells  # the usual case: numbers
    by_blanks, empty = delimiter == " ", '""' if alone or delimiter == " " else ""

    def quoted(cell: str) -> str:
        if not cell:
            return empty
        if any(sign in cell for sign in signs) or cell != cell.strip() or (by_blanks and len(cell.split()) > 1):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    return list(map(quoted, cells))
