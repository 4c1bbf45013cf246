"""Points of Dask's collections, each number of them in a process of its own: the shuffle, an iteration, memory.

`python -m benchmarks partitioned=8` goes to 10^8 points, which takes a quarter of an hour and 20 GB of disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from .timing import Row

_CHILD = """
import json, os, sys, tempfile, threading, time
from pathlib import Path
import numpy as np, pandas as pd, dask.dataframe as dd, wasserstein_transform as wt

N, MEMORY, WORKERS = {n}, {in_memory}, {workers}
PARTS = max(4, N // 1_000_000)

def make(k):
    points = np.random.default_rng(k).random((N // PARTS, 2))
    return pd.DataFrame({{"x": points[:, 0], "y": points[:, 1]}})

def used():
    "Memory of this process and of its children, which are the workers."
    total, own = 0.0, os.getpid()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            total += int(fields[21]) * 4096 if own in (int(fields[1]), int(stat.parent.name)) else 0
        except OSError:
            pass
    return total / 2**30

def watch_stages(update):
    if update.stage:
        ends[update.stage] = time.perf_counter()

peak, ended = [0.0], threading.Event()
def watch():
    while not ended.wait(0.5):
        peak[0] = max(peak[0], used())

if __name__ == "__main__":
    process = wt.transforms.mean_shift(float((50 / N / np.pi) ** 0.5))
    few = np.random.default_rng(0).random((20_000, 2)) * (20_000 / N) ** 0.5
    wt.iterate(process, wt.Space.from_points(few), n_iter=1)  # compiles
    if WORKERS:
        from dask.distributed import Client, LocalCluster
        client = Client(LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"))
    with tempfile.TemporaryDirectory() as folder:
        dd.from_map(make, range(PARTS)).to_parquet(folder + "/points")
        ends = {{"begin": time.perf_counter()}}  # of each part of the work
        threading.Thread(target=watch, daemon=True).start()
        with wt.using(progress=watch_stages):
            wt.partitioned.iterate(process, folder + "/points", 3, out=folder + "/run")
        ended.set()
    whole = float("nan")
    if MEMORY:
        space = wt.Space.from_points(np.concatenate([make(k).to_numpy() for k in range(PARTS)]))
        begun = time.perf_counter()
        wt.iterate(process, space, n_iter=1)
        whole = time.perf_counter() - begun
    begun, _, sorted_, first, _, last = ends.values()
    print(json.dumps([sorted_ - begun, (last - first) / 2, whole, peak[0]]))
"""


def run(largest: str = "7") -> list[Row]:
    rows, in_memory = [], float("nan")
    for digits in range(6, int(largest) + 1):
        n = 10**digits
        shuffle, step, whole, peak = _measure(n, digits < 8)
        against, ratio = f"in memory {whole:.1f} s", step / whole
        if digits == 8:
            against, ratio = f"ten times 10^7 in memory {10 * in_memory:.0f} s", step / (10 * in_memory)
        in_memory = whole
        work = f"one iteration of mean shift of {n:,} points in the plane, ≈ 50 neighbors"
        rows.append(Row(work, f"{step:.1f} s, peak {peak:.1f} GiB; shuffle {shuffle:.1f} s", against, f"{ratio:.2f}"))
    one, *more = (_measure(10**7, False, workers)[1] for workers in sorted({1, 2, os.cpu_count() or 1}))
    for workers, time in zip(sorted({2, os.cpu_count() or 1} - {1}), more, strict=True):
        work = f"the same of 10,000,000 points, {workers} workers of Dask"
        rows.append(Row(work, f"{time:.1f} s", f"one worker: {one:.1f} s", f"{one / time:.1f}×"))
    return rows


def _measure(n: int, in_memory: bool, workers: int = 0) -> tuple[float, float, float, float]:
    script = _CHILD.format(n=n, in_memory=in_memory, workers=workers)
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True) as child:
        said = child.communicate()[0]
    shuffle, step, whole, peak = json.loads(said.splitlines()[-1])
    return shuffle, step, whole, peak
