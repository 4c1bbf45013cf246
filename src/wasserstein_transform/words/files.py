"""Files as they come: plain, gz or xz, told apart by their first bytes; and how much memory they may take.

A packed file is small whatever it unpacks to: a line has a longest length, and what is kept is counted as it grows.
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
from ..engine.memory import available, in_words
from ..engine.unpacking import open_xz

PathLike: TypeAlias = "str | os.PathLike[str]"

LONGEST = 1 << 24  # bytes of a line: a million numbers
_TIMES, _ANYWAY = 100, 1 << 26  # text is packed to a tenth or so; small files may unpack to so many bytes anyway


def open_bytes(file: PathLike) -> IO[bytes]:
    """A file for reading, unpacked on the way."""
    if not isinstance(file, str | os.PathLike):
        raise ValueError(f"a file must be given by its path, got {type(file).__name__}")
    path = Path(file)
    if not path.exists():
        raise ValueError(f"{path} is not there")
    if not path.is_file():
        raise ValueError(f"{path} is no file")
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
    """What a packed file holds, as long as it is no more than what packed text can be."""

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
                f"{self._path} unpacks to more than {_TIMES} times its size, as no text does; if you trust it, unpack "
                "it first"
            )
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()


class Allowance:
    """The memory that reading a file may take: what the engine may take, or what is free when it begins."""

    def __init__(self, file: PathLike, engine: Engine | None = None) -> None:
        memory = current(engine).memory
        self._file, self._taken = file, 0.0
        self._limit = available() if memory is None else float(memory)

    def take(self, n_bytes: float) -> None:
        """Count what is about to be kept, and refuse more than there is."""
        self._taken += n_bytes
        if self._taken > self._limit:
            raise MemoryError(
                f"{self._file} takes more than {in_words(self._limit)} of memory to be read; read a part of it, or "
                "raise the limit with wt.using(memory=…)"
            )


def lines_of(stream: IO[bytes], file: PathLike, first: int = 1) -> Iterator[bytes]:
    """Lines, none of them longer than lines of words and numbers are; the first of them has that number in the file."""
    number = first
    while line := stream.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise ValueError(
                f"{file}, line {number} has more than {in_words(LONGEST)}, and begins with {shown(line)}; is it text?"
            )
        yield line
        number += 1


def shown(line: bytes) -> str:
    """The beginning of a line, for messages."""
    return repr(line[:60].decode(errors="replace"))


DAMAGED = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)
"""What unpacking raises when a file is cut off or damaged."""


def damaged(file: object) -> ValueError:
    """What to say of it."""
    return ValueError(f"{file} is cut off or damaged: it cannot be unpacked to its end; fetch it again")
