"""What kernels need of a metric, and the frame that gives parts of a cloud the bits of the whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, Self, cast

import numpy as np

from ..._types import Floats, Ints, cached_property
from ...engine import Engine, to_host
from ..cells.index import Search, cells_along, frame_of, frame_of_extent, sort_into_cells
from ..cells.rows import bounds
from ..records import Frame
from . import gaussians
from .gaussians import GaussianArrays, unit_of_size
from .geometry_jit import Adjacency, Geometry


class MetricArrays(ABC):
    """Distances between n points, as kernels compute them. `Metric` derives from it.

    Attributes
    ----------
    lam : float
        Weight of the covariances of the points; 0 if they have none.
    covs : array of shape (n, m, m), optional
        The covariances, if the points are Gaussians.
    frame : Frame, optional
        The grid of a larger cloud that the points are a part of.
    adjacency : Adjacency, optional
        The edges of a graph, if distances are lengths of shortest paths.
    """

    lam: float = 0.0
    covs: Floats | None = None
    frame: Frame | None = None
    adjacency: Adjacency | None = None

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of points."""

    @property
    def places(self) -> Floats | None:
        """Coordinates (n, m) of the points, possibly on a GPU; None if the metric has none."""
        return None

    @property
    def cost(self) -> float:
        """Cost of one distance, in steps of an inner loop."""
        return 1.0

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """What was computed from the arrays and is used again: kernel arguments, copies on a device."""
        return {}

    def geometry(self, engine: Engine) -> Geometry:
        """The arrays from which kernels compute single distances; made once."""
        if "geometry" not in self.derived:
            self.derived["geometry"] = self._make_geometry(engine)
        made: Geometry = self.derived["geometry"]
        return made

    @abstractmethod
    def _make_geometry(self, engine: Engine) -> Geometry:
        """Make the arrays from which kernels compute single distances."""

    def geometry_near(self, search: Search, reach: float, engine: Engine) -> Geometry:
        """The same for distances up to a reach, in the order of the positions of a search."""
        return self.geometry(engine)

    def tree_geometry(self, engine: Engine) -> tuple[Geometry, float]:
        """Distances for Prim's algorithm, which compares squares, and the unit that they were divided by."""
        return self.geometry(engine), 1.0

    def search(self, reach: float, engine: Engine) -> Search:
        """The candidates within a reach: points sorted into cells by their coordinates; without any, all points.

        Euclidean distances of the coordinates must be lower bounds of the distances.
        """
        if self.places is None or not np.isfinite(reach):
            return Search.exhaustive(self.n)
        points: Floats = to_host(self.places)
        low, high = bounds(points, engine)
        frame = self.frame
        if frame is None:
            lengths = partial(cells_along, points, low=low, high=high, engine=engine)
            frame = frame_of_extent(low, high, len(points), reach, lengths)
        return Search(*sort_into_cells(points, frame, low, high, engine), frame.per_reach, frame.by_cells)

    def contraction(self) -> Floats | None:
        """Points in some R^k whose Euclidean distances are lower bounds of the distances; None if there are none."""
        return None

    def rounding(self, contraction: Floats) -> Floats:
        """Bounds of the rounding error of each point of the contraction."""
        return np.zeros(len(contraction))

    @abstractmethod
    def concatenate(self, other: Any) -> Self:
        """Return the metric of these points followed by those of `other`, a metric of the same kind."""

    @abstractmethod
    def largest(self, engine: Engine | None = None) -> float:
        """A number of the order of the largest distance."""

    @abstractmethod
    def block(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        """Compute the distances of the points `rows` to the points `cols`, shape (len(rows), len(cols))."""


def frame_of_cloud(metric: MetricArrays, reach: float, engine: Engine) -> Frame | None:
    """The frame of a whole cloud for neighborhoods with this reach; None if it cannot be computed in parts."""
    if not np.isfinite(reach) or metric.places is None:
        return None
    points: Floats = to_host(metric.places)
    frame = frame_of(points, reach, engine)
    if metric.covs is None:
        return frame
    largest, least = gaussians.sizes(cast(GaussianArrays, metric), engine)
    unit = unit_of_size(largest)
    return frame._replace(unit=unit, planar=points.shape[1] == 2 and gaussians.is_plain(least, unit))
