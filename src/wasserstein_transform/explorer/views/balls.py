"""Who is in the ball of a point, as the page tells it, and the ellipse of its Gaussian."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats
from ..scene import Scene

RIM = 1e-6  # coordinates of the page are rounded: what is on the rim to this is in
DEVIATIONS = 2.0  # of the Gaussian, at which its ellipse is drawn


def ball(scene: Scene, frame: int, point: int, eps: float | None = None) -> Bools:
    """The points y with |x − y|² + λ·bures²(Σx, Σy) ≤ ε² in a frame; without covariances, |x − y| ≤ ε.

    Parameters
    ----------
    scene : Scene
    frame, point : int
    eps : float, optional
        By default that of the scene.
    """
    squares = np.square(np.subtract(scene.frames[frame], scene.frames[frame, point], dtype=np.float64)).sum(axis=1)
    if scene.covariances is not None and scene.lam > 0:
        covs = scene.covariances[frame].astype(np.float64)
        squares = squares + scene.lam * _bures(covs[point], covs)
    radius = scene.eps if eps is None else eps
    return np.asarray(squares <= radius * radius * (1 + RIM))


def _bures(one: Floats, others: Floats) -> Floats:
    """Squares, of covariances xx, xy, yy: tr A + tr B − 2·√(tr AB + 2·√(det A·det B))."""
    (a, b, c), (x, y, z) = one, others.T
    product = a * x + 2 * b * y + c * z
    dets = np.maximum(a * c - b * b, 0.0) * np.maximum(x * z - y * y, 0.0)
    root = np.sqrt(np.maximum(product + 2 * np.sqrt(dets), 0.0))
    return np.asarray(np.maximum(a + c + x + z - 2 * root, 0.0))


def is_known(scene: Scene, frame: int) -> bool:
    """Whether the distances of a frame follow from what is drawn: not if distances changed and points did not."""
    if not scene.planar or not np.isfinite(scene.eps):
        return False
    moved = scene.n_frames == 1 or not np.array_equal(scene.frames[0], scene.frames[-1])
    return frame == 0 or moved or scene.covariances is not None
