"""A tree laid out in a row: in the right order of points, every part of every level is a run of neighbors."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from .._types import Bools, Floats, Ints
from ..backends.host import join_edges
from .tree import Tree


def between_heavy(tree: Tree) -> Bools:
    """Edges between points with mass."""
    return np.asarray((tree.weights[tree.edges] > 0).all(axis=1))


def separable(tree: Tree) -> Bools:
    """Edges between different places with mass: points without any hang from one, and stay with it."""
    return np.asarray(between_heavy(tree) & tree.apart)


class Dendrogram(NamedTuple):
    """The points with mass, and the merges that join them.

    A merge is all that edges of one level join to one part. Its parts, what lies strictly below its level, are runs of
    positions; so is the whole, from the start of its first part to the end of its last.

    Attributes
    ----------
    points : array of shape (n,)
        The point at each position.
    gaps : array of shape (n−1,)
        The level at which a position and the next one are joined.
    mass_before : array of shape (n+1,)
        The mass of all positions before each.
    levels : array of shape (n_merges,)
    first : array of shape (n_merges + 1,)
        Where the parts of each merge begin among all parts.
    starts, ends : arrays of shape (n_parts,)
    open : array of shape (n_merges,)
        Whether its parts are in different places.
    edges, first_edge : arrays of shape (n−1,), (n_merges + 1,)
        The edges of the tree, merge by merge.
    """

    points: Ints
    gaps: Ints
    mass_before: Floats
    levels: Ints
    first: Ints
    starts: Ints
    ends: Ints
    open: Bools
    edges: Ints
    first_edge: Ints

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """The dendrogram of a tree."""
        heavy, kept = np.flatnonzero(tree.weights > 0), np.flatnonzero(between_heavy(tree))
        level, number = tree.level_of_edges[kept], np.empty(tree.n, np.intp)
        number[heavy] = np.arange(len(heavy))
        Z = np.empty((len(kept), 4))
        join_edges(number[tree.edges[kept]], tree.heights[kept], Z)
        start, bounds, merge = _laid_out(Z, level)
        points, gaps = np.empty(len(heavy), np.intp), np.empty(len(kept), np.intp)
        points[start[: len(heavy)]] = heavy
        gaps[bounds - 1] = level
        order = np.lexsort((bounds, merge))  # merge by merge, each from left to right
        first_edge = np.append(np.flatnonzero(np.diff(merge[order], prepend=-1)), len(kept))
        tops = merge[order][first_edge[:-1]]
        first = first_edge + np.arange(len(first_edge))  # one part more than edges
        starts, ends = np.insert(bounds[order], first_edge[:-1], start[len(heavy) + tops]), np.empty(first[-1], np.intp)
        ends[:-1] = starts[1:]
        ends[first[1:] - 1] = start[len(heavy) + tops] + Z[tops, 3].astype(np.intp)
        opened = np.zeros(len(tops), bool)
        opened[np.searchsorted(tops, merge[separable(tree)[kept]])] = True
        mass_before = np.append(0.0, np.cumsum(tree.weights[points]))
        return cls(points, gaps, mass_before, level[tops], first, starts, ends, opened, kept[order], first_edge)

    @property
    def masses(self) -> Floats:
        """The masses of all parts."""
        return np.asarray(self.mass_before[self.ends] - self.mass_before[self.starts])


def _laid_out(Z: Floats, level: Ints) -> tuple[Ints, Ints, Ints]:
    """Where each point and each join begins, where the second half of a join does, and the last join of its merge."""
    n = len(Z) + 1
    one, other = Z[:, 0].astype(np.intp), Z[:, 1].astype(np.intp)
    size, levels = np.append(np.ones(n, np.intp), Z[:, 3].astype(np.intp)), np.append(np.full(n, -1), level)
    joins = np.arange(n, 2 * n - 1)
    above, start = np.full(2 * n - 1, 2 * n - 2), np.zeros(2 * n - 1, np.intp)
    above[one] = above[other] = joins
    start[other] = size[one]
    merge = np.where(levels[above] == levels, above, np.arange(2 * n - 1))
    while (above < 2 * n - 2).any():  # twice as far up each time
        start += start[above]
        above = above[above]
    while (merge[merge] != merge).any():
        merge = merge[merge]
    return start, start[other], merge[joins] - n
