"""A spanning forest of a graph, with path lengths."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from .._types import Bools, Floats, Ints


class Forest(NamedTuple):
    """Trees joined at an artificial root.

    Attributes
    ----------
    above : array of shape (levels, k + 1)
        The ancestor 1, 2, 4, … levels above each knot; the root is its own ancestor.
    height : array of shape (k + 1,)
        Length of the path to the root.
    depth : array of shape (k + 1,)
        Number of edges of that path.
    tree : array of shape (k + 1,)
        The tree of each knot.
    """

    above: Ints
    height: Floats
    depth: Ints
    tree: Ints

    @classmethod
    def of(cls, n: int, edges: Ints, lengths: Floats) -> Self:
        """Make the forest of n knots from edges without cycles."""
        tree = connected_components(_matrix(n, edges, np.ones(len(edges))), directed=False)[1]
        tops = np.unique(tree, return_index=True)[1]  # the first knot of each tree is joined to the root
        hung = np.concatenate([edges, np.column_stack([np.full(len(tops), n), tops])])
        above = breadth_first_order(_matrix(n + 1, hung, np.ones(len(hung))), n, directed=False)[1].astype(np.intp)
        above[n] = n
        height, depth = np.zeros(n + 1), np.zeros(n + 1, np.intp)
        depth[:n] = 1
        for k in (0, 1):  # each edge's length belongs to its lower end
            low = above[edges[:, k]] == edges[:, 1 - k]
            height[edges[low, k]] = lengths[low]
        levels = [above]
        while (levels[-1] != n).any():
            height, depth = height + height[levels[-1]], depth + depth[levels[-1]]
            levels.append(levels[-1][levels[-1]])
        return cls(np.array(levels), height, depth, np.append(tree, -1))

    def ways(self, pairs: Ints) -> Floats:
        """Return the path length between the knots of each pair; infinite between different trees.

        Examples
        --------
        >>> import numpy as np
        >>> star = Forest.of(5, np.array([[0, 1], [0, 2], [2, 3]]), np.array([1.0, 2.0, 4.0]))
        >>> star.ways(np.array([[1, 3], [2, 3], [3, 3], [1, 4]]))
        array([ 7.,  4.,  0., inf])
        """
        low, high = pairs.T.astype(np.intp)
        swap = self.depth[low] < self.depth[high]
        low, high = np.where(swap, high, low), np.where(swap, low, high)
        lengths = self.height[low] + self.height[high]
        for k in range(len(self.above) - 1, -1, -1):
            climb = self.depth[low] - self.depth[high] >= 2**k
            low = np.where(climb, self.above[k][low], low)
        for above in self.above[::-1]:
            apart = above[low] != above[high]
            low, high = np.where(apart, above[low], low), np.where(apart, above[high], high)
        meet = np.where(low == high, low, self.above[0][low])
        same = self.tree[pairs[:, 0]] == self.tree[pairs[:, 1]]
        return np.where(same, np.maximum(lengths - 2 * self.height[meet], 0.0), np.inf)


def spanning(n: int, edges: Ints) -> Bools:
    """Tell which edges, taken in order, join components that earlier edges do not join (Kruskal)."""
    ranks = np.arange(1.0, len(edges) + 1)
    kept = minimum_spanning_tree(_matrix(n, edges, ranks)).data
    chosen = np.zeros(len(edges), bool)
    chosen[kept.astype(np.intp) - 1] = True
    return chosen


def _matrix(n: int, edges: Ints, values: Floats) -> coo_matrix:
    return coo_matrix((values, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()
