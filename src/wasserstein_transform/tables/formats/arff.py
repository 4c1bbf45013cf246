"""Dense tables in ARFF files, the format of Weka."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from ..columns import COLUMN, Rows, unique_names, words
from ..sources import reserve
from ..table import Table
from ..text.cells import Column
from ..text.decoding import decode
from ..text.writing import cells_of

_HELD = 10.0  # bytes of memory for each byte of the file
_FEW = 64  # columns with up to this many different strings are written as nominal
_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.IGNORECASE)
_CELL = re.compile(
    r"""\s*('(?:[^'\\]|\\.)*'(?=\s*(?:,|$))|"(?:[^"\\]|\\.)*"(?=\s*(?:,|$))|[^,]*)\s*(?:,|$)""", re.DOTALL
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_PLAIN = re.compile(r"[^\s,{}%'\"\\?@]+")


class _Attribute(NamedTuple):
    name: str
    is_number: bool


def read_arff(content: bytes, source: str) -> Table:
    """Read an ARFF file: numeric attributes as numbers, all others (nominal, string, date) as strings."""
    reserve(_HELD * len(content), source)
    text, notes = decode(content, source)
    lines = enumerate(re.split(r"\r\n|\n|\r", text), 1)
    attributes: list[_Attribute] = []
    for number, line in lines:
        word = line.strip().lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line.strip(), number, source))
        elif word.startswith("@data"):
            break
        elif word and not word.startswith(("%", "@relation")):
            raise ValueError(f"{source}, line {number}: expected @attribute or @data, got '{line.strip():.40}'")
    else:
        raise ValueError(f"{source} has no line @data; the rows of an ARFF file follow that line")
    if not attributes:
        raise ValueError(f"{source} has no line @attribute before @data; each column needs one")
    reserve(COLUMN * len(attributes), source)
    rows, numbers = [], []
    for number, line in lines:
        if line.strip() and not line.lstrip().startswith("%"):
            rows.append(_row(line, len(attributes), number, source))
            numbers.append(number)
    if not rows:
        raise ValueError(f"{source} has no rows after @data; a table needs at least one")
    return _table(attributes, rows, Rows("line", numbers), source, notes)


def _table(
    attributes: list[_Attribute], rows: list[list[str]], named: Rows, source: str, notes: tuple[str, ...]
) -> Table:
    columns, kept = {}, {}
    names = unique_names(attribute.name for attribute in attributes)
    for name, attribute, cells in zip(names, attributes, zip(*rows, strict=True), strict=True):
        if not attribute.is_number:
            columns[name] = words(cells)
            continue
        column = Column()
        column.add(cells)
        columns[name], as_it_stood = column.finish()
        if as_it_stood is not None:
            kept[name] = as_it_stood
    return Table(columns, source, rows=named, notes=notes, kept=kept)


def _attribute(line: str, number: int, source: str) -> _Attribute:
    found = _ATTRIBUTE.fullmatch(line)
    if found is None or not found[2].split("%")[0].strip():
        raise ValueError(f"{source}, line {number}: an attribute needs a name and a type, got '{line:.60}'")
    name, kind = _unquoted(found[1]), found[2].split("%")[0].strip().lower()
    if kind.startswith("{") or kind.split()[:1] in (["string"], ["date"]):
        return _Attribute(name, False)
    if kind in ("numeric", "real", "integer"):
        return _Attribute(name, True)
    raise ValueError(
        f"{source}, line {number}: attribute {name:.60} is {kind:.40}; use numeric, nominal {{…}}, string or date"
    )


def _row(line: str, width: int, number: int, source: str) -> list[str]:
    if line.lstrip().startswith("{"):
        raise ValueError(f"{source}, line {number}: sparse rows are not supported; write the rows as dense ones")
    if "'" in line or '"' in line:
        found = [match[1].rstrip() for match in islice(_CELL.finditer(line.strip()), width + 2)]
        cells = [_unquoted(cell) for cell in (found[:-1] if len(found) > 1 and found[-1] == "" else found)]
    else:
        cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != width:
        raise ValueError(f"{source}, line {number}: got {len(cells)} cells, expected {width}; fix the line")
    return cells


def _unquoted(cell: str) -> str:
    if cell[:1] not in ("'", '"') or len(cell) < 2:
        return cell
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), cell[1:-1], flags=re.DOTALL)


def encode_arff(table: Table) -> bytes:
    """Encode numbers as numeric or integer, strings as nominal if few of them differ, else as string."""
    lines, columns = [f"@relation {_quoted(table.source)}", ""], []
    for name, values in table.columns.items():
        kind = {"i": "integer", "u": "integer", "f": "numeric"}.get(values.dtype.kind)
        cells = cells_of(table, name)
        if kind is None:
            cells = [_quoted(cell) for cell in cells]
            kind = _kind_of_words(cells)
        else:
            cells = ["?" if cell in ("nan", "") else cell for cell in cells]
        columns.append(cells)
        lines.append(f"@attribute {_quoted(name)} {kind}")
    lines += ["", "@data", *map(",".join, zip(*columns, strict=True)), ""]
    return "\n".join(lines).encode()


def _kind_of_words(cells: Sequence[str]) -> str:
    different = np.unique(np.array(cells, object).astype(np.str_)).tolist()
    different = [cell for cell in different if cell != "?"]
    return "{" + ",".join(different) + "}" if 0 < len(different) <= _FEW else "string"


def _quoted(cell: str) -> str:
    if cell == "?" or _PLAIN.fullmatch(cell):
        return cell
    for sign, escaped in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        cell = cell.replace(sign, escaped)
    return f"'{cell}'"
