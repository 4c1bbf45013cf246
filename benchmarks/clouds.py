"""Point clouds with neighborhoods of typical sizes."""

from __future__ import annotations

import numpy as np


def spiral(n: int = 600, n_outliers: int = 150, seed: int = 0) -> np.ndarray:
    """A spiral in [−30, 30]² with uniform outliers."""
    rng = np.random.default_rng(seed)
    t = np.sqrt(np.linspace(0.02, 1.0, n))
    curve = 28 * t[:, None] * np.column_stack([np.cos(6 * np.pi * t), np.sin(6 * np.pi * t)])
    return np.concatenate([curve, rng.uniform(-30, 30, (n_outliers, 2))])


def circles(n: int = 500, noise: float = 0.1, seed: int = 0) -> np.ndarray:
    """Two noisy circles about the origin in [−2, 2]²."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0, 2 * np.pi, n)
    radii = np.repeat([1.0, 1.8], [n // 2, n - n // 2])
    ring = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return ring + noise * rng.normal(size=(n, 2))
