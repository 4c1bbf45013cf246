"""One step of the points of a box: read the box and its surroundings, take the ordinary step, write the box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._types import Bools
from ..backends import Frame
from ..engine import Engine
from ..localize import Gaussian
from ..spaces import Euclidean, GaussianMetric, Metric, Space
from ..transforms import Transform
from ..transforms.parts import cells_of, halo, near_cells, part_movement, step_among
from ..transforms.resting import asked_first
from .blocks import writing_block
from .gathering import Context, Crowded, gather
from .memory import bits_allowed
from .points import Points, Scale, after_step, masses
from .resting import hot_cells
from .state import Box


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
        self.asked_changed += int(np.isin(before.rows[changed], asked_first(n)).sum())

    def measure(self, before: Metric, after: Metric, unit: float, engine: Engine) -> None:
        """Measure movement in a unit."""
        found, good = part_movement(before, after, unit, True, engine)
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
        moved, massless = step_among(around, stage.step, core, stage.frame, engine)
        return _as_metric(moved), massless
    cells, margin = cells_of(around.metric, stage.frame, engine), halo(stage.frame)
    metric, massless = _as_metric(around.take(core)), np.zeros(len(core), bool)
    hot = hot_cells(stage.hot, cells[core], margin)
    awake = near_cells(cells[core], hot, margin) if len(hot) else massless
    if not awake.any():
        return metric, massless
    among = np.flatnonzero(near_cells(cells, cells[core[awake]], margin))
    rows = np.searchsorted(among, core[awake])
    part, massless[awake] = step_among(around.take(among), stage.step, rows, stage.frame, engine)
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
