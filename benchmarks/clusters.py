"""`wt.cluster` and `wt.denoise`, warm: `python -m benchmarks clusters`, and `clusters=1,4,16` with so many threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.cluster import HDBSCAN

import wasserstein_transform as wt

from .timing import Row, median_seconds

_SIZES = ((1_000, 2), (10_000, 2), (100_000, 2), (1_000_000, 2), (1_000, 3), (10_000, 3), (10_000, 10), (5_000, 50))
_MANY = 50_000  # from so many points on, scikit-learn takes a minute and more
_K = 7


def blobs(n: int, m: int) -> np.ndarray:
    """Seven blobs of several sizes and densities, overlapping a little."""
    rng = np.random.default_rng(0)
    centers, which = 6.0 * rng.normal(size=(_K, m)), rng.integers(0, _K, n)
    return np.asarray(centers[which] + (0.5 + 0.2 * which)[:, None] * rng.normal(size=(n, m)))


def run(threads: str = "") -> list[Row]:
    if threads:
        return list(_by_threads([int(one) for one in threads.split(",")]))
    rows = []
    for n, m in _SIZES:
        X = blobs(n, m)
        repeat = 5 if n <= _MANY else 3
        given, free = (median_seconds(lambda k=k, X=X: wt.cluster(X, k), repeat) for k in (_K, None))
        peer, ratio = "", ""
        if n < _MANY:
            seconds = median_seconds(lambda X=X: HDBSCAN(n_jobs=-1, copy=True).fit(X), 3)
            peer, ratio = f"scikit-learn's HDBSCAN: {seconds:.2f} s", f"{seconds / given:.1f}×, {seconds / free:.1f}×"
        rows.append(Row(f"{n:,} points of {m} columns, k given, not", f"{given:.2f}, {free:.2f} s", peer, ratio))
    return rows


def _by_threads(counts: list[int]) -> Iterator[Row]:
    X = blobs(100_000, 2)
    works = {
        "`wt.cluster`, k given": lambda: wt.cluster(X, _K),
        "`wt.cluster`": lambda: wt.cluster(X),
        "`wt.denoise`": lambda: wt.denoise(X),
    }
    for name, work in works.items():
        seconds = []
        for n_jobs in counts:
            with wt.using(n_jobs=n_jobs):
                seconds.append(median_seconds(work, 3))
        shown = ", ".join(f"{one:.2f}" for one in seconds)
        ratios = ", ".join(f"{seconds[0] / one:.2f}×" for one in seconds[1:])
        yield Row(f"{name} of 100,000 points, {', '.join(map(str, counts))} threads", f"{shown} s", "", ratios)
