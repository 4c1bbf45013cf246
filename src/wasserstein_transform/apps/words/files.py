"""Files as they come: plain, gz or xz, told apart by their first bytes."""

from __future__ import annotations

import gzip
import lzma
import os
import zlib
from pathlib import Path
from typing import IO, TypeAlias, cast

PathLike: TypeAlias = "str | os.PathLike[str]"


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
        return cast(IO[bytes], gzip.open(path, "rb"))
    if head == b"\xfd7zXZ\x00":
        return cast(IO[bytes], lzma.open(path, "rb"))
    return path.open("rb")


DAMAGED = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)
"""What unpacking raises when a file is cut off or damaged."""


def damaged(file: object) -> ValueError:
    """What to say of it."""
    return ValueError(f"{file} is cut off or damaged: it cannot be unpacked to its end; fetch it again")
