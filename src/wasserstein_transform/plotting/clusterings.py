"""The figure of a clustering: clusters, the tree they were cut from, and the partitions considered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..auto import Clustering
from ..auto.clustering.clustering import Partition
from ..compute.passes import sample_evenly
from .branches import branches, places, top
from .canvas import need_matplotlib
from .clouds import dotted, draw as draw_points
from .dendrograms import dendrogram
from .embedding import embed
from .style import GRAY, INK, TEXT, THIN, TICKS, WIDTH, color, panels, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAVES = 1000  # leaves that are drawn; larger trees show only the highest merges
_FEW_LEAVES = 300
_EMBEDDED = 2000  # points that are placed by classical scaling
_MANY = 15  # from this many clusters on, the axis is logarithmic
_KINDS = {
    "tree": "distances", "reach": "mutual\nreachability", "gaussian": "GT", "means": "k-means", "mixture": "mixture",
}  # fmt: skip


def clustering(found: Clustering, *, width: float | None = None, title: str | None = None) -> Figure:
    """Draw a clustering in up to three panels: the clusters, the tree they were cut from, the partitions considered.

    First panel: the points, colored by cluster, noise in gray. Points with three or more coordinates are projected onto
    their first two principal axes; points known only by distances are placed by classical scaling (at most 2,000 of
    them).

    Second panel: the tree, with branches colored by cluster and a dot at each cut. Large trees show only their highest
    merges. Clusterings without a tree, such as those of k-means, have no such panel.

    Third panel: a dot for each partition, larger if more recipes gave it. It shows the expected agreement with the true
    clusters against the number of clusters, or against the kind of recipe if the number was given. A ring marks the
    partition that was chosen. The panel is left out if only one partition was considered.

    Parameters
    ----------
    found : Clustering
        The result of `wt.cluster`.
    width : float, optional
        Width of the figure in inches; by default it depends on the number of panels.
    title : str, optional
        Title of the figure; none by default.

    Returns
    -------
    Figure
        Write it to a file with `figure.savefig(file)`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.cluster(wt.datasets.circles(0).points)
    >>> [ax.get_title(loc="left") for ax in wt.plotting.clustering(found).axes][:2]
    ['2 clusters', 'tree of the distances']
    """
    if not isinstance(found, Clustering):
        raise TypeError(f"found must be a Clustering, got {type(found).__name__}; wt.cluster(X) makes one")
    need_matplotlib()
    parts = [_draw_cloud]
    parts += [_draw_tree] * (found.tree is not None) + [_draw_partitions] * (len(found.partitions) > 1)
    page = WIDTH * (0.55, 1, 1.5)[len(parts) - 1]
    width = page if width is None else check.positive(width, "width")
    figure, axes = panels(1, len(parts), width=width, height=width / (len(parts) + 0.1))
    for part, ax in zip(parts, np.atleast_1d(axes), strict=True):
        part(ax, found)
    if title is not None:
        figure.suptitle(title, fontsize=TEXT + 2, x=0.01, ha="left")
    return figure


draw = clustering


def _draw_cloud(ax: Any, found: Clustering) -> None:
    points, labels, axes = _coordinates(found)
    noise = float((found.labels < 0).mean())
    words = f"{found.n_clusters} cluster{'s' * (found.n_clusters != 1)}" + f", {noise:.0%} noise" * (noise > 0)
    draw_points(ax, points, dotted(len(points), labels), words)
    ax.locator_params(nbins=5)
    if axes:
        ax.set_xlabel(axes, fontsize=TEXT, color=INK)


def _coordinates(found: Clustering) -> tuple[Floats, Ints, str]:
    """Up to two coordinates of the points, their labels, and a description of the coordinates."""
    points = found.space.points
    if points is not None and points.shape[1] <= 2:
        return points, found.labels, ""
    if points is not None:
        center = np.average(points, axis=0, weights=found.space.weights)
        _, axes = np.linalg.eigh((points - center).T @ ((points - center) * found.space.weights[:, None]))
        return (points - center) @ axes[:, :-3:-1], found.labels, f"first 2 principal axes of {points.shape[1]}"
    labels = np.maximum(found.labels_of_places, -1)
    some = sample_evenly(len(found.rows), _EMBEDDED)
    if len(some) == 1:
        return np.zeros((1, 2)), labels, "classical scaling"
    return embed(found.space.take(found.rows[some])).points, labels[some], "classical scaling"


def _draw_tree(ax: Any, found: Clustering) -> None:
    tree = found.tree
    assert tree is not None
    labels = np.where(found.labels_of_places < 0, -1 - found.labels_of_places, found.labels_of_places)
    cut = np.flatnonzero(labels[tree.edges[:, 0]] != labels[tree.edges[:, 1]])
    most = tree.n if tree.n <= _LEAVES else max(_FEW_LEAVES, tree.n - int(cut.min()) + 1)
    dendrogram(tree, labels, ax=ax, max_leaves=max(most, 2), title=_name_of(found))
    drawn = top(branches(tree, labels), most)
    at = len(drawn.heights) - (tree.n - 1 - cut)  # merges are the last nodes, in the order of the edges
    ax.plot(places(drawn)[at], drawn.heights[at], "o", ms=3.2, mew=0.7, mfc="white", mec=INK, zorder=3)
    hidden = f", the highest {drawn.n - 1} merges" * (drawn.n < tree.n)
    ax.set_xlabel(f"dots: cuts{hidden}", fontsize=TEXT, color=INK)


def _name_of(found: Clustering) -> str:
    recipe, ground = found.recipe, found.ground
    if recipe is None or recipe.kind == "tree":  # few points are cut without a recipe
        return "tree of the distances"
    if recipe.kind == "gaussian":
        assert ground is not None
        return f"GT, ε = {recipe.factor * ground.unit:.3g}, λ = {recipe.lam:g}, τ = {recipe.n_iter}"
    return f"mutual reachability, {recipe.reach} neighbors"


def _draw_partitions(ax: Any, found: Clustering) -> None:
    considered = found.partitions[::-1]  # the best is drawn last, on top
    counts = np.array([one.n_clusters for one in considered])
    wanted = {round(one.n_clusters / one.criteria["clusters of those wanted"]) for one in considered}
    same = len(wanted) == 1  # the number was given, or all partitions have the same
    along = _by_kind(ax, considered) if same else counts.astype(float)
    expected = np.clip([one.expected for one in considered], 0.0, 1.0)
    sizes = 7 * np.array([one.votes for one in considered]) ** 0.7
    taken = np.array([_is_taken(one, found) for one in considered])
    ax.scatter(along[~taken], expected[~taken], s=sizes[~taken], color=GRAY, alpha=0.5, linewidths=0)
    ax.scatter(along[taken], expected[taken], s=sizes[taken], color=color(0), linewidths=0, zorder=3)
    ring = sizes[taken] + 12 * np.sqrt(sizes[taken]) + 20
    ax.scatter(along[taken], expected[taken], s=ring, facecolors="none", edgecolors=INK, linewidths=THIN, zorder=3,
               clip_on=False)  # fmt: skip
    if not same:
        _scale(ax, counts)
    _frame(ax, len(considered), same)


def _is_taken(one: Partition, found: Clustering) -> bool:
    if found.recipe is None:  # one cluster, which need not be one of the partitions
        return one is found.partitions[0] and one.n_clusters == found.n_clusters
    return one.recipe == found.recipe and one.n_clusters == found.n_clusters


def _by_kind(ax: Any, considered: tuple[Partition, ...]) -> Floats:
    """Positions of the dots: a column for each kind of recipe, dots spread within it."""
    used = [kind for kind in _KINDS if any(one.recipe.kind == kind for one in considered)]
    ax.set_xticks(range(len(used)), [_KINDS[kind] for kind in used])
    ax.set_xlim(-0.6, len(used) - 0.4)
    along = np.array([used.index(one.recipe.kind) for one in considered], float)
    for k in range(len(used)):
        own = np.flatnonzero(along == k)
        along[own] += 0.5 * ((np.arange(len(own)) * 0.618) % 1 - 0.5) * (len(own) > 1)
    return along


def _scale(ax: Any, counts: Ints) -> None:
    """Ticks at whole numbers; a logarithmic axis if there are many clusters."""
    low, high = int(counts.min()), int(counts.max())
    if high < _MANY:
        ax.set_xticks(range(low, high + 1))
        ax.set_xlim(low - 0.6, high + 0.6)
        return
    ax.set_xscale("log")
    ax.set_xlim(low / 1.25, high * 1.25)
    ticks = [k for k in (1, 2, 3, 5, 10, 20, 50, 100) if low <= k <= high]
    ax.set_xticks(ticks, [str(k) for k in ticks])
    ax.set_xticks([], minor=True)


def _frame(ax: Any, n: int, same: bool) -> None:
    ax.set_ylim(-0.05, 1.08)
    ax.set_ylabel("expected agreement", fontsize=TEXT, color=INK)
    ax.set_xlabel("recipe" if same else "clusters", fontsize=TEXT, color=INK)
    ax.grid(axis="y", color="#E6E6E6", lw=THIN)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    tidy(ax, f"{n} partitions, larger by votes")
    ax.tick_params(axis="x", labelsize=TICKS)
