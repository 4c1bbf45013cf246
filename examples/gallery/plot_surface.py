"""
LiDAR-like points onto a surface
================================

The same call works for surfaces: dimension, radius and the number of steps come from the data.
"""

# %%
# A terrain of 100 m by 100 m with a hill and a ridge, 6,000 returns, and noise of 1 m in height.

import numpy as np

import wasserstein_transform as wt


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The true terrain, in meters."""
    hill = 12 * np.exp(-((x - 35) ** 2 + (y - 60) ** 2) / 400)
    ridge = 8 * np.exp(-((x - 70) ** 2) / 120)
    return hill + ridge - 3 * np.sin(x / 15) * np.cos(y / 20)


rng = np.random.default_rng(0)
ground = rng.uniform(0, 100, (6000, 2))
X = np.column_stack([ground, height(*ground.T) + rng.normal(scale=1.0, size=len(ground))])


def off(points: np.ndarray) -> float:
    """Root mean square error of the height, in meters."""
    return float(np.sqrt(np.mean((points[:, 2] - height(points[:, 0], points[:, 1])) ** 2)))


# %%

found = wt.denoise(X)
print(f"dimension {found.dim}, noise {found.sigma:.2f} m across the surface, radius {found.eps:.1f} m")
print(f"error of the height before: {off(X):.2f} m, after: {off(found.points):.2f} m")
print(found.outcome)

# %%

figure, axes = wt.plotting.panels(1, 2, width=9.5, height=4)
x = np.linspace(0, 100, 300)
for ax, when, points in zip(axes, ("given", "after"), (X, found.points), strict=True):
    strip = points[np.abs(points[:, 1] - 60) < 2]
    ax.plot(x, height(x, np.full_like(x, 60.0)), color="#999999", lw=3, label="true terrain at y = 60")
    ax.scatter(strip[:, 0], strip[:, 2], s=9, color=wt.plotting.color(0), lw=0, label="points near y = 60")
    ax.set(xlabel="x, meters", ylabel="height, meters", ylim=(-6, 18), title=f"{when}: {off(points):.2f} m off")
axes[0].legend(frameon=False)

# %%
# :doc:`More shapes, and what was measured </measured>`.
