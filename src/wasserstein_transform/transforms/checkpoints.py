"""Checkpoints: states of a run in a store, from which an interrupted run continues with the same result."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .._archive import archived, check_array, check_type, described, read, write
from .._files import check_no_link
from .._types import Bools
from .._warn import warn
from ..backends import backend_of
from ..engine import Engine, Store, StoreWarning, key_of
from ..spaces import Space
from .trajectory import Trajectory

_SHARE = 0.03  # largest share of the run time that writing states may take
_SPEED = 3e8  # assumed write speed in bytes per second, until it is measured
_SPARE = 2  # states to keep if only the last is needed: the newest file may be damaged

_log = logging.getLogger("wasserstein_transform")


@archived
@dataclass(frozen=True, eq=False)
class State:
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
        self._last, self._speed = time.monotonic(), _SPEED
        self._stale: list[str] = []
        self._written = {int(path.stem) for path in folder.glob("*.npz") if path.stem.isdigit()}

    def found(self, n_iter: int) -> tuple[Trajectory, Bools] | None:
        """Find the longest stored run of at most `n_iter` iterations, and the points that saw no mass."""
        for k in sorted((k for k in self._written if k <= n_iter), reverse=True):
            last = self._read(k)
            if last is None:
                continue
            if not self._everything:
                walk: Trajectory | None = last.walk
            else:
                walk = self._whole(last.walk, [self._read(j) for j in range(k)])
            if walk is not None:
                _log.info("%d iterations were finished before", k)
                return walk, last.massless
        return None

    def save(self, walk: Trajectory, massless: Bools, engine: Engine) -> None:
        """Write the new states of a run if that is cheap enough, and drop the tiles of its iterations."""
        self._stale += engine.kept
        new = [k for k in range(walk.first, walk.n_iter + 1) if k not in self._written]
        seconds = len(new) * walk.quotients[-1].space.metric.n_bytes / self._speed
        if walk.quotients[-1].space.metric.is_on_disk:  # its tiles stay; a checkpoint would be read into memory
            return
        if not new or seconds > _SHARE * (time.monotonic() - self._last):
            return
        start = time.perf_counter()
        try:
            for k in new:
                write(check_no_link(self._folder / f"{k:06d}.npz"), State(_until(walk, k), massless))
        except OSError as error:
            warn(f"iterations are no longer kept in {self._store.folder}: {error}", StoreWarning)
            self._speed = 1e-300
            return
        took = max(time.perf_counter() - start, 1e-4)
        self._speed = max(len(new) * walk.quotients[-1].space.metric.n_bytes, 1) / took
        self._last = time.monotonic()
        self._written |= set(new)
        self._store.forget(self._stale)
        self._stale = []
        if not self._everything:
            self._drop(sorted(self._written)[:-_SPARE])

    def _drop(self, numbers: list[int]) -> None:
        for k in numbers:
            (self._folder / f"{k:06d}.npz").unlink(missing_ok=True)
            self._written.discard(k)

    def _read(self, k: int) -> State | None:
        if k not in self._written:
            return None
        path = self._folder / f"{k:06d}.npz"
        try:
            found: State = read(path, State, lambda n_bytes: self._engine.reserve(n_bytes, str(path), "free some"))
        except (ValueError, OSError) as error:
            warn(f"a state in the store cannot be used and is computed again: {error}", StoreWarning)
            self._drop([k])
            return None
        return found

    def _whole(self, last: Trajectory, before: list[State | None]) -> Trajectory | None:
        """The run with all its states, or None if a state is missing."""
        quotients = [state.walk.quotients[-1] for state in before if state is not None]
        if len(quotients) < len(before):
            return None
        return replace(last, quotients=(*quotients, *last.quotients), first=0)


def checkpoints(space: Space, what: tuple[Any, ...], everything: bool, engine: Engine) -> Checkpoints | None:
    """The checkpoints of a run with these parameters on a space; None without a store or if they cannot be stored."""
    store = engine.store
    if store is None:
        return None
    assert isinstance(store, Store)
    try:
        key = key_of(described((space, what)), backend_of(engine).name, engine.precision)
    except TypeError as error:
        warn(f"iterations are not stored: {error}", StoreWarning)
        return None
    return Checkpoints(store.states(key), store, everything, engine)


def _until(walk: Trajectory, k: int) -> Trajectory:
    """The run up to iteration k, with only that state."""
    if k == walk.n_iter:
        return walk.only_last()
    said = f"{k} iterations of a longer run"
    return Trajectory((walk.quotients[k - walk.first],), walk.movements[:k], k, False, said, k)
