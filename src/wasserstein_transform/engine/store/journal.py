"""Journal: finished records of one task, appended to one file.

One file per record would cost more than short tiles do, and fixed-size chunks do not fit records of different sizes. An
entry is a header (mark, number of the tile, number of bytes that follow, and a digest of all that) followed by the
arrays of the record. A process that ends in the middle leaves an incomplete entry, which is cut off. Damaged bytes do
not match their digest; their tile counts as missing. Writes are not synced: a power failure may lose entries.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock as Mutex
from typing import Any
from weakref import finalize

import numpy as np

from ..._files import open_in_place
from ..tasks import Record, Shapes

_MARK = b"tile"
_HEAD = struct.Struct("<4sqq16s8s")  # the last digest is that of the header: lengths are trusted only if it matches
_TITLE = b"wasserstein-transform journal 1\n"


class Journal:
    """The records of a task, by the numbers of their tiles."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mutex = Mutex()
        self._stream = open_in_place(path)
        self.close = finalize(self, self._stream.close)
        self._at: dict[int, tuple[int, int, bytes]] = {}
        self.is_damaged = not self._scan()

    def __contains__(self, number: int) -> bool:
        return number in self._at

    def __len__(self) -> int:
        return len(self._at)

    def add(self, number: int, record: Record) -> None:
        """Store the record of a tile; may be called from any thread."""
        parts = _bytes(np.ascontiguousarray(array) for array in record)
        size = sum(part.nbytes for part in parts)
        body = _digest(number, size, parts)
        head = _head(number, size, body)
        with self._mutex:
            start = os.fstat(self._stream.fileno()).st_size
            try:
                _write(self._stream.fileno(), [memoryview(head), *parts])
            except BaseException:  # a full disk: an incomplete entry would hide later ones
                with suppress(OSError):
                    self._stream.truncate(start)
                raise
            self._at[number] = start + _HEAD.size, size, body

    def read(self, number: int, shapes: Shapes) -> Record | None:
        """Return the record of a tile; None if it is damaged, and then it counts as missing."""
        if (at := self._at.get(number)) is None:  # another thread found it damaged
            return None
        start, size, digest = at
        record = tuple(np.empty(shape, dtype) for shape, dtype in shapes)
        parts = _bytes(record)
        if size == sum(part.nbytes for part in parts):
            with self._mutex:
                self._stream.seek(start)
                complete = all(_filled(self._stream, part) for part in parts)
            if complete and _digest(number, size, parts) == digest:
                return record
        self._at.pop(number, None)
        self.is_damaged = True
        return None

    def _scan(self) -> bool:
        """Find all entries by their headers, cut off the rest; tell whether only the last was incomplete."""
        size = os.fstat(self._stream.fileno()).st_size
        self._stream.seek(0)
        title = self._stream.read(len(_TITLE))
        if title != _TITLE:
            self._stream.truncate(0)
            self._stream.write(_TITLE)
            return _TITLE.startswith(title)
        end = len(_TITLE)
        for number, length, digest in self._heads(size):
            self._at[number] = end + _HEAD.size, length, digest
            end += _HEAD.size + length
        left = self._at_end(end)
        if end < size:
            self._stream.truncate(end)
        return left

    def _heads(self, size: int) -> Iterator[tuple[int, int, bytes]]:
        """Yield the headers of complete entries, up to the first invalid one."""
        at = len(_TITLE)
        while at + _HEAD.size <= size:
            self._stream.seek(at)
            found = _parsed(self._stream.read(_HEAD.size))
            if found is None or at + _HEAD.size + found[1] > size:
                return
            yield found
            at += _HEAD.size + found[1]

    def _at_end(self, end: int) -> bool:
        """Tell whether the rest is the beginning of an entry that a process could not finish."""
        self._stream.seek(end)
        rest = self._stream.read(_HEAD.size)
        return len(rest) < _HEAD.size or _parsed(rest) is not None


def _bytes(arrays: Iterable[np.ndarray]) -> list[memoryview]:
    return [array.data.cast("B") for array in arrays if array.size]


def _head(number: int, size: int, digest: bytes) -> bytes:
    own = hashlib.blake2b(struct.pack("<qq", number, size) + digest, digest_size=8).digest()
    return _HEAD.pack(_MARK, number, size, digest, own)


def _parsed(head: bytes) -> tuple[int, int, bytes] | None:
    mark, number, size, digest, _ = _HEAD.unpack(head)
    if mark != _MARK or size < 0 or head != _head(number, size, digest):
        return None
    return number, size, digest


def _digest(number: int, size: int, parts: list[memoryview]) -> bytes:
    digest = hashlib.blake2b(struct.pack("<qq", number, size), digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _filled(stream: FileIO, part: memoryview) -> bool:
    """Read as many bytes as a part has, in several calls if needed; tell whether there were enough."""
    done = 0
    while done < part.nbytes:
        n = stream.readinto(part[done:])
        if not n:
            return False
        done += n
    return True


def _write(fd: int, parts: list[memoryview]) -> None:
    """Write all parts, in several calls if needed."""
    left: list[Any] = parts
    while left:
        done = os.writev(fd, left[:512]) if hasattr(os, "writev") else os.write(fd, left[0])
        while left and done >= left[0].nbytes:
            done -= left[0].nbytes
            left = left[1:]
        if done:
            left = [left[0][done:], *left[1:]]
