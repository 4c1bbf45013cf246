"""The merges of a tree: which parts its edges join at once."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._types import Bools, Ints
from .tree import TIE, Tree


class Merge(NamedTuple):
    """Edges of one level that join several large parts, and maybe light ones, to one."""

    level: int
    edges: tuple[int, ...]
    n_large: int
    small: float  # mass of the lightest large part: how evenly it splits

    def ties(self, other: Merge) -> bool:
        """Whether nothing says which of the two is to be cut first."""
        return self.level == other.level and abs(self.small - other.small) <= TIE * self.small


def level_of_edges(tree: Tree) -> Ints:
    """The level of each edge, from 0 for the lowest on; edges that tie have the same."""
    return np.asarray(np.searchsorted(tree.levels(), tree.heights), np.intp)


def separable(tree: Tree) -> Bools:
    """Edges between different places with mass: points without any hang from one, and stay with it."""
    return np.asarray(_between_heavy(tree) & (tree.heights > tree.rounding))


def _between_heavy(tree: Tree) -> Bools:
    return np.asarray((tree.weights[tree.edges] > 0).all(axis=1))


def merges_of(tree: Tree, least: float) -> list[Merge]:
    """Merges of at least two parts of the mass `least`, the highest first, and of equal ones the most even.

    Edges that tie join all their parts at once, so parts are what lies strictly below the tie: of a regular grid no
    edge splits anything, in whatever order its equal edges come.
    """
    forest, found = _Forest(tree), list[Merge]()
    heavy, apart = np.flatnonzero(_between_heavy(tree)), separable(tree)
    level = level_of_edges(tree)[heavy]
    starts = [*np.flatnonzero(np.diff(level, prepend=-1)).tolist(), len(heavy)]
    edges = heavy.tolist()
    for start, end in pairwise(starts):
        group = edges[start:end]
        merges = forest.join(group, int(level[start]), least)
        if apart[group[-1]]:
            found += merges
    return sorted(found, key=lambda merge: (-merge.level, -merge.small))


class _Forest:
    """The parts so far, with their masses."""

    def __init__(self, tree: Tree) -> None:
        self._edges = tree.edges.tolist()
        self._parent = list(range(tree.n))
        self._mass = tree.weights.tolist()

    def join(self, group: list[int], level: int, least: float) -> list[Merge]:
        """Join what the edges of one level join; the merges of several large parts."""
        ends = [(self._root(self._edges[k][0]), self._root(self._edges[k][1])) for k in group]
        before = {part: self._mass[part] for pair in ends for part in pair}
        for a, b in ends:
            self._unite(self._root(a), self._root(b))
        edges, parts = dict[int, list[int]](), dict[int, list[float]]()
        for k, (a, _) in zip(group, ends, strict=True):
            edges.setdefault(self._root(a), []).append(k)
        for part, mass in before.items():
            parts.setdefault(self._root(part), []).append(mass)
        large = {whole: [mass for mass in masses if mass >= least] for whole, masses in parts.items()}
        return [
            Merge(level, tuple(edges[whole]), len(masses), min(masses))
            for whole, masses in large.items()
            if len(masses) > 1
        ]

    def _root(self, i: int) -> int:
        parent = self._parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def _unite(self, a: int, b: int) -> None:
        self._parent[b] = a
        self._mass[a] += self._mass[b]
