"""Advance a state on disk by one step: plan boxes, run a job for each, and combine their results."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._files import check_no_link, write_bytes
from ..backends import Frame, unit_of_size
from ..engine import Engine, fingerprint
from ..transforms import Transform
from ..transforms.parts import halo
from ..transforms.resting import WORTH, are_most, asked_first
from .blocks import Damaged, open_block
from .pairing import Heating, Measuring, heat, measure
from .partition import boxes
from .resting import Counting, count_near
from .state import Box, State, near, open_blocks, spans_of
from .stepping import Job, Stage, take_step


class Wanted(NamedTuple):
    """Options of a step: most points per job, least number of parts, target folder, and a name for the whole run."""

    most: float
    n_parts: int
    folder: Path
    run: str
    hot: tuple[Path, ...] | None


class Advanced(NamedTuple):
    """The state after a step, and the jobs that made it."""

    state: State
    jobs: list[Job]

    def noted(self, name: str) -> list[Any]:
        """Return a note of all jobs, by name."""
        return [block.note[name] for block in self.state.blocks]


def advance(state: State, step: Transform, moves: bool, wanted: Wanted, engine: Engine) -> Advanced:
    """Take a step of the whole cloud; blocks that exist already are not computed again."""
    frame = state.frame(step.localize.reach, engine)
    unit = unit_of_size(state.extent.largest)
    units = (unit, 2 * unit) if moves and state.lam else (unit,) if moves else ()  # covariances may grow in the step
    wanted.folder.mkdir(exist_ok=True)
    cut, stamp = _plan(state, frame, wanted, engine)
    stage = Stage(step, frame, state.n, state.m, state.lam, state.scale, units, wanted.most, stamp, wanted.hot)
    _check_disk(state, stage, wanted.folder)
    jobs = _jobs(state, stage, cut, wanted.folder, engine)
    done = [_is_there(job.target, stamp) for job in jobs]
    _run([job for job, there in zip(jobs, done, strict=True) if not there], engine)
    _run([job for job, there in zip(jobs, done, strict=True) if there and not _is_whole(job)], engine)
    after = State(open_blocks([job.target for job in jobs]), state.n, state.m, stage.lam_after, state.scale)
    if sum(block.n for block in after.blocks) != state.n:
        raise Damaged(f"the blocks in {wanted.folder} have lost points; remove the folder of the run and start again")
    return Advanced(after, jobs)


def _run(jobs: Sequence[Job], engine: Engine) -> None:
    if jobs:
        for _ in engine.each(take_step, jobs, "parts of the cloud"):
            pass


def _plan(state: State, frame: Frame, wanted: Wanted, engine: Engine) -> tuple[list[Box], str]:
    """Return the boxes of a step: those of an interrupted run, or new ones."""
    path = wanted.folder / "plan.json"
    if path.exists():
        try:
            cut = [Box(*(tuple(map(float, side)) for side in box)) for box in json.loads(path.read_bytes())]
            return cut, fingerprint((wanted.run, frame, cut))
        except (ValueError, TypeError):
            pass  # damaged: everything is computed again
    for leftover in wanted.folder.glob("*.block"):
        leftover.unlink()
    cut = boxes(state.chunks, frame, wanted.most, wanted.n_parts, engine)
    write_bytes(check_no_link(path), json.dumps(cut).encode())
    return cut, fingerprint((wanted.run, frame, cut))


def _jobs(state: State, stage: Stage, cut: list[Box], folder: Path, engine: Engine) -> list[Job]:
    """Return a job for each box, with the blocks that reach near it."""
    spans = spans_of(state.chunks, stage.frame, engine)
    paths = [block.path for block in state.blocks if block.n]
    owner = np.repeat(np.arange(len(paths)), [len(block.chunks.counts) for block in state.blocks if block.n])
    jobs = []
    for k, box in enumerate(cut):
        files = tuple(paths[b] for b in np.unique(owner[near(spans, box, halo(stage.frame))]))
        jobs.append(Job(stage, box, files, folder / f"{k:06}.block"))
    return jobs


def _is_there(path: Path, stamp: str) -> bool:
    """Tell, by its footer, whether a block of this step exists."""
    try:
        return bool(open_block(path).note.get("stamp") == stamp)
    except (Damaged, OSError):
        return False


def _is_whole(job: Job) -> bool:
    """Tell whether a block is undamaged, by its checksums."""
    try:
        open_block(job.target).verify()
    except (Damaged, OSError):
        return False
    return True


def _check_disk(state: State, stage: Stage, folder: Path) -> None:
    """Reject a step whose state will not fit on the disk."""
    covs = 0 if stage.lam_after is None else state.m * (state.m + 1) // 2
    n_bytes = state.n * (8 * (1 + state.m + covs + (state.scale is not None)) + (state.scale is not None))
    there = sum(path.stat().st_size for path in folder.glob("*.block"))
    free = shutil.disk_usage(folder).free
    if n_bytes - there > free:
        raise OSError(
            errno.ENOSPC,
            f"the next state needs {n_bytes - there:.3g} bytes on disk, and {free:.3g} are free in {folder}; "
            "give a folder on another disk",
        )


def movement_of(before: State, done: Advanced, engine: Engine) -> float:
    """Return the largest movement of a point, in the unit of the whole cloud; measure again if jobs used another."""
    stage, after = done.jobs[0].stage, done.state
    lam = stage.lam if stage.lam_after is None else stage.lam_after
    unit = unit_of_size(max(before.extent.largest or 0.0, after.extent.largest or 0.0)) if lam else stage.units[0]
    if unit in stage.units:
        found = [tuple(of) for noted in done.noted("movements") for in_unit, *of in noted if in_unit == unit]
    else:
        found = _measured(done.jobs, unit, True, engine)
    if not all(good for _, good in found):
        found = _measured(done.jobs, unit, False, engine)
    return float(max(movement for movement, _ in found))


def _measured(jobs: Sequence[Job], unit: float, planar: bool, engine: Engine) -> list[tuple[float, bool]]:
    return [found for _, found in engine.each(measure, [Measuring(job, unit, planar) for job in jobs], "movement")]


def hot_of(before: State, done: Advanced, engine: Engine) -> tuple[Path, ...] | None:
    """Return blocks of the cells around which points may change in an equal step; None if that is most points."""
    after, stage = done.state, done.jobs[0].stage
    if (before.lam is None) != (after.lam is None):
        return None
    n_changed, asked = sum(done.noted("changed")), asked_first(after.n)
    if are_most(sum(done.noted("asked_changed")), len(asked)) or n_changed > WORTH * after.n:
        return None
    if n_changed == 0:
        return ()
    frame = after.frame(stage.step.localize.reach, engine)
    folder = done.jobs[0].target.parent / "hot"
    folder.mkdir(exist_ok=True)
    heatings = [Heating(job, frame, folder / job.target.name) for job in done.jobs]
    left = [asked for asked in heatings if not _is_there(asked.target, stage.stamp)]
    for _ in engine.each(heat, left, "points at rest"):
        pass
    hot = tuple(asked.target for asked in heatings if open_block(asked.target).n)
    countings = [Counting(block.path, hot, frame) for block in after.blocks if block.n]
    n_near = sum(found for _, found in engine.each(count_near, countings, "points at rest"))
    return None if n_near > WORTH * after.n else hot
