"""Recognize the format of a file by its first bytes."""

from __future__ import annotations

import codecs

_TABLES = {b"PAR1": "parquet", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz"}
_OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"II*\0": "a TIFF picture",
    b"MM\0*": "a TIFF picture",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"SQLite format 3": "a SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"ARROW1": "an Arrow (Feather) file",
    b"(\xb5/\xfd": "a zstd archive; unpack it first",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
    b"\x7fELF": "a program",
    b"\x80\x04\x95": "a Python pickle, which is never read",
    b"\x80\x05\x95": "a Python pickle, which is never read",
}
_MARKUP = {b"<!doctype html": "a web page", b"<html": "a web page", b"<?xml": "XML", b"<svg": "an SVG picture"}
_HEAD = 1 << 12
_CONTROL = bytes(k for k in range(32) if k not in b"\t\n\v\f\r\x1a\x1b")  # bytes that do not occur in text
_FEW = 0.02  # share of control bytes that text may contain by mistake
_COMPRESSED = 104  # offset of the point format in a LAS file; one bit marks compressed points


def kind_of(content: bytes) -> tuple[str | None, str]:
    """The kind of a table, "text", or None if it is not a table; and a description for messages."""
    head = content[:_HEAD]
    for magic, kind in _TABLES.items():
        if head.startswith(magic):
            return kind, "an archive (zip)" if kind == "npz" else f"a table as {kind.upper()}"
    if head.startswith(b"LASF"):
        packed = len(head) > _COMPRESSED and head[_COMPRESSED] & 0x80
        return ("laz", "packed LAS points (LAZ)") if packed else ("las", "LAS points")
    for magic, what in _OTHERS.items():
        if head.startswith(magic):
            return None, what
    if head[257:262] == b"ustar":
        return None, "a tar archive; unpack it first"
    return _kind_of_text(content, head)


def _kind_of_text(content: bytes, head: bytes) -> tuple[str | None, str]:
    if head[:4] in (b"ply\n", b"ply\r"):
        return "ply", "PLY points"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "text", "text"
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    for tag, what in _MARKUP.items():
        if start[:20].lower().startswith(tag):
            return None, what
    if b"\0" in content or len(head) - len(head.translate(None, _CONTROL)) > _FEW * len(head):
        return None, "binary content of an unknown kind"
    if start.startswith(b"{"):
        return "geojson", "JSON"
    if _is_arff(start):
        return "arff", "ARFF"
    return "text", "text"


def _is_arff(start: bytes) -> bool:
    lines = (line.strip().lower() for line in start.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return first.startswith((b"@relation", b"@attribute"))
