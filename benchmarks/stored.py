"""A step of the Gaussian Transform of a cloud on disk: time, memory, bytes; `stored=N` for another number of points.

`stored=N,BYTES` sets the memory of the engine. The cloud is made block by block. Everything runs in its own
process, whose anonymous memory is sampled fifty times a second: mapped files and the page cache do not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from .timing import Row

_MEMORY = {10_000_000: 5e8, 100_000_000: 4e9}

_CHILD = """
import json, shutil, sys, threading, time
from pathlib import Path
import numpy as np, wasserstein_transform as wt

n, memory, folder, in_memory = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]), sys.argv[4] == "1"
side = 1 << 20
X = np.lib.format.open_memmap(folder / "points.npy", "w+", np.float64, (n, 2))
rng = np.random.default_rng(0)
for start in range(0, n, side):
    X[start : start + side] = rng.random((min(side, n - start), 2))
X.flush()
eps = float((20 / n / np.pi) ** 0.5)
process = wt.gaussian_transform(eps, 1.0)
few = wt.Space.from_points(X[:40_000] * (40_000 / n) ** 0.5)
wt.iterate(process, few, n_iter=1)  # compiles


def anonymous():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024.0 * float(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def io():
    lines = Path("/proc/self/io").read_text().splitlines()
    return [float(line.split()[1]) for line in lines[:2]]


peak, stop = [anonymous()], threading.Event()
began = anonymous()


def watch():
    while not stop.wait(0.02):
        peak[0] = max(peak[0], anonymous())


threading.Thread(target=watch, daemon=True).start()
stages = {}


def timed(name, work):
    begun, before = time.perf_counter(), io()
    result = work()
    read, written = (b - a for a, b in zip(before, io()))
    stages[name] = [time.perf_counter() - begun, read, written]
    return result


engine = wt.Engine(memory=memory)


def to(n_iter, process, run):
    return wt.clouds.iterate(process, folder / "points.npy", folder=folder / run, n_iter=n_iter, engine=engine)


timed("ingest", lambda: to(0, process.step, "points alone"))
shutil.rmtree(folder / "points alone")
timed("ingest and start", lambda: to(0, process, "run"))
walk = timed("step", lambda: to(1, process, "run"))
timed("write", lambda: walk.write(folder / "moved.npy", engine))
stop.set()
whole = [float("nan")] * 2
if in_memory:
    begun = time.perf_counter()
    start = wt.iterate(process, wt.Space.from_points(np.load(folder / "points.npy")), n_iter=0).last
    started = time.perf_counter()
    moved = process.at(0)(start)
    whole = [started - begun, time.perf_counter() - started]
    same = bool((moved.points == np.load(folder / "moved.npy", mmap_mode="r")).all())
    assert same, "other bits than in memory"
print(json.dumps({"stages": stages, "peak": peak[0] - began, "parts": len(walk.state.blocks), "whole": whole}))
"""


def run(value: str = "10000000") -> list[Row]:
    """The table of one size."""
    size, _, limit = value.partition(",")
    n = int(float(size))
    memory = float(limit) if limit else _MEMORY.get(n, max(2e8, 50.0 * n))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        arguments = [str(n), str(memory), folder, str(int(n <= 20_000_000))]
        done = subprocess.run([sys.executable, "-c", _CHILD, *arguments], stdout=subprocess.PIPE, check=True, text=True)
    found = json.loads(done.stdout)
    stages, (start, step) = found["stages"], found["whole"]
    peers = {"ingest and start": start, "step": step}
    rows = []
    for name, (seconds, read, written) in stages.items():
        work = f"{name}: {n:,} points in the plane, ≈ 20 neighbors, in {found['parts']} parts"
        moved = f"{read / 1e9:.2f} GB read, {written / 1e9:.2f} GB written"
        peer = f"in memory: {peers[name]:.1f} s" if name in peers else ""
        rows.append(Row(work, f"{seconds:.1f} s", peer, moved))
    peak = f"peak {found['peak'] / 1e9:.2f} GB of {memory / 1e9:.2f} GB, beside what Python took before"
    return [*rows, Row("anonymous memory", peak, "", f"{found['peak'] / memory:.2f}")]
