"""Choose among clusters that are equally near."""

from __future__ import annotations

import numpy as np

from .._cached import cached_property
from .._types import Floats, Ints
from .tree import TIE, Tree


class Preference:
    """Choose the heaviest of equally near clusters, then the first one by coordinates.

    `cores` holds the cluster of each point that counts, and −1 for the others. Without coordinates, ties between
    equally heavy clusters stay undecided.
    """

    def __init__(self, tree: Tree, cores: Ints) -> None:
        self._tree, self._cores = tree, cores

    @cached_property
    def _mass(self) -> Floats:
        inside = self._cores >= 0
        return np.asarray(np.bincount(self._cores[inside], weights=self._tree.weights[inside]), np.float64)

    @cached_property
    def _first(self) -> Ints | None:
        points = None if self._tree.space is None else self._tree.space.points
        if points is None:
            return None
        rank, first = np.empty(self._tree.n, np.intp), np.full(len(self._mass), self._tree.n)
        rank[np.lexsort(points.T[::-1])] = np.arange(self._tree.n)
        inside = self._cores >= 0
        np.minimum.at(first, self._cores[inside], rank[inside])
        return first

    def among(self, clusters: Ints) -> int:
        """Choose one of the clusters; −1 if undecided."""
        mass = self._mass[clusters]
        clusters = clusters[mass >= mass.max() * (1 - TIE)]
        if len(clusters) == 1:
            return int(clusters[0])
        return -1 if self._first is None else int(clusters[self._first[clusters].argmin()])

    def each(self, asking: Ints, clusters: Ints, n: int) -> Ints:
        """For each of n items, choose one of the clusters listed with it; −1 for items without clusters."""
        found = np.full(n, -1)
        listed = np.unique(np.column_stack([asking, clusters]), axis=0)
        asking, clusters = listed.T
        starts = np.flatnonzero(np.diff(asking, prepend=-1))
        ends = np.append(starts[1:], len(asking))
        found[asking[starts]] = clusters[starts]
        for k in np.flatnonzero(ends - starts > 1).tolist():
            found[asking[starts[k]]] = self.among(clusters[starts[k] : ends[k]])
        return found
