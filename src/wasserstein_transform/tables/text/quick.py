"""Read large plain text files with Arrow if it is installed: the same table, about ten times as fast.

Arrow is used only if it must give the same result as the general reader: one delimiter, no quotes, no comments, no
blank lines, no missing values. If Arrow raises an error, or the numbers would not represent the text fully, the
general reader is used.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..columns import EXACT, Rows, words
from ..table import Table
from .cells import Column
from .layout import Layout
from .rows import chunks

_SMALL = 1 << 20  # smaller files, in bytes, are read by the general reader
_BLOCK = 1 << 22  # bytes examined at a time


def read_quickly(content: bytes, text: str, layout: Layout, source: str) -> Table | None:
    """The table, or None if the general reader is needed."""
    if len(content) < _SMALL or layout.delimiter is None or layout.decimal_comma or not _is_plain(content, layout):
        return None
    try:
        csv = importlib.import_module("pyarrow.csv")
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        return None
    types = _types(text, layout, source, arrow)
    if types is None:
        return None
    try:
        read = csv.read_csv(
            arrow.BufferReader(content),
            read_options=csv.ReadOptions(column_names=list(types), skip_rows=int(layout.has_header)),
            parse_options=csv.ParseOptions(delimiter=layout.delimiter, quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
        )
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        return None
    arrays = [_array(column, arrow) for column in read.columns]
    if any(array is None for array in arrays) or read.num_rows == 0:
        return None
    first = 2 if layout.has_header else 1
    rows = Rows("line", range(first, first + read.num_rows))
    return Table(dict(zip(layout.names, arrays, strict=True)), source, rows=rows)


def _is_plain(content: bytes, layout: Layout) -> bool:
    """Whether every line is a row and numbers represent their cells fully."""
    if any(sign in content for sign in (b'"', b"#", b"\n\n", b"\n\r", b"\n ", b"\n\t", b"\0", b"0x", b"0X")):
        return False
    if content[:1] in b"\r\n \t" or content.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"sep=")):
        return False
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        return False
    return not _has_leading_zeros(content, ord(layout.delimiter or ","))


def _has_leading_zeros(content: bytes, delimiter: int) -> bool:
    """Whether a cell begins with 0 and another digit, or is -0: numbers do not represent that."""
    everything = np.frombuffer(b"\n\n" + content + b"\n\n", np.uint8)
    for start in range(0, len(everything), _BLOCK):
        here = everything[max(start - 2, 0) : start + _BLOCK + 2]
        zeros = np.flatnonzero(here[2:-1] == ord("0")) + 2
        after, before, earlier = here[zeros + 1], here[zeros - 1], here[zeros - 2]
        digit = (after >= ord("0")) & (after <= ord("9"))
        signed = ((before == ord("-")) | (before == ord("+"))) & _is_between(earlier, delimiter)
        if ((signed & (digit | _is_between(after, delimiter))) | (_is_between(before, delimiter) & digit)).any():
            return True
    return False


def _is_between(signs: Any, delimiter: int) -> Any:
    """Mask of the bytes that separate cells."""
    return (signs == delimiter) | (signs == ord("\n")) | (signs == ord("\r")) | (signs == ord(" "))


def _types(text: str, layout: Layout, source: str, arrow: Any) -> dict[str, Any] | None:
    """Types of the columns according to the first rows; None if the general reader is needed."""
    chunk = next(iter(chunks(text[: 1 << 18], layout.delimiter, source)))
    rows = chunk.rows[int(layout.has_header) : -1]
    if not rows or set(map(len, rows)) != {len(layout.names)}:
        return None
    types = {}
    for k, cells in enumerate(zip(*rows, strict=True)):
        column = Column()
        column.add(cells)
        values, kept = column.finish()
        if kept is not None:
            return None
        types[f"c{k}"] = {"i": arrow.int64(), "f": arrow.float64()}.get(values.dtype.kind, arrow.string())
    return types


def _array(column: Any, arrow: Any) -> Any:
    if column.type == arrow.string():
        return words(column.to_pylist())
    values = column.to_numpy()
    if values.dtype.kind == "f" and not (np.abs(values) < EXACT).all():  # also true for NaN
        return None
    return values
