"""The clusters of a robust cut: large parts, and the pieces that go to the nearest of them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._types import Bools, Floats, Ints
from .merges import Merge, level_of_edges
from .tree import TIE, Tree


def components(tree: Tree, kept: Bools) -> Ints:
    """What the kept edges join."""
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


def clusters_of(tree: Tree, chosen: list[Merge], least: float) -> Ints:
    """The cluster of each point if the chosen merges, the highest first, are cut; −1 where nothing decides.

    The large parts of a merge are clusters, unless a lower merge cuts them again. What is left over there, parts that
    are too light and whatever joins higher up, goes to the nearest cluster, part by part.
    """
    cluster, merge_of = np.zeros(tree.n, np.intp), np.full(tree.n, -1)
    under: list[set[int]] = []  # clusters that a merge falls into, in the end
    level, n_clusters = level_of_edges(tree), 1
    for k, merge in enumerate(chosen):
        ends = tree.edges[list(merge.edges)].ravel()
        was = int(cluster[ends[0]])
        inside = cluster == was
        cluster[inside], merge_of[inside] = -1, k
        part = components(tree, level < merge.level)
        mass = np.bincount(part, weights=tree.weights)
        large = [int(one) for one in np.unique(part[ends]) if mass[one] >= least]
        new = set(range(n_clusters, n_clusters + len(large)))
        for one, number in zip(large, sorted(new), strict=True):
            cluster[part == one] = number
        under = [found - {was} | new if was in found else found for found in under] + [new]
        n_clusters += len(large)
    cores = np.where(tree.weights > 0, cluster, -1)
    if tree.space is None:
        return _along(tree, cores, chosen)
    for k in np.unique(merge_of[(cores < 0) & (tree.weights > 0)]).tolist():
        left = np.flatnonzero((cores < 0) & (merge_of == k) & (tree.weights > 0))
        part = components(tree, level < chosen[k].level)
        cluster[left] = _nearest(tree, left, part[left], cores, np.array(sorted(under[k])))
    return np.where(tree.weights > 0, cluster, -1)


def _along(tree: Tree, cores: Ints, chosen: list[Merge]) -> Ints:
    """Nothing is known but the edges: what they join to a cluster, once merges are cut, goes with it."""
    removed = np.zeros(tree.n - 1, bool)
    removed[[edge for merge in chosen for edge in merge.edges]] = True
    part = components(tree, ~removed)
    cluster_of = np.full(tree.n, -1)
    cluster_of[part[cores >= 0]] = cores[cores >= 0]
    return np.where(tree.weights > 0, cluster_of[part], -1)


def hung(tree: Tree, cluster: Ints) -> Ints:
    """Points without mass are of the cluster they are nearest to; ties are decided as for pieces."""
    edges = tree.edges[(tree.weights[tree.edges] == 0).any(axis=1)]
    if len(edges) == 0:
        return cluster
    turned = tree.weights[edges[:, 0]] == 0
    edges[turned] = edges[turned, ::-1]
    heavy_only, found = np.where(tree.weights > 0, cluster, -1), cluster.copy()
    found[edges[:, 1]] = cluster[edges[:, 0]]
    for point, hosts in tree.hosts(edges[:, 1]):
        open_ = np.unique(cluster[hosts])
        if len(open_) > 1:
            found[point] = _decided(tree, heavy_only, open_[open_ >= 0], np.zeros((1, (open_ >= 0).sum())))[0]
    return found


def _nearest(tree: Tree, points: Ints, part: Ints, cores: Ints, clusters: Ints) -> Ints:
    """The cluster each of the points goes to, all points of a part to the same."""
    parts, of = np.unique(part, return_inverse=True)
    apart = np.full((len(parts), len(clusters)), np.inf)
    for column, one in zip(apart.T, clusters, strict=True):
        np.minimum.at(column, of, tree.nearest(points, np.flatnonzero(cores == one)))
    return _decided(tree, cores, clusters, apart)[of]


def _decided(tree: Tree, cores: Ints, clusters: Ints, apart: Floats) -> Ints:
    """For each row of distances the nearest cluster.

    Of equally near ones the heaviest, of equally heavy ones the first by coordinates; −1 if there are none.
    """
    mass = np.bincount(cores[cores >= 0], weights=tree.weights[cores >= 0])[clusters]
    near = apart <= apart.min(axis=1, keepdims=True) * (1 + TIE)
    heaviest = np.where(near, mass, 0.0).max(axis=1, keepdims=True)
    near &= mass >= heaviest * (1 - TIE)
    points = None if tree.space is None else tree.space.points
    if points is None:
        return np.where(near.sum(axis=1) == 1, clusters[near.argmax(axis=1)], -1)
    rank = np.empty(tree.n, np.intp)
    rank[np.lexsort(points.T[::-1])] = np.arange(tree.n)
    first = np.array([rank[cores == one].min() for one in clusters])
    return np.asarray(clusters[np.where(near, first, tree.n).argmin(axis=1)])
