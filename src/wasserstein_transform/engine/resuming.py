"""Run a task with a store: finished tiles are read instead of computed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._check import warn
from .store import Store, StoreWarning, key_of
from .tasks import Executor, Place, Record, Task, Tile
from .tile_files import TileFiles

_log = logging.getLogger("wasserstein_transform")


def run_with_store(store: Store, executor: Executor, task: Task, out: Record, engine: Any) -> None:
    """Compute and store missing tiles first, then read the others; damaged ones are computed again."""
    in_file = store.holds(out[0])  # then results stay in their file, and only checksums are stored
    key = key_of(task.fingerprint, task.shapes(out, task.tiles[0]), str(out[0].filename) if in_file else None)
    store.check_open()
    engine.keeps(key)
    files, names, total = store.tiles, [f"{key}/{k}" for k in range(len(task.tiles))], len(task.tiles)
    finished = [k for k in range(total) if names[k] in files]
    if finished:
        _log.info("%s: %d of %d tiles were finished before", task.name, len(finished), total)

    def compute(numbers: Sequence[int]) -> None:
        place = _StoringPlace(task.place, {task.tiles[k]: names[k] for k in numbers}, files, in_file)
        progress = engine.progress and (
            lambda update: engine.progress(update._replace(done=update.done + total - update.total, total=total))
        )
        missing = replace(task, tiles=[task.tiles[k] for k in numbers], place=place)
        try:
            executor.run(missing, out, replace(engine, progress=progress))
        finally:
            error = files.flush()
        if error is not None:
            warn(f"finished tiles are not kept in {store.folder}: {error}", StoreWarning)

    def restore(k: int) -> bool:
        """Copy a finished tile to its place, or compare it with its checksums; tell whether it is undamaged."""
        engine.check()
        tile, stored = task.tiles[k], files.read(names[k])
        if in_file:
            return stored == _sum_bits(task.place.view(out, tile))
        record = task.place.blank(out, tile)
        ends = np.cumsum([array.nbytes for array in record])
        if stored is None or len(stored) != ends[-1]:
            return False
        parts = zip(np.split(np.frombuffer(stored, np.uint8), ends[:-1]), record, strict=True)
        task.place.put(out, tile, tuple(part.view(array.dtype).reshape(array.shape) for part, array in parts))
        return True

    if len(finished) < total:
        compute(sorted(set(range(total)) - set(finished)))
    damaged = [k for k in finished if not restore(k)]
    if damaged:
        warn(f"{len(damaged)} damaged tiles of the store {store.folder} are computed again", StoreWarning)
        compute(damaged)


def _sum_bits(record: Record) -> bytes:
    """Return two checksums of a record, as fast as reading it: any single changed bit changes them."""
    sums = np.zeros(2, "<u8")
    for array in record:
        words = np.ascontiguousarray(array).reshape(-1).view(f"<u{array.dtype.itemsize}")
        sums[:1] += words.sum(dtype=np.uint64)  # an array, since arrays overflow without a warning
        sums[1:] ^= np.uint64(np.bitwise_xor.reduce(words, initial=0))
    return sums.tobytes()


@dataclass(frozen=True, eq=False)
class _StoringPlace(Place):
    """A place that also stores each record, or its checksums if the result is in a file that stays."""

    inner: Place
    names: dict[Tile, str]
    files: TileFiles
    in_file: bool

    def blank(self, out: Record, tile: Tile) -> Record:
        return self.inner.blank(out, tile)

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        self.inner.put(out, tile, record)
        stored = _sum_bits(self.inner.view(out, tile)) if self.in_file else b"".join(a.tobytes() for a in record)
        self.files.add(self.names[tile], stored)
