"""Positions and clusters of the branches of a dendrogram, computed without recursion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import is_valid_linkage

from .. import _check as check
from .._types import Floats, Ints
from ..hierarchy import Tree, spanning_tree
from .inputs import with_distances

MIXED = int(np.iinfo(np.intp).min)  # label of a node whose leaves belong to several clusters


class Branches(NamedTuple):
    """The n − 1 merges of n leaves. Nodes are numbered as in SciPy: leaves first, then merges by height.

    pairs : (n − 1, 2), the two nodes that each merge joins, the one with more points first
    heights : (2n − 1,), the heights of all nodes
    labels : (2n − 1,), the label that all leaves below a node share, or MIXED
    """

    pairs: Ints
    heights: Floats
    labels: Ints

    @property
    def n(self) -> int:
        """Number of leaves."""
        return len(self.pairs) + 1


def as_tree(shown: Any) -> Tree:
    """Convert a Tree, a fitted SingleLinkage, SciPy's Z, or anything with distances to a Tree."""
    shown = getattr(shown, "tree_", shown)
    if isinstance(shown, Tree):
        return shown
    if isinstance(shown, np.ndarray | list) and np.ndim(shown) == 2 and np.shape(shown)[1] == 4:
        Z = np.array(shown, np.float64)
        if len(Z) != 4 or _is_linkage(Z):  # four rows of four may also be the distances of four points
            return _of_linkage(Z)
    return spanning_tree(with_distances(shown))


def _is_linkage(Z: Floats) -> bool:
    """Whether Z is valid; also checks that every node but the root is joined once, which SciPy does not."""
    return bool(is_valid_linkage(Z)) and np.array_equal(np.sort(Z[:, :2], axis=None), np.arange(2 * len(Z)))


def _of_linkage(Z: Floats) -> Tree:
    """A Tree with the merges of Z. Its edges join arbitrary points of the two sides: cuts and plots do not use them."""
    if not _is_linkage(Z):
        raise ValueError(
            "Z must be a linkage matrix as scipy.cluster.hierarchy.linkage returns it, and this one is invalid"
        )
    heights = check.floats(Z[:, 2], "heights of Z")
    if (np.diff(heights) < 0).any():
        raise ValueError(
            "the heights of Z must not decrease, as they can in centroid and median linkage; use another method"
        )
    n = len(Z) + 1
    leader = np.arange(2 * n - 1)
    edges = np.empty((n - 1, 2), np.intp)
    for k, nodes in enumerate(Z[:, :2].astype(np.intp).tolist()):
        edges[k] = leader[nodes]
        leader[n + k] = edges[k, 0]
    return Tree(edges, heights, np.full(n, 1.0 / n))


def branches(tree: Tree, labels: Ints | None = None) -> Branches:
    """The branches of a tree, each with the label that all points below it share."""
    Z = tree.Z
    pairs, sizes = Z[:, :2].astype(np.intp), np.concatenate([np.ones(tree.n), Z[:, 3]])
    turned = sizes[pairs[:, 0]] < sizes[pairs[:, 1]]
    pairs[turned] = pairs[turned, ::-1]
    below = [0] * tree.n if labels is None else labels.tolist()
    for a, b in pairs.tolist():
        below.append(below[a] if below[a] == below[b] else MIXED)
    return Branches(pairs, np.concatenate([np.zeros(tree.n), Z[:, 2]]), np.array(below, np.intp))


def top(all: Branches, most: int) -> Branches:
    """The highest merges only, over `most` leaves; a leaf stands for its whole subtree, with its height and label."""
    if all.n <= most:
        return all
    pairs = all.pairs[all.n - most :]
    first = 2 * all.n - most  # nodes with this number or a higher one stay
    leaves = np.unique(pairs[pairs < first]) if most > 1 else np.array([first - 1])
    kept = np.concatenate([leaves, np.arange(first, 2 * all.n - 1)])
    number = np.zeros(2 * all.n - 1, np.intp)
    number[kept] = np.arange(len(kept))
    return Branches(number[pairs], all.heights[kept], all.labels[kept])


def leaf_order(tree: Tree) -> Ints:
    """Points in an order in which no branches cross."""
    return np.argsort(places(branches(tree))[: tree.n], kind="stable")


def places(tree: Branches) -> Floats:
    """Positions of the nodes: leaves at 0, 1, … so that no branches cross, merges midway between their two children."""
    n, pairs = tree.n, tree.pairs.tolist()
    sizes = [1] * n
    for a, b in pairs:
        sizes.append(sizes[a] + sizes[b])
    first = [0] * (2 * n - 1)
    for k in range(n - 2, -1, -1):  # from the root down
        a, b = pairs[k]
        first[a], first[b] = first[n + k], first[n + k] + sizes[a]
    along = [float(place) for place in first]
    for k, (a, b) in enumerate(pairs):
        along[n + k] = (along[a] + along[b]) / 2
    return np.array(along)
