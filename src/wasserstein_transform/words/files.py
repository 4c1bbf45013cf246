"""Files as they come: plain, gz or xz, told apart by their first bytes; and how much memory they may take.

A packed file is small whatever it unpacks to: a line has a longest length, and what is kept is counted as it grows.
"""

from __future__ import annotations

import gzip
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeAlias, cast

from ..engine import Engine, current
from ..engine.memory import available, in_words

PathLike: TypeAlias = "str | os.PathLike[str]"

LONGEST = 1 << 24  # bytes of a line: a million numbers
_WINDOW = 1 << 28  # bytes that unpacking xz may take: `xz -9` makes files that need a fourth of that


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
        head = stream.read(1 << 12)
    if head[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if head[:6] == b"\xfd7zXZ\x00":
        _check_window(head, path)
        return cast(IO[bytes], lzma.open(path, "rb"))
    return path.open("rb")


def _check_window(head: bytes, path: Path) -> None:
    """Its first bytes say how much memory xz takes before anything is unpacked."""
    try:
        lzma.LZMADecompressor(memlimit=_WINDOW).decompress(head, max_length=1)
    except lzma.LZMAError as error:
        if "emory" in str(error):
            limit = in_words(_WINDOW)
            raise ValueError(f"{path} takes more than {limit} to be unpacked; pack it again by xz -9 or less") from None


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
