"""Sizes declared by the pages of a Parquet file: Arrow allocates them, and the footer may declare less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

_DEEPEST = 8  # deepest nesting of structures in a header
_DATA, _DICTIONARY, _DATA_V2 = 5, 7, 8  # fields of a header, one for each type of page


class Page(NamedTuple):
    """A page: its uncompressed size in bytes, and its number of values (0 for a dictionary)."""

    n_bytes: int
    n_values: int


class PageError(ValueError):
    """Raised for an invalid page."""


def pages_of(content: bytes, start: int, length: int) -> Iterator[Page]:
    """The pages of a column that starts at byte `start` and has `length` bytes."""
    end = start + length
    if not 0 <= start <= end <= len(content):
        raise PageError("a column lies outside of the file")
    while start < end:
        header = _Header(content, start, end)
        fields = header.structure(1)
        unpacked, packed = fields.get(2, -1), fields.get(3, -1)
        if unpacked < 0 or packed < 0:
            raise PageError("a page has no size")
        yield Page(unpacked, fields.get(_DATA, 0) + fields.get(_DATA_V2, 0))
        start = header.at + packed


class _Header:
    """A parser for structures of Thrift's compact protocol that keeps only the numbers."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self._content, self.at, self._end = content, at, end

    def structure(self, depth: int) -> dict[int, int]:
        """Numbers by field; a nested structure is represented by its first number."""
        if depth > _DEEPEST:
            raise PageError("the header of a page is nested too deep")
        fields, field = {}, 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            fields[field] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> int:
        if kind in (1, 2):  # true, false
            return 0
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._number()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._unsigned())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.structure(depth + 1).get(1, 0)
        raise PageError("the header of a page is damaged")

    def _list(self, depth: int) -> int:
        head = self._byte()
        n = head >> 4 if head >> 4 < 15 else self._unsigned()
        if n > self._end - self.at:
            raise PageError("the header of a page is damaged")
        for _ in range(n):
            self._value(1 + 2 * (head & 15 == 1) if head & 15 in (1, 2) else head & 15, depth + 1)
        return 0

    def _byte(self) -> int:
        if self.at >= self._end:
            raise PageError("the header of a page is cut off")
        self.at += 1
        return self._content[self.at - 1]

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise PageError("the header of a page is damaged")

    def _number(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _skip(self, n_bytes: int) -> int:
        if n_bytes > self._end - self.at:
            raise PageError("the header of a page is cut off")
        self.at += n_bytes
        return 0
