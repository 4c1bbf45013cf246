"""Read xz files as streams with bounded memory, whatever their headers claim."""

from __future__ import annotations

import io
import lzma
from typing import IO, cast

from .memory import in_words

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
