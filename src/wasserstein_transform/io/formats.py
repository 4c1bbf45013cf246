"""The file formats of tables: by name, by content, and what must be installed to read them."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath
from typing import Any

from .. import _check as check
from ..engine import current

TEXT = ("csv", "tsv", "txt")
MAPS = ("geojson", "gpx", "gpkg", "fgb", "shp")
PLACED = (*MAPS, "las", "laz", "ply")
"""File formats whose rows are places."""

KINDS = (*TEXT, "parquet", "npy", "npz", *MAPS, "las", "laz", "ply")
"""File formats that are read."""

WRITTEN = tuple(kind for kind in KINDS if kind != "shp")
"""File formats that are written: a Shapefile is several files."""

KIND_OF_SUFFIX = {kind: kind for kind in KINDS} | {
    "tab": "tsv", "dat": "txt", "data": "txt", "xyz": "txt", "asc": "txt", "pq": "parquet", "json": "geojson",
}  # fmt: skip
COMPRESSED_SUFFIXES = ("gz", "xz", "bz2")
FORMAT_NAMES = {
    "txt": "text", "geojson": "GeoJSON", "gpkg": "GeoPackage", "fgb": "FlatGeobuf", "shp": "Shapefile",
    "parquet": "Parquet",
}  # fmt: skip
EXTRA_OF_PACKAGE = {"pyarrow": "arrow", "laspy": "las", "lazrs": "las", "trimesh": "las"}

KIND_OF_MAGIC = {
    b"PAR1": "parquet", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz", b"PK\x05\x06": "npz", b"fgb\x03fgb": "fgb",
    b"\0\0'\n": "shp", b"ply\n": "ply", b"ply\r": "ply",
}  # fmt: skip
OTHER_MAGIC = {
    b"\x89PNG": "a PNG picture", b"\xff\xd8\xff": "a JPEG picture", b"II*\0": "a TIFF picture",
    b"%PDF": "a PDF document", b"\xd0\xcf\x11\xe0": "an old Excel or Word file", b"\x89HDF": "an HDF5 file",
    b"\x80\x04": "a Python pickle, which is never read", b"\x80\x05": "a Python pickle, which is never read",
}  # fmt: skip
MARKUP_TAGS = {b"<!doctype html": "a web page", b"<html": "a web page", b"<": "XML"}
_GPX_START = re.compile(rb"(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<gpx[\s>]", re.DOTALL)
_GDAL_WORDS = re.compile(rb"<OGRVRT|<VRTDataset|<GDAL|<OGRWFS|<!DOCTYPE|<!ENTITY|gdal_streamed_alg", re.IGNORECASE)
HEAD_BYTES = 1 << 12
CONTROL_BYTES = bytes(k for k in range(32) if k not in b"\t\n\v\f\r\x1a\x1b")  # bytes that do not occur in text
MAX_CONTROL_SHARE = 0.02  # share of control bytes that text may contain by mistake


def kind_by_name(name: str) -> str | None:
    """The format according to the suffix of a file; None if the suffix is unknown."""
    parts = PurePath(name).name.lower().split(".")[1:]
    if parts and parts[-1] in COMPRESSED_SUFFIXES:
        parts = parts[:-1]
    return KIND_OF_SUFFIX.get(parts[-1]) if parts else None


def kind_of(content: bytes, source: str, kind: str | None = None) -> str:
    """The format given by `kind`, else by the name, else by the content; raise if the content contradicts it."""
    if kind is not None:
        check.choice(kind, "kind", KINDS)
    kind_found, what = _kind_by_content(content)
    requested = kind or kind_by_name(source)
    said = f"{source} is {'named' if kind is None else 'asked for'} as {called(requested)} and" if requested else source
    if kind_found is None:
        raise ValueError(f"{said} holds {what}; give a table as {', '.join(KINDS)}")
    if requested is None:
        return "csv" if kind_found == "text" else kind_found
    if kind_found == requested or (kind_found == "text" and requested in TEXT):
        return requested
    if {kind_found, requested} == {"las", "laz"}:
        return kind_found
    instead = "give the right name" if kind is None else "ask for another kind"
    or_kind = f", or {check.option_text(f'kind={kind_found!r}')}" if kind_found != "text" and kind is None else ""
    raise ValueError(f"{said} holds {what}; {instead}{or_kind}")


def _kind_by_content(content: bytes) -> tuple[str | None, str]:
    """The kind of a table, "text", or None if it is not a table; and a description for messages."""
    head = content[:HEAD_BYTES]
    if head.startswith(b"PK") and b"xl/workbook" in content:
        return None, "an Excel workbook (save the sheet as CSV)"
    for magic, kind in KIND_OF_MAGIC.items():
        if head.startswith(magic):
            return kind, "an archive (zip)" if kind == "npz" else f"a table as {called(kind)}"
    if head.startswith(b"LASF"):
        return ("laz", "packed LAS points (LAZ)") if head[104:105] >= b"\x80" else ("las", "LAS points")
    if head.startswith(b"SQLite format 3\0") and head[68:72] == b"GPKG":
        return "gpkg", "a GeoPackage"
    for magic, what in OTHER_MAGIC.items():
        if head.startswith(magic):
            return None, what
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "text", "text"
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if _GPX_START.match(start):
        return _safe("gpx", content)
    for tag, what in MARKUP_TAGS.items():
        if start[:20].lower().startswith(tag):
            return None, what
    if b"\0" in content or len(head) - len(head.translate(None, CONTROL_BYTES)) > MAX_CONTROL_SHARE * len(head):
        return None, "binary content of an unknown kind"
    if start.startswith(b"{"):
        return _safe("geojson", content)
    return "text", "text"


def _safe(kind: str, content: bytes) -> tuple[str | None, str]:
    """Refuse text that GDAL, which goes by words inside, would take for a list of other files or addresses."""
    if match := _GDAL_WORDS.search(content):
        return None, f"{match.group().decode()}, which may name other files"
    return kind, "JSON" if kind == "geojson" else "GPX"


def called(kind: str) -> str:
    """Usual spelling of the name of a format."""
    return FORMAT_NAMES.get(kind, kind.upper())


def need(module: str, kind: str) -> Any:
    """Import a module of an extra that reads or writes files of a kind."""
    extra = EXTRA_OF_PACKAGE.get(module.partition(".")[0], "gis")
    return check.import_extra(module, f"{called(kind)} files need", extra)


def reserve(n_bytes: float, source: str) -> None:
    """Raise a MemoryError before more memory is taken than the limit allows."""
    more = check.option_text("wt.using(memory=…)", "memory=SIZE")
    current().reserve(n_bytes, f"reading {source}", f"take a part of it, or raise the limit with {more}")


def first_line(error: Exception) -> str:
    """The beginning of an error of another library."""
    return ((str(error) or type(error).__name__).strip().splitlines() or [""])[0][:200]
