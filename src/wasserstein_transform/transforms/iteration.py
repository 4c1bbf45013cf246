"""The loop that iterates a transform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from .. import _check as check
from .._files import PathLike
from .._types import Bools
from ..engine import Engine, current, stored_array
from ..engine.progress import clear_line
from ..spaces import Metric, Quotient, Space, check_space, quotient
from .estimates import reserve_run, reserve_state
from .folder import RunFolder
from .trajectory import Trajectory
from .transform import Process, Transform, as_process, warn_massless

Keep = Literal["last", "all"]

Hook: TypeAlias = Callable[[Trajectory], None]
"""Called with the run so far after each state, including the start (τ = 0)."""


def iterate(
    process: Process | Transform,
    space: Space,
    *,
    n_iter: int,
    tol: float | None = None,
    merge: float | None = None,
    keep: Keep = "last",
    hook: Hook | None = None,
    resume: Trajectory | None = None,
    out: PathLike | None = None,
    engine: Engine | None = None,
) -> Trajectory:
    """Apply a transform `n_iter` times.

    Parameters
    ----------
    process : Process or Transform
        The transform of each iteration, such as `mean_shift(eps)` or `gaussian_transform(eps, lam)` of `wt.transforms`.
    space : Space
        The space to start from.
    n_iter : int
        Number of iterations τ. 0: only the start of the process.
    tol : float, optional
        Stop early if the largest movement of an iteration, in units of ε, is at most `tol`. The movement of a point is
        the transport distance to its next state; without coordinates, it is the largest change of a distance. 0: stop
        if nothing moves. None: do all iterations.
    merge : float, optional
        After each iteration, merge points within this distance, in units of ε, into one point with their total mass.
        Results are expanded to all points again. 0: merge exact duplicates only, which changes only the cost. None: no
        merging.
    keep : {"last", "all"}, default "last"
        Which states the trajectory keeps.
    hook : callable, optional
        Called with the run so far, a `Trajectory`, after each state, including τ = 0. An exception in it ends the run.
    resume : Trajectory, optional
        An earlier, shorter run of the same process on the same space, such as one that a hook saved. The run continues
        from there, with the same result as one run.
    out : path, optional
        A folder of this run alone, made if it does not exist. It keeps the states that `keep` asks for and the finished
        parts of exact transport, and what memory does not hold is put there. The same call goes on where it was, even
        after `kill -9`, to the same bits. A folder of another run is refused. None: nothing is kept.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    Trajectory
        The kept states, the movements and the outcome.

    Notes
    -----
    Each iteration is one step: a pass over the pairs within reach for transforms that move points, and up to n(n−1)/2
    transport problems for exact transport. keep="all" needs the memory of n_iter + 1 states.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> walk = wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=10, tol=0.0)
    >>> walk.outcome
    'converged after 2 iterations: the last movement was 0 eps, the tolerance is 0'
    >>> walk.points.ravel()
    array([0.5, 0.5, 5. ])
    """
    process = as_process(process)
    n_iter, tol, merge = check_options(process, n_iter, tol, merge, keep, hook)
    check_space(space)
    if resume is not None and not isinstance(resume, Trajectory):
        raise TypeError(
            f"resume must be a Trajectory, got {check.shown(resume)}; wt.transforms.Trajectory.load reads one"
        )
    if resume is not None and resume.n_iter > n_iter:
        raise ValueError(
            f"resume has done {resume.n_iter} iterations already, but n_iter={n_iter} is the total; use a larger n_iter"
        )
    if resume is not None and resume.quotients[-1].labels.size != space.n:
        raise ValueError(f"resume is a run on {resume.quotients[-1].labels.size} points, but the space has {space.n}")
    if resume is not None and out is not None:
        raise ValueError("give resume or out, not both: a folder goes on by itself")
    engine = current(engine)
    if out is not None:
        folder = RunFolder(out, (space, process, merge, tol), keep == "all", engine)
        resume = folder.latest(n_iter)
        if resume is not None and resume.converged and process.is_steady(resume.n_iter - 1, n_iter):
            _call_hook(hook, resume)
            return resume
        hook, engine = folder.saving(hook), replace(engine, folder=folder.path)
    with engine.progress_scope() as watched:
        trajectory, massless = run(
            process, space, watched, n_iter=n_iter, tol=tol, merge=merge, keep=keep, hook=hook, resume=resume
        )
    warn_massless(massless)
    return trajectory


def check_options(
    process: Process, n_iter: int, tol: float | None, merge: float | None, keep: Keep, hook: Hook | None
) -> tuple[int, float | None, float | None]:
    """Check the options of a run; return the number of iterations, the tolerance and the merging distance."""
    n_iter = check.count(n_iter, "n_iter", 0)
    tol, merge = (
        None if value is None else check.tolerance(value, name) for name, value in (("tol", tol), ("merge", merge))
    )
    check.choice(keep, "keep", ("last", "all"))
    if n_iter:
        process.at(n_iter - 1)  # fail now, not after hours, if the sequence of eps is too short
    if hook is not None and not callable(hook):
        raise TypeError(f"hook must be a function of a Trajectory, got {check.shown(hook)}")
    return n_iter, tol, merge


def run(
    process: Process, space: Space, engine: Engine, *, n_iter: int, tol: float | None = None,
    merge: float | None = None, keep: Keep = "last", hook: Hook | None = None, resume: Trajectory | None = None,
) -> tuple[Trajectory, Bools]:  # fmt: skip
    """Repeat the step of a transform, as `iterate`; return the run, and the points that saw no mass."""
    n_states = n_iter + (process.start is not None)
    if keep == "last" or tol is not None:  # with a tolerance, the number of states is unknown
        n_states = min(n_states, 2)
    reserve_run(process.steps(n_iter), space, engine, n_iter, n_states, merge is not None, tol is not None)
    if resume is None:
        state, massless = _start(process, space, merge, engine)
        trajectory = Trajectory.of((state,), (), tol)
        _call_hook(hook, trajectory)
    else:
        states = resume.quotients if keep == "all" else resume.quotients[-1:]
        trajectory, massless = Trajectory.of(states, resume.movements, tol), np.zeros(space.n, bool)
    for k in range(trajectory.n_iter, n_iter):
        step, before, step_engine = process.at(k), trajectory.quotients[-1], engine.iteration(k + 1, n_iter)
        step_engine.check()
        moved, without_mass = step.step(before.space, step_engine)
        state = _merge(before, moved, step, merge, step_engine)
        movement = before.space.metric.movement(_followed(before, state), step_engine) / eps_of(step, tol)
        massless |= without_mass[before.labels]
        if keep == "all" and tol is not None and k + 1 < n_iter:
            reserve_state(state.space.metric, space, merge is not None, k + 2, step_engine)
        if before.space is not space:
            before.space.metric.forget()  # its cached matrix roots are no longer needed
        converged = tol is not None and movement <= tol and process.is_steady(k, n_iter)
        states = (*trajectory.quotients, state) if keep == "all" else (state,)
        trajectory = Trajectory.of(states, (*trajectory.movements, movement), tol, converged)
        _call_hook(hook, trajectory)
        if converged:
            break
    return trajectory, massless


def _call_hook(hook: Hook | None, trajectory: Trajectory) -> None:
    if hook is not None:
        clear_line()  # a hook may print
        hook(trajectory)


def _start(process: Process, space: Space, merge: float | None, engine: Engine) -> tuple[Quotient, Bools]:
    """The state at τ = 0, and the points that saw no mass."""
    unmerged = Quotient(space, np.arange(space.n), space.weights, stored_array(space, "points"))
    if process.start is None:
        return unmerged, np.zeros(space.n, bool)
    moved, massless = process.start.step(space, engine)
    return _merge(unmerged, moved, process.start, merge, engine), massless


def _merge(before: Quotient, moved: Space, step: Transform, merge: float | None, engine: Engine) -> Quotient:
    """The state after a step, with points merged that came together; labels map all original points to merged ones."""
    points = before.carry(moved)
    if merge is None:
        return Quotient(moved, before.labels, before.weights, points)
    merged = quotient(moved, merge * eps_of(step, merge), engine)
    labels = merged.labels[before.labels]
    return Quotient(merged.space, labels, before.weights, points, merged.leaders, merged.tol)


def _followed(before: Quotient, after: Quotient) -> Metric:
    """The metric after a step of the points before it; those that were merged are the points they became."""
    if before.labels is after.labels:
        return after.space.metric
    merged_into = np.empty(before.space.n, np.intp)
    merged_into[before.labels] = after.labels
    return after.space.metric.take(merged_into)


def eps_of(step: Transform, relative: float | None) -> float:
    """The ε of a step; 1 without one, and then a tolerance relative to ε is an error."""
    scale = step.localize.scale
    if scale is None and relative:
        raise ValueError(f"{step.localize!r} has no eps, and tol and merge are in units of eps; leave them out")
    return scale or 1.0
