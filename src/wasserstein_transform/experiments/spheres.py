"""Points whose balls all have about the same size, in any dimension."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats


def sphere(n: int, m: int, seed: int = 0) -> Floats:
    """n uniform points on the unit sphere of R^m.

    A cube has a boundary: in R^16 its largest ball is many times larger than a typical one, and N says little about the
    work. A sphere has no boundary.

    Examples
    --------
    >>> sphere(100, 3).shape
    (100, 3)
    """
    points = np.random.default_rng(seed).normal(size=(n, m))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def radius_of(points: Floats, N: int) -> float:
    """An ε for which the largest closed ball has exactly N points, including its center; N < n.

    Examples
    --------
    >>> import numpy as np
    >>> radius_of(np.array([[0.0], [1.0], [3.0]]), 2)
    1.5
    """
    nearest = cKDTree(points).query(points, k=[N, N + 1])[0].min(axis=0)
    return float(nearest.mean())
