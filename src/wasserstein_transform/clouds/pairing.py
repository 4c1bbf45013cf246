"""Compare points before and after a finished step, for results that depend on the whole state after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..backends import Frame
from ..engine import Engine
from ..spaces import Euclidean
from ..transforms.parts import cells_of, distinct, part_movement
from .blocks import open_block, writing_block
from .points import Points
from .stepping import Job, contexts, differs


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
        found, fine = part_movement(*metrics, asked.unit, asked.planar, engine)
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
        found, _ = distinct(np.concatenate([found, *cells]))
    with writing_block(asked.target, ("rows", "places"), found.shape[1]) as writer:
        writer.add(Points(np.arange(len(found)), found))
        writer.finish({"stamp": asked.job.stage.stamp})
