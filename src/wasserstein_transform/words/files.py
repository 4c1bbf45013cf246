"""Reading plain, gz or xz files, told apart by their first bytes, with a limit on memory.

A small packed file may unpack to any size: lines have a maximal length, and the bytes kept are counted while reading.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeAlias, cast

from ..engine import Engine, current
from ..engine.memory import available, in_words, open_xz

PathLike: TypeAlias = "str | os.PathLike[str]"

LONGEST = 1 << 24  # longest line in bytes: a million numbers
_TIMES, _ANYWAY = 100, 1 << 26  # largest ratio of unpacked to packed size, and bytes that any file may unpack to


def open_bytes(file: PathLike) -> IO[bytes]:
    """Open a file for reading; gz and xz are unpacked on the fly."""
    if not isinstance(file, str | os.PathLike):
        raise ValueError(f"a file must be given by its path, got {type(file).__name__}")
    path = Path(file)
    if not path.exists():
        raise ValueError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} is not a file; give the path of a file")
    with path.open("rb") as stream:
        head = stream.read(6)
    if head[:2] == b"\x1f\x8b":
        return _counted(cast(IO[bytes], gzip.open(path, "rb")), path)
    if head[:6] == b"\xfd7zXZ\x00":
        return _counted(open_xz(path.open("rb"), str(path)), path)
    return path.open("rb")


def _counted(stream: IO[bytes], path: Path) -> IO[bytes]:
    return cast(IO[bytes], io.BufferedReader(_Counted(stream, path), 1 << 16))


class _Counted(io.RawIOBase):
    """The content of a packed file, with a limit on the ratio of unpacked to packed size."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path, self._read = stream, path, 0
        self._most = max(_ANYWAY, _TIMES * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        self._read += len(piece)
        if self._read > self._most:
            raise ValueError(
                f"{self._path} decompresses to more than {_TIMES} times its size, as no text does; if you trust it, "
                "decompress it first"
            )
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()


class Allowance:
    """The memory that reading a file may use: the engine's limit, or what is free when reading begins."""

    def __init__(self, file: PathLike, engine: Engine | None = None) -> None:
        memory = current(engine).memory
        self._file, self._taken = file, 0.0
        self._limit = available() if memory is None else float(memory)

    def take(self, n_bytes: float) -> None:
        """Count bytes that are about to be kept; raise MemoryError beyond the limit."""
        self._taken += n_bytes
        if self._taken > self._limit:
            raise MemoryError(
                f"{self._file} takes more than {in_words(self._limit)} of memory to read; read a part of it, or "
                "raise the limit with wt.using(memory=…)"
            )


def lines_of(stream: IO[bytes], file: PathLike, first: int = 1) -> Iterator[bytes]:
    """Yield lines, and reject lines longer than LONGEST; `first` is the number of the first line, for messages."""
    number = first
    while line := stream.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise ValueError(
                f"{file}, line {number} has more than {in_words(LONGEST)} and begins with {shown(line)}; is it text?"
            )
        yield line
        number += 1


def shown(line: bytes) -> str:
    """Return the beginning of a line, for messages."""
    return repr(line[:60].decode(errors="replace"))


DAMAGED = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)
"""Exceptions that unpacking raises for truncated or damaged files."""


def damaged(file: object) -> ValueError:
    """Return the error for a file that cannot be unpacked."""
    return ValueError(f"{file} is cut off or damaged: it cannot be decompressed to its end; download it again")
