"""Parts of a cloud: what they share with the whole, so that their results are identical to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from .._device_array import to_host
from .._types import Floats
from ..engine import Engine
from . import gaussians
from .gaussians import GaussianArrays, unit_of_size
from .metric import MetricArrays
from .passes import bounds
from .records import Extent, Frame
from .search import cells_along, cells_among, frame_of_extent


def extent_of(metric: MetricArrays, engine: Engine) -> Extent:
    """The data that the frame of a cloud depends on, for a part of the cloud or all of it."""
    low, high = bounds(to_host(metric.places), engine)
    sizes = () if metric.covs is None else gaussians.sizes(cast(GaussianArrays, metric), engine)
    return Extent(metric.n, tuple(low.tolist()), tuple(high.tolist()), *sizes)


def frame_of_cloud(metric: MetricArrays, reach: float, engine: Engine) -> Frame | None:
    """The frame of a whole cloud for neighborhoods with this reach; None if it cannot be computed in parts."""
    if not np.isfinite(reach) or metric.places is None:
        return None
    extent, points = extent_of(metric, engine), to_host(metric.places)
    low, high = np.array(extent.low), np.array(extent.high)
    return _frame(extent, reach, lambda frame: cells_along(points, frame, low, high, engine))


def frame_of_parts(extent: Extent, reach: float, occupied: Callable[[Frame], list[Floats]]) -> Frame:
    """The frame of a whole cloud with this extent, equal to that of `frame_of_cloud`.

    `occupied(frame)` returns, for each axis of a frame, the cells that hold points in increasing order; it is needed
    for a few clouds whose extent is not enough.
    """
    return _frame(extent, reach, lambda frame: cells_among(occupied(frame), frame))


def _frame(extent: Extent, reach: float, lengths: Callable[[Frame], Floats]) -> Frame:
    frame = frame_of_extent(np.array(extent.low), np.array(extent.high), extent.n, reach, lengths)
    if extent.largest is None:
        return frame
    unit = unit_of_size(extent.largest)
    return frame._replace(unit=unit, planar=len(extent.low) == 2 and gaussians.is_plain(extent.least, unit))
