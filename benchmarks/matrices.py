"""Distances larger than memory: written to files and read back, and the memory used apart from the page cache.

`python -m benchmarks matrices=20` writes 20 GB to the current folder. Each line runs in its own process, with a limit
of 2 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from .timing import Row

_CHILD = """
import json, sys, threading, time
import numpy as np, wasserstein_transform as wt

def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return float(line.split()[1]) * 1024
    return float("nan")

n, what, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
points = np.random.default_rng(0).random((n, 2))
engine = wt.Engine(memory=2e9)
WORK = {
    "write": lambda size, at: wt.Space.from_points(points[:size]).metric.dense(engine, out=at),
    "open": lambda size, at: wt.Space.from_distances(at, engine=engine),
    "tree": lambda size, at: wt.hierarchy.spanning_tree(wt.Space(ready(size, at), np.ones(size), None), engine),
    "nearest": lambda size, at: ready(size, at).neighbors(10, engine=engine),
}

def ready(size, at):
    return METRICS.setdefault(at, wt.Space.from_distances(at, engine=engine).metric)

METRICS = {}
small = path.replace("large", "small")
if what != "write":
    ready(500, small), ready(n, path)
WORK[what](500, small)  # compiles
peak, stop = [0.0], threading.Event()

def watch():
    while not stop.wait(0.02):
        peak[0] = max(peak[0], anonymous())

watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
wall, cpu = time.perf_counter(), time.process_time()
WORK[what](n, path)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
stop.set()
watcher.join()
print(json.dumps([wall, cpu, peak[0]]))
"""

_WORDS = {
    "write": "written",
    "open": "looked through",
    "tree": "spanning tree",
    "nearest": "10 nearest of every point",
}


def run(gigabytes: str = "1") -> list[Row]:
    size = float(gigabytes) * 1e9
    n = int((size / 8) ** 0.5)
    with tempfile.TemporaryDirectory(dir=".", prefix="matrices-") as folder:
        path = Path(folder) / "large.npy"
        return [_row(what, n, path, size) for what in _WORDS]


def _row(what: str, n: int, path: Path, size: float) -> Row:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(n), what, str(path)], stdout=subprocess.PIPE, check=True, text=True
    )
    wall, cpu, peak = json.loads(done.stdout)
    work = f"{size / 1e9:g} GB of distances of {n:,} points: {_WORDS[what]}"
    return Row(
        work, f"{wall:.1f} s, {size / wall / 1e9:.2f} GB/s", f"processor {cpu:.1f} s", f"RssAnon {peak / 1e9:.2f} GB"
    )
