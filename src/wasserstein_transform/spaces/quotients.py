"""Merge points that share one place, and expand the result again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type
from .._device_array import on_host, stored_array
from .._shown import Brief
from .._types import Floats, Ints
from ..engine import Engine, current
from .metric import Metric
from .space import Space, check_space, taken_points


@archived
@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Quotient(Brief):
    """A space in which points that share one place are merged into one point with their total mass.

    `quotient` returns it. Below, n is the number of original points and k the number of merged ones.

    Attributes
    ----------
    space : Space
        The merged space, with k points.
    labels : array of int, shape (n,)
        The index of the merged point of each original point.
    weights : array of shape (n,)
        The masses before merging.
    points : array of shape (n, m), or None
        The coordinates before merging. None if the space has none.
    leaders : array of int, shape (k,), or None
        The original points that were kept. None if merging was off.
    tol : float, default 0.0
        The largest allowed distance of a point to the point it was merged into.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> merged = wt.spaces.quotient(wt.Space.from_points([[0.0], [1.0], [0.0], [0.0]]))
    >>> merged.space.weights, merged.labels
    (array([0.75, 0.25]), array([0, 1, 0, 0]))
    >>> merged.expand()
    <Space of 4 points in R^1, Euclidean metric>
    """

    space: Space
    labels: Ints
    weights: Floats
    points: Floats | None
    leaders: Ints | None = None
    tol: float = 0.0

    def _check_archived(self) -> None:
        check_type(self.space, "the merged space", Space)
        check_array(self.labels, "labels", "i", None)
        check_range(self.labels, "labels", 0, self.space.n - 1)
        if len(np.unique(self.labels)) < self.space.n:
            raise ValueError("every merged point must have at least one original point")
        n = len(self.labels)
        check_array(self.weights, "weights", "f", n)
        check_range(self.weights, "weights", 0.0, 1.0 + 1e-6)
        if self.points is not None:
            check_array(self.points, "points", "f", n, None)
        if self.leaders is not None:
            check_array(self.leaders, "leaders", "i", self.space.n)
            check_range(self.leaders, "leaders", 0, n - 1)
        check_type(self.tol, "tol", float, int)

    def expand(self, space: Space | None = None) -> Space:
        """Return all n original points, each at its merged point in `space` (default: the merged space)."""
        if space is None:
            return Space(self._spread(self.space.metric), self.weights, stored_array(self, "points"))
        return Space(self._spread(space.metric), self.weights, self.carry(space))

    def carry(self, moved: Space) -> Floats | None:
        """Coordinates of all points after the merged space moved; unchanged if only its distances changed."""
        points = stored_array(moved, "points")
        if points is None or points is stored_array(self.space, "points"):
            return stored_array(self, "points")  # type: ignore[no-any-return]
        return points if len(points) == len(self.labels) else np.asarray(points[self.labels])

    def _spread(self, metric: Metric) -> Metric:
        return metric if metric.n == len(self.labels) else metric.take(self.labels)


def quotient(space: Space, tol: float = 0.0, engine: Engine | None = None) -> Quotient:
    """Merge points within distance `tol` of an earlier point, and add up their masses.

    Every point lies within `tol` of the point it is merged into. Points with positive weight come before the others.

    Parameters
    ----------
    space : Space
        The space with n points.
    tol : float, default 0.0
        The largest distance between merged points, in the unit of the distances. 0 merges exact duplicates only.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Quotient
        The merged space, and the label of each point.

    Notes
    -----
    One search for the neighbors within `tol`: fast for coordinates, O(n²) for a stored matrix.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> q = wt.spaces.quotient(wt.Space.from_points([[0.0], [1.0], [0.0]]))
    >>> q.space.metric.n, q.labels
    (2, array([0, 1, 0]))
    """
    check_space(space)
    tol = check.tolerance(tol, "tol")
    metric, engine = space.metric, current(engine)
    by_point = metric.leaders(space.weights, tol, engine)
    leads = by_point == np.arange(metric.n)
    kept, labels = np.flatnonzero(leads), (np.cumsum(leads) - 1)[by_point]
    weights = np.asarray(np.bincount(labels, weights=space.weights), np.float64)
    left = metric if len(kept) == metric.n else metric.take(kept)  # no copy if nothing was merged
    return Quotient(
        space=Space(left, weights, taken_points(space, left, kept)), labels=labels.astype(np.intp),
        weights=space.weights, points=stored_array(space, "points"), leaders=kept, tol=tol,
    )  # fmt: skip
