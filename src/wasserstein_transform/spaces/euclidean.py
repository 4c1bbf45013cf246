"""Points under the Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _check as check
from .._archive import check_array
from .._cached import cached_property
from .._elsewhere import contiguous, on_host, where_it_lies
from .._types import Bools, Floats, Ints
from ..backends import Cloud, Frame, backend_of
from ..backends.frame import check_frame
from ..engine import Engine, current
from .metric import Metric


@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Metric):
    """The Euclidean distance between points, computed on demand.

    Parameters
    ----------
    points : array of shape (n, m)
        The coordinates.
    frame : Frame, optional
        The grid of a larger point cloud that these points are a part of. None: the points are all of it.

    Notes
    -----
    Memory O(n m). Balls and nearest neighbors are searched in a grid or tree.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.Euclidean(np.array([[0.0, 0.0], [3.0, 4.0]])).dense()
    array([[0., 5.],
           [5., 0.]])
    """

    points: Floats
    frame: Frame | None = None
    triangle = True

    def __post_init__(self) -> None:
        points = contiguous(self._points_there)
        if points.ndim != 2:
            check.shape_of_points(points.shape)  # raises: parts of a cloud may be empty, but have two axes
        object.__setattr__(self, "points", points)

    @property
    def _points_there(self) -> Any:
        """The points, on the host or on the GPU."""
        return where_it_lies(self, "points")

    def _in_words(self) -> str:
        return f" in R^{self._points_there.shape[1]}"

    @cached_property
    def form(self) -> Cloud:
        return Cloud(self._points_there, self.frame)

    @property
    def n(self) -> int:
        return len(self._points_there)

    def _check_archived(self) -> None:
        check_array(self.points, "points", "f", None, None)
        check_frame(self.frame, self.points.shape[1])

    def take(self, rows: Ints) -> Euclidean:
        return Euclidean(np.ascontiguousarray(self.points[rows]))

    @property
    def n_bytes(self) -> int:
        return int(self._points_there.nbytes)

    @property
    def places(self) -> Floats:
        points: Floats = self._points_there
        return points

    @property
    def euclidean(self) -> Floats:
        return self.points

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        if not isinstance(other, Euclidean):
            return other.movement(self, engine)
        engine = current(engine)
        return backend_of(engine).movement(self.form, other.form, engine)

    @property
    def is_euclidean(self) -> bool:
        return True

    def joins(self, other: Metric) -> bool:
        return isinstance(other, Euclidean)

    def concatenate(self, other: Metric) -> Euclidean:
        if not isinstance(other, Euclidean):
            raise TypeError(f"new points must be Euclidean like the others, got {type(other).__name__}")
        if other.points.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"new points must have {self.points.shape[1]} coordinates like the others, got {other.points.shape[1]}"
            )
        return Euclidean(np.concatenate([self.points, other.points]))

    def differs(self, before: Metric, kept: Ints | None = None) -> Bools | None:
        if not isinstance(before, Euclidean):
            return None
        points = before.points if kept is None else before.points[kept]
        return np.asarray((points != self.points).any(axis=1))

    def with_rows(self, rows: Ints, new: Euclidean) -> Euclidean:
        points = self.points.copy()
        points[rows] = new.points
        return Euclidean(points)

    def framed(self, frame: Frame) -> Euclidean:
        return replace(self, frame=frame)
