"""A run with a store that tests kill: killed.py STORE RESULT. A line for a tile; at the end, how many it computed."""

from __future__ import annotations

import sys

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.engine import Overseer, Record, Task, Threads, tasks as tiles, tile_files


class Counting(Threads):
    """Threads that count tiles of tasks."""

    n_tiles = 0

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        Counting.n_tiles += len(task.tiles) * (len(task.tiles) > 1)
        super().run(task, out, engine)


def main(store: str, result: str) -> None:
    tiles.cut_by_cost.__defaults__ = (2e5,)  # type: ignore[attr-defined]  # many small tiles
    tile_files._MAX_SECONDS = 0.02
    X = np.random.default_rng(5).normal(size=(200, 2))
    engine = wt.Engine(n_jobs=2, store=store, executor=Counting(), progress=lambda update: print(flush=True))
    walk = wt.iterate(wt.local_truncation(0.5), wt.Space.from_points(X), n_iter=3, engine=engine)
    pairs = wt.wasserstein_pairs(wt.Truncation(0.5)(wt.Space.from_points(X)), wt.Euclidean(X), 2, engine=engine)
    np.savez(result, matrix=walk.last.metric.dense(), pairs=np.asarray(pairs), movements=np.array(walk.movements))
    print(Counting.n_tiles, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
