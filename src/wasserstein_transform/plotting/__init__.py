"""Pictures: clouds, flows, embeddings, trees, Gaussians, distances, balls, curves, regions, scores, clusters, graphs.

Needs matplotlib, the extra `plot`. Every function draws into the Axes it is given, or into a new figure, and returns
the Axes; `clustering` returns a figure of its own. Nothing is shown, and no global setting is changed.
"""

from .agreement import agreement
from .clouds import cloud
from .clusterings import clustering
from .contours import contour_map
from .curves import denoised, skeleton
from .dendrograms import dendrogram
from .embedding import Embedding, embed
from .gaussians import ellipses
from .graphs import communities, curvature, flow, histogram
from .images import segmentation
from .layouts import layout
from .locality import balls
from .matrices import heatmap
from .scaling import mds
from .style import GRAY, INK, PALETTE, color, panels
from .walks import walk

__all__ = [
    "GRAY",
    "INK",
    "PALETTE",
    "Embedding",
    "agreement",
    "balls",
    "cloud",
    "clustering",
    "color",
    "communities",
    "contour_map",
    "curvature",
    "dendrogram",
    "denoised",
    "ellipses",
    "embed",
    "flow",
    "heatmap",
    "histogram",
    "layout",
    "mds",
    "panels",
    "segmentation",
    "skeleton",
    "walk",
]
