"""
Regions of an image
===================

Pixels are points with a place and a color. Mean shift moves them to their modes; pixels that meet and touch are a
region. With λ > 0 it is the Gaussian Transform, which also compares the covariances of the neighborhoods.
"""

# %%
# A picture with two shapes and noise.

import numpy as np

import wasserstein_transform as wt

rng = np.random.default_rng(0)
y, x = np.mgrid[:120, :160]
clean = 60.0 * (x + y > 140) + 40.0 * ((x - 60) ** 2 + (y - 50) ** 2 < 900)
picture = clean + rng.normal(scale=8, size=x.shape)

# %%
# Regions, and the filtered image. ``min_size`` gives small regions to a neighbor.

found = wt.image.segment(picture, spatial=8, range=25, min_size=30)
print("regions:", found.labels.max() + 1)
print(f"noise before: {np.std(picture - clean):.1f} gray levels, after: {np.std(found.filtered - clean):.1f}")

# %%

figure, axes = wt.plotting.panels(1, 3, width=10, height=3)
for ax, values, title in zip(
    axes, (picture, found.filtered, found.labels), ("given", "filtered", "regions"), strict=True
):
    ax.imshow(values, cmap="viridis" if title == "regions" else "gray", interpolation="nearest")
    ax.set_title(title, loc="left", fontsize=10)
    ax.set_axis_off()
