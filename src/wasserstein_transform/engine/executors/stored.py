"""An executor with a store: finished tiles are read instead of computed."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np

from ..._warn import warn
from ..store import Journal, Store, StoreWarning, key_of
from ..tasks import Place, Record, Task, Tile
from .base import Executor, Overseer

_SUMS = (((2,), "<u8"),)
_log = logging.getLogger("wasserstein_transform")


@dataclass(frozen=True)
class Stored:
    """Runs tiles that the store does not hold with another executor, and stores them."""

    store: Store
    inner: Executor

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Compute missing tiles first, then read the others; damaged ones are computed again."""
        here = self.store.holds(out[0])  # then results stay in their file, and only checksums are stored
        where = str(out[0].filename) if here else None
        key = key_of(task.fingerprint, task.shapes(out, task.tiles[0]), where)
        journal = self.store.journal(key)
        engine.keeps(key)
        numbers = range(len(task.tiles))
        kept = [k for k in numbers if k in journal]  # a list now: other threads may add more
        if kept:
            _log.info("%s: %d of %d tiles were finished before", task.name, len(kept), len(task.tiles))
        keeping = _Summing if here else _Keeping
        self._compute(sorted(set(numbers) - set(kept)), task, out, journal, engine, keeping)
        is_whole = _is_whole if here else _put_kept
        damaged = [k for k in kept if not is_whole(k, task, out, journal, engine)]
        if damaged:
            warn(f"{len(damaged)} damaged tiles of the store {self.store.folder} are computed again", StoreWarning)
            self._compute(damaged, task, out, journal, engine, keeping)

    def _compute(
        self, numbers: list[int], task: Task, out: Record, journal: Journal, engine: Overseer, keeping: type[_Keeping]
    ) -> None:
        if not numbers:
            return
        place = keeping(task.place, {task.tiles[k]: k for k in numbers}, journal)
        tiles = [task.tiles[k] for k in numbers]
        self.inner.run(replace(task, tiles=tiles, place=place), out, _Rest(engine, len(task.tiles)))
        if place.errors:
            warn(f"finished work is no longer kept in {self.store.folder}: {place.errors[0]}", StoreWarning)


def _put_kept(k: int, task: Task, out: Record, journal: Journal, engine: Overseer) -> bool:
    """Copy the record of a finished tile to its place, if it is undamaged."""
    engine.check()
    tile = task.tiles[k]
    record = journal.read(k, task.shapes(out, tile))
    if record is not None:
        task.place.put(out, tile, record)
    return record is not None


def _is_whole(k: int, task: Task, out: Record, journal: Journal, engine: Overseer) -> bool:
    """Tell whether a finished tile in the result is unchanged, by its checksums."""
    engine.check()
    record = journal.read(k, _SUMS)
    return record is not None and bool((record[0] == _sums(task.place.view(out, task.tiles[k]))).all())


def _sums(record: Record) -> np.ndarray:
    """Return two checksums of a record, as fast as reading it: any single changed bit changes them."""
    sums = np.zeros(2, "<u8")
    for array in record:
        words = np.ascontiguousarray(array).reshape(-1).view(f"<u{array.dtype.itemsize}")
        sums[:1] += words.sum(dtype=np.uint64)  # an array, since arrays overflow without a warning
        sums[1:] ^= np.uint64(np.bitwise_xor.reduce(words, initial=0))
    return sums


class _Keeping(Place):
    """A place that also stores each record."""

    def __init__(self, inner: Place, numbers: dict[Tile, int], journal: Journal) -> None:
        self._inner, self._numbers, self._journal = inner, numbers, journal
        self.errors: list[OSError] = []

    def blank(self, out: Record, tile: Tile) -> Record:
        return self._inner.blank(out, tile)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        self._inner.put(out, tile, record)
        if not self.errors:
            try:
                self._journal.add(self._numbers[tile], self._kept(out, tile, record))
            except OSError as error:  # the disk is full: the result is still useful
                self.errors.append(error)

    def _kept(self, out: Record, tile: Tile, record: Record) -> Record:
        return record


class _Summing(_Keeping):
    """The same for results in files that stay: only checksums are stored."""

    def _kept(self, out: Record, tile: Tile, record: Record) -> Record:
        return (_sums(self._inner.view(out, tile)),)


@dataclass(frozen=True)
class _Rest:
    """An engine for the remaining tiles: its progress includes the finished ones."""

    engine: Overseer
    total: int

    @property
    def n_threads(self) -> int:
        return self.engine.n_threads

    def check(self) -> None:
        self.engine.check()

    def keeps(self, key: str) -> None:
        self.engine.keeps(key)

    def report(self, stage: str, done: int, total: int) -> None:
        self.engine.report(stage, done + self.total - total, self.total)
