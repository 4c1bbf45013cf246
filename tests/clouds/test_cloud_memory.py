"""Memory is announced before it is taken, and not exceeded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from clouds.making import EPS, assert_same, cloud, stored

import wasserstein_transform as wt
from wasserstein_transform.clouds.state import bytes_of_point, job_bytes, max_points

_CHILD = """
import json, sys, threading
from pathlib import Path
import numpy as np, wasserstein_transform as wt

n, m, memory, name, folder = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], Path(sys.argv[5])
eps = float((20 / n / (2, np.pi, 4 * np.pi / 3)[m - 1]) ** (1 / m))
process = wt.gaussian_transform(eps) if name == "GT" else wt.mean_shift(eps, ridge=1 if name == "ridge" else None)
X = np.lib.format.open_memmap(folder / "points.npy", "w+", np.float64, (n, m))
for start in range(0, n, 1 << 16):
    X[start : start + (1 << 16)] = np.random.default_rng(start).random((min(1 << 16, n - start), m))
X.flush()
wt.iterate(process, wt.Space.from_points(X[:40_000] * (40_000 / n) ** (1 / m)), n_iter=1)  # compiles


def anonymous():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024.0 * float(line.split()[1]) for line in lines if line.startswith("RssAnon"))


began, peak, stop = anonymous(), [0.0], threading.Event()


def watch():
    while not stop.wait(0.005):
        peak[0] = max(peak[0], anonymous())


threading.Thread(target=watch, daemon=True).start()
engine = wt.Engine(int(sys.argv[6]), memory=memory)
walk = wt.clouds.iterate(process, folder / "points.npy", folder=folder / "run", n_iter=2, engine=engine)
walk.write(folder / "moved.npy", engine)
stop.set()
print(json.dumps([peak[0] - began, len(walk.state.blocks)]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("n", "m", "name"),
    [(1_500_000, 2, "GT"), (400_000, 3, "GT"), (1_500_000, 2, "mean shift"), (1_500_000, 2, "ridge"), (10**6, 1, "GT")],
)
@pytest.mark.parametrize("n_jobs", [2, 16])
def test_a_run_stays_within_its_memory(n: int, m: int, name: str, n_jobs: int, tmp_path: Path) -> None:
    memory = 1.5e8
    arguments = [str(n), str(m), str(memory), name, str(tmp_path), str(n_jobs)]
    done = subprocess.run([sys.executable, "-c", _CHILD, *arguments], capture_output=True, check=True, text=True)
    peak, n_parts = json.loads(done.stdout)
    assert n_parts > 2
    assert peak <= 1.1 * memory


@pytest.mark.slow
def test_boxes_that_hold_more_than_planned_are_cut_again(tmp_path: Path) -> None:
    """A dense spot that the bounds of chunks do not show."""
    X = cloud(3000, 2)
    X[:1500] = np.random.default_rng(0).normal(9, 0.3, (1500, 2))
    process = wt.gaussian_transform(0.04)
    few = wt.Engine(1, memory=job_bytes(900, process, 2, False, wt.Engine(1)))
    assert max_points(process, 2, False, few) == 900
    start = stored(tmp_path, process, X, n_iter=0, engine=few)
    assert max(block.n for block in start.state.blocks) > 900  # of several boxes, written one after the other
    assert_same(
        stored(tmp_path, process, X, n_iter=2, engine=few), wt.iterate(process, wt.Space.from_points(X), n_iter=2)
    )


def test_a_cell_too_full_for_memory_is_an_error(tmp_path: Path) -> None:
    process = wt.gaussian_transform(EPS[2])
    few = wt.Engine(1, memory=job_bytes(100, process, 2, False, wt.Engine(1)))
    with pytest.raises(MemoryError, match=r"more than 100 points lie within two radii of a cell of side .*smaller eps"):
        stored(tmp_path, process, cloud(3000, 2), n_iter=1, engine=few)


def test_too_little_memory_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(MemoryError, match=r"rows of .*points.npy at a time needs .* give the engine more memory"):
        stored(tmp_path, wt.gaussian_transform(0.1), cloud(3000, 2), n_iter=1, engine=wt.Engine(memory=1e4))
    with pytest.raises(MemoryError, match=r"1 of the parts of a cloud of 3000 points at a time, .* needs"):
        stored(tmp_path, wt.gaussian_transform(0.1), cloud(3000, 2), n_iter=1, engine=wt.Engine(memory=1e6))


@pytest.mark.slow
def test_more_memory_makes_fewer_parts(tmp_path: Path) -> None:
    X, process = np.random.default_rng(0).random((40_000, 2)), wt.mean_shift(0.01)
    each = bytes_of_point(process, 2, False, wt.Engine(1))
    parts = []
    for k, n in enumerate((4_000, 16_000, 64_000)):
        engine = wt.Engine(1, memory=job_bytes(n, process, 2, False, wt.Engine(1)))
        assert engine.memory is not None
        assert engine.memory > each * n
        parts.append(len(stored(tmp_path / f"{k}", process, X, n_iter=1, engine=engine).state.blocks))
    assert parts[0] > parts[1] > parts[2] == 1
