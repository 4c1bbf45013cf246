"""Scenes that know their answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.explorer.scene import Scene


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
    n = len(X)
    order = np.arange(n)[::-1]
    scene = Scene(
        "blobs", ("x", "y"), np.stack([state.points for state in walk.states]), tuple(range(n_iter + 1)), np.arange(n),
        eps, lam, np.stack(covs), tree=wt.hierarchy.spanning_tree(walk.last), matrix=distances[np.ix_(order, order)],
        shown=order, embedding=walk.last.points[order], code="print(1)", notes=("a note",),
    )  # fmt: skip
    return replace(scene, **changes)
