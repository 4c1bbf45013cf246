"""Read the bytes of a file, a stream or a pipe, decompressed, within the memory limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from ..engine import current
from ..engine.memory import WindowError, open_xz

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | IO[str]"

_PIECE = 1 << 22  # bytes read at a time
_INSTEAD = "take a part of it, or raise the limit with wt.using(memory=…)"
_DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError)


def load(source: Readable, name: str | None = None) -> tuple[bytes, str]:
    """All bytes, and the name for error messages."""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        called = name or ("the pipe" if path == "-" else path)
        content = in_pieces(sys.stdin.buffer, called) if path == "-" else _of_file(Path(path), called)
        return _unpacked(content, called), called
    if isinstance(source, bytes | bytearray | memoryview):
        called = name or "the table"
        return _unpacked(bytes(source), called), called
    if hasattr(source, "read"):
        called = name or _name_of(source)
        return _unpacked(in_pieces(source, called), called), called
    raise TypeError(f"a table is read from a path, bytes or an open file, got {type(source).__name__}")


def reserve(n_bytes: float, source: str) -> None:
    """Raise a MemoryError before more memory is taken than the limit allows."""
    current().reserve(n_bytes, f"reading {source}", _INSTEAD)


def _name_of(stream: Any) -> str:
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and not name.startswith("<") else "the pipe"


def _of_file(path: Path, called: str) -> bytes:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{called} is not there; give the path of a file, or - for a pipe") from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{called} is a folder; give one file of it")
    if not stat.S_ISREG(status.st_mode):
        with path.open("rb") as stream:
            return in_pieces(stream, called)
    reserve(status.st_size, called)
    return path.read_bytes()


def in_pieces(stream: Any, called: str) -> bytes:
    """Read a stream of unknown length to its end, as long as it fits into memory."""
    held = io.BytesIO()
    while piece := stream.read(_PIECE):
        held.write(piece.encode() if isinstance(piece, str) else piece)
        if not current().fits(2.0 * held.tell()):
            reserve(2.0 * held.tell(), called)
    return held.getvalue()


def _unpacked(content: bytes, called: str) -> bytes:
    stream = _unpacking(content, called)
    if stream is None:
        return content
    try:
        unpacked = in_pieces(stream, f"{called}, unpacked,")
    except WindowError:
        raise
    except _DAMAGED as error:
        raise ValueError(
            f"{called} is cut off or damaged: it cannot be unpacked to its end ({error}); fetch it again"
        ) from None
    if _unpacking(unpacked, called) is not None:
        raise ValueError(f"{called} is packed twice; unpack it first")
    return unpacked


def _unpacking(content: bytes, called: str) -> IO[bytes] | None:
    """A decompressing stream, chosen by the first bytes; None if the content is not compressed."""
    if content[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.GzipFile(fileobj=io.BytesIO(content)))
    if content[:3] == b"BZh":
        return cast(IO[bytes], bz2.BZ2File(io.BytesIO(content)))
    if content[:6] == b"\xfd7zXZ\x00":
        return open_xz(io.BytesIO(content), called)
    return None
