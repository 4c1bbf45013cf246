"""`iterate`: the loop over states on disk."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import _check as check
from .._arrays import DamagedError
from .._files import PathLike, check_no_link, write_bytes
from ..compute.records import Frame
from ..engine import Engine, current, fingerprint
from ..localize import Extrinsic, Kernel
from ..transforms import Process, Transform
from ..transforms.iteration import describe_outcome, eps_of
from ..transforms.subsets import halo
from ..transforms.transform import as_process, warn_of_count
from ..transport import Bures, DiracDistance
from .blocks import has_stamp, is_undamaged
from .folder import INGEST, RunFolder, fingerprint_run, lock_folder
from .ingest import ingest, repair
from .results import StoredTrajectory
from .sources import CloudSource, open_source
from .state import Box, State, chunks_near, cut_into_boxes, job_bytes, max_points, open_blocks, spans_of
from .steps import BoxJob, CloudStep, take_step

_PARTS_PER_WORKER = 2  # so that all workers finish at about the same time
_MIN_PART_POINTS = 200_000  # unless n_parts asks for more parts


def iterate(
    process: Process | Transform,
    source: PathLike | CloudSource,
    *,
    folder: PathLike,
    n_iter: int,
    tol: float | None = None,
    merge: float | None = None,
    n_parts: int | None = None,
    engine: Engine | None = None,
) -> StoredTrajectory:
    """Iterate a transform on a point cloud that need not fit in memory; the points are those of `wt.iterate` exactly.

    Points are read from files into blocks on disk. A step processes boxes of space: for each box, the points in it and
    within two reaches of it are read, and the points in it are moved and written. Finished blocks are kept: an
    interrupted run continues where it stopped when called again with the same folder, with the same result to the bit.

    Parameters
    ----------
    process : Process or Transform
        Mean shift or the Gaussian Transform, with or without ridge, with a kernel of finite reach.
    source : path or CloudSource
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
    Each iteration reads every block about once, plus the surroundings of each box, and writes a new state. Movements
    are measured box by box, and are those of `wt.iterate` up to rounding.

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
    n_steps = 1 if isinstance(process.step, Transform) else max(n_iter, 1)
    for step in [process.start, *(process.at(k) for k in range(n_steps))]:
        if step is not None:
            _check_step(step)
    source = source if isinstance(source, CloudSource) else open_source(source)
    request = fingerprint_run(process, source)
    with lock_folder(Path(folder)), current(engine).watched() as watched:
        run = _Run(process, source, RunFolder.open(Path(folder), request, source), n_parts, watched)
        result = run.run_to(n_iter, tol)
    warn_of_count(result.n_massless, result.n)
    return result


_INSTEAD = "use wt.mean_shift or wt.gaussian_transform, or wt.iterate in memory"


def _check_step(step: Transform) -> None:
    """Reject a step that cannot be computed part by part, with the reason."""
    localize, transport = step.localize, step.transport
    if not isinstance(transport, DiracDistance | Bures):
        raise ValueError(
            f"a stored cloud moves its points, but {transport!r} makes a metric without points, of n × n distances; "
            f"{_INSTEAD}"
        )
    if not isinstance(localize, Extrinsic) or not issubclass(localize.makes, transport.accepts):
        raise ValueError(f"{transport!r} needs {transport.accepts.__name__}, got {localize!r}; {_INSTEAD}")
    base = localize.base
    if not isinstance(base, Kernel) or callable(base.profile):
        raise ValueError(
            f"a stored cloud needs neighborhoods by a kernel with a named profile, such as Truncation(eps), "
            f"got {base!r}; {_INSTEAD}"
        )
    if not np.isfinite(base.reach):
        raise ValueError(
            f"a stored cloud needs a kernel of finite reach, and {base!r} reaches everywhere; give it a cut, as in "
            f"Kernel({base.eps!r}, {base.profile!r}, cut=3), or use another profile"
        )


