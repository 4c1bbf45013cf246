"""A step of a part of a cloud, with the points around it; and how far its points moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.records import Frame
from ..engine import Engine
from ..localize import Gaussian
from ..spaces import Euclidean, GaussianMetric, Metric, Space
from ..transforms import Transform
from ..transforms.subsets import cells_of, distinct_cells, halo, near_cells, sample_points, step_rows, subset_movement
from .blocks import Block, open_block, writing_block
from .points import Points, Scale, after_step, joined, masses
from .state import Box, bits_allowed, near, spans_of


class Stage(NamedTuple):
    """The common data of all jobs of an iteration.

    `lam` and `lam_after` belong to the states before and after it. Movement is measured in all `units`, one of which is
    likely to be that of the whole cloud. `hot` are the blocks of cells around which points may change; None means that
    all points are computed.
    """

    step: Transform
    frame: Frame
    n: int
    m: int
    lam: float | None
    scale: Scale | None
    units: tuple[float, ...]
    most: float
    stamp: str
    hot: tuple[Path, ...] | None = None

    @property
    def lam_after(self) -> float | None:
        """λ of the state after the step."""
        localize = self.step.localize
        return float(localize.lam) if isinstance(localize, Gaussian) else None


class Job(NamedTuple):
    """A box, the blocks that reach into it or near it, and the file of the resulting block."""

    stage: Stage
    box: Box
    files: tuple[Path, ...]
    target: Path


@dataclass
class Tally:
    """Statistics of a step: largest movement in each unit, whether formulas were accurate, and counts of points."""

    movements: dict[float, tuple[float, bool]] = field(default_factory=dict)
    changed: int = 0
    asked_changed: int = 0
    massless: int = 0

    def add(self, before: Points, after: Points, n: int) -> None:
        """Count the points that changed; all, if covariances appeared or disappeared."""
        changed = differs(before, after)
        self.changed += int(changed.sum())
        self.massless += 0 if after.massless is None else int(np.count_nonzero(after.massless))
        self.asked_changed += int(np.isin(before.rows[changed], sample_points(n)).sum())

    def measure(self, before: Metric, after: Metric, unit: float, engine: Engine) -> None:
        """Measure movement in a unit."""
        found, good = subset_movement(before, after, unit, True, engine)
        largest, fine = self.movements.get(unit, (0.0, True))
        self.movements[unit] = max(largest, found), fine and good

    @property
    def note(self) -> dict[str, Any]:
        """The statistics as plain values, for the footer."""
        return {**vars(self), "movements": [[unit, *found] for unit, found in self.movements.items()]}


def take_step(job: Job, engine: Engine) -> None:
    """Compute the step of a box and write its block."""
    stage, tally = job.stage, Tally()
    with writing_block(job.target, _columns(stage), stage.m) as writer:
        for context in contexts(job, halo(stage.frame), engine):
            writer.add(_step(stage, context, tally, engine))
        writer.finish({"stamp": stage.stamp, **tally.note})


def contexts(job: Job, margin: int, engine: Engine) -> Iterator[Context]:
    """Yield the points of a box with its surroundings; if they are too many, those of its halves."""
    stage, pending = job.stage, [job.box]
    while pending:
        engine.check()
        box = pending.pop()
        try:
            found = gather(job.files, box, margin, stage.frame, stage.most, engine)
        except Crowded:
            halves = box.halves()
            if halves is None:
                raise MemoryError(
                    f"more than {stage.most:.0f} points lie within two radii of a cell of side {stage.frame.side:.3g}, "
                    "more than memory holds; use a smaller eps, or give the engine more memory"
                ) from None
            pending += halves
            continue
        if found is not None:
            yield found


def _step(stage: Stage, context: Context, tally: Tally, engine: Engine) -> Points:
    points, core = context
    before = points.take(core)
    around = Space(points.metric(stage.lam), masses(points, stage.scale, stage.n), points.places)
    moved, massless = _moved(stage, around, core, engine)
    after = after_step(before, moved, massless)
    tally.add(before, after, stage.n)
    old = before.metric(stage.lam)
    for unit in stage.units:
        tally.measure(old, moved, unit, engine)
    return after


def _moved(stage: Stage, around: Space, core: np.ndarray, engine: Engine) -> tuple[Euclidean | GaussianMetric, Bools]:
    """Return the metric of the core after the step, and which points had no mass in reach; points at rest stay."""
    engine = replace(engine, memory=bits_allowed(around.n, stage.m, stage.lam, engine))
    if stage.hot is None:
        moved, massless = step_rows(around, stage.step, core, stage.frame, engine)
        return _as_metric(moved), massless
    cells, margin = cells_of(around.metric, stage.frame, engine), halo(stage.frame)
    metric, massless = _as_metric(around.take(core)), np.zeros(len(core), bool)
    hot = hot_cells(stage.hot, cells[core], margin)
    awake = near_cells(cells[core], hot, margin) if len(hot) else massless
    if not awake.any():
        return metric, massless
    among = np.flatnonzero(near_cells(cells, cells[core[awake]], margin))
    rows = np.searchsorted(among, core[awake])
    part, massless[awake] = step_rows(around.take(among), stage.step, rows, stage.frame, engine)
    return metric.with_rows(np.flatnonzero(awake), part.metric), massless  # type: ignore[arg-type]


def _as_metric(space: Space) -> Euclidean | GaussianMetric:
    assert isinstance(space.metric, Euclidean | GaussianMetric)
    return space.metric


def differs(before: Points, after: Points) -> Bools:
    """Tell which points changed in any bit."""
    if (before.covs is None) != (after.covs is None):
        return np.ones(before.n, bool)
    changed = np.zeros(before.n, bool)
    for one, other in ((before.places, after.places), (before.covs, after.covs)):
        if one is not None and other is not None:
            for here, there in zip(one.T, other.T, strict=True):  # by columns, to save memory
                changed |= here != there
    return changed


def _columns(stage: Stage) -> tuple[str, ...]:
    covs = () if stage.lam_after is None else ("covs",)
    return ("rows", "places", *covs, *(() if stage.scale is None else ("weights", "massless")))


class Context(NamedTuple):
    """Points in the order of their rows, and the indices of those inside the box."""

    points: Points
    core: Ints


class Crowded(Exception):  # noqa: N818  # no error: the caller cuts the box
    """There are more points in and around a box than may be read at a time."""


def gather(files: Sequence[Path], box: Box, margin: int, frame: Frame, most: float, engine: Engine) -> Context | None:
    """Return the points of a box and of the cells around it; None if the box is empty, `Crowded` if too many."""
    parts, inside, n = list[Points](), list[np.ndarray](), 0
    for path in files:
        block = open_block(path)
        for points, core in _read(block, box, margin, frame, engine):
            engine.check()
            n += points.n
            if n > most:
                raise Crowded
            parts.append(points)
            inside.append(core)
    if not any(core.any() for core in inside):
        return None
    together, core = joined(parts), np.concatenate(inside)
    del parts, inside
    order = np.argsort(together.rows, kind="stable")  # ties are broken by row, as in the whole cloud
    return Context(together.take(order), np.flatnonzero(core[order]))


def _read(block: Block, box: Box, margin: int, frame: Frame, engine: Engine) -> Iterator[tuple[Points, np.ndarray]]:
    """Yield the points of each chunk in and around a box, and which of them are inside."""
    spans = spans_of(block.chunks, frame, engine)
    wanted = near(spans, box, margin)
    within = box.holds(spans.first[wanted]) & box.holds(spans.last[wanted])
    for whole, points in zip(within, block.read(wanted), strict=True):
        if whole:
            yield points, np.ones(points.n, bool)
            continue
        cells = cells_of(Euclidean(points.places), frame, engine)
        around = np.flatnonzero(box.holds(cells, margin))
        core = box.holds(cells)[around]
        yield points if len(around) == points.n else points.take(around), core


def hot_cells(files: Sequence[Path], cells: Floats, margin: float) -> Floats:
    """Return a superset of the hot cells within `margin` of the given cells along every axis."""
    low, high = cells.min(axis=0) - margin, cells.max(axis=0) + margin
    found = [np.empty((0, cells.shape[1]))]
    for path in files:
        block = open_block(path)
        wanted = ((block.chunks.high >= low) & (block.chunks.low <= high)).all(axis=1)
        found += [points.places for points in block.read(np.flatnonzero(wanted))]
    return np.concatenate(found)


class Counting(NamedTuple):
    """A job: count the points of a block near hot cells."""

    path: Path
    hot: tuple[Path, ...]
    frame: Frame


def count_near(asked: Counting, engine: Engine) -> int:
    """Return how many points of a block the next step must read."""
    block, n, margin = open_block(asked.path), 0, 2 * halo(asked.frame)
    for columns in block.read_columns(block.all_chunks, ("places",)):
        engine.check()
        cells, members = distinct_cells(cells_of(Euclidean(columns["places"]), asked.frame, engine))
        hot = hot_cells(asked.hot, cells, margin)
        if len(hot):
            n += int(members[near_cells(cells, hot, margin)].sum())
    return n


def _pairs(job: Job, engine: Engine) -> Iterator[tuple[Points, Points]]:
    """Yield the points of a job before and after its step, in the same order."""
    block = open_block(job.target)
    for context in contexts(job, 0, engine):
        before = context.points.take(context.core)
        columns: dict[str, np.ndarray] = {}
        for chunk in block.read(block.all_chunks):
            engine.check()
            where = np.minimum(np.searchsorted(before.rows, chunk.rows), before.n - 1)
            ours = before.rows[where] == chunk.rows
            for name, column in chunk.columns.items():
                whole = columns.setdefault(name, np.empty((before.n, *column.shape[1:]), column.dtype))
                whole[where[ours]] = column[ours]
        yield before, Points(**columns)


class Measuring(NamedTuple):
    """A finished job whose movement is to be measured in another unit, or by other formulas."""

    job: Job
    unit: float
    planar: bool


def measure(asked: Measuring, engine: Engine) -> tuple[float, bool]:
    """Return the largest movement, and whether the formulas are accurate for all points."""
    stage, largest, good = asked.job.stage, 0.0, True
    for before, after in _pairs(asked.job, engine):
        metrics = before.metric(stage.lam), after.metric(stage.lam_after)
        found, fine = subset_movement(*metrics, asked.unit, asked.planar, engine)
        largest, good = max(largest, found), good and fine
    return largest, good


class Heating(NamedTuple):
    """A finished job whose changed cells are to be found, in the frame of the state after it."""

    job: Job
    frame: Frame
    target: Path


def heat(asked: Heating, engine: Engine) -> None:
    """Write the cells that points have left or entered, as a block whose places are the cells."""
    found = np.empty((0, len(asked.frame.axes)))
    for before, after in _pairs(asked.job, engine):
        changed = differs(before, after)
        cells = [cells_of(Euclidean(points.places[changed]), asked.frame, engine) for points in (before, after)]
        found, _ = distinct_cells(np.concatenate([found, *cells]))
    with writing_block(asked.target, ("rows", "places"), found.shape[1]) as writer:
        writer.add(Points(np.arange(len(found)), found))
        writer.finish({"stamp": asked.job.stage.stamp})
