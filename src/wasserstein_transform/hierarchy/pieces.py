"""The clusters of a robust cut: large parts, and small pieces that go to the nearest of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._types import Bools, Ints
from .dendrogram import Dendrogram
from .tie_breaking import Preference
from .tree import TIE, Tree

_NEAR = 8  # number of nearest points of clusters to search first; few pieces need more


def components(tree: Tree, kept: Bools) -> Ints:
    """The connected component of each point under the kept edges."""
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


class _Pieces(NamedTuple):
    """The points outside of large parts, and the piece of each."""

    points: Ints
    piece: Ints


def clusters_of(tree: Tree, dendrogram: Dendrogram, chosen: Ints, least: float) -> Ints:
    """The cluster of each point if the chosen merges, highest first, are cut; −1 for undecided ties.

    The large parts of a merge are clusters, unless a lower merge cuts them again. The remaining pieces, too light or
    joined higher up, go to the nearest cluster, piece by piece.
    """
    cores, pieces = _cores_of(tree, dendrogram, chosen, least)
    if len(pieces.points) == 0:
        return cores
    if tree.space is None:
        return _along(tree, cores, dendrogram, chosen)
    found = cores.copy()
    found[pieces.points] = _homes(tree, pieces, cores)
    return found


def _cores_of(tree: Tree, dendrogram: Dendrogram, chosen: Ints, least: float) -> tuple[Ints, _Pieces]:
    """The number of the large part of each point that is not cut again (−1 elsewhere), and the pieces."""
    n, large = len(dendrogram.points), dendrogram.masses >= least
    core, cut, runs = np.zeros(n, np.intp), np.full(n, -1), [slice(0, n)]
    for k, merge in enumerate(chosen.tolist()):
        parts = np.arange(dendrogram.first[merge], dendrogram.first[merge + 1])
        whole = runs[core[dendrogram.starts[parts[0]]]]
        core[whole], cut[whole] = -1, k
        for part in parts[large[parts]].tolist():
            runs.append(slice(int(dendrogram.starts[part]), int(dendrogram.ends[part])))
            core[runs[-1]] = len(runs) - 1
    left = np.flatnonzero(core < 0)
    same = (np.diff(left) == 1) & (np.diff(cut[left]) == 0)
    same &= dendrogram.gaps[left[:-1]] < dendrogram.levels[chosen[cut[left[:-1]]]]
    piece = np.append(0, np.cumsum(~same)) if len(left) else left
    cores = np.full(tree.n, -1)
    cores[dendrogram.points] = core
    return cores, _Pieces(dendrogram.points[left], piece)


def _along(tree: Tree, cores: Ints, dendrogram: Dendrogram, chosen: Ints) -> Ints:
    """Assign pieces along the edges that are left after the cut, if the tree has no space."""
    kept = np.ones(tree.n - 1, bool)
    for merge in chosen.tolist():
        kept[dendrogram.edges[dendrogram.first_edge[merge] : dendrogram.first_edge[merge + 1]]] = False
    part = components(tree, kept)
    cluster_of = np.full(tree.n, -1)
    cluster_of[part[cores >= 0]] = cores[cores >= 0]
    return np.where(tree.weights > 0, cluster_of[part], -1)


def _homes(tree: Tree, pieces: _Pieces, cores: Ints) -> Ints:
    """The cluster of each point of a piece: the cluster nearest to the piece."""
    members, prefer, n_pieces = np.flatnonzero(cores >= 0), Preference(tree, cores), int(pieces.piece[-1]) + 1
    near = tree.near(pieces.points, members, min(_NEAR, len(members)))
    home, unsure = np.full(n_pieces, -1), np.arange(n_pieces)
    if near is not None:
        distances, found = near
        edge = np.full(n_pieces, np.inf)
        np.minimum.at(edge, pieces.piece, distances[:, 0])
        edge = (edge * (1 + TIE))[pieces.piece]
        point, column = np.nonzero(distances <= edge[:, None])
        home = prefer.each(pieces.piece[point], cores[found[point, column]], n_pieces)
        others_tie = (distances[:, -1] <= edge) & (distances.shape[1] < len(members))
        unsure = np.unique(pieces.piece[others_tie])
    starts = np.searchsorted(pieces.piece, np.arange(n_pieces + 1))
    for piece in unsure.tolist():
        home[piece] = _home(tree, pieces.points[starts[piece] : starts[piece + 1]], cores, prefer)
    return home[pieces.piece]


def _home(tree: Tree, points: Ints, cores: Ints, prefer: Preference) -> int:
    """The cluster nearest to one piece, by a search of all clusters."""
    clusters = np.unique(cores[cores >= 0])
    apart = np.array([tree.nearest(points, np.flatnonzero(cores == one)).min() for one in clusters.tolist()])
    return prefer.among(clusters[apart <= apart.min() * (1 + TIE)])


def hung(tree: Tree, cluster: Ints) -> Ints:
    """Assign points without mass to the nearest cluster; ties are broken as for pieces."""
    edges = tree.edges[(tree.weights[tree.edges] == 0).any(axis=1)]
    if len(edges) == 0:
        return cluster
    turned = tree.weights[edges[:, 0]] == 0
    edges[turned] = edges[turned, ::-1]
    prefer, found = Preference(tree, np.where(tree.weights > 0, cluster, -1)), cluster.copy()
    found[edges[:, 1]] = cluster[edges[:, 0]]
    for point, hosts in tree.hosts(edges[:, 1]):
        open_ = np.unique(cluster[hosts])
        if len(open_) > 1:
            found[point] = prefer.among(open_[open_ >= 0])
    return found
