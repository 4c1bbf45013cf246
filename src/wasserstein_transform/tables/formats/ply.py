"""Points in PLY files: the vertices, in text or in binary of either byte order."""

from __future__ import annotations

import re
import sys
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import COLUMN, EXACT, Kept, Rows, unique_names
from ..sources import reserve
from ..table import Table
from ..text.cells import Column

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LISTED = 12  # the most elements that a message lists
_END = re.compile(rb"^end_header[ \t]*(\r\n|\n|\r)", re.MULTILINE)
_COUNT = re.compile(r"[0-9]{1,18}")  # no file can hold more elements
_HELD = 10.0  # bytes of memory for each byte of text


class _Element(NamedTuple):
    name: str
    size: int
    properties: list[tuple[str, str]]  # names and types; the type of a list is ""


def read_ply(content: bytes, source: str) -> Table:
    """Read the properties of the vertices; faces and other elements are left out, with a note."""
    reserve(_HELD * len(content), source)
    order, elements, start, line = _header(content, source)
    reserve(COLUMN * sum(len(element.properties) for element in elements), source)
    before = []
    for element in elements:
        if element.name == "vertex":
            break
        before.append(element)
    else:
        raise ValueError(f"{source} has no element vertex; its elements are {_named(elements)}")
    _check_vertices(element, before, source)
    kept: dict[str, Kept] = {}
    if order:
        columns, rows = _of_bytes(content, start, order, element, before, source), Rows("vertex")
    else:
        columns, rows, kept = _of_text(content[start:], line, element, before, source)
    others = [other for other in elements if other is not element and other.size]
    notes = (f"{source}: only vertices are read; left out: {_named(others)}",) if others else ()
    axes = tuple(name for name in ("x", "y", "z") if name in columns)
    return Table(columns, source, axes=axes, notes=notes, rows=rows, kept=kept)


def _header(content: bytes, source: str) -> tuple[str, list[_Element], int, int]:
    """The byte order, the elements, and the byte and the line where the data begin."""
    end = _END.search(content)
    if end is None:
        raise ValueError(f"{source} has no line end_header; it is cut off, or no PLY file")
    lines = re.split(r"\r\n|\n|\r", content[: end.start()].decode("latin-1"))
    order, elements = None, []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if fields[:1] == ["format"] and len(fields) == 3:
            order = _ORDERS.get(fields[1])
        elif fields[:1] == ["element"] and len(fields) == 3 and _COUNT.fullmatch(fields[2]):
            elements.append(_Element(fields[1], int(fields[2]), []))
        elif fields[:1] == ["property"] and elements and len(fields) == 3 and fields[1] in _TYPES:
            elements[-1].properties.append((fields[2], _TYPES[fields[1]]))
        elif fields[:2] == ["property", "list"] and elements and len(fields) == 5:
            elements[-1].properties.append((fields[4], ""))
        elif fields and fields[0] not in ("ply", "comment", "obj_info"):
            raise ValueError(f"{source}, line {number}: not a valid line of a PLY header: '{line.strip():.60}'")
    if order is None:
        raise ValueError(f"{source} has no valid line format; the formats are {', '.join(_ORDERS)}")
    return order, elements, end.end(), len(lines)


def _check_vertices(vertex: _Element, before: list[_Element], source: str) -> None:
    if vertex.size == 0:
        raise ValueError(f"{source} holds no vertices; a table needs at least one")
    for name, kind in vertex.properties:
        if not kind:
            raise ValueError(f"{source}: property {name:.60} of its vertices is a list; one value per vertex is needed")
    if not vertex.properties:
        raise ValueError(f"{source}: its vertices have no properties; x and y are needed")
    if listed := [other.name for other in before if not all(kind for _, kind in other.properties)]:
        raise ValueError(f"{source}: {listed[0]:.60} stands before vertex and holds lists; vertices must come first")


