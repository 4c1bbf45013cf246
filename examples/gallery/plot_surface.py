"""
LiDAR-like points onto a surface
================================

The same call works for surfaces. Points of a noisy terrain move onto it. The dimension, the radius and the number of
steps come from the data.
"""

# %%
# A terrain of 100 m by 100 m with a hill and a ridge, 6,000 returns, and noise of 1 m in height. Returns of your own
# come from a file: ``wt.read("scan.las")[["x", "y", "z"]]`` gives x, y and z.

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

figure, axes = wt.plotting.panels(2, 2, width=9.5, height=8.4, dim=3)
views = (("given", X), ("after", found.points))
for ax, (when, points) in zip(axes[0], views, strict=True):
    ax.scatter(*points.T, c=points[:, 2], s=2.5, cmap="viridis", lw=0)
    ax.set_title(f"{when}: {off(points):.2f} m off", loc="left", fontsize=11)
    ax.set_box_aspect((1, 1, 0.35), zoom=1.2)
    ax.view_init(38, -60)
    ax.set_axis_off()
for old in axes[1]:
    old.remove()
for k, (_, points) in enumerate(views):
    ax = figure.add_subplot(2, 2, 3 + k)
    strip = np.abs(points[:, 1] - 60) < 2
    x = np.linspace(0, 100, 300)
    ax.plot(x, height(x, np.full_like(x, 60.0)), color="#999999", lw=3, label="true terrain at y = 60")
    ax.scatter(points[strip, 0], points[strip, 2], s=9, color=wt.plotting.color(0), lw=0, label="points near y = 60")
    ax.set(xlabel="x, meters", ylabel="height, meters", ylim=(-6, 18))
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)

# %%
# **Other surfaces.** The sphere has no up and down, and it is closed. Its error falls as well:

directions = rng.normal(size=(3000, 3))
sphere = directions / np.linalg.norm(directions, axis=1, keepdims=True) + rng.normal(scale=0.05, size=(3000, 3))
clean = wt.denoise(sphere)
for when, points in (("before", sphere), ("after", clean.points)):
    print(f"sphere, {when}: {np.sqrt(np.mean((np.linalg.norm(points, axis=1) - 1) ** 2)):.3f} off")

# %%
# :doc:`More shapes, and what was measured </measured>`.
