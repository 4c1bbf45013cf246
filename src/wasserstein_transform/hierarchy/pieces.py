"""The clusters of a robust cut: large parts, and the pieces that go to the nearest of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._types import Bools, Floats, Ints
from .dendrogram import Dendrogram
from .tie_breaking import Preference
from .tree import TIE, Tree

_NEAR = 8  # nearest points of clusters that are looked at together; few pieces need more


def components(tree: Tree, kept: Bools) -> Ints:
    """What the kept edges join."""
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


class _Pieces(NamedTuple):
    """Points that are in no large part, the piece of each, and the run of positions it may find a cluster in."""

    points: Ints
    piece: Ints
    start: Ints
    end: Ints


def clusters_of(tree: Tree, dendrogram: Dendrogram, chosen: Ints, least: float) -> Ints:
    """The cluster of each point if the chosen merges, the highest first, are cut; −1 where nothing decides.

    The large parts of a merge are clusters, unless a lower merge cuts them again. What is left over there, parts that
    are too light and whatever joins higher up, goes to the nearest cluster, part by part.
    """
    cores, begins, pieces = _cores_of(tree, dendrogram, chosen, least)
    if len(pieces.points) == 0:
        return cores
    if tree.space is None:
        return _along(tree, cores, dendrogram, chosen)
    found = cores.copy()
    found[pieces.points] = _homes(tree, pieces, cores, begins)
    return found


def _cores_of(tree: Tree, dendrogram: Dendrogram, chosen: Ints, least: float) -> tuple[Ints, Ints, _Pieces]:
    """The large parts that are not cut again, where each of them begins (−1 for those that are), and the pieces."""
    n, large = len(dendrogram.points), dendrogram.masses >= least
    core, cut = np.zeros(n, np.intp), np.full(n, -1)
    runs, cut_runs = [(0, n)], np.empty((len(chosen), 2), np.intp)
    for k, merge in enumerate(chosen.tolist()):
        parts = np.arange(dendrogram.first[merge], dendrogram.first[merge + 1])
        start, end = cut_runs[k] = runs[core[dendrogram.starts[parts[0]]]]
        core[start:end], cut[start:end] = -1, k
        for part in parts[large[parts]].tolist():
            run = int(dendrogram.starts[part]), int(dendrogram.ends[part])
            core[slice(*run)] = len(runs)
            runs.append(run)
    begins = np.full(len(runs), -1)
    last = np.unique(core[core >= 0])
    begins[last] = [runs[number][0] for number in last.tolist()]
    left = np.flatnonzero(core < 0)
    same = (np.diff(left) == 1) & (np.diff(cut[left]) == 0)
    same &= dendrogram.gaps[left[:-1]] < dendrogram.levels[chosen[cut[left[:-1]]]]
    piece = np.append(0, np.cumsum(~same)) if len(left) else left
    cores = np.full(tree.n, -1)
    cores[dendrogram.points] = core
    return cores, begins, _Pieces(dendrogram.points[left], piece, *cut_runs[cut[left]].T)


def _along(tree: Tree, cores: Ints, dendrogram: Dendrogram, chosen: Ints) -> Ints:
    """Nothing is known but the edges: what they join to a cluster, once merges are cut, goes with it."""
    kept = np.ones(tree.n - 1, bool)
    for merge in chosen.tolist():
        kept[dendrogram.edges[dendrogram.first_edge[merge] : dendrogram.first_edge[merge + 1]]] = False
    part = components(tree, kept)
    cluster_of = np.full(tree.n, -1)
    cluster_of[part[cores >= 0]] = cores[cores >= 0]
    return np.where(tree.weights > 0, cluster_of[part], -1)


def _homes(tree: Tree, pieces: _Pieces, cores: Ints, begins: Ints) -> Ints:
    """The cluster of each point of a piece: the nearest, where the piece may go."""
    members = np.flatnonzero(cores >= 0)
    near = tree.near(pieces.points, members, min(_NEAR, len(members)))
    n_pieces = int(pieces.piece[-1]) + 1
    home, unsure, prefer = np.full(n_pieces, -1), np.ones(n_pieces, bool), Preference(tree, cores)
    if near is not None:
        distances, label = near[0], cores[near[1]]
        there = (begins[label] >= pieces.start[:, None]) & (begins[label] < pieces.end[:, None])
        edge = np.full(n_pieces, np.inf)
        np.minimum.at(edge, pieces.piece, np.where(there, distances, np.inf).min(axis=1))
        edge = (edge * (1 + TIE))[pieces.piece]
        unsure[:] = False
        if distances.shape[1] < len(members):  # some that are as near may not be among them
            unsure[pieces.piece[distances[:, -1] <= edge]] = True
        point, column = np.nonzero(there & (distances <= edge[:, None]))
        home = prefer.each(pieces.piece[point], label[point, column], n_pieces)
    for piece in np.flatnonzero(unsure).tolist():
        of = slice(*np.searchsorted(pieces.piece, [piece, piece + 1]))
        home[piece] = _home(tree, _Pieces(*(array[of] for array in pieces)), cores, begins, prefer)
    return home[pieces.piece]


def _home(tree: Tree, piece: _Pieces, cores: Ints, begins: Ints, prefer: Preference) -> int:
    """The cluster of one piece, all clusters where it may go looked at."""
    there = np.flatnonzero((begins >= piece.start[0]) & (begins < piece.end[0]))
    apart = np.array([tree.nearest(piece.points, np.flatnonzero(cores == one)).min() for one in there.tolist()])
    return prefer.among(there[apart <= apart.min() * (1 + TIE)])


def hung(tree: Tree, cluster: Ints) -> Ints:
    """Points without mass are of the cluster they are nearest to; ties are decided as for pieces."""
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
