"""The loop that iterates a transform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from .. import _check as check
from .._files import PathLike
from .._types import Bools
from ..engine import Engine, current, stored_array
from ..engine.progress import clear_line
from ..spaces import Quotient, Space, check_space, quotient
from .folder import RunFolder
from .preflight import preflight, reserve_state
from .subsets import find_changing, step_changing
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
    request = Request(as_process(process), n_iter, tol, merge, keep, hook)
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
        folder = RunFolder(out, (space, request.process, merge, tol), keep == "all", engine)
        resume = folder.latest(n_iter)
        if resume is not None and resume.converged and request.process.is_steady(resume.n_iter - 1, n_iter):
            request.tell(resume)
            return resume
        request, engine = request.kept_in(folder), replace(engine, folder=folder.path)
    with engine.watched() as watched:
        walk, massless = run(request, space, watched, resume)
    warn_massless(massless)
    return walk


@dataclass(frozen=True)
class Request:
    """The arguments of a run, checked."""

    process: Process
    n_iter: int
    tol: float | None
    merge: float | None
    keep: Keep = "last"
    hook: Hook | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_iter", check.count(self.n_iter, "n_iter", 0))
        for name in ("tol", "merge"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check.tolerance(getattr(self, name), name))
        check.choice(self.keep, "keep", ("last", "all"))
        if self.n_iter:
            self.process.at(self.n_iter - 1)  # fail now, not after hours, if the sequence of eps is too short
        if self.hook is not None and not callable(self.hook):
            raise TypeError(f"hook must be a function of a Trajectory, got {check.shown(self.hook)}")

    def trajectory(self, kept: list[Quotient], movements: list[float], converged: bool = False) -> Trajectory:
        """The run so far, as the hook gets it and as `iterate` returns it."""
        return Trajectory(
            quotients=tuple(kept),
            movements=tuple(movements),
            n_iter=len(movements),
            converged=converged,
            outcome=describe_outcome(movements, self.tol, converged),
            first=len(movements) + 1 - len(kept),
        )

    def kept_in(self, folder: RunFolder) -> Request:
        """The same run, whose states are kept in a folder."""

        def save_and_tell(walk: Trajectory) -> None:
            folder.save(walk)
            if self.hook is not None:
                self.hook(walk)

        return replace(self, hook=save_and_tell)

    def tell(self, walk: Trajectory) -> None:
        """Call the hook, if there is one."""
        if self.hook is not None:
            clear_line()  # a hook may print
            self.hook(walk)


def run(request: Request, space: Space, engine: Engine, resume: Trajectory | None = None) -> tuple[Trajectory, Bools]:
    """Run with checked arguments; return the trajectory and the points that saw no mass."""
    process, n_iter, tol, merge, keep = request.process, request.n_iter, request.tol, request.merge, request.keep
    n_states = n_iter + (process.start is not None)
    if keep == "last" or tol is not None:  # with a tolerance, the number of states is unknown
        n_states = min(n_states, 2)
    if n_states:
        steps, n_known = process.steps(n_iter), None if tol is not None else n_iter
        preflight(steps, space, engine, n_iter=n_iter, n_known=n_known, n_states=n_states, merges=merge is not None)
    massless, changing = np.zeros(space.n, bool), None
    if resume is None:
        state, massless = _start(process, space, merge, engine)
        kept, movements = [state], list[float]()
        request.tell(request.trajectory(kept, movements))
    else:
        kept, movements = list(resume.quotients if keep == "all" else resume.quotients[-1:]), list(resume.movements)
    converged = False
    for k in range(len(movements), n_iter):
        step, before, here = process.at(k), kept[-1], engine.iteration(k + 1, n_iter)
        here.check()
        if changing is None:
            moved, alone = step.step(before.space, here)
        else:
            moved, alone = step_changing(before.space, step, changing, here)
        state = _merge(before, moved, step, merge, here)
        massless |= alone[before.labels]
        after = state.space.metric
        if before.labels is not state.labels:  # points were merged: compare the old ones with those they became
            went_to = np.empty(before.space.n, np.intp)
            went_to[before.labels] = state.labels
            after = after.take(went_to)
        movements.append(before.space.metric.movement(after, here) / eps_of(step, tol))
        if keep == "all" and tol is not None and k + 1 < n_iter:
            reserve_state(state.space.metric, space, merge is not None, k + 2, here)
        if before.space is not space:
            before.space.metric.forget()  # its cached matrix roots are no longer needed
        kept = [*kept, state] if keep == "all" else [state]
        converged = tol is not None and movements[-1] <= tol and process.is_steady(k, n_iter)
        request.tell(request.trajectory(kept, movements, converged))
        if converged:
            break
        if k + 1 < n_iter:
            changing = find_changing(before, state, step.localize.reach, here) if process.at(k + 1) == step else None
    return request.trajectory(kept, movements, converged), massless


def _start(process: Process, space: Space, merge: float | None, engine: Engine) -> tuple[Quotient, Bools]:
    """The state at τ = 0."""
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


def eps_of(step: Transform, relative: float | None) -> float:
    """The ε of a step; 1 without one, and then a tolerance relative to ε is an error."""
    scale = step.localize.scale
    if scale is None and relative:
        raise ValueError(f"{step.localize!r} has no eps, and tol and merge are in units of eps; leave them out")
    return scale or 1.0


def describe_outcome(movements: list[float], tol: float | None, converged: bool) -> str:
    """The outcome of a run, in words."""
    n = len(movements)
    times = f"{n} iteration{'s' if n != 1 else ''}"
    if converged:
        return f"converged after {times}: the last movement was {movements[-1]:.3g} eps, the tolerance is {tol:g}"
    if not movements:
        return "no iterations were requested: the points are those of the input"
    text = f"ran {times}, as requested; the last movement was {movements[-1]:.3g} eps"
    return text if tol is None else f"{text}, not within the tolerance {tol:g}: raise n_iter to go on"
