"""
More points than memory holds
=============================

Points on disk are transformed part by part, and every part gives the same bits as one run in memory.
"""

# %%
# 100,000 points of a noisy spiral with outliers, in a file. NPY, Parquet and Zarr work the same way.

import tempfile
import time
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

folder = Path(tempfile.mkdtemp())
X, _, _ = wt.datasets.spiral(0, n=80_000, n_outliers=20_000, noise=1.0)
np.save(folder / "points.npy", X)
print(f"{(folder / 'points.npy').stat().st_size / 1e6:.1f} MB on disk")

# %%
# **From file to file.** ``memory`` is the limit in bytes, and ``n_parts`` the least number of parts. Each part reads
# its own points and those around it, takes an ordinary step, and writes the result.

process = wt.gaussian_transform(eps=1.2, lam=1.0)
start = time.perf_counter()
walk = wt.clouds.iterate(
    process, folder / "points.npy", folder=folder / "work", n_iter=2, n_parts=8, engine=wt.Engine(memory=1e8)
)
walk.write(folder / "moved.npy")
moved = np.load(folder / "moved.npy")
print(walk)
print(f"in parts, on disk: {time.perf_counter() - start:.1f} s")

# %%
# **The same bits** as in memory:

start = time.perf_counter()
in_memory = wt.iterate(process, wt.Space.from_points(X), n_iter=2).points
print(f"in memory: {time.perf_counter() - start:.1f} s")
print("equal, bit for bit:", np.array_equal(moved, in_memory))

# %%
# Densities before and after, on a logarithmic scale.

figure, axes = wt.plotting.panels(1, 2, width=9.5, height=4.9)
for ax, points, title in zip(axes, (X, moved), ("given", "after two iterations"), strict=True):
    counts, _, _ = np.histogram2d(*points.T, bins=220, range=[[-32, 32]] * 2)
    ax.imshow(np.log1p(counts.T), origin="lower", extent=(-32, 32, -32, 32), cmap="magma")
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_axis_off()

# %%
# :doc:`Larger data, and clusters of machines </large>`.
