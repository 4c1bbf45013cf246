"""What static/views.js computes in the browser, in slow and obvious Python."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster

from wasserstein_transform.explorer.distances import smallest_size
from wasserstein_transform.explorer.scene import Scene
from wasserstein_transform.explorer.views import BALL_TOLERANCE
from wasserstein_transform.hierarchy import Tree


def cut(tree: Tree, height: float) -> np.ndarray:
    """Clusters of the merges up to a height: 0, 1, … by decreasing size, ties by the first point; −1 if small."""
    part = fcluster(tree.Z, height * (1 + 1e-9), "distance")
    _, first, which, sizes = np.unique(part, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), int)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return np.where(sizes >= smallest_size(len(part)), rank, -1)[which]


def cut_in_words(labels: np.ndarray) -> str:
    """The number of clusters and of points in small clusters, as text."""
    found, rest = int(labels.max(initial=-1)) + 1, int(np.count_nonzero(labels < 0))
    clusters = f"{found:,} cluster{'' if found == 1 else 's'}"
    return f"{clusters}, {rest:,} point{'' if rest == 1 else 's'} in smaller ones" if rest else clusters


def ball(scene: Scene, frame: int, point: int, eps: float | None = None) -> np.ndarray:
    """Mask of the points y with |x − y|² + λ·bures²(Σx, Σy) ≤ ε² in a frame; without covariances, |x − y| ≤ ε."""
    squares = np.square(np.subtract(scene.frames[frame], scene.frames[frame, point], dtype=np.float64)).sum(axis=1)
    if scene.covariances is not None and scene.lam > 0:
        covs = scene.covariances[frame].astype(np.float64)
        squares = squares + scene.lam * _bures(covs[point], covs)
    radius = scene.eps if eps is None else eps
    return squares <= radius * radius * (1 + BALL_TOLERANCE)


def _bures(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared Bures distances of 2 × 2 covariances xx, xy, yy: tr A + tr B − 2·√(tr AB + 2·√(det A·det B))."""
    (a, b, c), (x, y, z) = one, others.T
    dets = np.maximum(a * c - b * b, 0.0) * np.maximum(x * z - y * y, 0.0)
    root = np.sqrt(np.maximum(a * x + 2 * b * y + c * z + 2 * np.sqrt(dets), 0.0))
    return np.maximum(a + c + x + z - 2 * root, 0.0)
