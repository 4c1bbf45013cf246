"""Convert what a user passes to a Space, to points, or to distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _check as check
from .._types import Floats
from ..spaces import Metric, Space
from ..transforms import Trajectory
from .labels import plain


def as_space(shown: Any) -> Space | None:
    """The Space of a Space, Metric, Trajectory or fitted transform (its last state); None for anything else."""
    shown = getattr(shown, "trajectory_", shown)
    if isinstance(shown, Trajectory):
        return shown.last
    if isinstance(shown, Metric):
        return Space(shown, np.full(shown.n, 1.0 / shown.n), None)
    return shown if isinstance(shown, Space) else None


def as_points(shown: Any) -> Floats:
    """Coordinates of an array, of a table, or of a space that has them."""
    space = as_space(shown)
    if space is None:
        return check.points(shown)
    if space.points is None:
        raise ValueError(f"{space!r} has no coordinates to draw; plotting.mds(space) places points by their distances")
    return space.points


def axis_names(shown: Any, m: int) -> tuple[str, ...]:
    """Names of the m coordinates: the columns of a table, or of the table that a transform was fitted to; else ()."""
    names = (
        getattr(shown, "feature_names_in_", None) if hasattr(shown, "trajectory_") else getattr(shown, "columns", None)
    )
    named = () if names is None else tuple(names)
    return tuple(map(plain, named)) if len(named) == m and all(isinstance(name, str) for name in named) else ()


def with_distances(shown: Any) -> Space:
    """The Space of a square or condensed matrix of distances, or of anything `as_space` accepts."""
    space = as_space(shown)
    return Space.from_distances(shown) if space is None else space


def as_matrix(shown: Any) -> Floats:
    """All distances, shape (n, n), checked to be finite."""
    matrix = with_distances(shown).metric.dense()
    if not np.isfinite(matrix).all():
        raise ValueError(
            "distances must all be finite, some are infinite; draw a part of the points, or use a larger radius"
        )
    return matrix
