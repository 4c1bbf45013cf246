"""Values from files of MATLAB (version 5): numbers, cells and structures, read within the bytes that are there.

SciPy's reader believes what a file announces, and cells in cells can end the process; the few kinds that segmentations
come in need no more than this.
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
_CELL, _STRUCTURE, _LEAST, _MOST = 1, 2, 6, 15  # classes; those of numbers go from the third to the last
_COMPLEX = 0x800
_HEADER = 128
_DEEPEST = 8  # cells in cells
_PIECE = 1 << 20


class _Element(NamedTuple):
    kind: int
    start: int
    end: int
    after: int


def read_variable(content: bytes, wanted: str, source: str) -> Any:
    """A variable of a file by its name: an array, a list of what cells hold, or a dict of fields (lists of them).

    None if it is not there; ValueError for whatever is wrong inside.
    """
    if len(content) < _HEADER or not content.startswith(b"MATLAB 5.0"):
        raise ValueError("it is no file of MATLAB, version 5")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise ValueError("it does not say the order of its bytes")
    at = _HEADER
    while at < len(content):
        element = _Values(content, order).element(at, len(content))
        inside, begin, end = content, element.start, element.end
        if element.kind == _PACKED:
            inside, at = _unpacked(content[begin:end], source), element.end  # these are not filled up
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
    """All of it, as long as it fits into memory."""
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
    """Elements of some bytes: each says what it is and how long, and must lie within the one around it."""

    def __init__(self, content: bytes, order: str) -> None:
        self._content, self._order = content, order

    def element(self, at: int, end: int) -> _Element:
        if at + 8 > end:
            raise ValueError("it is cut off")
        kind, length = struct.unpack_from(f"{self._order}II", self._content, at)
        if kind >> 16:  # a small one: four bytes are in its head
            found = _Element(kind & 0xFFFF, at + 4, at + 4 + (kind >> 16), at + 8)
            if found.end > found.after:
                raise ValueError("an element is longer than what is around it")
            return found
        begin = at + 8
        if length > end - begin:
            raise ValueError("an element is longer than what is around it")
        return _Element(kind, begin, begin + length, min(begin + -(-length // 8) * 8, end))

    def named(self, at: int, end: int, wanted: str, depth: int = 0) -> tuple[str, Any]:
        """The name of a matrix, and its value if that is wanted."""
        if depth > _DEEPEST:
            raise ValueError("its cells are nested too deep")
        flags, dims, name = self._three(at, end)
        (about,) = struct.unpack_from(f"{self._order}I", self._content, flags.start)
        sides = np.frombuffer(self._content[dims.start : dims.end], f"{self._order}i4")
        shape = tuple(sides.tolist())
        called = self._content[name.start : name.end].decode("latin-1")
        if called != wanted:
            return called, None
        if not 2 <= len(shape) <= 8 or min(shape) < 0 or prod(shape) > end - at:
            raise ValueError("an array is larger than what there is of it")
        kind = about & 0xFF
        if kind == _CELL:
            return called, [value for _, value in self._children(name.after, end, prod(shape), depth)]
        if kind == _STRUCTURE:
            return called, self._structure(name.after, end, prod(shape), depth)
        if not _LEAST <= kind <= _MOST or about & _COMPLEX:
            raise ValueError("it holds other things than numbers, cells and structures")
        return called, self._numbers(name.after, end, shape)

    def _three(self, at: int, end: int) -> tuple[_Element, _Element, _Element]:
        """What a matrix begins with."""
        flags = self.element(at, end)
        dims = self.element(flags.after, end)
        name = self.element(dims.after, end)
        if flags.kind != 6 or flags.end - flags.start != 8 or dims.kind != 5 or (dims.end - dims.start) % 4:
            raise ValueError("an array does not say what it is")
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
            raise ValueError("a structure is larger than what there is of it")
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
