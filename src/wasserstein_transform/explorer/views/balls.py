"""The ball of a point, computed as static/views.js does."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats
from ..scene import Scene

RIM = 1e-6  # relative tolerance of ε²: coordinates on the page are rounded
DEVIATIONS = 2.0  # size of the ellipse of a Gaussian, in standard deviations


def ball(scene: Scene, frame: int, point: int, eps: float | None = None) -> Bools:
    """Mask of the points y with |x − y|² + λ·bures²(Σx, Σy) ≤ ε² in a frame; without covariances, |x − y| ≤ ε.

    Parameters
    ----------
    scene : Scene
    frame, point : int
    eps : float, optional
        Default None: the ε of the scene.
    """
    squares = np.square(np.subtract(scene.frames[frame], scene.frames[frame, point], dtype=np.float64)).sum(axis=1)
    if scene.covariances is not None and scene.lam > 0:
        covs = scene.covariances[frame].astype(np.float64)
        squares = squares + scene.lam * _bures(covs[point], covs)
    radius = scene.eps if eps is None else eps
    return np.asarray(squares <= radius * radius * (1 + RIM))


def _bures(one: Floats, others: Floats) -> Floats:
    """Squared Bures distances of 2 × 2 covariances xx, xy, yy: tr A + tr B − 2·√(tr AB + 2·√(det A·det B))."""
    (a, b, c), (x, y, z) = one, others.T
    product = a * x + 2 * b * y + c * z
    dets = np.maximum(a * c - b * b, 0.0) * np.maximum(x * z - y * y, 0.0)
    root = np.sqrt(np.maximum(product + 2 * np.sqrt(dets), 0.0))
    return np.asarray(np.maximum(a + c + x + z - 2 * root, 0.0))


def is_known(scene: Scene, frame: int) -> bool:
    """Whether balls in a frame can be computed from positions and covariances: not if only distances changed."""
    if not scene.planar or not np.isfinite(scene.eps):
        return False
    moved = scene.n_frames == 1 or not np.array_equal(scene.frames[0], scene.frames[-1])
    return frame == 0 or moved or scene.covariances is not None
