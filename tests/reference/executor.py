"""Executors: one ships tiles to another process, what a cluster does; one computes records apart from the result."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from wasserstein_transform.engine import Overseer, Record, Task, compute_record


class Shipped:
    """Runs the tiles of every task in one other process, through pickle, and puts the records that come back."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, get_context("spawn"))
        self.names: list[str] = []

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        self.names.append(task.name)
        parcels = [pickle.dumps((task.compute, task.inputs, tile, task.shapes(out, tile))) for tile in task.tiles]
        for done, (tile, record) in enumerate(zip(task.tiles, self._pool.map(_opened, parcels), strict=True), 1):
            task.place.put(out, tile, record)
            engine.report(task.name, done, len(task.tiles))
            engine.check()

    def close(self) -> None:
        self._pool.shutdown()


def _opened(parcel: bytes) -> Record:
    return compute_record(*pickle.loads(parcel))


class Apart:
    """Computes the record of every tile in new arrays, and puts it into the result afterwards."""

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        for tile in task.tiles:
            task.place.put(out, tile, task.record(out, tile, np.zeros(1, np.uint8)))