def _of_bytes(
    content: bytes, start: int, order: str, vertex: _Element, before: list[_Element], source: str
) -> dict[str, NDArray[Any]]:
    start += sum(_record(other, order).itemsize * other.size for other in before)
    record = _record(vertex, order)
    there = max(len(content) - start, 0) // record.itemsize
    if there < vertex.size:
        raise ValueError(f"{source} announces {vertex.size} vertices and has room for {there}; it is cut off")
    vertices = np.frombuffer(content, record, vertex.size, start)
    return {
        name: np.ascontiguousarray(vertices[name], vertices[name].dtype.newbyteorder("="))
        for name in record.names or ()
    }


def _record(element: _Element, order: str) -> np.dtype[Any]:
    names = unique_names(name for name, _ in element.properties)
    return np.dtype([(name, order + kind) for name, (_, kind) in zip(names, element.properties, strict=True)])


def _of_text(
    content: bytes, line: int, vertex: _Element, before: list[_Element], source: str
) -> tuple[dict[str, NDArray[Any]], Rows, dict[str, Kept]]:
    rows, numbers = [], []
    skipped, width = min(sum(other.size for other in before), sys.maxsize), len(vertex.properties)
    there = (
        (k, text) for k, text in enumerate(re.split(r"\r\n|\n|\r", content.decode("latin-1")), line + 1) if text.strip()
    )
    for number, text in islice(there, skipped, min(skipped + vertex.size, sys.maxsize)):
        cells = text.split()
        if len(cells) != width:
            raise ValueError(f"{source}, line {number}: got {len(cells)} numbers, expected {width}; fix the line")
        rows.append(cells)
        numbers.append(number)
    if len(rows) < vertex.size:
        raise ValueError(f"{source} announces {vertex.size} vertices and holds {len(rows)}; it is cut off")
    columns, kept = {}, {}
    names = unique_names(name for name, _ in vertex.properties)
    for name, (_, kind), cells in zip(names, vertex.properties, zip(*rows, strict=True), strict=True):
        column = Column()
        column.add(cells)
        columns[name], as_it_stood = column.finish()
        if kind[0] == "f" and columns[name].dtype.kind == "i":
            columns[name] = columns[name].astype(np.float64)
        if as_it_stood is not None:
            kept[name] = as_it_stood
    return columns, Rows("line", numbers), kept


def _named(elements: list[_Element]) -> str:
    told = [f"{element.name:.40} ({element.size})" for element in elements[:_LISTED]]
    return ", ".join([*told, "…"] if len(elements) > _LISTED else told) or "none"


def encode_ply(table: Table) -> bytes:
    """Encode vertices in little-endian binary, with numbers as double or int."""
    columns = [_storable(table, name) for name in table.names]
    names = unique_names("_".join(name.split()) for name in table.names)
    kinds = {"f8": "double", "i4": "int", "u1": "uchar"}
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(table)}"]
    lines += [f"property {kinds[column.dtype.str[1:]]} {name}" for name, column in zip(names, columns, strict=True)]
    record = np.dtype([(name, column.dtype.newbyteorder("<")) for name, column in zip(names, columns, strict=True)])
    out = np.empty(len(table), record)
    for name, column in zip(names, columns, strict=True):
        out[name] = column
    return "\n".join([*lines, "end_header", ""]).encode() + out.tobytes()


def _storable(table: Table, name: str) -> NDArray[Any]:
    """Integers as int32 if they fit, else as double if that is exact."""
    values = table.columns[name]
    if values.dtype.kind == "f":
        return values
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{table.source}, column {name}: PLY holds numbers, not text; leave it out, or write CSV")
    largest = max(abs(int(values.min(initial=0))), abs(int(values.max(initial=0))))
    if largest < 2**31:
        return values.astype(np.int32)
    if largest <= EXACT:
        return values.astype(np.float64)
    raise ValueError(f"{table.source}, column {name}: PLY holds integers up to 2^53, got {largest}; write CSV")
