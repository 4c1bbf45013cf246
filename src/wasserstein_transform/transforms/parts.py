"""A step of some points of a cloud, equal to the bit to the step of the whole cloud.

The next Gaussian of a point depends on the points within its reach and on their neighbors. Sums over neighbors run cell
by cell. So the cells must be those of the whole cloud, given by its `Frame`, and complete on twice the reach of a ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Bools, Floats, Ints
from ..backends import Frame, backend_of
from ..engine import Engine
from ..spaces import Euclidean, GaussianMetric, Metric, Space
from .transform import Transform

_MOST_NUMBERS = 2.0**62  # largest number of cells that one integer can index
_FARTHEST = 2.0**52  # of a cell: sums with a few cells are exact


class Part(NamedTuple):
    """The points to compute (`core`), all points that they depend on (`context`), both sorted, and the frame."""

    core: Ints
    context: Ints
    frame: Frame


def frame_of(space: Space, reach: float, engine: Engine) -> Frame | None:
    """The frame of a whole space for steps of this reach; None if parts cannot be computed alone."""
    return backend_of(engine).frame(space.metric.form, reach, engine)


def part_of(space: Space, core: Ints, frame: Frame, engine: Engine) -> Part:
    """The part of a space with this core; its context consists of whole cells."""
    core = np.sort(core)
    cells = cells_of(space.metric, frame, engine)
    return Part(core, np.flatnonzero(near_cells(cells, cells[core], halo(frame))), frame)


def halo(frame: Frame) -> int:
    """Number of cells to either side that a step of a point depends on: two passes of one reach each."""
    return 2 * (frame.per_reach + 1)


def cells_of(metric: Metric, frame: Frame, engine: Engine) -> Floats:
    """The cell of each point; those farther than cells can be counted in floats are one."""
    return np.clip(backend_of(engine).cells(metric.form, frame), -_FARTHEST, _FARTHEST)


def near_cells(cells: Floats, hot: Floats, n_cells: int) -> Bools:
    """Mark the cells that are at most `n_cells` from a cell in `hot` along every axis."""
    apart = cKDTree(distinct(hot)[0]).query(cells, p=np.inf, distance_upper_bound=n_cells + 0.5)[0]
    return np.asarray(np.isfinite(apart))


def distinct(cells: Floats) -> tuple[Floats, Ints]:
    """The distinct cells, and the count of each."""
    if len(cells) == 0:
        return cells, np.empty(0, np.intp)
    low = cells.min(axis=0)
    lengths = cells.max(axis=0) - low + 1
    if np.prod(lengths) > _MOST_NUMBERS:
        return np.unique(cells, axis=0, return_counts=True)
    shape = tuple(int(length) for length in lengths)
    numbers, counts = np.unique(
        np.ravel_multi_index(tuple((cells - low).astype(np.int64).T), shape), return_counts=True
    )
    return np.stack(np.unravel_index(numbers, shape), axis=1) + low, counts


def step_part(space: Space, step: Transform, part: Part, engine: Engine) -> tuple[Space, Bools]:
    """Compute the step of the core, and which of its points saw no mass."""
    rows = np.searchsorted(part.context, part.core)
    return step_among(space.take(part.context), step, rows, part.frame, engine)


def step_among(around: Space, step: Transform, rows: Ints, frame: Frame, engine: Engine) -> tuple[Space, Bools]:
    """Compute the step of the points `rows` of a part of a cloud, and which of them saw no mass."""
    framed = Space(around.metric.framed(frame), around.weights, around.points)
    moved, massless = step.step(framed, engine)
    return moved.take(rows), massless[rows]


def part_movement(before: Metric, after: Metric, unit: float, planar: bool, engine: Engine) -> tuple[float, bool]:
    """The largest movement of the points of a part, with the unit and the formulas of the whole cloud.

    The second value tells whether the formulas for the plane, if `planar`, hold for all points of the part.
    """
    if isinstance(after, GaussianMetric) and isinstance(before, Euclidean):
        before, after = after, before
    if isinstance(before, GaussianMetric) and isinstance(after, Euclidean):
        after = GaussianMetric(after.points, np.zeros_like(before.covs), before.lam)
    return backend_of(engine).part_movement(before.form, after.form, unit, planar, engine)
