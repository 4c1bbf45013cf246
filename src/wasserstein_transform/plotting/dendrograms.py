"""Dendrograms with branches colored by cluster, and where their branches lie, computed without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..hierarchy import Tree
from .colors import numbered
from .style import GRAY, INK, NOISE, RASTER, TEXT, WIDTH, canvas, color, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIXED = int(np.iinfo(np.intp).min)  # label of a node whose leaves belong to several clusters


class Branches(NamedTuple):
    """The n − 1 merges of n leaves. Nodes are numbered as in SciPy: leaves first, then merges by height.

    pairs : (n − 1, 2), the two nodes that each merge joins, the one with more points first
    heights : (2n − 1,), the heights of all nodes
    labels : (2n − 1,), the label that all leaves below a node share, or MIXED
    """

    pairs: Ints
    heights: Floats
    labels: Ints

    @property
    def n(self) -> int:
        """Number of leaves."""
        return len(self.pairs) + 1


def branches(tree: Tree, labels: Ints | None = None) -> Branches:
    """The branches of a tree, each with the label that all points below it share."""
    Z = tree.Z
    pairs, sizes = Z[:, :2].astype(np.intp), np.concatenate([np.ones(tree.n), Z[:, 3]])
    turned = sizes[pairs[:, 0]] < sizes[pairs[:, 1]]
    pairs[turned] = pairs[turned, ::-1]
    below = [0] * tree.n if labels is None else labels.tolist()
    for a, b in pairs.tolist():
        below.append(below[a] if below[a] == below[b] else MIXED)
    return Branches(pairs, np.concatenate([np.zeros(tree.n), Z[:, 2]]), np.array(below, np.intp))


def highest_merges(all: Branches, n_leaves: int) -> Branches:
    """The highest merges only, over `most` leaves; a leaf stands for its whole subtree, with its height and label."""
    if all.n <= n_leaves:
        return all
    pairs = all.pairs[all.n - n_leaves :]
    first = 2 * all.n - n_leaves  # nodes with this number or a higher one stay
    leaves = np.unique(pairs[pairs < first]) if n_leaves > 1 else np.array([first - 1])
    nodes = np.concatenate([leaves, np.arange(first, 2 * all.n - 1)])
    number = np.zeros(2 * all.n - 1, np.intp)
    number[nodes] = np.arange(len(nodes))
    return Branches(number[pairs], all.heights[nodes], all.labels[nodes])


def node_positions(tree: Branches) -> Floats:
    """Positions of the nodes: leaves at 0, 1, … so that no branches cross, merges midway between their two children."""
    n, pairs = tree.n, tree.pairs.tolist()
    sizes = [1] * n
    for a, b in pairs:
        sizes.append(sizes[a] + sizes[b])
    first = [0] * (2 * n - 1)
    for k in range(n - 2, -1, -1):  # from the root down
        a, b = pairs[k]
        first[a], first[b] = first[n + k], first[n + k] + sizes[a]
    along = [float(place) for place in first]
    for k, (a, b) in enumerate(pairs):
        along[n + k] = (along[a] + along[b]) / 2
    return np.array(along)


def dendrogram(
    tree: Any,
    labels: Any = None,
    *,
    ax: Axes | None = None,
    max_leaves: int | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a dendrogram, with each branch in the color of its cluster and gray above the clusters.

    Parameters
    ----------
    tree : Tree or fitted SingleLinkage
        `wt.hierarchy.spanning_tree(space)` makes a Tree.
    labels : array of shape (n,), optional
        Cluster of each point, as `wt.hierarchy.cut_tree` finds them; −1 is noise, drawn in gray. Default None: the
        labels of a fitted SingleLinkage, else none.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
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
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [1.0], [5.0], [7.0]]))
    >>> ax = wt.plotting.dendrogram(tree, wt.hierarchy.cut_tree(tree, cut="height", height=3.0), ax=ax)
    >>> [len(lines.get_segments()) for lines in ax.collections]  # top merge, one in each cluster
    [1, 1, 1]
    """
    grown = getattr(tree, "tree_", tree)
    if not isinstance(grown, Tree):
        raise TypeError(f"tree must be a Tree, got {type(tree).__name__}; wt.hierarchy.spanning_tree(space) makes one")
    labels = getattr(tree, "labels_", None) if labels is None else labels
    drawn = branches(grown, None if labels is None else numbered(labels, grown.n))
    drawn = drawn if max_leaves is None else highest_merges(drawn, check.count(max_leaves, "max_leaves", 2))
    along = node_positions(drawn)
    ax = canvas(ax, 2, (WIDTH, 0.6 * WIDTH))
    for label in sorted(set(drawn.labels[drawn.n :].tolist())):  # those in gray first
        _draw_merges(ax, drawn, along, label)
    _draw_triangles(ax, drawn, along)
    margin = max(0.5, 0.01 * drawn.n)
    highest = float(drawn.heights.max()) or 1.0
    ax.set(ylim=(0.0, 1.05 * highest), xlim=(-margin, drawn.n - 1 + margin), xticks=[])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.set_ylabel("height", fontsize=TEXT)
    tidy(ax, title)
    return ax


def _color(label: int, drawn: Branches) -> str:
    if len(set(drawn.labels.tolist())) == 1:
        return INK if label != NOISE else GRAY
    return GRAY if label == MIXED else color(label)


def _draw_merges(ax: Any, drawn: Branches, along: Floats, label: int) -> None:
    """Draw the merges of one color: up from one branch, across, and down to the other."""
    from matplotlib.collections import LineCollection

    who = np.flatnonzero(drawn.labels[drawn.n :] == label)
    a, b = drawn.pairs[who].T
    level = drawn.heights[drawn.n + who]
    x = np.stack([along[a], along[a], along[b], along[b]], axis=1)
    y = np.stack([drawn.heights[a], level, level, drawn.heights[b]], axis=1)
    # thinner for large trees, full width for merges that span a hundredth of the figure
    widths = np.clip(70 * np.abs(along[b] - along[a]) / drawn.n, np.clip(7 / np.sqrt(drawn.n), 0.2, 0.7), 0.7)
    lines = LineCollection(
        list(np.stack([x, y], axis=-1)), colors=_color(label, drawn), capstyle="projecting", linewidths=widths,
        rasterized=drawn.n > RASTER,
    )  # fmt: skip
    ax.add_collection(lines, autolim=False)


def _draw_triangles(ax: Any, drawn: Branches, along: Floats) -> None:
    """Draw a triangle for each subtree that max_leaves leaves out, as high as the subtree."""
    from matplotlib.collections import PolyCollection

    who = np.flatnonzero(drawn.heights[: drawn.n] > 0)
    if len(who) == 0:
        return
    x, y = along[who, None] + [0.0, -0.4, 0.4], drawn.heights[who, None] * [1.0, 0.0, 0.0]
    colors = [_color(label, drawn) for label in drawn.labels[who].tolist()]
    shapes = PolyCollection(list(np.stack([x, y], axis=-1)), facecolors=colors, alpha=0.35, linewidths=0)
    ax.add_collection(shapes, autolim=False)
