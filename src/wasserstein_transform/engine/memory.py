"""Memory: how much is free, and archives that would fill it."""

from __future__ import annotations

import io
import lzma
import os
from pathlib import Path
from typing import IO, cast

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def available() -> float:
    """Return the free bytes of the machine or of the container, whichever is less; infinity if unknown."""
    return min(_from_meminfo(), _from_cgroup())


def _from_meminfo() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except (OSError, ValueError):  # not Linux
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):  # not Unix
        return float("inf")


def _from_cgroup() -> float:
    root = Path("/sys/fs/cgroup")
    try:
        limit = float((root / "memory.max").read_text())
        used = float((root / "memory.current").read_text())
        stat = dict(line.split() for line in (root / "memory.stat").read_text().splitlines())
        return limit - used + float(stat.get("inactive_file", 0))  # the page cache can be reclaimed
    except (OSError, ValueError):  # "max": no limit
        return float("inf")


def in_words(n_bytes: float) -> str:
    """Format a number of bytes: 1536 → '1.5 KiB'."""
    power = 0
    while n_bytes >= 1024 and power < len(_UNITS) - 1:
        n_bytes /= 1024
        power += 1
    return f"{n_bytes:.1f} {_UNITS[power]}" if power else f"{n_bytes:.0f} bytes"


_PIECE = 1 << 16  # bytes read at a time
_WINDOW = 1 << 28  # bytes of memory for unpacking: files made by `xz -9` need a quarter of that


class WindowError(ValueError):
    """A file needs too much memory to be unpacked."""


def open_xz(stream: IO[bytes], called: str) -> IO[bytes]:
    """Open an xz file for reading, with a memory limit for each of its streams."""
    return cast(IO[bytes], io.BufferedReader(_Xz(stream, called), _PIECE))


class _Xz(io.RawIOBase):
    def __init__(self, stream: IO[bytes], called: str) -> None:
        self._stream, self._called = stream, called
        self._part: lzma.LZMADecompressor | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _piece(self, most: int) -> bytes:
        while True:
            if self._part is None or self._part.eof:
                raw = self._next_part()
                if not raw:
                    return b""
                self._part = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_WINDOW)
            else:
                raw = self._stream.read(_PIECE) if self._part.needs_input else b""
                if not raw and self._part.needs_input:
                    raise EOFError("it is cut off")
            if piece := self._unpacked(raw, most):
                return piece

    def _next_part(self) -> bytes:
        """Return the first bytes of the next xz stream; zeros may separate streams."""
        raw = b"" if self._part is None else self._part.unused_data.lstrip(b"\0")
        while not raw:
            more = self._stream.read(_PIECE)
            if not more:
                return b""
            raw = more if self._part is None else more.lstrip(b"\0")
        return raw

    def _unpacked(self, raw: bytes, most: int) -> bytes:
        assert self._part is not None
        try:
            return self._part.decompress(raw, most)
        except lzma.LZMAError as error:
            if "emory" not in str(error):
                raise
            limit = in_words(_WINDOW)
            raise WindowError(
                f"{self._called} takes more than {limit} to be unpacked; pack it again with xz -9 or less"
            ) from None
