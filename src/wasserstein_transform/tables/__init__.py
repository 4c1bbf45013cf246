"""Read and write tables of points as DataFrames: text, Parquet, NumPy, maps (GeoJSON, GPX, …), scans (LAS, PLY).

Files are trusted as pandas trusts them: what is read is not run, pickles and links inside files are refused, and a file
that declares or unpacks to more than the memory limit is refused before the memory is taken. Readers of others (Arrow,
GDAL, laspy) are not a sandbox: open files from strangers in one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .earth import Tracks
from .features import Features, features

if TYPE_CHECKING:
    from .columns import coordinates
    from .files import read, write
    from .matrices import read_matrix
    from .trips import tracks

__all__ = ("Features", "Tracks", "coordinates", "features", "read", "read_matrix", "tracks", "write")
_MODULES = {"coordinates": "columns", "read": "files", "read_matrix": "matrices", "write": "files",
            "tracks": "trips"}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import names on first use: `features` serves arrays without pandas."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
