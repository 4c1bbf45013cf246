"""Tables as points: what columns mean, their scales, longitude and latitude in meters, trips."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .earth import Tracks
from .features import Features, features, is_frame as is_frame
from .scaling import Scaling as Scaling

if TYPE_CHECKING:
    from .columns import (
        column as column,
        coordinate_names as coordinate_names,
        coordinates,
        has_geometry as has_geometry,
        labels as labels,
        numeric as numeric,
        source_of as source_of,
        weights as weights,
        with_columns as with_columns,
        with_coordinates as with_coordinates,
        with_text_names as with_text_names,
    )
    from .roles import column_roles as column_roles
    from .trips import tracks

_OTHER_HOMES = {"column_roles": ".roles", "tracks": ".trips"}
_OF_COLUMNS = (
    "column", "coordinate_names", "coordinates", "has_geometry", "labels", "numeric", "source_of", "weights",
    "with_columns", "with_coordinates", "with_text_names",
)  # fmt: skip
__all__ = ("Features", "Tracks", "coordinates", "features", "tracks")


def __getattr__(name: str) -> Any:
    """Import what needs pandas on first use."""
    home = ".columns" if name in _OF_COLUMNS else _OTHER_HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home, __name__), name)
