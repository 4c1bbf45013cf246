"""Overhead of a store and time to resume: LT-WT with and without one, killed in the middle and started again."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .timing import Row

_RUN = """
import json, sys, time
import numpy as np, wasserstein_transform as wt
kind, n, store, kill = sys.argv[1], int(sys.argv[2]), sys.argv[3] or None, float(sys.argv[4])
loaded = time.perf_counter()
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 2)) if kind == "lt" else rng.random((n, 2))
eps = 0.2 if kind == "lt" else float((100 / n / np.pi) ** 0.5)
process = wt.local_truncation(eps) if kind == "lt" else wt.gaussian_transform(eps, 1.0)
wt.iterate(process, wt.Space.from_points(X[:300]), n_iter=2)  # compiles
space, first = wt.Space.from_points(X), []
def progress(update):
    if update.stage in ("exact transport", "covariances") and update.done > update.total * 0:
        first.append(time.perf_counter())
        if kill and update.iteration == 2 and update.done > kill * update.total:
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)
begun, used = time.perf_counter(), time.process_time()
with wt.using(store=store, progress=progress):
    wt.iterate(process, space, n_iter=6 if kind == "lt" else 40)
ended = time.perf_counter()
print(json.dumps([ended - begun, time.process_time() - used, first[0] - begun if first else float("nan")]))
"""


def run() -> list[Row]:
    return [
        _row("LT-WT of 1,500 points, 6 iterations", "lt", 1500),
        _row("GT of 10⁶ points, 40 iterations", "gt", 10**6),
    ]


def _row(work: str, kind: str, n: int) -> Row:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        plain, kept = [], []
        for _ in range(2):
            plain.append(_measured(kind, n, "", 0))
            kept.append(_measured(kind, n, f"{folder}/store", 0))
            shutil.rmtree(f"{folder}/store")
        _measured(kind, n, f"{folder}/store", 0.5)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        again = _measured(kind, n, f"{folder}/store", 0)
    mine, theirs = (statistics.median(run[0] for run in runs) for runs in (kept, plain))
    spent = statistics.median(run[1] for run in kept) / statistics.median(run[1] for run in plain)
    more = f"{again[0]:.1f} s more, the first of it after {again[2]:.2f} s"
    after = f"killed in iteration 2: {size / 1e6:.0f} MB kept, {more}"
    return Row(f"{work}, with a store", f"{mine:.1f} s", f"without: {theirs:.1f} s",
               f"{mine / theirs - 1:+.1%} time, {spent - 1:+.1%} of the processor; {after}")  # fmt: skip


def _measured(kind: str, n: int, store: str, kill: float) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _RUN, kind, str(n), store, str(kill)],
        capture_output=True, check=not kill, text=True,
    )  # fmt: skip
    return [] if kill else list(json.loads(done.stdout))
