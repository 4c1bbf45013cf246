"""Run a task with a store: finished tiles are read instead of computed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._check import warn
from .store import Journal, Store, StoreWarning, key_of
from .tasks import Executor, Place, Record, Task, Tile

_SUMS_SHAPES = (((2,), "<u8"),)
_log = logging.getLogger("wasserstein_transform")


def run_with_store(store: Store, executor: Executor, task: Task, out: Record, engine: Any) -> None:
    """Compute and store missing tiles first, then read the others; damaged ones are computed again."""
    in_file = store.holds(out[0])  # then results stay in their file, and only checksums are stored
    key = key_of(task.fingerprint, task.shapes(out, task.tiles[0]), str(out[0].filename) if in_file else None)
    journal = store.journal(key)
    engine.keeps(key)
    total = len(task.tiles)
    finished = [k for k in range(total) if k in journal]  # a list now: other threads may add more
    if finished:
        _log.info("%s: %d of %d tiles were finished before", task.name, len(finished), total)

    def compute(numbers: Sequence[int]) -> None:
        place = _StoringPlace(task.place, {task.tiles[k]: k for k in numbers}, journal, in_file)
        progress = engine.progress and (
            lambda update: engine.progress(update._replace(done=update.done + total - update.total, total=total))
        )
        missing = replace(task, tiles=[task.tiles[k] for k in numbers], place=place)
        executor.run(missing, out, replace(engine, progress=progress))
        if place.errors:
            warn(f"finished work is no longer kept in {store.folder}: {place.errors[0]}", StoreWarning)

    def restore(k: int) -> bool:
        """Copy a finished tile to its place, or compare it with its checksums; tell whether it is undamaged."""
        engine.check()
        tile = task.tiles[k]
        record = journal.read(k, _SUMS_SHAPES if in_file else task.shapes(out, tile))
        if record is None:
            return False
        if in_file:
            return bool((record[0] == _sum_bits(task.place.view(out, tile))).all())
        task.place.put(out, tile, record)
        return True

    if len(finished) < total:
        compute(sorted(set(range(total)) - set(finished)))
    damaged = [k for k in finished if not restore(k)]
    if damaged:
        warn(f"{len(damaged)} damaged tiles of the store {store.folder} are computed again", StoreWarning)
        compute(damaged)


def _sum_bits(record: Record) -> np.ndarray:
    """Return two checksums of a record, as fast as reading it: any single changed bit changes them."""
    sums = np.zeros(2, "<u8")
    for array in record:
        words = np.ascontiguousarray(array).reshape(-1).view(f"<u{array.dtype.itemsize}")
        sums[:1] += words.sum(dtype=np.uint64)  # an array, since arrays overflow without a warning
        sums[1:] ^= np.uint64(np.bitwise_xor.reduce(words, initial=0))
    return sums


@dataclass(frozen=True, eq=False)
class _StoringPlace(Place):
    """A place that also stores each record, or its checksums if the result is in a file that stays."""

    inner: Place
    numbers: dict[Tile, int]
    journal: Journal
    in_file: bool
    errors: list[OSError] = field(default_factory=list)

    def blank(self, out: Record, tile: Tile) -> Record:
        return self.inner.blank(out, tile)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        self.inner.put(out, tile, record)
        if not self.errors:
            stored = (_sum_bits(self.inner.view(out, tile)),) if self.in_file else record
            try:
                self.journal.add(self.numbers[tile], stored)
            except OSError as error:  # the disk is full: the result is still useful
                self.errors.append(error)
