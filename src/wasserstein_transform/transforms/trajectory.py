"""The result of an iterated transform, and its states in a store, from which an interrupted run continues."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._archive import archived, check_array, check_range, check_type, described, read, write
from .._cached import cached_property
from .._check import warn
from .._files import check_no_link
from .._shown import Reported, facts
from .._types import Bools, Floats
from ..cuda import device_name
from ..engine import Engine, Store, StoreWarning, current, key_of
from ..spaces import Quotient, Space

_MAX_SHOWN_MOVEMENTS = 8  # number of movements in the notebook view
_MAX_WRITING_SHARE = 0.03  # largest share of the run time that writing states may take
_WRITING_SPEED = 3e8  # assumed write speed in bytes per second, until it is measured
_N_SPARE_STATES = 2  # states to keep if only the last is needed: the newest file may be damaged


@archived
@dataclass(frozen=True, eq=False)
class Trajectory(Reported):
    """The states of an iterated transform. `wt.iterate` returns it.

    Attributes
    ----------
    quotients : tuple of Quotient
        The kept states as they were computed, with merged points if merging is on.
    movements : tuple of float
        The largest movement of each iteration, in units of ε.
    n_iter : int
        Number of iterations done.
    converged : bool
        Whether the last movement was within the tolerance.
    outcome : str
        How the run ended, in words.
    first : int, default 0
        The iteration τ of the first kept state.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> walk = wt.iterate(wt.mean_shift(1.0), space, n_iter=2, keep="all")
    >>> walk.movements, len(walk.states)
    ((0.5, 0.0), 3)
    >>> walk.last.points.ravel()
    array([0.5, 0.5, 5. ])
    """

    quotients: tuple[Quotient, ...]
    movements: tuple[float, ...]
    n_iter: int
    converged: bool
    outcome: str
    first: int = 0

    def _check_archived(self) -> None:
        check_type(self.quotients, "states", tuple)
        for state in self.quotients:
            check_type(state, "a state", Quotient)
        for number, name in ((self.n_iter, "n_iter"), (self.first, "first")):
            check_type(number, name, int)
        check_type(self.converged, "converged", bool)
        check_type(self.outcome, "outcome", str)
        check_range([float(movement) for movement in self.movements], "movements", 0.0)
        check_range(self.first, "first", 0, self.n_iter)
        if not self.quotients or len({len(state.labels) for state in self.quotients}) > 1:
            raise ValueError("there must be at least one state, and all states must have the same points")
        for before, state in pairwise(self.quotients):
            if state.leaders is not None:
                check_range(state.leaders, "leaders", 0, before.space.n - 1)
        if len(self.quotients) != self.n_iter - self.first + 1:
            raise ValueError(f"there must be one state per iteration from {self.first} to {self.n_iter}")

    @cached_property
    def last(self) -> Space:
        """The last state, expanded to all points."""
        return self.quotients[-1].expand()

    @property
    def states(self) -> tuple[Space, ...]:
        """The kept states, expanded to all points: τ = first … n_iter."""
        return (*(q.expand() for q in self.quotients[:-1]), self.last)

    @property
    def points(self) -> Floats | None:
        """The moved points at the end, shape (n, m), or None if the space has no coordinates."""
        return self.last.points

    def only_last(self) -> Trajectory:
        """Return the same run with only its last state."""
        return replace(self, quotients=self.quotients[-1:], first=self.n_iter)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the run to a `.npz` file, without pickle, and return its path. `Trajectory.load` reads it."""
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """Read a run from a file that `save` wrote.

        Files that are damaged, too large for the memory, or of another version raise an error.
        """
        run: Self = read(path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory"))
        return run

    def _repr_html_(self) -> str:
        movements = ", ".join(f"{movement:.3g}" for movement in self.movements[-_MAX_SHOWN_MOVEMENTS:])
        earlier = "… " if len(self.movements) > _MAX_SHOWN_MOVEMENTS else ""
        rows = {
            "points": self.quotients[-1].labels.size,
            "outcome": self.outcome,
            "movements, in eps": earlier + movements or "none",
            "states kept": f"{len(self.quotients)}, from τ = {self.first} on",
            "merged points at the end": self.quotients[-1].space.n,
        }
        return facts("Trajectory", rows)

    def __repr__(self) -> str:
        return f"<Trajectory of {self.quotients[-1].labels.size} points: {self.outcome}>"


_log = logging.getLogger("wasserstein_transform")


@archived
@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run with only its last state, and the points that saw no mass so far."""

    walk: Trajectory
    massless: Bools

    def _check_archived(self) -> None:
        check_type(self.walk, "the run", Trajectory)
        if not isinstance(self.massless, np.ndarray) or self.massless.dtype != bool:
            raise ValueError("massless must be an array of bool")
        check_array(self.massless.astype(np.intp), "massless", "i", len(self.walk.quotients[-1].labels))


class Checkpoints:
    """Writes the states of a run and reads them again.

    A state is written if writing takes a small share of the time since the last one was written. So cheap iterations
    may be computed again, but expensive ones are not.
    """

    def __init__(self, folder: Path, store: Store, everything: bool, engine: Engine) -> None:
        self._folder, self._store, self._everything, self._engine = folder, store, everything, engine
        self._last, self._speed = time.monotonic(), _WRITING_SPEED
        self._stale: list[str] = []
        self._written = {int(path.stem) for path in folder.glob("*.npz") if path.stem.isdigit()}

    def latest(self, n_iter: int) -> tuple[Trajectory, Bools] | None:
        """Read the longest stored run of at most `n_iter` iterations, and the points that saw no mass."""
        for k in sorted((k for k in self._written if k <= n_iter), reverse=True):
            last = self._read(k)
            if last is None:
                continue
            walk = last.walk
            if self._everything:
                before = [self._read(j) for j in range(k)]
                quotients = [state.walk.quotients[-1] for state in before if state is not None]
                if len(quotients) < k:
                    continue
                walk = replace(walk, quotients=(*quotients, *walk.quotients), first=0)
            _log.info("%d iterations were finished before", k)
            return walk, last.massless
        return None

    def save(self, walk: Trajectory, massless: Bools, engine: Engine) -> None:
        """Write the new states of a run if that is cheap enough, and drop the tiles of its iterations."""
        self._stale += engine.kept
        new = [k for k in range(walk.first, walk.n_iter + 1) if k not in self._written]
        metric = walk.quotients[-1].space.metric
        is_slow = len(new) * metric.n_bytes / self._speed > _MAX_WRITING_SHARE * (time.monotonic() - self._last)
        if not new or is_slow or metric.is_on_disk:  # tiles on disk stay; a checkpoint would be read into memory
            return
        start = time.perf_counter()
        try:
            for k in new:
                write(check_no_link(self._folder / f"{k:06d}.npz"), Checkpoint(_cut_at(walk, k), massless))
        except OSError as error:
            warn(f"iterations are no longer kept in {self._store.folder}: {error}", StoreWarning)
            self._speed = 1e-300
            return
        took = max(time.perf_counter() - start, 1e-4)
        self._speed = max(len(new) * metric.n_bytes, 1) / took
        self._last = time.monotonic()
        self._written |= set(new)
        self._store.tiles.forget(self._stale)
        self._stale = []
        if not self._everything:
            self._drop(sorted(self._written)[:-_N_SPARE_STATES])

    def _drop(self, numbers: list[int]) -> None:
        for k in numbers:
            (self._folder / f"{k:06d}.npz").unlink(missing_ok=True)
            self._written.discard(k)

    def _read(self, k: int) -> Checkpoint | None:
        if k not in self._written:
            return None
        path = self._folder / f"{k:06d}.npz"
        try:
            checkpoint: Checkpoint = read(
                path, Checkpoint, lambda n_bytes: self._engine.reserve(n_bytes, str(path), "free some")
            )
        except (ValueError, OSError) as error:
            warn(f"a state in the store cannot be used and is computed again: {error}", StoreWarning)
            self._drop([k])
            return None
        return checkpoint


def open_checkpoints(space: Space, what: tuple[Any, ...], everything: bool, engine: Engine) -> Checkpoints | None:
    """The checkpoints of a run with these parameters on a space; None without a store or if they cannot be stored."""
    store = engine.store
    if store is None:
        return None
    assert isinstance(store, Store)
    try:
        key = key_of(described((space, what)), device_name(engine), engine.precision)
    except TypeError as error:
        warn(f"iterations are not stored: {error}", StoreWarning)
        return None
    return Checkpoints(store.states(key), store, everything, engine)


def _cut_at(walk: Trajectory, k: int) -> Trajectory:
    """The run up to iteration k, with only that state."""
    if k == walk.n_iter:
        return walk.only_last()
    return Trajectory(
        quotients=(walk.quotients[k - walk.first],), movements=walk.movements[:k], n_iter=k, converged=False,
        outcome=f"{k} iterations of a longer run", first=k,
    )  # fmt: skip
