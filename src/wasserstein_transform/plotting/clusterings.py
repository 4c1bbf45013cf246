"""Clusters, the tree they were cut from, and the partitions that were considered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..auto import Clustering
from ..auto.clustering.clustering import Partition
from ..localize.places import spread
from .branches import branches, places, top
from .canvas import need_matplotlib
from .clouds import dotted, draw as draw_points
from .dendrograms import dendrogram
from .embedding import embed
from .style import GRAY, INK, TEXT, THIN, TICKS, WIDTH, color, panels, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAVES = 1000  # of a tree that are drawn; of larger ones the highest merges
_FEW_LEAVES = 300
_EMBEDDED = 2000  # points that are placed by their distances
_MANY = 15  # clusters from which on their number has a logarithmic scale
_KINDS = {
    "tree": "distances", "reach": "mutual\nreachability", "gaussian": "GT", "means": "k-means", "mixture": "mixture",
}  # fmt: skip


def clustering(found: Clustering, *, width: float | None = None, title: str | None = None) -> Figure:
    """The points by cluster, noise gray; the tree, its branches by cluster and a dot at each cut; what was considered.

    Points of three and more coordinates are drawn along their first two principal axes, those of distances alone as
    classical scaling places them. Of large trees the highest merges are drawn. The last panel has a dot for each
    partition, larger the more recipes give it: how well it is expected to agree with what is there, against its number
    of clusters (or, if that was given, the kind of recipe); a ring is around the one taken. Panels of which there is
    nothing to show are left out.

    Parameters
    ----------
    found : Clustering
        Of `wt.cluster`.
    width : float, optional
        In inches; by default as the panels need it.
    title : str, optional

    Returns
    -------
    Figure
        `figure.savefig(file)` writes it.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.cluster(wt.datasets.circles(0).points)
    >>> [ax.get_title(loc="left") for ax in wt.plotting.clustering(found).axes][:2]
    ['2 clusters', 'tree of the distances']
    """
    if not isinstance(found, Clustering):
        raise TypeError(f"a Clustering is drawn, got {type(found).__name__}; wt.cluster(X) makes one")
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
    """Up to two coordinates of points, their labels, and what the coordinates are."""
    points = found.space.points
    if points is not None and points.shape[1] <= 2:
        return points, found.labels, ""
    if points is not None:
        center = np.average(points, axis=0, weights=found.space.weights)
        _, axes = np.linalg.eigh((points - center).T @ ((points - center) * found.space.weights[:, None]))
        return (points - center) @ axes[:, :-3:-1], found.labels, f"first 2 principal axes of {points.shape[1]}"
    labels = np.maximum(found.labels_of_places, -1)
    some = spread(len(found.rows), _EMBEDDED)
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
    at = len(drawn.heights) - (tree.n - 1 - cut)  # merges are the last nodes, in the order of edges
    ax.plot(places(drawn)[at], drawn.heights[at], "o", ms=3.2, mew=0.7, mfc="white", mec=INK, zorder=3)
    hidden = f", the highest {drawn.n - 1} merges" * (drawn.n < tree.n)
    ax.set_xlabel(f"dots: cuts{hidden}", fontsize=TEXT, color=INK)


def _name_of(found: Clustering) -> str:
    recipe, ground = found.recipe, found.ground
    assert recipe is not None
    assert ground is not None
    if recipe.kind == "gaussian":
        return f"GT, ε = {recipe.factor * ground.unit:.3g}, λ = {recipe.lam:g}, τ = {recipe.n_iter}"
    return "tree of the distances" if recipe.kind == "tree" else f"mutual reachability, {recipe.reach} neighbors"


def _draw_partitions(ax: Any, found: Clustering) -> None:
    considered = found.partitions[::-1]  # the best on top
    counts = np.array([one.n_clusters for one in considered])
    wanted = {round(one.n_clusters / one.criteria["clusters of those wanted"]) for one in considered}
    same = len(wanted) == 1  # the number was given, or all found the same
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
    if found.recipe is None:  # one cluster, which may not have been among the partitions
        return one is found.partitions[0] and one.n_clusters == found.n_clusters
    return one.recipe == found.recipe and one.n_clusters == found.n_clusters


def _by_kind(ax: Any, considered: tuple[Partition, ...]) -> Floats:
    """Columns for the kinds of recipes, dots spread within."""
    used = [kind for kind in _KINDS if any(one.recipe.kind == kind for one in considered)]
    ax.set_xticks(range(len(used)), [_KINDS[kind] for kind in used])
    ax.set_xlim(-0.6, len(used) - 0.4)
    along = np.array([used.index(one.recipe.kind) for one in considered], float)
    for k in range(len(used)):
        own = np.flatnonzero(along == k)
        along[own] += 0.5 * ((np.arange(len(own)) * 0.618) % 1 - 0.5) * (len(own) > 1)
    return along


def _scale(ax: Any, counts: Ints) -> None:
    """Whole numbers, logarithmic if there are many."""
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
