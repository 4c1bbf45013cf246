"""Dendrograms with branches colored by cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..hierarchy import Tree, cut_tree
from .branches import MIXED, Branches, as_tree, branches, places, top
from .canvas import canvas, ready
from .style import GRAY, INK, NOISE, RASTER, TEXT, THIN, WIDTH, color, numbered, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Orientation = Literal["top", "bottom", "left", "right"]


def dendrogram(
    tree: Any,
    labels: Any = None,
    *,
    n_clusters: int | None = None,
    height: float | None = None,
    ax: Axes | None = None,
    orientation: Orientation = "top",
    max_leaves: int | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a dendrogram, with each branch in the color of its cluster and gray above the clusters.

    Parameters
    ----------
    tree : Tree, fitted SingleLinkage, linkage matrix of SciPy, Space, fitted transform, or distances
        A linkage matrix has shape (n − 1, 4), a matrix of distances (n, n).
        For a Space, a fitted transform or a matrix of distances the single-linkage tree is computed first.
    labels : array of shape (n,), optional
        Cluster of each point; −1 is noise, drawn in gray. Default None: the labels of a fitted SingleLinkage, else
        none.
    n_clusters : int, optional
        Take the clusters of the robust cut of `wt.cut_tree` into this many, instead of `labels`.
    height : float, optional
        Take the clusters of a cut at this height, in the unit of the distances, instead of `labels`; a dashed line
        marks it.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    orientation : {"top", "bottom", "left", "right"}, default "top"
        Side of the figure on which the root lies.
    max_leaves : int, optional
        Draw only the highest merges, down to this many branches; a triangle stands for the subtree below a branch
        and has its height. Default None: the whole tree.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0], [7.0]])
    >>> ax = wt.plotting.dendrogram(space, height=3.0, ax=ax)
    >>> [len(lines.get_segments()) for lines in ax.collections]  # top merge, one in each cluster
    [1, 1, 1]
    """
    if orientation not in ("top", "bottom", "left", "right"):
        raise ValueError(f"orientation must be 'top', 'bottom', 'left' or 'right', got {orientation!r}")
    ready(ax)
    most = None if max_leaves is None else check.count(max_leaves, "max_leaves", 2)
    grown = as_tree(tree)
    drawn = branches(grown, _clusters(tree, grown, labels, n_clusters, height))
    drawn = drawn if most is None else top(drawn, most)
    along = places(drawn)
    ax = canvas(ax, 2, (WIDTH, 0.6 * WIDTH))
    for label in _colored(drawn):
        _draw_merges(ax, drawn, along, label, orientation)
    _draw_triangles(ax, drawn, along, orientation)
    highest = float(drawn.heights.max()) or 1.0
    if height is not None:
        across = ax.axhline if orientation in ("top", "bottom") else ax.axvline
        across(height, color=INK, lw=THIN, ls=(0, (4, 3)))
        highest = max(highest, float(height))
    _frame(ax, drawn.n, highest, orientation)
    tidy(ax, title)
    return ax


def _clusters(shown: Any, tree: Tree, labels: Any, n_clusters: int | None, height: float | None) -> Ints | None:
    given = [name for name, value in (("labels", labels), ("n_clusters", n_clusters), ("height", height))
             if value is not None]  # fmt: skip
    if len(given) > 1:
        raise ValueError(f"give only one of labels, n_clusters and height, got {' and '.join(given)}")
    if n_clusters is not None:
        return cut_tree(tree, n_clusters, cut="robust")
    if height is not None:
        return cut_tree(tree, cut="height", height=height)
    labels = getattr(shown, "labels_", None) if labels is None and hasattr(shown, "tree_") else labels
    return None if labels is None else numbered(labels, tree.n)


def _colored(drawn: Branches) -> list[int]:
    """The labels to draw, those in gray first."""
    return sorted(set(drawn.labels[drawn.n :].tolist()))


def _color(label: int, drawn: Branches) -> str:
    if len(set(drawn.labels.tolist())) == 1:
        return INK if label != NOISE else GRAY
    return GRAY if label == MIXED else color(label)


def _draw_merges(ax: Any, drawn: Branches, along: Floats, label: int, orientation: Orientation) -> None:
    """Draw the merges of one color: up from one branch, across, and down to the other."""
    from matplotlib.collections import LineCollection

    who = np.flatnonzero(drawn.labels[drawn.n :] == label)
    a, b = drawn.pairs[who].T
    level = drawn.heights[drawn.n + who]
    x = np.stack([along[a], along[a], along[b], along[b]], axis=1)
    y = np.stack([drawn.heights[a], level, level, drawn.heights[b]], axis=1)
    lines = LineCollection(
        list(_turned(x, y, orientation)), colors=_color(label, drawn), capstyle="projecting",
        linewidths=_widths(along[b] - along[a], drawn.n), rasterized=drawn.n > RASTER,
    )  # fmt: skip
    ax.add_collection(lines, autolim=False)


def _widths(spans: Floats, n: int) -> Floats:
    """Line widths: thinner for large trees, full width for merges that span a hundredth of the figure."""
    return np.clip(70 * np.abs(spans) / n, np.clip(7 / np.sqrt(n), 0.2, 0.7), 0.7)


def _draw_triangles(ax: Any, drawn: Branches, along: Floats, orientation: Orientation) -> None:
    """Draw a triangle for each subtree that max_leaves leaves out, as high as the subtree."""
    from matplotlib.collections import PolyCollection

    who = np.flatnonzero(drawn.heights[: drawn.n] > 0)
    if len(who) == 0:
        return
    x, y = along[who, None] + [0.0, -0.4, 0.4], drawn.heights[who, None] * [1.0, 0.0, 0.0]
    colors = [_color(label, drawn) for label in drawn.labels[who].tolist()]
    shapes = PolyCollection(list(_turned(x, y, orientation)), facecolors=colors, alpha=0.35, linewidths=0)
    ax.add_collection(shapes, autolim=False)


def _turned(along: Floats, up: Floats, orientation: Orientation) -> Floats:
    pair = (along, up) if orientation in ("top", "bottom") else (up, along)
    return np.stack(pair, axis=-1)


def _frame(ax: Any, n: int, highest: float, orientation: Orientation) -> None:
    """Set the limits, and keep only the axis of the heights."""
    upright = orientation in ("top", "bottom")
    up, along = ("y", "x") if upright else ("x", "y")
    limits = (0.0, 1.05 * highest) if orientation in ("top", "right") else (1.05 * highest, 0.0)
    margin = max(0.5, 0.01 * n)
    ax.set(**{f"{up}lim": limits, f"{along}lim": (-margin, n - 1 + margin), f"{along}ticks": []})
    for side, spine in ax.spines.items():
        spine.set_visible(side == ("left" if upright else "bottom"))
    ax.set(**{f"{up}label": "height"})
    (ax.yaxis if upright else ax.xaxis).label.set_fontsize(TEXT)
