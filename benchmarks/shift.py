"""Mean shift to convergence against scikit-learn's."""

from __future__ import annotations

import time

import numpy as np
from sklearn.cluster import MeanShift
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

from .timing import Row, median_seconds

_EPS = 2.0


def blobs(n: int) -> np.ndarray:
    """Nine round blobs of spread 0.5 on a 3×3 lattice of width 5."""
    rng = np.random.default_rng(0)
    centers = 5.0 * np.stack(np.meshgrid(range(3), range(3)), axis=-1).reshape(-1, 2)
    return np.asarray(centers[np.arange(n) % 9] + 0.5 * rng.normal(size=(n, 2)))


def run(sizes: tuple[int, ...] = (20_000, 100_000), patience: float = 60.0) -> list[Row]:
    """scikit-learn's default moves every point by itself: it is run from as many seeds as it finishes in time."""
    rows = []
    for n in sizes:
        X = blobs(n)
        mine = wt.MeanShift(eps=_EPS).fit(X)
        ours = median_seconds(lambda X=X: wt.MeanShift(eps=_EPS).fit(X), 3)
        for seeding in (False, True):
            peer, share, labels = _peer(X, seeding, patience)
            agree = adjusted_rand_score(labels, mine.labels_)
            what = "scikit-learn, bin_seeding=True" if seeding else "scikit-learn"
            how = "" if share == 1 else f" (time of {100 * share:.3g} % of the seeds, times {1 / share:.3g})"
            rows.append(
                Row(
                    f"mean shift of {n:,} points in nine blobs, to convergence",
                    f"{ours:.2f} s",
                    f"{what}: {peer:.0f} s{how}; adjusted Rand index of the partitions {agree:.3f}",
                    f"{peer / ours:.0f}×",
                )
            )
    return rows


def _peer(X: np.ndarray, seeding: bool, patience: float) -> tuple[float, float, np.ndarray]:
    """Seconds of scikit-learn for all its seeds, the share of them that were run, and its labels of all points."""
    if seeding:
        begun = time.perf_counter()
        labels = MeanShift(bandwidth=_EPS, bin_seeding=True, n_jobs=-1).fit(X).labels_
        return time.perf_counter() - begun, 1.0, labels
    mixed = np.random.default_rng(1).permutation(X)  # seeds in any order
    _shift(X, mixed[:50])  # starts the workers
    per_seed = _shift(X, mixed[:200])[0] / 200
    seeds = mixed[: max(200, int(patience / per_seed))]
    seconds, labels = _shift(X, seeds)
    share = len(seeds) / len(X)
    return seconds / share, share, labels


def _shift(X: np.ndarray, seeds: np.ndarray) -> tuple[float, np.ndarray]:
    begun = time.perf_counter()
    labels = MeanShift(bandwidth=_EPS, seeds=seeds, n_jobs=-1).fit(X).labels_
    return time.perf_counter() - begun, labels