@dataclass(frozen=True)
class _Run:
    """A run of a process on a source, in its folder."""

    process: Process
    source: CloudSource
    folder: RunFolder
    n_parts: int
    engine: Engine

    def run_to(self, n_iter: int, tol: float | None) -> StoredTrajectory:
        """Run up to an iteration, or until convergence."""
        done = len(self.folder.manifest.movements)
        if done > n_iter:
            raise ValueError(
                f"the run in {self.folder.path} has done {done} iterations already, and n_iter={n_iter} are asked for "
                f"in all; give n_iter={done} or more, or another folder"
            )
        ingest(self.folder, self.source, self.engine)
        if self.process.start is not None and not self.folder.manifest.started:
            self._repair_and_retry(self._start)
        while len(self.folder.manifest.movements) < n_iter and not self._is_converged(n_iter, tol):
            self._repair_and_retry(lambda: self._iterate(n_iter))
        manifest, converged = self.folder.manifest, self._is_converged(n_iter, tol)
        outcome = describe_outcome(list(manifest.movements), tol, converged)
        return StoredTrajectory(
            state=self._open_state(),
            names=manifest.names,
            movements=manifest.movements,
            n_iter=len(manifest.movements),
            converged=converged,
            outcome=outcome,
        )

    def _is_converged(self, n_iter: int, tol: float | None) -> bool:
        movements = self.folder.manifest.movements
        within = tol is not None and len(movements) > 0 and movements[-1] <= tol
        return within and self.process.is_steady(len(movements) - 1, n_iter)

    def _repair_and_retry(self, work: Callable[[], None]) -> None:
        """Do the work; repeat it once if a damaged block can be read or computed again."""
        try:
            work()
            return
        except DamagedError:
            if self.folder.manifest.state == INGEST:
                repair(self.folder, self.source, self.engine)
        try:
            work()
        except DamagedError as error:
            raise DamagedError(
                f"{error}; the state before it is gone, so it cannot be computed again: remove {self.folder.path} and "
                "start again"
            ) from None

    def _start(self) -> None:
        assert self.process.start is not None
        after = self._advance(self.process.start, False, self.engine)
        self.folder.save(state=self.folder.next_name(), lam=after.lam, started=True)
        self.folder.sweep()

    def _iterate(self, n_iter: int) -> None:
        movements = self.folder.manifest.movements
        step = self.process.at(len(movements))
        after = self._advance(step, True, self.engine.iteration(len(movements) + 1, n_iter))
        movement = max(block.note["movement"] for block in after.blocks) / eps_of(step, None)
        self.folder.save(state=self.folder.next_name(), lam=after.lam, movements=(*movements, movement))
        self.folder.sweep()

    def _open_state(self) -> State:
        manifest = self.folder.manifest
        blocks = open_blocks(self.folder.blocks(manifest.state))
        if sum(block.n for block in blocks) != manifest.n:
            raise DamagedError(f"blocks are missing in {self.folder.of_state(manifest.state)}")
        return State(blocks, manifest.n, len(manifest.names), manifest.lam, manifest.scale)

    def _advance(self, transform: Transform, moves: bool, engine: Engine) -> State:
        """Take a step of the whole cloud; blocks that exist already are not computed again."""
        state, most = self._open_state(), self._reserve()
        frame = state.frame(transform.localize.reach, engine)
        folder = self.folder.of_state(self.folder.next_name())
        folder.mkdir(exist_ok=True)
        boxes = self._plan_boxes(state, frame, most, folder, engine)
        manifest = self.folder.manifest
        stamp = fingerprint((f"{manifest.request} {manifest.digest} {folder.name}", frame, boxes))
        step = CloudStep(
            transform,
            moves,
            frame,
            n=state.n,
            m=state.m,
            lam=state.lam,
            scale=state.scale,
            max_points=most,
            stamp=stamp,
        )
        _check_disk(step, folder)
        jobs = _make_jobs(state, step, boxes, folder, engine)
        remaining = [job for job in jobs if not (has_stamp(job.target, stamp) and is_undamaged(job.target))]
        for _ in engine.each(take_step, remaining, "parts of the cloud"):
            pass
        after = State(open_blocks([job.target for job in jobs]), state.n, state.m, step.lam_after, state.scale)
        if sum(block.n for block in after.blocks) != state.n:
            raise DamagedError(f"the blocks in {folder} have lost points; remove the folder of the run and start again")
        return after

    def _reserve(self) -> float:
        """Announce the memory of the jobs that run at a time; return how many points a job may read."""
        manifest, engine = self.folder.manifest, self.engine
        m, weighted = len(manifest.names), manifest.scale is not None
        most = max_points(self.process, m, weighted, engine)
        at_once = min(engine.n_at_once, max(self._least_parts(), int(np.ceil(manifest.n / most))))
        n_bytes = at_once * job_bytes(min(most, manifest.n / at_once), self.process, m, weighted, engine)
        what = f"{at_once} of the parts of a cloud of {manifest.n} points at a time, with their surroundings,"
        if engine.client is None:
            engine.reserve(n_bytes, what, "give the engine more memory")
        return most

    def _least_parts(self) -> int:
        n = self.folder.manifest.n
        return max(self.n_parts, min(_PARTS_PER_WORKER * self.engine.n_at_once, n // _MIN_PART_POINTS))

    def _plan_boxes(self, state: State, frame: Frame, most: float, folder: Path, engine: Engine) -> list[Box]:
        """Return the boxes of a step: those of an interrupted run, or new ones."""
        path = folder / "plan.json"
        if path.exists():
            try:
                return [Box(*(tuple(map(float, side)) for side in box)) for box in json.loads(path.read_bytes())]
            except (ValueError, TypeError):
                pass  # damaged: everything is computed again
        for leftover in folder.glob("*.block"):
            leftover.unlink()
        boxes = cut_into_boxes(state.chunks, frame, most, self._least_parts(), engine)
        write_bytes(check_no_link(path), json.dumps(boxes).encode())
        return boxes


def _make_jobs(state: State, step: CloudStep, boxes: list[Box], folder: Path, engine: Engine) -> list[BoxJob]:
    """Return a job for each box, with the blocks that reach near it."""
    spans = spans_of(state.chunks, step.frame, engine)
    paths = [block.path for block in state.blocks if block.n]
    owner = np.repeat(np.arange(len(paths)), [len(block.chunks.counts) for block in state.blocks if block.n])
    jobs = []
    for k, box in enumerate(boxes):
        files = tuple(paths[b] for b in np.unique(owner[chunks_near(spans, box, halo(step.frame))]))
        jobs.append(BoxJob(step, box, files, folder / f"{k:06}.block"))
    return jobs


def _check_disk(step: CloudStep, folder: Path) -> None:
    """Reject a step whose state will not fit on the disk."""
    covs = 0 if step.lam_after is None else step.m * (step.m + 1) // 2
    weighted = step.scale is not None
    n_bytes = step.n * (8 * (1 + step.m + covs + weighted) + weighted)
    n_bytes -= sum(path.stat().st_size for path in folder.glob("*.block"))
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise OSError(
            errno.ENOSPC,
            f"the next state needs {n_bytes:.3g} bytes on disk, and {free:.3g} are free in {folder}; "
            "give a folder on another disk",
        )
