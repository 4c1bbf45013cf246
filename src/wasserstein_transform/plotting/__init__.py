"""Figures: point clouds, trajectories, embeddings, trees, curves, images, graphs, and all other results.

Needs matplotlib, which the extra `plot` installs. Every function draws into the Axes passed as `ax`, or into a new
figure, and returns the Axes. `plot()` of a result makes a new figure and returns it. No function calls `plt.show` or
changes a global setting of matplotlib.
"""

from .clouds import cloud, name_axes as name_axes
from .clusterings import clustering
from .colors import plain as plain
from .curves import denoised, skeleton
from .dendrograms import (
    Branches as Branches,
    branches as branches,
    dendrogram,
    highest_merges as highest_merges,
    node_positions as node_positions,
)
from .embedding import embed as embed, mds
from .graphs import communities, curvature, flow
from .images import as_rgb as as_rgb, outlined as outlined, segmentation
from .results import figure_of as figure_of, suggestion
from .style import (
    N_COLORS as N_COLORS,
    color,
    need_matplotlib as need_matplotlib,
    panels,
    without_pyplot as without_pyplot,
)
from .walks import walk

__all__ = (
    "cloud",
    "clustering",
    "color",
    "communities",
    "curvature",
    "dendrogram",
    "denoised",
    "flow",
    "mds",
    "panels",
    "segmentation",
    "skeleton",
    "suggestion",
    "walk",
)
