"""The dendrogram of a tree, with every part of every level contiguous, and the merges that a robust cut removes."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.trees.linkage_jit import lay_out
from .tree import TIE, Tree, linkage_matrix


def between_heavy(tree: Tree) -> Bools:
    """Mark the edges between points with mass."""
    heavy = tree.weights > 0
    return np.asarray(heavy[tree.edges[:, 0]] & heavy[tree.edges[:, 1]])


def separable(tree: Tree) -> Bools:
    """Mark the edges that may be cut: those between different places with mass."""
    return np.asarray(between_heavy(tree) & tree.apart)


class Dendrogram(NamedTuple):
    """The points with mass, and the merges that join them.

    A merge joins, by all edges of one level, several parts to one. A part is connected strictly below that level. Each
    part is a range of positions, and so is the merge, from the start of its first part to the end of its last one.

    Attributes
    ----------
    points : array of int, shape (n,)
        The point at each position.
    gaps : array of int, shape (n−1,)
        The level at which a position and the next one are joined.
    mass_before : array of shape (n+1,)
        The total mass before each position.
    levels : array of int, shape (n_merges,)
        The level of each merge.
    first : array of int, shape (n_merges + 1,)
        The index of the first part of each merge.
    starts, ends : arrays of int, shape (n_parts,)
        The range of positions of each part.
    masses : array of shape (n_parts,)
        The mass of each part.
    open : array of bool, shape (n_merges,)
        Whether the parts of a merge are in different places.
    edges : array of int, shape (n−1,)
        The edges of the tree, sorted by merge.
    first_edge : array of int, shape (n_merges + 1,)
        The index in `edges` of the first edge of each merge.
    """

    points: Ints
    gaps: Ints
    mass_before: Floats
    levels: Ints
    first: Ints
    starts: Ints
    ends: Ints
    masses: Floats
    open: Bools
    edges: Ints
    first_edge: Ints

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """Compute the dendrogram of a tree."""
        heavy, kept = np.flatnonzero(tree.weights > 0), np.flatnonzero(between_heavy(tree))
        level, number = tree.level_of_edges[kept], np.empty(tree.n, np.intp)
        number[heavy] = np.arange(len(heavy))
        Z = linkage_matrix(number[tree.edges[kept]], tree.heights[kept])
        start, merge = np.zeros(2 * len(kept) + 1, np.intp), np.arange(len(kept))
        lay_out(Z, level, start, merge)
        bounds = start[Z[:, 1].astype(np.intp)]  # where the second half of each join starts
        points, gaps = np.empty(len(heavy), np.intp), np.empty(len(kept), np.intp)
        points[start[: len(heavy)]] = heavy
        gaps[bounds - 1] = level
        order = np.argsort(merge * len(heavy) + bounds)  # by merge, then from left to right
        first_edge = np.append(np.flatnonzero(np.diff(merge[order], prepend=-1)), len(kept))
        tops = merge[order][first_edge[:-1]]
        first = first_edge + np.arange(len(first_edge))  # a merge has one more part than edges
        starts, ends = np.insert(bounds[order], first_edge[:-1], start[len(heavy) + tops]), np.empty(first[-1], np.intp)
        ends[:-1] = starts[1:]
        ends[first[1:] - 1] = start[len(heavy) + tops] + Z[tops, 3].astype(np.intp)
        opened = np.zeros(len(tops), bool)
        opened[np.searchsorted(tops, merge[separable(tree)[kept]])] = True
        mass_before = np.append(0.0, np.cumsum(tree.weights[points]))
        masses = mass_before[ends] - mass_before[starts]
        return cls(
            points=points, gaps=gaps, mass_before=mass_before, levels=level[tops], first=first, starts=starts,
            ends=ends, masses=masses, open=opened, edges=kept[order], first_edge=first_edge,
        )  # fmt: skip


class ChosenMerges(NamedTuple):
    """The merges to cut, highest first, the number of clusters, and `surplus`.

    `surplus` is the number of clusters that the next tied merges would make, if that is too many; otherwise 0.
    """

    merges: Ints
    n_clusters: int
    surplus: int


def choose_merges(dendrogram: Dendrogram, min_mass: float, n_clusters: int) -> ChosenMerges:
    """Choose the highest merges with at least two parts of mass ≥ `min_mass`; of equally high ones the most even.

    Tied edges join all their parts at once, and parts are connected strictly below the tie. So no edge of a regular
    grid splits it, whatever the order of its equal edges.
    """
    if len(dendrogram.levels) == 0:
        return ChosenMerges(np.empty(0, np.intp), 1, 0)
    starts, large = dendrogram.first[:-1], dendrogram.masses >= min_mass
    n_large = np.add.reduceat(large.astype(np.intp), starts)
    smallest = np.minimum.reduceat(np.where(large, dendrogram.masses, np.inf), starts)
    merges = np.flatnonzero((n_large > 1) & dendrogram.open)
    merges = merges[np.lexsort((-smallest[merges], -dendrogram.levels[merges]))]
    level, small = dendrogram.levels[merges], smallest[merges]
    tied = (np.diff(level) == 0) & (np.abs(np.diff(small)) <= TIE * small[1:])  # no rule puts one before the other
    ends = np.flatnonzero(np.append(~tied, len(merges) > 0)) + 1  # where a cut of the highest merges may end
    counts = np.append(1, 1 + np.cumsum(n_large[merges] - 1)[ends - 1])  # of clusters, after each possible cut
    n_taken = int(np.searchsorted(counts, n_clusters, side="right")) - 1
    is_short = counts[n_taken] < n_clusters and n_taken < len(ends)
    surplus = int(counts[n_taken + 1]) if is_short else 0
    return ChosenMerges(merges[: np.append(0, ends)[n_taken]], int(counts[n_taken]), surplus)
