"""The kinds of files that tables are read from and written to."""

from __future__ import annotations

import importlib
from pathlib import PurePath
from typing import Any

from .content import kind_of

KINDS = ("csv", "tsv", "txt", "parquet", "npy", "npz", "arff", "geojson", "las", "laz", "ply")
"""Kinds of files, as `read`, `encode` and `write` call them."""

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
"""Suffixes of packed files; what is in them goes by the suffix before."""

_CALLED = {"csv": "CSV", "tsv": "TSV", "txt": "text", "geojson": "GeoJSON", "npy": "NPY", "npz": "NPZ"}


def kind_by_name(name: str) -> str | None:
    """The kind a file's name says; None if it says none."""
    parts = PurePath(name).name.lower().split(".")[1:]
    if parts and parts[-1] in PACKED:
        parts = parts[:-1]
    return _SUFFIXES.get(parts[-1]) if parts else None


def check_kind(kind: str) -> str:
    """One of the kinds."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return kind


def agreed_kind(content: bytes, source: str, kind: str | None) -> str:
    """The kind that is asked for, or the name says, or the content shows; content must agree with the others."""
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
    """What people call a kind."""
    return _CALLED.get(kind, kind.capitalize() if kind == "parquet" else kind.upper())


def need(module: str, kind: str) -> Any:
    """A module of the extra `files`, or how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(
            f'{called(kind)} files need {package}, which is not installed; pip install "wasserstein-transform[files]" '
            "brings it"
        ) from None
