"""Scenes that know their answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.explorer.scene import NeighborCounts, Scene


def blobs(n: int = 40, seed: int = 3) -> np.ndarray:
    """Three clouds apart from each other, and a point far from all."""
    rng = np.random.default_rng(seed)
    centers = np.repeat([[0.0, 0.0], [4.0, 0.0], [1.0, 5.0]], [n // 2, n - n // 2 - n // 4 - 1, n // 4], axis=0)
    return np.concatenate([centers + 0.4 * rng.normal(size=(n - 1, 2)), [[9.0, 9.0]]])


def scene_of(X: np.ndarray, eps: float = 1.0, lam: float = 3.0, n_iter: int = 2, **changes: Any) -> Scene:
    """The Gaussian Transform of points in the plane."""
    walk = wt.iterate(wt.transforms.gaussian_transform(eps, lam), wt.Space.from_points(X), n_iter=n_iter, keep="all")
    covs = [state.metric.covs.reshape(-1, 4)[:, [0, 1, 3]] for state in walk.states]
    distances = walk.last.metric.dense()
    n, radii = len(X), np.geomspace(0.1, 10, 9)
    order = np.arange(n)[::-1]
    scene = Scene(
        "blobs", ("x", "y"), np.stack([state.points for state in walk.states]).astype(np.float32), np.arange(n), eps,
        lam, np.stack(covs).astype(np.float32), tree=wt.hierarchy.spanning_tree(walk.last),
        embedding=np.asarray(walk.last.points, np.float32), matrix=distances[np.ix_(order, order)].astype(np.float32),
        shown=order, code="print(1)", notes=("a note",),
        curve=NeighborCounts(radii, np.array([(squareform(pdist(X)) <= r).sum(1).mean() for r in radii]), 0.8),
    )  # fmt: skip
    return replace(scene, **changes)
