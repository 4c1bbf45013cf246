"""Metrics for searches: many ties, few points, duplicates, clusters far apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import wasserstein_transform as wt


def gaussians(n: int, m: int, seed: int = 0) -> wt.spaces.GaussianMetric:
    rng = np.random.default_rng(seed)
    factors = 0.3 * rng.normal(size=(n, m, m))
    return wt.spaces.GaussianMetric(rng.normal(size=(n, m)), factors @ factors.transpose(0, 2, 1), 2.0)


def grid(side: int) -> np.ndarray:
    return np.stack(np.meshgrid(np.arange(float(side)), np.arange(float(side))), -1).reshape(-1, 2)


def random(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


METRICS: dict[str, Callable[[], wt.spaces.Metric]] = {
    "plane": lambda: wt.spaces.Euclidean(random(300, 2)),
    "grid": lambda: wt.spaces.Euclidean(grid(13)),
    "thirds": lambda: wt.spaces.Euclidean(grid(12) / 3),
    "clusters": lambda: wt.spaces.Euclidean(np.concatenate([c + 1e-3 * random(70, 2, c) for c in (0, 9, 100)])),
    "duplicates": lambda: wt.spaces.Euclidean(np.random.default_rng(1).integers(0, 4, (150, 2)).astype(float)),
    "one place": lambda: wt.spaces.Euclidean(np.ones((80, 2))),
    "far away": lambda: wt.spaces.Euclidean(1e8 + random(130, 2)),
    "huge": lambda: wt.spaces.Euclidean(1e150 * random(130, 2)),
    "tiny": lambda: wt.spaces.Euclidean(1e-150 * random(130, 2)),
    "few": lambda: wt.spaces.Euclidean(random(6, 2)),
    "line": lambda: wt.spaces.Euclidean(random(200, 1)),
    "space": lambda: wt.spaces.Euclidean(random(200, 3)),
    "many axes": lambda: wt.spaces.Euclidean(random(130, 30)),
    "Gaussians m=1": lambda: gaussians(130, 1),
    "Gaussians m=2": lambda: gaussians(130, 2),
    "Gaussians m=3": lambda: gaussians(130, 3),
    "Gaussians m=4": lambda: gaussians(12, 4),
}
QUICK = ["plane", "grid", "thirds", "clusters", "duplicates", "one place", "few"]
SLOW = [name for name in METRICS if name not in QUICK]
EQUAL_BITS = {"plane", "grid", "thirds", "clusters", "duplicates", "one place", "far away", "huge", "tiny", "few",
              "line", "space"}  # fmt: skip
