"""From what a user wants to see to a space, its points, or its distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _check as check
from .._types import Floats
from ..spaces import Metric, Space
from ..transforms import Trajectory
from .labels import plain


def as_space(shown: Any) -> Space | None:
    """The Space itself, where a trajectory or a fitted transform ended, a metric as a space; None of anything else."""
    shown = getattr(shown, "trajectory_", shown)
    if isinstance(shown, Trajectory):
        return shown.last
    if isinstance(shown, Metric):
        return Space(shown, np.full(shown.n, 1.0 / shown.n), None)
    return shown if isinstance(shown, Space) else None


def as_points(shown: Any) -> Floats:
    """Coordinates, of an array or a space that has them."""
    space = as_space(shown)
    if space is None:
        return check.points(_numbers(shown) if _is_table(shown) else shown)
    if space.points is None:
        raise ValueError(f"{space!r} has no coordinates to draw; plotting.mds(space) finds some")
    return space.points


def _numbers(table: Any) -> Any:
    return table.numbers() if hasattr(table, "numbers") else np.column_stack(list(table.columns.values()))


def axis_names(shown: Any, m: int) -> tuple[str, ...]:
    """Names of the m coordinates: of the columns of a table, also one that a transform was fitted to; else none."""
    names = getattr(shown, "feature_names_in_", None) if hasattr(shown, "trajectory_") else _columns(shown)
    named = () if names is None else tuple(names)
    return tuple(map(plain, named)) if len(named) == m and all(isinstance(name, str) for name in named) else ()


def _columns(shown: Any) -> Any:
    if _is_table(shown):
        return shown.chosen() if hasattr(shown, "chosen") else tuple(shown.columns)
    return getattr(shown, "columns", None)


def _is_table(shown: Any) -> bool:
    """Named columns, and points by asking for their numbers."""
    return isinstance(getattr(shown, "columns", None), Mapping)


def with_distances(shown: Any) -> Space:
    """A space, of a square or condensed matrix of distances or of anything that is one."""
    space = as_space(shown)
    return Space.from_distances(shown) if space is None else space


def as_matrix(shown: Any) -> Floats:
    """All distances, n × n and finite."""
    matrix = with_distances(shown).metric.dense()
    if not np.isfinite(matrix).all():
        raise ValueError(
            "distances must all be known, some are infinite; draw a part of the points, or a larger radius"
        )
    return matrix
