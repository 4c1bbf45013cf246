"""Read MATLAB files (version 5): numbers, cells and structures, with all sizes checked against the bytes present.

SciPy's reader trusts the sizes in a file, and deeply nested cells can crash the process. This reader handles only the
few kinds of values that segmentation files need.
"""

from __future__ import annotations

import struct
import zlib
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..engine import current

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _PACKED = 14, 15
_CELL, _STRUCTURE, _LEAST, _MOST = 1, 2, 6, 15  # array classes; numeric classes are _LEAST to _MOST
_COMPLEX = 0x800
_HEADER = 128
_DEEPEST = 8  # levels of nested cells
_PIECE = 1 << 20


class _Element(NamedTuple):
    kind: int
    start: int
    end: int
    after: int


def read_variable(content: bytes, wanted: str, source: str) -> Any:
    """Return a variable of a file by its name: an array, a list (cells), or a dict of lists (a structure's fields).

    None if there is no such variable; ValueError if the content is invalid.
    """
    if len(content) < _HEADER or not content.startswith(b"MATLAB 5.0"):
        raise ValueError("it is not a MATLAB file of version 5")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise ValueError("its byte order is not stated")
    at = _HEADER
    while at < len(content):
        element = _Values(content, order).element(at, len(content))
        inside, begin, end = content, element.start, element.end
        if element.kind == _PACKED:
            inside, at = _unpacked(content[begin:end], source), element.end  # packed elements have no padding
            first = _Values(inside, order).element(0, len(inside))
            kind, begin, end = first.kind, first.start, first.end
        else:
            kind, at = element.kind, element.after
        if kind == _MATRIX:
            name, value = _Values(inside, order).named(begin, end, wanted)
            if name == wanted:
                return value
    return None


def _unpacked(packed: bytes, source: str) -> bytes:
    """Decompress an element, within the memory limit."""
    unpacking, pieces, size = zlib.decompressobj(), [], 0
    rest = packed
    while not unpacking.eof:
        piece = unpacking.decompress(rest, _PIECE)
        rest = unpacking.unconsumed_tail
        if not piece and not rest:
            raise ValueError("it is cut off")
        pieces.append(piece)
        size += len(piece)
        if not current().fits(3.0 * size):
            current().reserve(3.0 * size, f"{source}, unpacked", "raise the limit with wt.using(memory=…)")
    return b"".join(pieces)


class _Values:
    """Elements in a block of bytes: each has a kind and a length, and must lie within its parent."""

    def __init__(self, content: bytes, order: str) -> None:
        self._content, self._order = content, order

    def element(self, at: int, end: int) -> _Element:
        if at + 8 > end:
            raise ValueError("it is cut off")
        kind, length = struct.unpack_from(f"{self._order}II", self._content, at)
        if kind >> 16:  # a small element: its data, up to four bytes, is in the header
            found = _Element(kind & 0xFFFF, at + 4, at + 4 + (kind >> 16), at + 8)
            if found.end > found.after:
                raise ValueError("an element is longer than its parent")
            return found
        begin = at + 8
        if length > end - begin:
            raise ValueError("an element is longer than its parent")
        return _Element(kind, begin, begin + length, min(begin + -(-length // 8) * 8, end))

    def named(self, at: int, end: int, wanted: str, depth: int = 0) -> tuple[str, Any]:
        """Return the name of a matrix, and its value if it is the wanted one."""
        if depth > _DEEPEST:
            raise ValueError(f"its cells are nested deeper than {_DEEPEST} levels")
        flags, dims, name = self._three(at, end)
        (about,) = struct.unpack_from(f"{self._order}I", self._content, flags.start)
        sides = np.frombuffer(self._content[dims.start : dims.end], f"{self._order}i4")
        shape = tuple(sides.tolist())
        called = self._content[name.start : name.end].decode("latin-1")
        if called != wanted:
            return called, None
        if not 2 <= len(shape) <= 8 or min(shape) < 0 or prod(shape) > end - at:
            raise ValueError("an array is larger than its data")
        kind = about & 0xFF
        if kind == _CELL:
            return called, [value for _, value in self._children(name.after, end, prod(shape), depth)]
        if kind == _STRUCTURE:
            return called, self._structure(name.after, end, prod(shape), depth)
        if not _LEAST <= kind <= _MOST or about & _COMPLEX:
            raise ValueError("it holds other things than numbers, cells and structures")
        return called, self._numbers(name.after, end, shape)

    def _three(self, at: int, end: int) -> tuple[_Element, _Element, _Element]:
        """Return the three elements that begin a matrix: flags, dimensions and name."""
        flags = self.element(at, end)
        dims = self.element(flags.after, end)
        name = self.element(dims.after, end)
        if flags.kind != 6 or flags.end - flags.start != 8 or dims.kind != 5 or (dims.end - dims.start) % 4:
            raise ValueError("an array has no valid flags or dimensions")
        return flags, dims, name

    def _children(self, at: int, end: int, n: int, depth: int) -> list[tuple[str, Any]]:
        found = []
        for _ in range(n):
            child = self.element(at, end)
            if child.kind != _MATRIX:
                raise ValueError("a cell holds no array")
            empty = child.start == child.end
            found.append(("", np.empty((0, 0))) if empty else self.named(child.start, child.end, "", depth + 1))
            at = child.after
        return found

    def _structure(self, at: int, end: int, n: int, depth: int) -> dict[str, list[Any]]:
        length = self.element(at, end)
        names = self.element(length.after, end)
        (each,) = struct.unpack_from(f"{self._order}i", self._content, length.start)
        if length.end - length.start != 4 or each < 1:
            raise ValueError("a structure has fields without names")
        raw = [self._content[k : k + each] for k in range(names.start, names.end, each)]
        fields = [name.split(b"\0")[0].decode("latin-1") for name in raw]
        if n * len(fields) > end - at:
            raise ValueError("a structure is larger than its data")
        values = [value for _, value in self._children(names.after, end, n * len(fields), depth)]
        return {name: values[k :: len(fields)] for k, name in enumerate(fields)}

    def _numbers(self, at: int, end: int, shape: tuple[int, ...]) -> Any:
        element = self.element(at, end)
        code = _NUMBERS.get(element.kind)
        if code is None:
            raise ValueError("it holds other things than numbers, cells and structures")
        flat = np.frombuffer(self._content[element.start : element.end], self._order + code)
        if flat.size != prod(shape):
            raise ValueError(f"an array of {prod(shape)} numbers holds {flat.size}")
        return flat.reshape(shape, order="F")
