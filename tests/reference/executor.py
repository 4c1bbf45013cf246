"""An executor that ships tiles to another process, what a cluster does; and a simple place for records."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from wasserstein_transform.engine import Record, RecordLayout, RunControl, Task, Tile, compute_record


class Shipped:
    """Runs the tiles of every task in one other process, through pickle, and puts the records that come back."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"))
        self.names: list[str] = []

    def run(self, task: Task, out: Record, engine: RunControl) -> None:
        self.names.append(task.name)
        parcels = [pickle.dumps((task.compute, task.inputs, tile, task.shapes(out, tile))) for tile in task.tiles]
        for done, (tile, record) in enumerate(zip(task.tiles, self._pool.map(_opened, parcels), strict=True), 1):
            task.layout.store(out, tile, record)
            engine.report(task.name, done, len(task.tiles))
            engine.check()

    def close(self) -> None:
        self._pool.shutdown()


def _opened(parcel: bytes) -> Record:
    return compute_record(*pickle.loads(parcel))


@dataclass(frozen=True)
class InRows(RecordLayout):
    """The records of tiles are rows start…stop of every array."""

    def allocate(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros_like(array[slice(*tile)]) for array in out)

    def store(self, out: Record, tile: Tile, record: Record) -> None:
        for array, values in zip(out, record, strict=True):
            array[slice(*tile)] = values
