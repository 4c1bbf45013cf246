"""The Gaussian Transform, balls and neighbors of many points: time and memory, each size in its own process."""

from __future__ import annotations

import json
import subprocess
import sys

from .timing import Row

_CHILD = """
import json, os, time
import numpy as np, wasserstein_transform as wt
n, m = {n}, {m}
X = np.random.default_rng(0).random((n, m))
eps = float((100 / n / (np.pi, 4 * np.pi / 3)[m - 2]) ** (1 / m))
process = wt.transforms.gaussian_transform(eps, 1.0)
few = wt.iterate(process, wt.Space.from_points(X[:20_000] * (20_000 / n) ** (1 / m)), n_iter=1)  # compiles
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

_BALLS = """
import json, time
import numpy as np, wasserstein_transform as wt
from sklearn.neighbors import NearestNeighbors
n, m = {n}, {m}
X = np.random.default_rng(0).random((n, m))
eps = float((100 / n / (np.pi, 4 * np.pi / 3)[m - 2]) ** (1 / m))
wt.Space.from_points(X[:20_000]).metric.balls(eps)  # compiles
metric = wt.Space.from_points(X).metric
begun = time.perf_counter()
mine = metric.balls(eps)
found = time.perf_counter()
_, members = NearestNeighbors(radius=eps, n_jobs=-1).fit(X).radius_neighbors(X)
peer = time.perf_counter() - found
print(json.dumps([found - begun, peer, len(mine.indices) == sum(map(len, members))]))
"""

_NEIGHBORS = """
import json, time
import numpy as np, wasserstein_transform as wt
from sklearn.neighbors import NearestNeighbors
n, m = {n}, {m}
X = np.random.default_rng(0).normal(size=(n, m))
X /= np.linalg.norm(X, axis=1, keepdims=True)
wt.spaces.Euclidean(X[:500]).neighbors(15)  # compiles
metric = wt.spaces.Euclidean(X)
begun = time.perf_counter()
mine = metric.neighbors(15)
found = time.perf_counter()
_, members = NearestNeighbors(algorithm="brute", n_jobs=-1).fit(X).kneighbors(n_neighbors=15)
peer = time.perf_counter() - found
print(json.dumps([found - begun, peer, bool((mine.indices == members).mean() > 0.9999)]))
"""


def run() -> list[Row]:
    rows, before, planes = [], None, dict[int, float]()
    for n in (100_000, 1_000_000, 10_000_000):
        start, step, peak = _measure(_CHILD, n, 2)
        growth = "" if before is None else f"{step / before:.1f}× for 10×"
        work = f"one GT iteration of {n:,} uniform points in the plane, ≈ 100 neighbors"
        rows.append(Row(work, f"{step:.2f} s, peak {peak:.2f} GiB", f"the start: {start:.2f} s", growth))
        before = planes[n] = step
    for n in (100_000, 1_000_000):
        start, step, peak = _measure(_CHILD, n, 3)
        work = f"one GT iteration of {n:,} uniform points in space, ≈ 100 neighbors"
        against = f"{step / planes[n]:.1f}× the plane's time"
        rows.append(Row(work, f"{step:.2f} s, peak {peak:.2f} GiB", f"the start: {start:.2f} s", against))
    return [*rows, *(_balls(m) for m in (2, 3)), *(_neighbors(n, m) for n, m in ((4_000, 384), (20_000, 1_536)))]


def _balls(m: int) -> Row:
    mine, peer, agree = _measure(_BALLS, 100_000, m)
    where = "the plane" if m == 2 else "space"
    what = "scikit-learn's radius_neighbors" + ("" if agree else ", WITH OTHER BALLS")
    work = f"all balls of 100,000 uniform points in {where}, ≈ 100 neighbors, with distances"
    return Row(work, f"{mine:.2f} s", f"{what}: {peer:.2f} s", f"{peer / mine:.1f}×")


def _neighbors(n: int, m: int) -> Row:
    mine, peer, agree = _measure(_NEIGHBORS, n, m)
    what = "scikit-learn's brute force" + ("" if agree else ", WITH OTHER NEIGHBORS")
    work = f"15 nearest neighbors of {n:,} points on the sphere in R^{m}"
    return Row(work, f"{mine:.2f} s", f"{what}: {peer:.2f} s", f"{peer / mine:.1f}×")


def _measure(program: str, n: int, m: int) -> list[float]:
    program = program.format(n=n, m=m)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    return list(json.loads(done.stdout))
