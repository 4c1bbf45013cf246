"""The graph of nearest neighbors: links as strong as the neighbors that both ends share, and its communities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._types import Floats, Ints
from ..compute.graphs.modularity_jit import LinkGraph, maximize_modularity, modularity_workspace
from ..hierarchy.labels import number_by_first

RESOLUTIONS = 2.0 ** np.arange(-3.0, 9.0)
"""At which communities are looked for, from few large ones to many small ones."""


class NeighborGraph(NamedTuple):
    """A weighted graph: the matrix of its strengths, and the same as compressed rows with degrees."""

    matrix: csr_array
    links: LinkGraph

    @classmethod
    def of(cls, matrix: csr_array) -> NeighborGraph:
        """The graph of a symmetric matrix of strengths."""
        n = matrix.shape[0]
        degrees = np.bincount(np.repeat(np.arange(n), np.diff(matrix.indptr)), matrix.data, n)
        return cls(
            matrix, LinkGraph(matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp), matrix.data, degrees)
        )

    def partition(self, resolution: float, seed: int = 0, start: Ints | None = None) -> Ints:
        """A partition of large modularity."""
        n = len(self.links.degrees)
        labels = np.arange(n) if start is None else start.copy()
        maximize_modularity(self.links, labels, resolution, seed, modularity_workspace(n, self.matrix.nnz))
        return number_by_first(labels)

    def without_small(self, labels: Ints, mass: Floats, least: float) -> Ints:
        """Small communities join those that they are linked to most, the smallest first."""
        if np.bincount(labels, mass).min() >= least:
            return labels
        communities = _Communities(self.matrix, mass, labels, 0.0)
        while communities.masses.min() < least and len(communities.masses) > 1:
            smallest = int(communities.masses.argmin())
            communities.join(smallest, int(communities.gains[smallest].argmax()))
        return number_by_first(communities.home[labels])

    def merged(self, k: int) -> Ints | None:
        """Communities, merged until k are left, by the least loss of modularity; None if there are fewer."""
        for resolution in RESOLUTIONS.tolist():
            labels = self.partition(resolution, 1, self.partition(resolution))
            if labels.max() + 1 >= k:
                communities = _Communities(self.matrix, np.ones(len(labels)), labels, resolution)
                while len(communities.masses) > k:
                    communities.join(*divmod(int(communities.gains.argmax()), len(communities.gains)))
                return number_by_first(communities.home[labels])
        return None


class _Communities:
    """Communities that are joined: gains in modularity for each two, masses, and the number of each one now."""

    def __init__(self, matrix: csr_array, mass: Floats, labels: Ints, resolution: float) -> None:
        n = len(labels)
        members = csr_array((np.ones(n), labels, np.arange(n + 1)))
        between = (members.T @ matrix @ members).toarray()
        degrees = between.sum(axis=1)
        self.gains = between - resolution * np.outer(degrees, degrees) / max(degrees.sum(), 1e-300)
        np.fill_diagonal(self.gains, -np.inf)
        self.masses = np.bincount(labels, mass)
        self.home = np.arange(len(self.masses))

    def join(self, one: int, other: int) -> None:
        kept, gone = min(one, other), max(one, other)
        self.gains[kept] += self.gains[gone]
        self.gains[:, kept] = self.gains[kept]
        self.gains[kept, kept] = -np.inf
        self.gains = np.delete(np.delete(self.gains, gone, 0), gone, 1)
        self.masses[kept] += self.masses[gone]
        self.masses = np.delete(self.masses, gone)
        self.home = np.where(self.home == gone, kept, self.home)
        self.home -= self.home > gone


def link_strengths(indices: Ints, mass: Floats) -> csr_array:
    """The share of neighbors that two points have in common, the points included, if one is a neighbor of the other."""
    n, k = indices.shape
    near = csr_array((np.ones(n * k), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    near.sort_indices()
    linked = ((near + near.T) > 0).astype(np.float64)
    near.setdiag(1.0)
    common = csr_array(linked.multiply(near @ near.T))
    common.data /= 2 * (k + 1) - common.data
    common.sort_indices()
    ends = np.repeat(np.arange(n), np.diff(common.indptr))
    common.data *= mass[ends] * mass[common.indices]
    return common


def neighbor_graph(indices: Ints, mass: Floats) -> NeighborGraph:
    """The graph of nearest neighbors."""
    return NeighborGraph.of(link_strengths(indices, mass))
