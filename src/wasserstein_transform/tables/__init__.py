"""Tables as points: what columns mean, their scales, longitude and latitude in meters, trips."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .earth import Tracks
from .features import Features, features, is_frame as is_frame
from .scaling import Scaling as Scaling

if TYPE_CHECKING:
    from .columns import coordinates
    from .trips import tracks

_WITH_PANDAS = {"coordinates": ".columns", "tracks": ".trips"}
__all__ = ("Features", "Tracks", "coordinates", "features", "tracks")


def __getattr__(name: str) -> Any:
    """Import what needs pandas on first use."""
    if name not in _WITH_PANDAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_WITH_PANDAS[name], __name__), name)
