"""Points of any dimension, and of none, in the plane."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..plotting.embedding import embed
from ..spaces import Space


class Plane(NamedTuple):
    """How points are drawn.

    Attributes
    ----------
    directions : array of shape (m, 2)
        What coordinates are multiplied with.
    layout : array of shape (n, 2), or None
        Where points are that have no coordinates.
    whole : bool
        Whether it shows all there is.
    """

    directions: Floats
    layout: Floats | None
    whole: bool
    notes: tuple[str, ...] = ()

    def names(self, columns: tuple[str, ...]) -> tuple[str, str]:
        """What the two directions are called."""
        if self.layout is not None:
            return "scaling 1", "scaling 2"
        if not self.whole:
            return "principal axis 1", "principal axis 2"
        known = columns if len(columns) == len(self.directions) else ("x", "y")
        return (known[0], known[1]) if len(self.directions) == 2 else (known[0], "")


def plane_of(points: Floats | None, space: Space | None = None, engine: Engine | None = None) -> Plane:
    """The plane of points: their own, that of the two longest principal axes, or a scaling of their distances."""
    if points is None:
        assert space is not None
        return _scaled(space, engine)
    m = points.shape[1]
    if m <= 2:
        return Plane(np.eye(m, 2), None, True)
    centered = points - points.mean(axis=0)
    centered /= np.abs(centered).max(initial=0.0) or 1.0
    axes = np.linalg.eigh(centered.T @ centered)[1][:, ::-1][:, :2]
    axes = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    return Plane(axes, None, False, (f"two principal axes of {m} coordinates are drawn",))


def _scaled(space: Space, engine: Engine | None) -> Plane:
    distances = space.metric.dense(engine)
    if np.isfinite(distances).all():
        unit = float(distances.max(initial=0.0)) or 1.0
        note = "points without coordinates are drawn by classical scaling of their first distances"
        return Plane(np.eye(2), unit * embed(distances / unit).points, False, (note,))
    turn = 2 * np.pi * np.arange(space.n) / space.n
    note = "points without coordinates, of which some distances are unknown, are drawn on a circle"
    return Plane(np.eye(2), np.column_stack([np.cos(turn), np.sin(turn)]), False, (note,))


def places(plane: Plane, points: Floats | None) -> Floats:
    """Where points are in the plane."""
    if plane.layout is not None or points is None:
        assert plane.layout is not None
        return plane.layout
    return np.asarray(points @ plane.directions)


_SMALLEST, _LARGEST = 1e-30, 1e30  # that single precision tells well, their products nearly


def is_moderate(values: Floats) -> bool:
    """Whether single precision holds the numbers; zeros alone are held, too."""
    largest = float(np.abs(values).max(initial=0.0))
    return largest == 0 or _SMALLEST < largest < _LARGEST


def compact(values: Floats) -> Any:
    """The numbers in single precision, where that holds them."""
    return values.astype(np.float32) if is_moderate(values) else values
