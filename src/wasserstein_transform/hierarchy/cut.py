"""Clusters from a tree, by count, by height, or by the robust cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._check import warn
from .._types import Bools, Floats, Ints
from ..compute.trees.linkage_jit import root_tree, walk_down
from ..compute.trees.partitions_jit import label_parts
from ..engine import current
from ..spaces import Space, nearest_among
from .dendrogram import Dendrogram, choose_merges, separable
from .labels import number_by_first, number_by_mass
from .tree import TIE, Tree, spanning_tree

Cut = Literal["count", "height", "robust"]

_N_SEARCHED = 8  # number of nearest points to search first; more if all of them tie


class FewerClustersWarning(UserWarning):
    """Warns that a cut found fewer clusters than `n_clusters`.

    Examples
    --------
    >>> import warnings, wasserstein_transform as wt
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [0.0], [9.0]]))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = wt.hierarchy.cut_tree(tree, 3)
    >>> print(labels, caught[0].message)
    [0 0 1] found 2 of the 3 clusters requested: there are no more distinct points with mass
    """


def cut_tree(
    tree: Tree,
    n_clusters: int = 2,
    *,
    cut: Cut = "count",
    height: float | None = None,
    share: float = 0.25,
    noise: bool = False,
) -> Ints:
    """Cut a tree into clusters.

    Clusters depend neither on the order of the points nor on the unit of the distances. Edges whose heights agree to
    1e-9, or to the rounding of coordinates, are ties: they merge all their parts at once, and are cut together or not
    at all. If cutting a tie would make more than `n_clusters` clusters, it is not cut, and a `FewerClustersWarning` is
    given. Points in one place are always in one cluster.

    Parameters
    ----------
    tree : Tree
        From `spanning_tree`.
    n_clusters : int, default 2
        Number of clusters, for the cuts "count" and "robust".
    cut : {"count", "height", "robust"}, default "count"
        "count" removes the highest edges; outliers may become clusters of their own. "height" removes all edges above
        `height`. "robust" cuts the highest merges that have at least two parts with a mass of at least
        share·(total mass)/n_clusters, and of equally high merges the most even one. These parts are the clusters.
        Smaller parts go to the nearest cluster; ties go to the heavier cluster, then to the first one by coordinates,
        and without coordinates they are noise. A tree without a space (from a file or from SciPy's Z) assigns small
        parts along its edges. Lumbermark (Gagolewski 2026) also cuts the highest edges whose two sides are both large,
        but it counts small parts that join higher up with a side; here they count with no side.
    height : float, optional
        The height for cut="height", in the unit of the distances.
    share : float, default 0.25
        For the robust cut, between 0 and 1: the smallest mass of a cluster, relative to the mean mass of a cluster.
    noise : bool, default False
        For the robust cut: at the level of the lowest cut, pieces of the clusters below the smallest mass get the label
        −1 and do not go to the nearest cluster.

    Returns
    -------
    array of int, shape (n,)
        Labels 0, 1, … from the largest mass to the smallest; −1 is noise.

    Notes
    -----
    Time O(n log n) for the tree, plus the search of the nearest cluster for small parts.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [50.0]]
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points(points))
    >>> wt.hierarchy.cut_tree(tree, 2)
    array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    >>> wt.hierarchy.cut_tree(tree, 2, cut="robust")
    array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    >>> wt.hierarchy.cut_tree(tree, 2, cut="robust", noise=True)
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    """
    check.choice(cut, "cut", ("count", "height", "robust"))
    if cut == "robust":
        return next(cut_tree_each(tree, [n_clusters], share=share, noise=noise))
    _check_tree(tree)
    if noise:
        raise ValueError(f"noise=True is for cut='robust', got cut={cut!r}")
    if cut == "count":
        return _cut_count(tree, check.count(n_clusters, "n_clusters", 1, tree.n, "points"))
    if height is None:
        raise ValueError("cut='height' needs a height, got None; pass height=, in the unit of the distances")
    above = tree.heights > check.tolerance(height, "height") * (1 + TIE)  # an edge at exactly this height stays
    return number_by_mass(_assign_massless(tree, components(tree, ~(above & separable(tree)))), tree.weights)


def cut_tree_each(tree: Tree, n_clusters: Iterable[int], *, share: float = 0.25, noise: bool = False) -> Iterator[Ints]:
    """Make the robust cut of a tree for several numbers of clusters.

    The dendrogram is built once, so that many cuts cost little more than one.

    Parameters
    ----------
    tree : Tree
        From `spanning_tree`.
    n_clusters : iterable of int
        The numbers of clusters.
    share : float, default 0.25
        As in `cut_tree`.
    noise : bool, default False
        As in `cut_tree`.

    Returns
    -------
    iterator of arrays of int, shape (n,)
        The labels for each number of clusters, as `cut_tree` gives them.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0]]))
    >>> for labels in wt.hierarchy.cut.cut_tree_each(tree, [2, 3]):
    ...     print(labels)
    [0 0 0 0 1 1]
    [0 0 1 1 2 2]
    """
    _check_tree(tree)
    counts = [check.count(k, "n_clusters", 1, tree.n, "points") for k in n_clusters]
    if check.tolerance(share, "share") > 1:
        raise ValueError(f"share must be between 0 and 1, got {check.shown(share)}")
    dendrogram = Dendrogram.of(tree)
    return (_cut_robust(tree, dendrogram, k, float(share), noise) for k in counts)


def _check_tree(tree: Tree) -> None:
    if not isinstance(tree, Tree):
        raise TypeError(f"a Tree is needed, got {type(tree).__name__}; wt.hierarchy.spanning_tree(space) makes one")


def _cut_count(tree: Tree, n_clusters: int) -> Ints:
    """Remove whole levels, from the highest down, as long as there are not too many clusters."""
    level, clusters = tree.level_of_edges, separable(tree)
    left = 1 + np.cumsum(np.bincount(level[clusters], minlength=level.max(initial=-1) + 1)[::-1])  # after each removal
    n_levels = int(np.searchsorted(left, n_clusters, side="right"))
    n_found = int(left[n_levels - 1]) if n_levels else 1
    reason = "there are no more distinct points with mass"
    if n_found < int(left.max(initial=1)):
        reason = f"the next merges tie, and cutting all of them would make {left[n_levels]}"
    _warn_if_fewer(n_found, n_clusters, reason)
    removed = clusters & (level >= len(left) - n_levels)
    return number_by_mass(_assign_massless(tree, components(tree, ~removed)), tree.weights)


def _cut_robust(tree: Tree, dendrogram: Dendrogram, n_clusters: int, share: float, noise: bool) -> Ints:
    """Cut the highest merges of large parts, give small parts to the nearest cluster, or call them noise."""
    min_mass = max(share * tree.weights.sum() / n_clusters * (1 - 1e-9), np.finfo(float).tiny)
    chosen = choose_merges(dendrogram, min_mass, n_clusters)
    reason = f"no other merge has {100 * share / n_clusters:.3g} % of the mass on both sides; use a smaller share"
    if chosen.surplus:
        reason = f"the next merges tie, and cutting all of them would make {chosen.surplus}"
    _warn_if_fewer(chosen.n_clusters, n_clusters, reason)
    cluster = _find_clusters(tree, dendrogram, chosen.merges, min_mass)
    labels = _assign_massless(tree, cluster)
    if noise and len(chosen.merges):
        lowest = int(dendrogram.levels[chosen.merges[-1]])
        labels[_small_pieces(tree, lowest, cluster, min_mass) & (tree.weights > 0)] = -1
    return number_by_mass(labels, tree.weights)


def _small_pieces(tree: Tree, lowest: int, cluster: Ints, min_mass: float) -> Bools:
    """Mark the points of clusters whose part at the level of the lowest cut is too light.

    A cluster with only light parts keeps the heaviest of them.
    """
    part = components(tree, tree.level_of_edges < lowest)
    mass = np.round(np.bincount(part, weights=tree.weights), 12)
    cluster_of_piece = np.full(len(mass), -1)
    cluster_of_piece[part[tree.weights > 0]] = cluster[tree.weights > 0]
    heaviest = np.zeros(cluster.max() + 2)  # the last entry is for points without a cluster (−1)
    np.maximum.at(heaviest, cluster_of_piece, mass)
    light = (mass < min_mass) & (mass < heaviest[cluster_of_piece])
    return np.asarray(light[part])


def _warn_if_fewer(n_found: int, n_clusters: int, reason: str) -> None:
    if n_found < n_clusters:
        warn(f"found {n_found} of the {n_clusters} clusters requested: {reason}", FewerClustersWarning)


class RootedTree(NamedTuple):
    """A tree whose edges lead down from the point 0.

    Attributes
    ----------
    order : array of int, shape (n,)
        The points, each after its parent.
    parent : array of int, shape (n,)
        The next point on the way to the root; −1 for the root.
    child_of_edge : array of int, shape (n−1,)
        The lower point of each edge.
    mass : array of shape (n,)
        The mass of each point and all points below it.
    """

    order: Ints
    parent: Ints
    child_of_edge: Ints
    mass: Floats

    @classmethod
    def of(cls, edges: Ints, mass: Floats) -> Self:
        """Root a tree of points with masses."""
        n = len(mass)
        rooted = cls(np.zeros(n, np.intp), np.full(n, -1), np.empty(n - 1, np.intp), mass.copy())
        root_tree(edges, np.full(n, -1), np.empty(2 * n, np.intp), *rooted)
        return rooted

    def cut_between_large(self, min_mass: float, max_cuts: int) -> Ints:
        """The highest edges for which both sides of the remaining tree have the mass `min_mass`, at most `max_cuts`.

        Here small parts that join higher up count with a side, as in Lumbermark; in the robust cut, with no side.
        """
        cuts = np.empty(max_cuts, np.intp)
        return cuts[: walk_down(self.parent.copy(), self.child_of_edge, self.mass.copy(), min_mass * (1 - 1e-9), cuts)]

    def label_parts(self, cuts: Ints) -> Ints:
        """The part of each point if some edges are cut, numbered by first appearance."""
        is_cut, labels = np.zeros(len(self.order), bool), np.empty(len(self.order), np.intp)
        is_cut[self.child_of_edge[cuts]] = True
        label_parts(self.order, self.parent, is_cut, labels)
        return number_by_first(labels)


def components(tree: Tree, kept: Bools) -> Ints:
    """The connected component of each point under the kept edges."""
    edges = tree.edges[kept]
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(tree.n, tree.n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


def _find_clusters(tree: Tree, dendrogram: Dendrogram, chosen: Ints, min_mass: float) -> Ints:
    """The cluster of each point with mass if the chosen merges, highest first, are cut; −1 for undecided ties.

    The large parts of a merge are clusters, unless a lower merge cuts them again. The remaining pieces, too light or
    joined higher up, go to the nearest cluster, piece by piece.
    """
    n, large = len(dendrogram.points), dendrogram.masses >= min_mass
    core, cut, runs = np.zeros(n, np.intp), np.full(n, -1), [slice(0, n)]
    for k, merge in enumerate(chosen.tolist()):
        parts = np.arange(dendrogram.first[merge], dendrogram.first[merge + 1])
        whole = runs[core[dendrogram.starts[parts[0]]]]
        core[whole], cut[whole] = -1, k
        for part in parts[large[parts]].tolist():
            runs.append(slice(int(dendrogram.starts[part]), int(dendrogram.ends[part])))
            core[runs[-1]] = len(runs) - 1
    clusters, left = np.full(tree.n, -1), np.flatnonzero(core < 0)
    clusters[dendrogram.points] = core
    if tree.space is None:
        return _assign_along_edges(tree, clusters, dendrogram, chosen)
    if len(left) > 0:
        same = (np.diff(left) == 1) & (np.diff(cut[left]) == 0)
        same &= dendrogram.gaps[left[:-1]] < dendrogram.levels[chosen[cut[left[:-1]]]]
        points, piece = dendrogram.points[left], np.append(0, np.cumsum(~same))
        clusters[points] = _nearest_clusters(tree, tree.space, points, piece, clusters)
    return clusters


def _assign_along_edges(tree: Tree, cores: Ints, dendrogram: Dendrogram, chosen: Ints) -> Ints:
    """Assign all other points along the edges that are left after the cut, if the tree has no space."""
    kept = np.ones(tree.n - 1, bool)
    for merge in chosen.tolist():
        kept[dendrogram.edges[dendrogram.first_edge[merge] : dendrogram.first_edge[merge + 1]]] = False
    part = components(tree, kept)
    cluster_of = np.full(tree.n, -1)
    cluster_of[part[cores >= 0]] = cores[cores >= 0]
    return cluster_of[part]


def _assign_massless(tree: Tree, cluster: Ints) -> Ints:
    """Assign each point without mass to the cluster that is nearest; without a space, edges have assigned it."""
    light = np.flatnonzero(tree.weights == 0)
    if tree.space is None or len(light) == 0:
        return cluster
    cores, assigned = np.where(tree.weights > 0, cluster, -1), cluster.copy()
    assigned[light] = _nearest_clusters(tree, tree.space, light, np.arange(len(light)), cores)
    return assigned


def _nearest_clusters(tree: Tree, space: Space, points: Ints, piece: Ints, cores: Ints) -> Ints:
    """The cluster of each point of a piece: the cluster nearest to the piece; `cores` are the clusters so far."""
    members, engine = np.flatnonzero(cores >= 0), current()
    distances, nearest = nearest_among(space.metric, points, members, min(_N_SEARCHED, len(members)), engine)
    gap = np.full(piece[-1] + 1, np.inf)
    np.minimum.at(gap, piece, distances[:, 0])
    reach = (gap * (1 + TIE))[piece]
    row, column = np.nonzero(distances <= reach[:, None])
    pieces, clusters = [piece[row]], [cores[nearest[row, column]]]
    more_tie = (distances[:, -1] <= reach) & (distances.shape[1] < len(members))
    for i in np.flatnonzero(more_tie):
        near = members[space.metric.block(points[i : i + 1], members, engine)[0] <= reach[i]]
        pieces.append(np.full(len(near), piece[i]))
        clusters.append(cores[near])
    tied = np.concatenate(pieces), np.concatenate(clusters)
    return _heaviest_clusters(tree.weights, space.points, cores, *tied)[piece]


def _heaviest_clusters(weights: Floats, points: Floats | None, cores: Ints, pieces: Ints, clusters: Ints) -> Ints:
    """Of the clusters listed with a piece, the heaviest, then the first one by coordinates; −1 if neither decides."""
    inside = cores >= 0
    mass = np.bincount(cores[inside], weights=weights[inside])
    pieces, clusters = np.divmod(np.unique(pieces * len(mass) + clusters), len(mass))
    largest, n_pieces = np.zeros(pieces[-1] + 1), pieces[-1] + 1
    np.maximum.at(largest, pieces, mass[clusters])
    heavy = mass[clusters] >= largest[pieces] * (1 - TIE)
    pieces, clusters = pieces[heavy], clusters[heavy]
    chosen, tied = np.full(n_pieces, -1), np.bincount(pieces) > 1
    chosen[pieces] = clusters
    if not tied.any():
        return chosen
    if points is None:
        chosen[tied] = -1
        return chosen
    rank, first = np.empty(len(points), np.intp), np.full(len(mass), len(points))
    rank[np.lexsort(points.T[::-1])] = np.arange(len(points))
    np.minimum.at(first, cores[inside], rank[inside])
    last_to_first = np.argsort(-first[clusters])
    chosen[pieces[last_to_first]] = clusters[last_to_first]
    return chosen


def components_within(space: Space, eps: float) -> tuple[Ints, Floats]:
    """Labels of chains of points within ε of each other, numbered from the largest mass, and their means."""
    assert space.points is not None
    labels = cut_tree(spanning_tree(space), cut="height", height=eps)
    mass = np.bincount(labels, weights=space.weights)
    sums = np.zeros((len(mass), space.points.shape[1]))
    np.add.at(sums, labels, space.weights[:, None] * space.points)
    return labels, sums / mass[:, None]
