"""A run in a folder that tests kill: killed.py FOLDER RESULT. A line for a tile; at the end, how many it computed."""

from __future__ import annotations

import sys

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.engine import Update, tiles


class Counting:
    """Counts the tiles of exact transport as they end; a callback of progress."""

    def __init__(self) -> None:
        self.n_tiles, self._done = 0, 0

    def __call__(self, update: Update) -> None:
        if update.stage.startswith("exact transport"):
            self.n_tiles += update.done == self._done + 1
            self._done = update.done


def main(folder: str, result: str) -> None:
    tiles.cut_by_cost.__defaults__ = (2e5,)  # type: ignore[attr-defined]  # many small tiles
    counting, X = Counting(), np.random.default_rng(5).normal(size=(200, 2))
    engine = wt.Engine(n_jobs=2, progress=lambda update: [counting(update), print(flush=True)])
    walk = wt.iterate(wt.transforms.local_truncation(0.5), wt.Space.from_points(X), n_iter=3, out=folder, engine=engine)
    np.savez(result, matrix=walk.last.metric.dense(), movements=np.array(walk.movements))
    print(counting.n_tiles, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
