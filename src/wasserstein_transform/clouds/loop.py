"""`iterate`: the loop over states on disk."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _check as check
from .._files import PathLike, check_no_link, write_bytes
from ..compute.gaussians import unit_of_size
from ..compute.records import Frame
from ..engine import Engine, current, fingerprint
from ..transforms import Process, Transform
from ..transforms.iteration import describe_outcome, eps_of
from ..transforms.subsets import MAX_SHARE, are_most, halo, sample_points
from ..transforms.transform import as_process, warn_of_count
from .blocks import Damaged, open_block
from .folder import INGEST, RunFolder, locked, request_of
from .ingest import check_process, enter, repair
from .results import StoredTrajectory
from .sources import Source, open_source
from .state import Box, State, boxes, job_bytes, most_points, near, open_blocks, spans_of
from .stepping import Counting, Heating, Job, Measuring, Stage, count_near, heat, measure, take_step

_JOBS = 2  # parts per concurrent job, so that all workers finish at about the same time
_POINTS = 200_000  # least number of points of a part, unless n_parts asks for more parts


def iterate(
    process: Process | Transform,
    source: PathLike | Source,
    *,
    folder: PathLike,
    n_iter: int,
    tol: float | None = None,
    merge: float | None = None,
    n_parts: int | None = None,
    engine: Engine | None = None,
) -> StoredTrajectory:
    """Iterate a transform on a point cloud that need not fit in memory; the result equals that of `wt.iterate` exactly.

    Points are read from files into blocks on disk. A step processes boxes of space: for each box, the points in it and
    within two reaches of it are read, and the points in it are moved and written. Finished blocks are kept: an
    interrupted run continues where it stopped when called again with the same folder, with the same result to the bit.

    Parameters
    ----------
    process : Process or Transform
        Mean shift or the Gaussian Transform, with or without ridge, with a kernel of finite reach.
    source : path or Source
        A `.npy`, Parquet or Zarr file of n points; `wt.clouds.sources.open_source` selects columns and weights.
    folder : path
        Folder for the blocks, which holds up to two states at a time: a new folder, or that of the same run.
    n_iter : int
        Number of iterations τ; 0 gives the state after the start. A finished run can be continued with a larger number.
    tol : float, optional
        Stop early when the largest movement of an iteration, relative to ε, is at most this; None never stops early.
    merge : None
        Not supported: merging needs all points in memory.
    n_parts : int, optional
        Least number of boxes per step; None means as few as memory and threads allow.
    engine : Engine, optional
        Threads, progress, and the `memory` that a box with its surroundings may take; None means the setting of
        `wt.using`.

    Returns
    -------
    StoredTrajectory
        The last state on disk.

    Notes
    -----
    Each iteration reads every block about once, plus the surroundings of each box, and writes a new state. Points at
    rest are not computed again.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0], [1.0], [5.0]])
    ...     walk = wt.clouds.iterate(wt.mean_shift(1.0), f"{folder}/points.npy", folder=f"{folder}/run", n_iter=1)
    ...     walk.points().ravel()
    array([0.5, 0.5, 5. ])
    """
    process = as_process(process)
    n_iter = check.count(n_iter, "n_iter", 0)
    tol = None if tol is None else check.tolerance(tol, "tol")
    n_parts = 1 if n_parts is None else check.count(n_parts, "n_parts", 1)
    if merge is not None:
        raise ValueError(
            f"merge={merge!r} is decided for all points together, and a stored cloud never has all points in memory; "
            "leave merge out, or use wt.iterate in memory"
        )
    if n_iter:
        eps_of(process.at(n_iter - 1), tol)  # a sequence of eps that is too short fails now, not hours later
    check_process(process, n_iter)
    source = source if isinstance(source, Source) else open_source(source)
    request = request_of(process, source)
    with locked(Path(folder)), current(engine).watched() as watched:
        run = _Run(process, source, RunFolder.open(Path(folder), request, source), n_parts, watched)
        found = run.to(n_iter, tol)
    warn_of_count(found.n_massless, found.n)
    return found


class _Run:
    """A run of a process on a source, in its folder."""

    def __init__(self, process: Process, source: Source, folder: RunFolder, n_parts: int, engine: Engine) -> None:
        self.process, self.source, self.folder, self.n_parts, self.engine = process, source, folder, n_parts, engine

    def to(self, n_iter: int, tol: float | None) -> StoredTrajectory:
        """Run up to an iteration, or until convergence."""
        done = len(self.folder.manifest.movements)
        if done > n_iter:
            raise ValueError(
                f"the run in {self.folder.path} has done {done} iterations already, and n_iter={n_iter} are asked for "
                f"in all; give n_iter={done} or more, or another folder"
            )
        enter(self.folder, self.source, self.engine)
        if self.process.start is not None and not self.folder.manifest.started:
            self._repaired(self._start)
        while not self._is_over(n_iter, tol):
            self._repaired(self._iterate, n_iter)
        return self._found(n_iter, tol)

    def _is_over(self, n_iter: int, tol: float | None) -> bool:
        return len(self.folder.manifest.movements) >= n_iter or self._is_converged(n_iter, tol)

    def _is_converged(self, n_iter: int, tol: float | None) -> bool:
        movements = self.folder.manifest.movements
        within = tol is not None and len(movements) > 0 and movements[-1] <= tol
        return within and self.process.is_steady(len(movements) - 1, n_iter)

    def _repaired(self, work: Callable[..., None], *arguments: int) -> None:
        """Do the work; repeat it once if a damaged block can be read or computed again."""
        try:
            work(*arguments)
            return
        except Damaged:
            if self.folder.manifest.state == INGEST:
                repair(self.folder, self.source, self.engine)
        try:
            work(*arguments)
        except Damaged as error:
            raise Damaged(
                f"{error}; the state before it is gone, so it cannot be computed again: remove {self.folder.path} and "
                "start again"
            ) from None

    def _start(self) -> None:
        assert self.process.start is not None
        done = advance(self._state(), self.process.start, False, self._wanted(None), self.engine)
        self.folder.save(state=self.folder.next_name(), lam=done.state.lam, started=True)
        self.folder.sweep()

    def _iterate(self, n_iter: int) -> None:
        manifest = self.folder.manifest
        k, hot = len(manifest.movements), manifest.hot
        step, engine = self.process.at(k), self.engine.iteration(k + 1, n_iter)
        if hot is not None and len(hot) == 0:  # nothing has changed, so nothing will
            self.folder.save(movements=(*manifest.movements, 0.0), hot=hot if self._goes_on(k) else None)
            return
        before = self._state()
        done = advance(before, step, True, self._wanted(hot), engine)
        movement = movement_of(before, done, engine) / eps_of(step, None)
        again = hot_of(before, done, engine) if self._goes_on(k) else None
        self.folder.save(
            state=self.folder.next_name(), lam=done.state.lam, movements=(*manifest.movements, movement),
            hot=None if again is None else tuple(path.name for path in again),
        )  # fmt: skip
        self.folder.sweep()

    def _goes_on(self, k: int) -> bool:
        """Tell whether the iteration after k takes the same step."""
        step = self.process.step
        return isinstance(step, Transform) or (k + 1 < len(step) and step[k + 1] == step[k])

    def _state(self) -> State:
        manifest = self.folder.manifest
        blocks = open_blocks(self.folder.blocks(manifest.state))
        if sum(block.n for block in blocks) != manifest.n:
            raise Damaged(f"blocks are missing in {self.folder.of_state(manifest.state)}")
        return State(blocks, manifest.n, len(manifest.names), manifest.lam, manifest.scale)

    def _wanted(self, hot: tuple[str, ...] | None) -> Wanted:
        manifest = self.folder.manifest
        m, weighted = len(manifest.names), manifest.scale is not None
        most = most_points(self.process, m, weighted, self.engine)
        n_parts = max(self.n_parts, min(_JOBS * self.engine.n_at_once, manifest.n // _POINTS))
        at_once = min(self.engine.n_at_once, max(n_parts, int(np.ceil(manifest.n / most))))
        n_bytes = at_once * job_bytes(min(most, manifest.n / at_once), self.process, m, weighted, self.engine)
        what = f"{at_once} of the parts of a cloud of {manifest.n} points at a time, with their surroundings,"
        if self.engine.client is None:
            self.engine.reserve(n_bytes, what, "give the engine more memory")
        name = self.folder.next_name()
        files = None if hot is None else tuple(self.folder.of_state(manifest.state) / "hot" / file for file in hot)
        run = f"{manifest.request} {manifest.digest} {name}"
        return Wanted(most, n_parts, self.folder.of_state(name), run, files)

    def _found(self, n_iter: int, tol: float | None) -> StoredTrajectory:
        manifest, converged = self.folder.manifest, self._is_converged(n_iter, tol)
        outcome = describe_outcome(list(manifest.movements), tol, converged)
        names, n_done = manifest.names, len(manifest.movements)
        return StoredTrajectory(self._state(), names, manifest.movements, n_done, converged, outcome)


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
    n_changed, asked = sum(done.noted("changed")), sample_points(after.n)
    if are_most(sum(done.noted("asked_changed")), len(asked)) or n_changed > MAX_SHARE * after.n:
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
    return None if n_near > MAX_SHARE * after.n else hot
