"""The Gaussian Transform on many points: time and memory of one iteration, each size in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from .timing import Row

_CHILD = """
import json, os, time
import numpy as np, wasserstein_transform as wt
n = {n}
X = np.random.default_rng(0).random((n, 2))
process = wt.gaussian_transform(float(np.sqrt(100 / (np.pi * n))), 1.0)
wt.iterate(process, wt.Space.from_points(X[:2000]), n_iter=1)  # compiles
space = wt.Space.from_points(X)
begun = time.perf_counter()
start = wt.iterate(process, space, n_iter=0).last
started = time.perf_counter()
process.at(0)(start)
done = time.perf_counter()
lines = open("/proc/self/status") if os.path.exists("/proc/self/status") else []
peak = [float(line.split()[1]) / 1024**2 for line in lines if line.startswith("VmHWM")] or [float("nan")]
print(json.dumps([started - begun, done - started, *peak]))
"""


def run() -> list[Row]:
    rows, before = [], None
    for n in (100_000, 1_000_000, 10_000_000):
        start, step, peak = _measure(n)
        growth = "" if before is None else f"{step / before:.1f}× for 10×"
        work = f"one GT iteration of {n:,} uniform points in the plane, ≈ 100 neighbors"
        rows.append(Row(work, f"{step:.2f} s, peak {peak:.2f} GiB", f"the start: {start:.2f} s", growth))
        before = step
    return rows


def _measure(n: int) -> tuple[float, float, float]:
    done = subprocess.run([sys.executable, "-c", _CHILD.format(n=n)], capture_output=True, check=True, text=True)
    start, step, peak = json.loads(done.stdout)
    return start, step, peak
