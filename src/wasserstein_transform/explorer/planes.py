"""Positions in the plane for points of any dimension, and for points without coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..plotting.embedding import embed
from ..spaces import Space


class Plane(NamedTuple):
    """The map from points to the plane.

    Attributes
    ----------
    directions : array of shape (m, 2)
        Coordinates are multiplied by this matrix.
    layout : array of shape (n, 2), or None
        Positions of points without coordinates.
    whole : bool
        Whether nothing is lost: the points have at most two coordinates.
    notes : tuple of str
        Remarks for the page.
    """

    directions: Floats
    layout: Floats | None
    whole: bool
    notes: tuple[str, ...] = ()

    def names(self, columns: tuple[str, ...]) -> tuple[str, str]:
        """Names of the two axes."""
        if self.layout is not None:
            return "scaling 1", "scaling 2"
        if not self.whole:
            return "principal axis 1", "principal axis 2"
        known = columns if len(columns) == len(self.directions) else ("x", "y")
        return (known[0], known[1]) if len(self.directions) == 2 else (known[0], "")


def plane_of(points: Floats | None, space: Space | None = None, engine: Engine | None = None) -> Plane:
    """The plane of the points: their own, the first two principal axes, or a classical scaling of the distances."""
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
    return Plane(axes, None, False, (f"points with {m} coordinates are drawn along their first two principal axes",))


def _scaled(space: Space, engine: Engine | None) -> Plane:
    distances = space.metric.dense(engine)
    if np.isfinite(distances).all():
        unit = float(distances.max(initial=0.0)) or 1.0
        note = "points without coordinates are placed by classical scaling of their initial distances"
        return Plane(np.eye(2), unit * embed(distances / unit).points, False, (note,))
    turn = 2 * np.pi * np.arange(space.n) / space.n
    note = "points without coordinates are drawn on a circle, because some distances are unknown"
    return Plane(np.eye(2), np.column_stack([np.cos(turn), np.sin(turn)]), False, (note,))


def places(plane: Plane, points: Floats | None) -> Floats:
    """Positions of points in the plane, shape (n, 2)."""
    if plane.layout is not None or points is None:
        assert plane.layout is not None
        return plane.layout
    return np.asarray(points @ plane.directions)


_SMALLEST, _LARGEST = 1e-30, 1e30  # range of values for single precision, with a margin for products


def is_moderate(values: Floats) -> bool:
    """Whether single precision can represent the numbers."""
    largest = float(np.abs(values).max(initial=0.0))
    return largest == 0 or _SMALLEST < largest < _LARGEST


def compact(values: Floats) -> Any:
    """The numbers in single precision if it can represent them."""
    return values.astype(np.float32) if is_moderate(values) else values
