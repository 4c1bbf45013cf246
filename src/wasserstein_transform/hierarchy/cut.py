"""Clusters from a tree: by count, by height, or by the robust cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np

from .. import _check as check
from .._types import Bools, Ints
from .._warn import warn
from .dendrogram import Dendrogram, separable
from .merges import choose
from .pieces import clusters_of, components, hung
from .tree import TIE, Tree

Cut = Literal["robust", "count", "height"]


class FewerClustersWarning(UserWarning):
    """Warns that a cut found fewer clusters than `n_clusters`.

    Examples
    --------
    >>> import warnings, wasserstein_transform as wt
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [0.0], [9.0]]))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = wt.cut_tree(tree, 3, cut="count")
    >>> print(labels, caught[0].message)
    [0 0 1] found 2 clusters of the 3 asked for: there are no more places with mass
    """


def cut_tree(
    tree: Tree,
    n_clusters: int = 2,
    *,
    cut: Cut = "robust",
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
        Number of clusters, for the cuts "robust" and "count".
    cut : {"robust", "count", "height"}, default "robust"
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
    >>> wt.cut_tree(tree, 2, cut="count")
    array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    >>> wt.cut_tree(tree, 2)
    array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    >>> wt.cut_tree(tree, 2, noise=True)
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    """
    _check_tree(tree)
    if cut == "height":
        if height is None:
            raise ValueError("cut='height' needs a height, got None; pass height=, in the unit of the distances")
        above = tree.heights > check.tolerance(height, "height") * (1 + TIE)  # an edge at exactly this height stays
        return _numbered(tree, components(tree, ~(above & separable(tree))))
    n_clusters = check.count(n_clusters, "n_clusters", 1)
    if cut == "count":
        return _counted(tree, n_clusters)
    if cut == "robust":
        return _robust(tree, Dendrogram.of(tree), n_clusters, _share(share), noise)
    raise ValueError(f"cut must be 'robust', 'count' or 'height', got {cut!r}")


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
    >>> for labels in wt.hierarchy.cut_tree_each(tree, [2, 3]):
    ...     print(labels)
    [0 0 0 0 1 1]
    [0 0 1 1 2 2]
    """
    _check_tree(tree)
    wanted, share = [check.count(k, "n_clusters", 1) for k in n_clusters], _share(share)
    dendrogram = Dendrogram.of(tree)
    return (_robust(tree, dendrogram, k, share, noise) for k in wanted)


def _check_tree(tree: Tree) -> None:
    if not isinstance(tree, Tree):
        raise TypeError(f"a Tree is needed, got {type(tree).__name__}; wt.hierarchy.spanning_tree(space) makes one")


def _share(share: float) -> float:
    if check.tolerance(share, "share") > 1:
        raise ValueError(f"share must be between 0 and 1, got {share!r}")
    return float(share)


def _counted(tree: Tree, n_clusters: int) -> Ints:
    """Remove whole levels, from the highest down, as long as there are not too many clusters."""
    level, open_ = tree.level_of_edges, separable(tree)
    left = 1 + np.cumsum(np.bincount(level[open_], minlength=level.max(initial=-1) + 1)[::-1])  # after each removal
    n_levels = int(np.searchsorted(left, n_clusters, side="right"))
    found = int(left[n_levels - 1]) if n_levels else 1
    reason = "there are no more places with mass"
    if found < int(left.max(initial=1)):
        reason = f"the next merges tie, and cutting all of them would make {left[n_levels]}"
    _say_if_fewer(found, n_clusters, reason)
    removed = open_ & (level >= len(left) - n_levels)
    return _numbered(tree, components(tree, ~removed))


def _robust(tree: Tree, dendrogram: Dendrogram, n_clusters: int, share: float, noise: bool) -> Ints:
    least = max(share * tree.weights.sum() / n_clusters * (1 - 1e-9), np.finfo(float).tiny)
    chosen = choose(dendrogram, least, n_clusters)
    if chosen.n_clusters < n_clusters:
        _say_if_fewer(chosen.n_clusters, n_clusters, _why(tree, n_clusters, share, chosen.surplus))
    cluster = clusters_of(tree, dendrogram, chosen.merges, least)
    dropped = cluster < 0
    if noise and len(chosen.merges):
        dropped |= _small_pieces(tree, int(dendrogram.levels[chosen.merges[-1]]), cluster, least)
    return _numbered(tree, cluster, dropped & (tree.weights > 0))


def _why(tree: Tree, n_clusters: int, share: float, surplus: int) -> str:
    """Why there are not more clusters, in words."""
    if surplus:
        return f"the next merges tie, and cutting all of them would make {surplus}"
    n_places = int(separable(tree).sum()) + 1
    if n_places < n_clusters:
        places = "one place" if n_places == 1 else f"{n_places} places"
        return f"all points with mass are in {places}; a transform with a smaller eps or fewer iterations leaves more"
    return f"no other merge has {100 * share / n_clusters:.3g} % of the mass on both sides; use a smaller share"


def _small_pieces(tree: Tree, lowest: int, cluster: Ints, least: float) -> Bools:
    """Mark the points of clusters whose part at the level of the lowest cut is too light.

    A cluster with only light parts keeps the heaviest of them.
    """
    part = components(tree, tree.level_of_edges < lowest)
    mass = np.round(np.bincount(part, weights=tree.weights), 12)
    home = np.full(len(mass), -1)
    home[part[tree.weights > 0]] = cluster[tree.weights > 0]
    heaviest = np.zeros(cluster.max() + 2)  # the last entry is for points without a cluster (−1)
    np.maximum.at(heaviest, home, mass)
    light = (mass < least) & (mass < heaviest[home])
    return np.asarray(light[part])


def _numbered(tree: Tree, cluster: Ints, dropped: Bools | None = None) -> Ints:
    """Number the clusters from the largest mass to the smallest; −1 for dropped points."""
    dropped = np.zeros(tree.n, bool) if dropped is None else dropped
    cluster = hung(tree, cluster)
    dropped = dropped | (cluster < 0)
    n_clusters = int(cluster.max()) + 1
    mass = np.bincount(cluster[~dropped], weights=tree.weights[~dropped], minlength=n_clusters)
    first = np.full(n_clusters, tree.n)
    np.minimum.at(first, cluster[~dropped], np.flatnonzero(~dropped))
    rank = np.empty(n_clusters, np.intp)
    rank[np.lexsort((first, -np.round(mass, 12)))] = np.arange(n_clusters)
    return np.where(dropped, -1, rank[cluster])


def _say_if_fewer(found: int, wanted: int, reason: str) -> None:
    if found < wanted:
        warn(f"found {found} clusters of the {wanted} asked for: {reason}", FewerClustersWarning)
