"""Decode bytes to text."""

from __future__ import annotations

import codecs

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def decode(content: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """The text, and a note if the encoding is not UTF-8."""
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding), ()
    except UnicodeDecodeError as error:
        if encoding == "utf-16":
            raise ValueError(
                f"{source} begins as UTF-16 and is damaged at byte {error.start}; save it as UTF-8"
            ) from None
        line = content.count(b"\n", 0, error.start) + 1
        note = f"{source} is not UTF-8 (line {line}); its letters were read as Latin-1"
        return content.decode("latin-1"), (note,)
