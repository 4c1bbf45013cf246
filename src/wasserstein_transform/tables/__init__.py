"""Tables as points: what columns mean, their scales, longitude and latitude in meters, trips."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .earth import Tracks
from .features import Features, features

if TYPE_CHECKING:
    from .columns import coordinates
    from .trips import tracks

__all__ = ("Features", "Tracks", "coordinates", "features", "tracks")
_MODULES = {"coordinates": "columns", "tracks": "trips"}


def __getattr__(name: str) -> Any:
    """Import names on first use: `features` serves arrays without pandas."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
