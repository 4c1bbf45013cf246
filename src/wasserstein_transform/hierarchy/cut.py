"""Clusters from a tree: by count, by height, or by the robust cut."""

from __future__ import annotations

import warnings
from collections import deque
from itertools import pairwise
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
        `height`. "robust" removes the highest edges whose two sides both hold at least share·(total mass)/n_clusters;
        sides are what lies strictly below the edge and its ties.
    height : float, optional
    share : float
        For the robust cut, between 0 and 1.
    noise : bool
        For the robust cut: label −1 the pieces below that mass into which the clusters fall at the level of the lowest
        cut, instead of leaving them with what they touch.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> tree = wt.spanning_tree(wt.Space.from_points([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [50.0]]))
    >>> wt.cut_tree(tree, 2, cut="count")
    array([0, 0, 0, 0, 0, 0, 1])
    >>> wt.cut_tree(tree, 2)
    array([1, 1, 1, 0, 0, 0, 0])
    >>> wt.cut_tree(tree, 2, noise=True)
    array([ 0,  0,  0,  1,  1,  1, -1])
    """
    if not isinstance(tree, Tree):
        raise TypeError(f"a Tree is needed, got {type(tree).__name__}; wt.spanning_tree(space) makes one")
    if cut == "height":
        if height is None:
            raise ValueError("cut='height' needs a height")
        above = tree.heights > check.tolerance(height, "height") * (1 + TIE)  # an edge that ties with it stays
        return _labels(tree, above & _between_heavy(tree), np.zeros(tree.n, bool))
    n_clusters = check.count(n_clusters, "n_clusters", 1)
    if cut == "count":
        heavy = np.flatnonzero(_between_heavy(tree))
        _say_if_fewer(min(n_clusters, len(heavy) + 1), n_clusters, "there are no more points with mass")
        removed = np.zeros(tree.n - 1, bool)
        removed[heavy[max(len(heavy) - n_clusters + 1, 0) :]] = True
        return _labels(tree, removed, np.zeros(tree.n, bool))
    if cut == "robust":
        if check.tolerance(share, "share") > 1:
            raise ValueError(f"share must be between 0 and 1, got {share!r}")
        return _robust(tree, n_clusters, float(share), noise)
    raise ValueError(f"cut must be 'robust', 'count' or 'height', got {cut!r}")


def _between_heavy(tree: Tree) -> Bools:
    """Edges between points with mass: points without any hang from one, and stay with it."""
    return np.asarray((tree.weights[tree.edges] > 0).all(axis=1))


def _robust(tree: Tree, n_clusters: int, share: float, noise: bool) -> Ints:
    least = max(share * tree.weights.sum() / n_clusters * (1 - 1e-12), np.finfo(float).tiny)
    fit, small = _splits(tree, least)
    # the highest first; among equal heights the one that splits more evenly
    chosen = fit[np.lexsort((-small, -tree.heights[fit]))][: n_clusters - 1]
    reason = f"no other merge has {100 * share / n_clusters:.3g} % of the mass on both sides; lower share to admit less"
    _say_if_fewer(len(chosen) + 1, n_clusters, reason)
    removed = np.zeros(tree.n - 1, bool)
    removed[chosen] = True
    dropped = _small_pieces(tree, removed, least) if noise and len(chosen) else np.zeros(tree.n, bool)
    return _labels(tree, removed, dropped)


def _splits(tree: Tree, least: float) -> tuple[Ints, Floats]:
    """Edges that join two parts of at least the mass `least`, and the mass of the smaller part.

    Edges that tie join all their parts at once, so sides are what lies strictly below the tie: of a regular grid no
    edge splits anything, in whatever order its equal edges come. Small parts of a tie go to a large one they touch.
    """
    parent = list(range(tree.n))
    mass = tree.weights.tolist()

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    edges = tree.edges.tolist()
    fit: list[int] = []
    small: list[float] = []
    for group in _ties(tree):
        joined = [(root(edges[k][0]), root(edges[k][1])) for k in group]
        for k, lighter in _between_large(joined, mass, least):
            fit.append(group[k])
            small.append(lighter)
        for one, other in joined:
            a, b = root(one), root(other)
            parent[b] = a
            mass[a] += mass[b]
    return np.array(fit, np.intp), np.array(small)


def _ties(tree: Tree) -> list[range]:
    """The edges, level by level."""
    ends = np.searchsorted(tree.heights, tree.levels(), side="right")
    return [range(a, b) for a, b in pairwise([0, *ends.tolist()])]


def _between_large(joined: list[tuple[int, int]], mass: list[float], least: float) -> list[tuple[int, float]]:
    """Of the edges of one level, those between the territories of different large parts, with the lighter mass."""
    if len(joined) == 1:
        lighter = min(mass[part] for part in joined[0])
        return [(0, lighter)] if lighter >= least else []
    neighbors: dict[int, list[int]] = {}
    for a, b in joined:
        neighbors.setdefault(a, []).append(b)
        neighbors.setdefault(b, []).append(a)
    large = sorted((part for part in neighbors if mass[part] >= least), key=lambda part: -mass[part])
    owner = {part: part for part in large}
    front = deque(large)
    while front:
        part = front.popleft()
        for other in neighbors[part]:
            if other not in owner:
                owner[other] = owner[part]
                front.append(other)
    return [
        (k, min(mass[owner[a]], mass[owner[b]]))
        for k, (a, b) in enumerate(joined)
        if a in owner and b in owner and owner[a] != owner[b]
    ]


def _small_pieces(tree: Tree, removed: Bools, least: float) -> Bools:
    """Points of parts that the clusters fall into at the level of the lowest removed edge, and that are too light.

    A cluster all of whose parts are light keeps its heaviest.
    """
    lowest = float(tree.heights[removed].min())
    cluster = _components(tree, ~removed)
    part = _components(tree, ~removed & (tree.heights < lowest * (1 - TIE)))
    mass = np.round(np.bincount(part, weights=tree.weights), 12)
    home = np.empty(len(mass), np.intp)
    home[part] = cluster
    heaviest = np.zeros(cluster.max() + 1)
    np.maximum.at(heaviest, home, mass)
    light = (mass < least) & (mass < heaviest[home])
    return np.asarray(light[part] & (tree.weights > 0))


def _components(tree: Tree, kept: Bools) -> Ints:
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


def _labels(tree: Tree, removed: Bools, dropped: Bools) -> Ints:
    """Components of the tree without the removed edges, numbered by falling mass."""
    part = _components(tree, ~removed)
    n_parts = int(part.max()) + 1
    mass = np.bincount(part, weights=np.where(dropped, 0.0, tree.weights), minlength=n_parts)
    first = np.full(n_parts, tree.n)
    np.minimum.at(first, part, np.arange(tree.n))
    rank = np.empty(n_parts, np.intp)
    rank[np.lexsort((first, -np.round(mass, 12)))] = np.arange(n_parts)
    return np.where(dropped, -1, rank[part])


def _say_if_fewer(found: int, wanted: int, reason: str) -> None:
    if found < wanted:
        warnings.warn(f"found {found} clusters of the {wanted} asked for: {reason}", FewerClustersWarning, stacklevel=4)
