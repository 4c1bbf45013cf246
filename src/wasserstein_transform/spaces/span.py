"""The affine subspace that points span: answers do not depend on columns without spread, or on the space around it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Bools, Floats
from ..compute import sample_evenly
from ..engine import one_blas_thread
from .points import Euclidean
from .space import Space

_UNIT = 2.0**-53  # relative rounding of a number
_FACTOR = 16.0  # on the bound of singular values that may be zero: their computation rounds, too
_SAME = 1e-9  # relative difference below which candidates for an axis are equal, and the first is taken


class Span(NamedTuple):
    """An affine subspace of R^m.

    Attributes
    ----------
    origin : array of shape (m,)
        A point of it.
    axes : array of shape (m, r)
        Orthonormal columns.
    """

    origin: Floats
    axes: Floats

    def coordinates(self, points: Floats) -> Floats:
        """Return the coordinates of the nearest points of the subspace, shape (n, r)."""
        with one_blas_thread():
            return np.asarray((points - self.origin) @ self.axes)

    def points(self, coordinates: Floats) -> Floats:
        """Return the points with these coordinates, shape (n, m)."""
        with one_blas_thread():
            return np.asarray(self.origin + coordinates @ self.axes.T)

    def normals(self, count: int) -> Floats:
        """Return orthonormal columns across the subspace."""
        found = self.axes
        for _ in range(count):
            outside = 1 - (found**2).sum(axis=1)  # squared length of each unit vector's part across
            at = _first_of_largest(outside)
            unit = np.zeros(len(found))
            unit[at] = 1.0
            for _ in range(2):  # the second time removes rounding
                unit = unit - found @ (found.T @ unit)
            found = np.column_stack([found, unit / np.sqrt(unit @ unit)])
        return found[:, self.axes.shape[1] :]


def span_of(points: Floats) -> Span | None:
    """Return the subspace that the points span; None if that is the whole space.

    Columns without spread are left out, and the others are kept as they are if the points span them. Points should be
    distinct and sorted: then neither copies nor the order of rows change a bit.
    """
    m = points.shape[1]
    varies = np.array([bool((column != column[0]).any()) for column in points.T])
    if m == 1 or not varies.any():
        varies[0] = True
    inner = _inner_span(points[:, varies])
    if inner is None and varies.all():
        return None
    origin = np.where(varies, 0.0, points[0])
    if inner is not None:
        origin[varies] = inner.origin
    inner_axes = np.eye(int(varies.sum())) if inner is None else inner.axes
    axes = np.zeros((m, inner_axes.shape[1]))
    axes[varies] = inner_axes
    return Span(origin, axes)


def within_span(space: Space) -> Space:
    """Return a space with coordinates in the subspace that its points span."""
    if space.points is None or (span := span_of(space.points)) is None:
        return space
    inside = span.coordinates(space.points)
    return Space(Euclidean(inside) if space.metric.is_euclidean else space.metric, space.weights, inside)


def outward(space: Space) -> Space:
    """Sort points by their distance from the center of mass: evenly chosen ones then do not depend on the axes."""
    if space.points is None:
        return space
    return space.take(np.argsort(((space.points - space.weights @ space.points) ** 2).sum(axis=1), kind="stable"))


def _inner_span(points: Floats) -> Span | None:
    """Return the span of points whose columns all vary, or None if it is the whole space."""
    n, m = points.shape
    with one_blas_thread():
        if m == 1 or (n > 4 * m and _principal(points[sample_evenly(n, 4 * m)])[1].all()):
            return None  # some of the points span everything
        axes, spans = _principal(points)
        if spans.all() and len(spans) == m:
            return None
        spans[0] = True  # points that differ by rounding only
        return Span(points[_size(points).argmin()], _settle(axes[spans].T))


def _principal(points: Floats) -> tuple[Floats, Bools]:
    """Return orthonormal directions, as rows, and which of them the points span.

    Coordinates that were computed, as by a rotation, are sums of m products. Each is off by at most m·u times the
    length of its point, or m·√m·u times its largest coordinate, where u = 2⁻⁵³. Differences to an origin are divided by
    the size of both, so these n·m numbers are off by at most m·√m·u each, and singular values by m²·√n·u (Weyl): a
    smaller one may be zero. Each point has its own size here, so a far point does not hide what the others span.
    """
    n, m = points.shape
    size = _size(points)
    at = size.argmin()
    both = size + size[at]
    off = (points - points[at]) / np.where(both > 0, both, 1.0)[:, None]
    _, lengths, directions = np.linalg.svd(np.linalg.qr(off, mode="r"), full_matrices=False)
    return directions, lengths > _FACTOR * m * m * np.sqrt(n) * _UNIT


def _size(points: Floats) -> Floats:
    return np.asarray(np.abs(points).max(axis=1))


def _settle(axes: Floats) -> Floats:
    """Turn orthonormal columns into a basis that depends on their span only, not on the choice of LAPACK.

    The first axis is the projection of the unit vector that is nearest to the span, the next is that of the nearest one
    across the first, and so on.
    """
    left, turn = axes, np.empty((axes.shape[1], 0))
    for _ in range(axes.shape[1]):
        row = left[_first_of_largest((left**2).sum(axis=1))]
        row = row - turn @ (turn.T @ row)
        row = row / np.sqrt(row @ row)
        turn, left = np.column_stack([turn, row]), left - np.outer(left @ row, row)
    return axes @ turn


def _first_of_largest(values: Floats) -> int:
    return int((values >= values.max() * (1 - _SAME)).argmax())
