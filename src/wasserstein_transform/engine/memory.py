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


_READ_BYTES = 1 << 16  # at a time
_MAX_WINDOW_BYTES = 1 << 28  # of memory for unpacking: files made by `xz -9` need a quarter of that


class WindowError(ValueError):
    """A file needs too much memory to be unpacked."""


def open_xz(stream: IO[bytes], name: str) -> IO[bytes]:
    """Open an xz file for reading, with a memory limit for each of its streams."""
    return cast(IO[bytes], io.BufferedReader(_XzReader(stream, name), _READ_BYTES))


class _XzReader(io.RawIOBase):
    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._part: lzma.LZMADecompressor | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = b""
        while not piece:
            if self._part is None or self._part.eof:
                packed = self._start_of_next_part()
                if not packed:
                    return 0
                self._part = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_WINDOW_BYTES)
            else:
                packed = self._stream.read(_READ_BYTES) if self._part.needs_input else b""
                if not packed and self._part.needs_input:
                    raise EOFError("it is cut off")
            try:
                piece = self._part.decompress(packed, len(buffer))
            except lzma.LZMAError as error:
                if "emory" not in str(error):
                    raise
                raise WindowError(
                    f"{self._name} takes more than {in_words(_MAX_WINDOW_BYTES)} to decompress; "
                    "compress it again with xz -9 or less"
                ) from None
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _start_of_next_part(self) -> bytes:
        """Return the first bytes of the next xz stream; zeros may separate streams."""
        packed = b"" if self._part is None else self._part.unused_data.lstrip(b"\0")
        while not packed:
            more = self._stream.read(_READ_BYTES)
            if not more:
                return b""
            packed = more if self._part is None else more.lstrip(b"\0")
        return packed
