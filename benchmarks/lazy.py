"""Share of the LT-WT problems that must be solved: lazy single linkage, and the light cone on many points."""

from __future__ import annotations

import time

import numpy as np

import wasserstein_transform as wt

from .clouds import circles, spiral
from .timing import Row, median_seconds


def run() -> list[Row]:
    rows = [_linkage(name, points, eps, p) for name, points, eps in _CLOUDS for p in (1, 2)]
    wt.transforms.iterate_locally(
        wt.transforms.local_truncation(0.1), wt.Space.from_points(np.random.default_rng(1).random((500, 2))), 0.1
    )
    times = {n: _cone(n) for n in (10_000, 100_000)}
    work = "local LT-WT1 of 100,000 uniform points in the plane, ≈ 15 neighbors, radius ε, all cores"
    growth = times[100_000] / times[10_000]
    return [
        *rows,
        Row(work, f"{times[100_000]:.0f} s", f"10,000 points: {times[10_000]:.1f} s", f"{growth:.1f}× for 10×"),
    ]


_CLOUDS = ("spiral", spiral(), 4.0), ("circles", circles(), 0.7)


def _linkage(name: str, points: np.ndarray, eps: float, p: int) -> Row:
    space, step = wt.Space.from_points(points), wt.Transform(wt.Truncation(eps), wt.Exact(p))
    moved = wt.transforms.transform_lazily(step, space)
    lazy, full = wt.hierarchy.spanning_tree(moved), wt.hierarchy.spanning_tree(step(space))
    assert isinstance(moved.metric, wt.transforms.LazyMetric)
    share = moved.metric.share
    worst = np.abs(lazy.heights - full.heights).max()
    ours = median_seconds(lambda: wt.hierarchy.spanning_tree(wt.transforms.transform_lazily(step, space)), 3)
    peer = median_seconds(lambda: wt.hierarchy.spanning_tree(step(space)), 3)
    work = f"single linkage of LT-WT{p}, {name}, ε={eps:g}: {100 * share:.1f} % of the pairs solved"
    other = f"all pairs: {peer:.2f} s (largest difference of heights {worst:.0e})"
    return Row(work, f"{ours:.2f} s", other, f"{peer / ours:.0f}×")


def _cone(n: int) -> float:
    eps = float(np.sqrt(15 / (np.pi * n)))
    space = wt.Space.from_points(np.random.default_rng(0).random((n, 2)))
    start = time.perf_counter()
    wt.transforms.iterate_locally(wt.transforms.local_truncation(eps), space, eps)
    return time.perf_counter() - start
