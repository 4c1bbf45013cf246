"""A step of some points of a cloud, equal to the bit to the step of the whole cloud, and which points need one.

The next Gaussian of a point depends on the points within its reach and on their neighbors. Sums over neighbors run cell
by cell. So the cells must be those of the whole cloud, given by its `Frame`, and complete on twice the reach of a ball.

If no point that a point depends on changed by a single bit, its next step gives the same result again and is skipped.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from scipy.spatial import cKDTree

from .._types import Bools, Floats, Ints
from ..compute.cells.index import frame_of, raw_cells
from ..compute.cells.rows import sample_evenly
from ..compute.metrics import gaussians
from ..compute.records import Frame
from ..engine import Engine, stored_array, to_host
from ..spaces import GaussianMetric, Metric, Quotient, Space
from .transform import Transform

MAX_CELL_NUMBER = 2.0**62  # largest number of cells that one integer can index
_MAX_CELL = 2.0**52  # of a cell: sums with a few cells are exact
_MAX_SHARE = 0.5  # if more than this share of the points must be computed, compute all
_N_COMPARED = 1000  # size of the sample that is compared first


class Subset(NamedTuple):
    """The points to compute (`core`), all points that they depend on (`context`), both sorted, and the frame."""

    core: Ints
    context: Ints
    frame: Frame


def halo(frame: Frame) -> int:
    """Number of cells to either side that a step of a point depends on: two passes of one reach each."""
    return 2 * (frame.per_reach + 1)


def cells_of(metric: Metric, frame: Frame) -> Floats:
    """The cell of each point; those farther than cells can be counted in floats are one."""
    return np.clip(raw_cells(to_host(metric.coordinates), frame), -_MAX_CELL, _MAX_CELL)


def near_cells(cells: Floats, others: Floats, n_cells: int) -> Bools:
    """Mark the cells that are at most `n_cells` from one of the others along every axis."""
    distances = cKDTree(_distinct_cells(others)).query(cells, p=np.inf, distance_upper_bound=n_cells + 0.5)[0]
    return np.asarray(np.isfinite(distances))


def _distinct_cells(cells: Floats) -> Floats:
    """The distinct ones among some cells."""
    if len(cells) == 0:
        return cells
    low = cells.min(axis=0)
    lengths = cells.max(axis=0) - low + 1
    if np.prod(lengths) > MAX_CELL_NUMBER:
        return np.asarray(np.unique(cells, axis=0))
    shape = tuple(int(length) for length in lengths)
    numbers = np.unique(np.ravel_multi_index(tuple((cells - low).astype(np.int64).T), shape))
    return np.asarray(np.stack(np.unravel_index(numbers, shape), axis=1) + low)


def step_subset(space: Space, step: Transform, subset: Subset, engine: Engine) -> tuple[Space, Bools]:
    """Compute the step of the core, and which of its points saw no mass."""
    rows, around = np.searchsorted(subset.context, subset.core), space.take(subset.context)
    framed = Space(around.metric.framed(subset.frame), around.weights, around.points)
    moved, massless = step.step(framed, engine)
    return moved.take(rows), massless[rows]


def find_changing(before: Quotient, now: Quotient, reach: float, engine: Engine) -> Subset | None:
    """The points that may change in the next step, given the changes of the last; None if most points may."""
    current, previous = now.space, before.space
    points = [stored_array(space, "points") for space in (current, previous)]
    if not np.isfinite(reach) or not all(isinstance(array, np.ndarray) for array in points):
        return None  # no coordinates, or on a GPU, which computes all points faster than this search
    if current.metric.n == previous.n and _most_differ(previous, current):
        return None
    changed = current.metric.differs(previous.metric, now.leaders)
    if changed is None:
        return None
    kept = np.arange(previous.n) if now.leaders is None else now.leaders
    changed |= previous.weights[kept] != current.weights
    if changed.sum() > _MAX_SHARE * current.n:
        return None
    frame = frame_of_cloud(current.metric, reach, engine)
    if frame is None:
        return None
    left = np.ones(previous.n, bool)
    left[kept[~changed]] = False  # moved away, or merged into another
    cells = cells_of(current.metric, frame)
    changes = np.concatenate([cells_of(previous.metric.take(np.flatnonzero(left)), frame), cells[changed]])
    if len(changes) == 0:
        return Subset(np.zeros(0, np.intp), np.zeros(0, np.intp), frame)
    context = np.flatnonzero(near_cells(cells, changes, 2 * halo(frame)))
    if len(context) > _MAX_SHARE * current.n:
        return None
    return Subset(np.flatnonzero(near_cells(cells, changes, halo(frame))), context, frame)


def _most_differ(previous: Space, current: Space) -> bool:
    """Whether most points of a sample changed; then the others are not compared."""
    sample = sample_evenly(current.n, _N_COMPARED)
    changed = current.metric.take(sample).differs(previous.metric.take(sample))
    return changed is not None and changed.mean() > (1 + _MAX_SHARE) / 2


def step_changing(space: Space, step: Transform, changing: Subset, engine: Engine) -> tuple[Space, Bools]:
    """A step of the points that may change; the others stay. Also the points that saw no mass."""
    massless = np.zeros(space.n, bool)
    if len(changing.core) == 0:
        return space, massless
    part, massless[changing.core] = step_subset(space, step, changing, engine)
    metric = space.metric.with_rows(changing.core, part.metric)
    return Space(metric, space.weights, metric.coordinates), massless


def frame_of_cloud(metric: Metric, reach: float, engine: Engine) -> Frame | None:
    """The frame of a whole cloud for neighborhoods with this reach; None if it cannot be computed in parts."""
    if not np.isfinite(reach) or metric.coordinates is None:
        return None
    points: Floats = to_host(metric.coordinates)
    frame = frame_of(points, reach, engine)
    if metric.covs is None:
        return frame
    largest, least_trace = gaussians.sizes(cast(GaussianMetric, metric))
    unit = gaussians.unit_of_size(largest)
    return frame._replace(unit=unit, planar=points.shape[1] == 2 and gaussians.is_plain(least_trace, unit))
