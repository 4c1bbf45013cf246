"""The first robust cut of this library, kept to compare with: the reference of the tables."""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wasserstein_transform.hierarchy import Tree

Ints = NDArray[np.intp]
_TIE = 1e-9


class _Merge(NamedTuple):
    level: int
    edge: int  # one of it
    n_large: int
    small: int  # points of the smallest large part

    def ties(self, other: _Merge) -> bool:
        return (self.level, self.small) == (other.level, other.small)


def old_robust_cut(tree: Tree, n_clusters: int, share: float = 0.35) -> Ints:
    """Clusters of a tree: the highest merges of at least two parts of share·n/k points each are cut.

    Parts are what lower edges join, whatever else was cut; edges of equal height are cut together or not at all. What
    is left over beside the large parts of a merge goes to the nearest cluster, part by part, of equally near ones to
    the largest.
    """
    level = np.searchsorted(tree.levels(), tree.heights)
    least = share * tree.n / n_clusters * (1 - _TIE)
    cluster, merge_of, n_found = np.zeros(tree.n, np.intp), np.full(tree.n, -1), 1
    under: list[set[int]] = []  # clusters that a merge falls into, in the end
    chosen = _chosen(_merges(tree, level, least), n_clusters)
    for k, merge in enumerate(chosen):
        was, part = int(cluster[tree.edges[merge.edge, 0]]), _parts(tree, level < merge.level)
        joined = _parts(tree, level <= merge.level)
        inside = cluster == was
        cluster[inside], merge_of[inside] = -1, k
        here = joined == joined[tree.edges[merge.edge, 0]]
        sizes = np.bincount(part[here])
        new = dict(zip(np.flatnonzero(sizes >= least).tolist(), range(n_found, tree.n), strict=False))
        for one, number in new.items():
            cluster[here & (part == one)] = number
        under = [found - {was} | set(new.values()) if was in found else found for found in under] + [set(new.values())]
        n_found += len(new)
    core = cluster.copy()
    for k in np.unique(merge_of[core < 0]):
        left = np.flatnonzero((core < 0) & (merge_of == k))
        cluster[left] = _nearest(tree, left, _parts(tree, level < chosen[k].level)[left], core, sorted(under[k]))
    return cluster


def _parts(tree: Tree, kept: NDArray[np.bool_]) -> Ints:
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


def _merges(tree: Tree, level: Ints, least: float) -> list[_Merge]:
    """Merges of large parts, the highest first, of equally high ones the most even."""
    parent, size, found = list(range(tree.n)), [1] * tree.n, []

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for edges in np.split(np.arange(tree.n - 1), np.flatnonzero(np.diff(level)) + 1):
        ends = {int(k): [root(int(i)) for i in tree.edges[k]] for k in edges}
        before = {part: size[part] for pair in ends.values() for part in pair}
        for a, b in ends.values():
            if (a := root(a)) != (b := root(b)):
                parent[b], size[a] = a, size[a] + size[b]
        large: dict[int, list[int]] = {}
        for part, count in before.items():
            if count >= least and tree.heights[edges[-1]] > tree.rounding[edges[-1]]:  # not of points in one place
                large.setdefault(root(part), []).append(count)
        edge_of = {root(a): k for k, (a, _) in ends.items()}
        one = int(level[edges[0]])
        found += [_Merge(one, edge_of[whole], len(c), min(c)) for whole, c in large.items() if len(c) > 1]
    return sorted(found, key=lambda merge: (-merge.level, -merge.small))


def _chosen(merges: list[_Merge], n_clusters: int) -> list[_Merge]:
    found, chosen = 1, list[_Merge]()
    while len(chosen) < len(merges) and found < n_clusters:
        rest = merges[len(chosen) :]
        alike = list(takewhile(rest[0].ties, rest))
        found += sum(merge.n_large - 1 for merge in alike)
        if found > n_clusters:
            return chosen
        chosen += alike
    return chosen


def _nearest(tree: Tree, points: Ints, part: Ints, core: Ints, clusters: list[int]) -> Ints:
    parts, of = np.unique(part, return_inverse=True)
    apart = np.full((len(parts), len(clusters)), np.inf)
    for column, one in zip(apart.T, clusters, strict=True):
        np.minimum.at(column, of, tree.nearest(points, np.flatnonzero(core == one)))
    near = apart <= apart.min(axis=1, keepdims=True) * (1 + _TIE)
    sizes = np.bincount(core[core >= 0])[clusters]
    return np.array(clusters)[np.where(near, sizes, 0).argmax(axis=1)][of]
