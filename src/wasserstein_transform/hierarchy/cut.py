"""Clusters from a tree: by count, by height, or by the robust cut."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._types import Bools, Floats, Ints
from .tree import TIE, Tree

Cut = Literal["robust", "count", "height"]


class FewerClustersWarning(UserWarning):
    """Fewer clusters were found than asked for."""


def cut_tree(
    tree: Tree,
    n_clusters: int = 2,
    *,
    cut: Cut = "robust",
    height: float | None = None,
    share: float = 0.35,
    noise: bool = False,
) -> Ints:
    """Cluster labels 0, 1, … by falling mass; −1 is noise.

    Parameters
    ----------
    tree : Tree
        From `spanning_tree`.
    n_clusters : int
        Clusters wanted, for the cuts "robust" and "count".
    cut : {"robust", "count", "height"}
        "count" removes the highest edges: outliers take clusters of their own. "height" removes all edges above
        `height`. "robust" removes the highest edges whose two sides both hold at least share·(total mass)/n_clusters.
    height : float, optional
    share : float
        For the robust cut, between 0 and 1.
    noise : bool
        For the robust cut: label the small pieces that join above the lowest cut as −1 instead of leaving them with
        what they touch.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wasserstein_transform.hierarchy import spanning_tree
    >>> tree = spanning_tree(wt.Space.from_points([[0.0], [1.0], [10.0], [11.0], [50.0]]))
    >>> wt.cut_tree(tree, 2, cut="count")
    array([0, 0, 0, 0, 1])
    >>> wt.cut_tree(tree, 2)
    array([1, 1, 0, 0, 0])
    >>> wt.cut_tree(tree, 2, noise=True)
    array([ 0,  0,  1,  1, -1])
    """
    if cut == "height":
        if height is None:
            raise ValueError("cut='height' needs a height")
        return _labels(tree, _above(tree, check.tolerance(height, "height")), np.zeros(tree.n, bool))
    n_clusters = check.count(n_clusters, "n_clusters", 1)
    if cut == "count":
        _say_if_fewer(min(n_clusters, tree.n), n_clusters, "there are no more points")
        removed = np.arange(tree.n - 1) >= tree.n - n_clusters
        return _labels(tree, removed, np.zeros(tree.n, bool))
    if cut == "robust":
        if not 0 <= share <= 1:
            raise ValueError(f"share must be between 0 and 1, got {share!r}")
        return _robust(tree, n_clusters, share, noise)
    raise ValueError(f"cut must be 'robust', 'count' or 'height', got {cut!r}")


def _above(tree: Tree, height: float) -> Bools:
    """Edges above a height; an edge that ties with it stays."""
    return np.asarray(tree.heights > height + TIE * (tree.heights[-1] if tree.n > 1 else 0.0))


def _robust(tree: Tree, n_clusters: int, share: float, noise: bool) -> Ints:
    left, right = _sides(tree)
    least = share * tree.weights.sum() / n_clusters * (1 - 1e-12)
    small = np.minimum(left, right)
    fit = np.flatnonzero((small >= least) & (small > 0))
    # the highest first; among equal heights the one that splits more evenly
    chosen = fit[np.lexsort((-small[fit], -tree.heights[fit]))][: n_clusters - 1]
    _say_if_fewer(len(chosen) + 1, n_clusters, f"no other merge has {share:g}/{n_clusters} of the mass on both sides")
    removed = np.zeros(tree.n - 1, bool)
    removed[chosen] = True
    dropped = _small_pieces(tree, removed, left, right) if noise and len(chosen) else np.zeros(tree.n, bool)
    return _labels(tree, removed, dropped)


def _sides(tree: Tree) -> tuple[Floats, Floats]:
    """Mass of the two sides of every merge of the dendrogram."""
    mass = np.append(tree.weights, np.zeros(tree.n - 1))
    children = tree.Z[:, :2].astype(np.intp)
    for k, (a, b) in enumerate(children):
        mass[tree.n + k] = mass[a] + mass[b]
    return mass[children[:, 0]], mass[children[:, 1]]


def _small_pieces(tree: Tree, removed: Bools, left: Floats, right: Floats) -> Bools:
    """Points on the lighter side of a merge that was kept although it is above the lowest removed one."""
    lowest = tree.heights[removed].min()
    inherited = np.zeros(2 * tree.n - 1, bool)  # by node of the dendrogram
    for k in range(tree.n - 2, -1, -1):
        a, b = tree.Z[k, :2].astype(np.intp)
        inherited[[a, b]] = inherited[tree.n + k]
        if not removed[k] and tree.heights[k] > lowest:
            inherited[a if left[k] < right[k] else b] = True
    return inherited[: tree.n]


def _labels(tree: Tree, removed: Bools, dropped: Bools) -> Ints:
    """Components of the tree without the removed edges, numbered by falling mass."""
    kept = tree.edges[~removed]
    graph = coo_array((np.ones(len(kept)), (kept[:, 0], kept[:, 1])), shape=(tree.n, tree.n))
    n_parts, part = connected_components(graph, directed=False)
    mass = np.bincount(part, weights=np.where(dropped, 0.0, tree.weights), minlength=n_parts)
    first = np.full(n_parts, tree.n)
    np.minimum.at(first, part, np.arange(tree.n))
    rank = np.empty(n_parts, np.intp)
    rank[np.lexsort((first, -np.round(mass, 12)))] = np.arange(n_parts)
    return np.where(dropped, -1, rank[part])


def _say_if_fewer(found: int, wanted: int, reason: str) -> None:
    if found < wanted:
        warnings.warn(f"found {found} clusters of the {wanted} asked for: {reason}", FewerClustersWarning, stacklevel=4)
