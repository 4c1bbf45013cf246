"""A step of a cloud, box by box: each job reads a box with the points around it, and writes the box after the step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Bools, Ints
from ..compute.records import Frame
from ..engine import Engine
from ..localize import Gaussian
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Transform
from ..transforms.subsets import cells_of, halo, step_rows
from .blocks import CloudPoints, WeightScale, open_block, pack_covs, writing_block
from .state import Box, chunks_near, pair_tests_memory, spans_of


class CloudStep(NamedTuple):
    """The common data of all jobs of a step.

    `lam` belongs to the state before it. The start of a process does not `move` points. `stamp` names the step.
    """

    transform: Transform
    moves: bool
    frame: Frame
    n: int
    m: int
    lam: float | None
    scale: WeightScale | None
    max_points: float
    stamp: str

    @property
    def lam_after(self) -> float | None:
        """λ of the state after the step."""
        localize = self.transform.localize
        return float(localize.lam) if isinstance(localize, Gaussian) else None


class BoxJob(NamedTuple):
    """A box, the blocks that reach into it or near it, and the file of the resulting block."""

    step: CloudStep
    box: Box
    files: tuple[Path, ...]
    target: Path


class Surroundings(NamedTuple):
    """Points in and around a box in the order of their rows, and the indices of those inside."""

    points: CloudPoints
    inside: Ints


def take_step(job: BoxJob, engine: Engine) -> None:
    """Compute the step of a box and write its block."""
    step, largest, n_massless = job.step, 0.0, 0
    covs = () if step.lam_after is None else ("covs",)
    columns = ("rows", "places", *covs, *(() if step.scale is None else ("weights", "massless")))
    with writing_block(job.target, columns, step.m) as writer:
        for points, inside in read_surroundings(job, engine):
            before = points.take(inside)
            around = Space(points.metric(step.lam), _masses(points, step), points.places)
            memory = pair_tests_memory(around.n, step.m, step.lam, engine)
            moved, massless = step_rows(around, step.transform, inside, step.frame, replace(engine, memory=memory))
            metric = moved.metric
            assert isinstance(metric, Euclidean | GaussianMetric)
            if step.moves:
                largest = max(largest, before.metric(step.lam).movement(metric, engine))
            after = _points_after(before, metric, massless)
            n_massless += 0 if after.massless is None else int(np.count_nonzero(after.massless))
            writer.add(after)
        writer.finish({"stamp": step.stamp, "movement": largest, "massless": n_massless})


def _masses(points: CloudPoints, step: CloudStep) -> np.ndarray:
    if points.weights is None or step.scale is None:
        return np.full(points.n, 1.0 / step.n)
    return np.asarray(points.weights / step.scale.largest / step.scale.total)


def _points_after(before: CloudPoints, metric: Euclidean | GaussianMetric, massless: Bools) -> CloudPoints:
    """Return points after a step, with their rows and weights, and a mark on those that ever had no mass in reach."""
    covs = pack_covs(metric.covs) if isinstance(metric, GaussianMetric) else None
    ever = None if before.massless is None else before.massless | massless.astype(np.uint8)
    return CloudPoints(before.rows, metric.places, covs, before.weights, ever)


def read_surroundings(job: BoxJob, engine: Engine) -> Iterator[Surroundings]:
    """Yield the points of a box and of the cells around it; if they are too many, those of its halves."""
    step, pending = job.step, [job.box]
    while pending:
        box = pending.pop()
        parts, inside, n = list[CloudPoints](), list[Bools](), 0
        for points, core in _read_box(job, box, engine):
            n += points.n
            if n > step.max_points:
                break
            parts.append(points)
            inside.append(core)
        if n > step.max_points:
            halves = box.halves()
            if halves is None:
                raise MemoryError(
                    f"more than {step.max_points:.0f} points lie within two radii of a cell of side "
                    f"{step.frame.side:.3g}, more than memory holds; use a smaller eps, or give the engine more memory"
                )
            pending += halves
        elif any(core.any() for core in inside):
            together, core = CloudPoints.join(parts), np.concatenate(inside)
            parts.clear()
            order = np.argsort(together.rows, kind="stable")  # ties are broken by row, as in the whole cloud
            yield Surroundings(together.take(order), np.flatnonzero(core[order]))


def _read_box(job: BoxJob, box: Box, engine: Engine) -> Iterator[tuple[CloudPoints, Bools]]:
    """Yield the points of each chunk in and around a box, and which of them are inside."""
    frame, margin = job.step.frame, halo(job.step.frame)
    for path in job.files:
        block = open_block(path)
        spans = spans_of(block.chunks, frame, engine)
        near = chunks_near(spans, box, margin)
        within = box.holds(spans.first[near]) & box.holds(spans.last[near])
        for whole, points in zip(within, block.read(near), strict=True):
            engine.check()
            if whole:
                yield points, np.ones(points.n, bool)
                continue
            cells = cells_of(Euclidean(points.places), frame)
            around = np.flatnonzero(box.holds(cells, margin))
            yield points if len(around) == points.n else points.take(around), box.holds(cells)[around]
