"""
Regions of an image
===================

``wt.segment`` cuts an image along its contours. Mean shift moves pixels to their modes instead; with λ > 0 it is the
Gaussian Transform (Section 6.4).
"""

# %%
# A photograph that comes with scikit-image, made smaller.

import numpy as np
import skimage
from skimage.transform import resize

import wasserstein_transform as wt

photo = (255 * resize(skimage.data.coffee(), (200, 300), anti_aliasing=True)).astype(np.uint8)

# %%
# **With two radii.** ``spatial_radius`` is in pixels, ``range_radius`` in color. ``filtered`` is the smoothed
# image, and ``labels`` has the region of every pixel. ``min_size`` merges small regions into a neighbor.

found = wt.image.segment_by_radii(photo, spatial_radius=8, range_radius=10, min_size=50)
print(f"{found.labels.max() + 1} regions")

# %%
# **With a number of regions.** Without radii, regions are merged step by step, and you choose where to stop.

few = wt.segment(photo, n_segments=8)
print(f"{few.labels.max() + 1} regions")

# %%

figure, axes = wt.plotting.panels(2, 2, width=9, height=6.4)
pictures = {"given": photo, "filtered by mean shift": np.clip(found.filtered, 0, 255).astype(np.uint8)}
for ax, (title, picture) in zip(axes[0], pictures.items(), strict=True):
    ax.imshow(picture, interpolation="nearest")
    ax.set_title(title, loc="left", fontsize=10)
regions = {f"{found.labels.max() + 1} regions by two radii": found, "8 regions by merging": few}
for ax, (title, result) in zip(axes[1], regions.items(), strict=True):
    wt.plotting.segmentation(result.colored(), result.labels, ax=ax, title=title)
for ax in axes.flat:
    ax.set_axis_off()

# %%
# On photographs with regions drawn by people: :doc:`how this was measured </measured>`.
