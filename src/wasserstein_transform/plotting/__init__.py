"""Figures: point clouds, trajectories, embeddings, trees, curves, images, graphs, and all other results.

Needs matplotlib, which the extra `plot` installs. Every function draws into the Axes passed as `ax`, or into a new
figure, and returns the Axes. `plot()` of a result makes a new figure and returns it. No function calls `plt.show` or
changes a global setting of matplotlib.
"""

from .clouds import cloud
from .clusterings import clustering
from .curves import denoised, skeleton
from .dendrograms import dendrogram
from .embedding import mds
from .graphs import communities, curvature, flow
from .images import segmentation
from .results import figure_of as figure_of, suggestion
from .style import color, panels
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
