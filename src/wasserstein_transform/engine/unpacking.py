"""Files packed by xz, as streams that take bounded memory: what they announce is not believed."""

from __future__ import annotations

import io
import lzma
from typing import IO, cast

from .memory import in_words

_PIECE = 1 << 16  # bytes that are read at a time
_WINDOW = 1 << 28  # bytes that unpacking may take: `xz -9` makes files that need a fourth of that


class WindowError(ValueError):
    """A file that takes too much memory to be unpacked, whatever comes out of it."""


def open_xz(stream: IO[bytes], called: str) -> IO[bytes]:
    """What a file of xz holds; each of its parts may take as much memory, and no more."""
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
                    raise EOFError("it ends before its end is reached")
            if piece := self._unpacked(raw, most):
                return piece

    def _next_part(self) -> bytes:
        """The first bytes of another part; zeros may stand between them."""
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
                f"{self._called} takes more than {limit} to be unpacked; pack it again by xz -9 or less"
            ) from None
