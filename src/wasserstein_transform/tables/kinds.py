"""The file formats of tables."""

from __future__ import annotations

import importlib
from pathlib import PurePath
from typing import Any

from .content import kind_of

KINDS = ("csv", "tsv", "txt", "parquet", "npy", "npz", "arff", "geojson", "las", "laz", "ply")
"""File formats, as passed to `read`, `encode` and `write`."""

TEXT = ("csv", "tsv", "txt")
_SUFFIXES = {kind: kind for kind in KINDS} | {
    "tab": "tsv",
    "dat": "txt",
    "data": "txt",
    "xyz": "txt",
    "asc": "txt",
    "pq": "parquet",
    "json": "geojson",
}
PACKED = ("gz", "xz", "bz2")
"""Suffixes of compressed files; the suffix before it gives the format of the content."""

_CALLED = {"csv": "CSV", "tsv": "TSV", "txt": "text", "geojson": "GeoJSON", "npy": "NPY", "npz": "NPZ"}


def kind_by_name(name: str) -> str | None:
    """The format according to the suffix of a file; None if the suffix is unknown."""
    parts = PurePath(name).name.lower().split(".")[1:]
    if parts and parts[-1] in PACKED:
        parts = parts[:-1]
    return _SUFFIXES.get(parts[-1]) if parts else None


def check_kind(kind: str) -> str:
    """Raise if `kind` is not one of KINDS."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return kind


def agreed_kind(content: bytes, source: str, kind: str | None) -> str:
    """The format given by `kind`, else by the name, else by the content; raise if the content contradicts it."""
    found, what = kind_of(content)
    wanted = check_kind(kind) if kind is not None else kind_by_name(source)
    said = "asked for" if kind is not None else "named"
    if found is None:
        right = f"{source} is {said} as {called(wanted)} and holds {what}" if wanted else f"{source} holds {what}"
        raise ValueError(f"{right}; give a table as {', '.join(KINDS)}")
    if wanted is None:
        return "csv" if found == "text" else found
    if found == wanted or (found == "text" and wanted in TEXT):
        return wanted
    if {found, wanted} == {"las", "laz"}:
        return found
    instead = "give the right name" if kind is None else "ask for another kind"
    raise ValueError(
        f"{source} is {said} as {called(wanted)} and holds {what}; {instead}"
        + (f", or kind={found!r}" if found != "text" and kind is None else "")
    )


def called(kind: str) -> str:
    """Usual spelling of the name of a format."""
    return _CALLED.get(kind, kind.capitalize() if kind == "parquet" else kind.upper())


def need(module: str, kind: str) -> Any:
    """Import a module of the extra `files`, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(
            f"{called(kind)} files need {package}, which is not installed; "
            'pip install "wasserstein-transform[files]" installs it'
        ) from None
