"""
LiDAR-like points onto a surface
================================

The same call works for surfaces: points of a noisy sphere move onto it, and the dimension is found by itself.
"""

# %%

import numpy as np

import wasserstein_transform as wt

rng = np.random.default_rng(0)
directions = rng.normal(size=(3000, 3))
X = directions / np.linalg.norm(directions, axis=1, keepdims=True) + rng.normal(scale=0.05, size=(3000, 3))

found = wt.denoise(X)


def off(points: np.ndarray) -> float:
    """Root mean square distance to the sphere."""
    return float(np.sqrt(np.mean((np.linalg.norm(points, axis=1) - 1) ** 2)))


print(f"dimension {found.dim}; noise found: {found.sigma:.3f}, true: 0.05")
print(f"off the sphere before: {off(X):.3f}, after: {off(found.points):.3f}")

# %%
# A slice through the middle shows what happened.

figure, axes = wt.plotting.panels(1, 2, width=9, height=4.2)
for ax, points, when in zip(axes, (X, found.points), ("before", "after"), strict=True):
    slice_of = points[np.abs(points[:, 2]) < 0.15][:, :2]
    wt.plotting.cloud(slice_of, ax=ax, title=f"{when}: {off(points):.3f} off")
