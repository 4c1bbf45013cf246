"""The minimum spanning tree of a metric, which is its single-linkage dendrogram, and other linkages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .. import _check as check
from .._archive import archived, check_array, check_range
from .._display import HasPlot, facts, in_range
from .._types import Bools, Floats, Ints, cached_property
from ..compute.trees.linkage_jit import join_edges
from ..engine import Engine, current
from ..spaces import Metric, Space, check_space, nearest_among

TIE = 1e-9  # relative tolerance of tied heights and of equal masses
_ROUNDING = 1e-14  # rounding of a distance, relative to the largest coordinate it is computed from


@archived
@dataclass(frozen=True, eq=False)
class Tree(HasPlot):
    """A spanning tree of n weighted points, with edges sorted by height. `spanning_tree` returns it.

    Attributes
    ----------
    edges : array of int, shape (n−1, 2)
        The two points of each edge: the smaller index first, or, for a point without mass, the point it is attached to.
    heights : array of shape (n−1,)
        The heights of the edges in ascending order, in the unit of the distances.
    weights : array of shape (n,)
        Masses of the points.
    space : Space, or None
        The space of the points, for breaking ties. None if the tree was loaded from a file.
    lengths : array of shape (n−1,), or None
        For mutual reachability, the distances between the ends of edges, ascending among equal heights. None otherwise.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [1.0], [5.0]]))
    >>> tree
    <Tree of 3 points, heights 1 to 4>
    >>> tree.edges.tolist(), tree.heights
    ([[0, 1], [1, 2]], array([1., 4.]))
    >>> tree.Z[-1]
    array([2., 3., 4., 3.])
    """

    edges: Ints
    heights: Floats
    weights: Floats
    space: Space | None = None
    lengths: Floats | None = None

    def __repr__(self) -> str:
        if self.n == 1:
            return "<Tree of 1 point>"
        return f"<Tree of {self.n} points, heights {self.heights[0]:.4g} to {self.heights[-1]:.4g}>"

    def _repr_html_(self) -> str:
        return facts("Tree", {"points": self.n, "levels": len(self.levels()), "heights": in_range(self.heights)})

    def _archive_state(self) -> dict[str, Any]:
        state = {"edges": self.edges, "heights": self.heights, "weights": self.weights}
        return state if self.lengths is None else {**state, "lengths": self.lengths}

    def _check_archived(self) -> None:
        check_array(self.weights, "weights", "f", None)
        check_range(self.weights, "weights", 0.0)
        check_array(self.edges, "edges", "i", self.n - 1, 2)
        check_range(self.edges, "ends of edges", 0, self.n - 1)
        check_array(self.heights, "heights", "f", self.n - 1)
        check_range(np.diff(self.heights, prepend=0.0), "steps between heights", 0.0)
        if self.lengths is not None:
            check_array(self.lengths, "lengths", "f", self.n - 1)
            check_range(self.heights - self.lengths, "heights above lengths", 0.0)
        joined = csr_array((np.ones(self.n - 1), tuple(self.edges.T)), shape=(self.n, self.n))
        if connected_components(joined, directed=False)[0] > 1:
            raise ValueError("edges must join all points")

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.weights)

    @cached_property
    def Z(self) -> Floats:
        """SciPy's linkage matrix, shape (n−1, 4)."""
        return linkage_matrix(self.edges, self.heights)

    def levels(self) -> Floats:
        """Return the distinct heights in ascending order; a group of ties is represented by its highest."""
        if self.n == 1:
            return np.empty(0)
        gaps = np.diff(self.heights) > np.maximum(TIE * self.heights[1:], self._roundings)
        return np.asarray(self.heights[np.append(np.flatnonzero(gaps), self.n - 2)])

    @cached_property
    def level_of_edges(self) -> Ints:
        """The level of each edge, from 0 for the lowest; tied edges have the same level.

        For mutual reachability, many edges have the height of one core distance; they tie only if their lengths tie.
        """
        level = np.asarray(np.searchsorted(self.levels(), self.heights), np.intp)
        if self.lengths is None or self.n == 1:
            return level
        gaps = np.diff(self.lengths) > np.maximum(TIE * self.lengths[1:], self._roundings)
        return np.append(0, np.cumsum(gaps | (np.diff(level) > 0)))

    @property
    def _roundings(self) -> Floats:
        """The rounding error of each pair of consecutive edges."""
        return np.maximum(self.rounding[:-1], self.rounding[1:])

    @property
    def apart(self) -> Bools:
        """Mark the edges between different places."""
        return np.asarray((self.heights if self.lengths is None else self.lengths) > self.rounding)

    @cached_property
    def rounding(self) -> Floats:
        """The rounding error of each height: closer points are in one place, and closer heights are ties."""
        places = None if self.space is None else self.space.metric.coordinates
        if places is None:
            return np.full(self.n - 1, _ROUNDING * self.heights.max(initial=0.0))
        return np.asarray(_ROUNDING * np.abs(places).max(axis=1)[self.edges].max(axis=1))


def spanning_tree(space: Space, engine: Engine | None = None, *, reachability: int = 0) -> Tree:
    """Compute the minimum spanning tree of a space, which is its single-linkage dendrogram.

    Points without mass are leaves attached to the nearest point with mass: they join clusters and never connect two.

    Parameters
    ----------
    space : Space
        The space, with n points.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.
    reachability : int, default 0
        0: the tree of the distances d. k > 0: the tree of mutual reachability, max(d(x, y), core(x), core(y)), where
        core is the distance to the k-th nearest other point. Points in sparse regions are then far from all others, so
        that noise connects clusters less often (Campello, Moulavi and Sander 2013). Heights that are equal to 1e-9 are
        sorted by d, and tie only if d ties. With weights, core is the smallest radius whose closed ball holds the mass
        of k + 1 points. The mass of one point is the smallest weight if all weights are whole multiples of it, so that
        weight j acts like j copies; otherwise it is the mean weight.

    Returns
    -------
    Tree
        The tree, with edges sorted by height.

    Notes
    -----
    O(n²) distances at worst, fewer for coordinates in few dimensions. Memory O(n) in addition to the metric.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]])
    >>> wt.hierarchy.spanning_tree(space).heights
    array([1., 1., 7.])
    >>> wt.hierarchy.spanning_tree(space, reachability=2).heights
    array([2., 2., 8.])
    """
    check_space(space)
    reachability = check.count(reachability, "reachability", 0)
    space.metric.check_joined()
    with current(engine).progress_scope() as watched:
        heavy = np.flatnonzero(space.weights > 0)
        metric = space.metric.take(heavy) if len(heavy) < space.n else space.metric
        lengths = None
        if reachability == 0:
            edges, heights = metric.spanning_tree(watched)
        else:
            cores = core_distances(metric, space.weights[heavy], reachability, watched)
            edges, heights, lengths = metric.reach_tree(cores, watched)
        light = np.flatnonzero(space.weights == 0)
        hosts = nearest_among(space.metric, light, heavy, 1, watched)
    host_distances = hosts.distances[:, 0]
    n_parts = len(heavy) - len(edges) + int(np.count_nonzero(np.isinf(host_distances)))
    space.metric.check_joined(n_parts)
    edges = np.concatenate([np.sort(heavy[edges], axis=1), np.column_stack([hosts.indices, light])])
    heights = np.concatenate([heights, host_distances])
    order = np.argsort(heights, kind="stable")
    if lengths is None:
        return Tree(edges[order], heights[order], space.weights, space)
    lengths = np.concatenate([lengths, host_distances])
    level = Tree(edges[order], heights[order], space.weights, space).level_of_edges
    order = order[np.lexsort((lengths[order], level))]
    return Tree(edges[order], np.maximum.accumulate(heights[order]), space.weights, space, lengths[order])


def core_distances(metric: Metric, weights: Floats, k: int, engine: Engine) -> Floats:
    """The distance of each point to its k-th nearest other point; all points have positive weight.

    With weights it is the smallest radius whose closed ball holds the mass of k + 1 points. The mass of one point is
    the smallest weight if all weights are whole multiples of it, so that weight j acts like j copies. Otherwise it is
    the mean weight.
    """
    min_weight = float(weights.min())
    copies = weights / min_weight
    counted = (np.abs(copies - np.round(copies)) <= TIE * copies).all()
    mass = copies if counted else weights / float(weights.mean())
    n_copies = float(mass.sum())
    if k + 1 > n_copies * (1 + TIE):
        n_others = int(n_copies * (1 + TIE)) - 1
        raise ValueError(f"reachability must be at most {n_others}, the number of other points, got {k}")
    cores, missing = np.zeros(metric.n), np.flatnonzero(mass < (k + 1) * (1 - TIE))
    n_near = min(k, metric.n - 1)
    while len(missing):
        neighbors = metric.derived.neighbors
        if neighbors is None or neighbors.indices.shape[1] < n_near:
            neighbors = metric.neighbors(n_near, engine=engine)
        mass_within = mass[missing, None] + np.cumsum(mass[neighbors.indices[missing, :n_near]], axis=1)
        enough = mass_within >= (k + 1) * (1 - TIE)
        full = enough[:, -1]
        cores[missing[full]] = neighbors.distances[missing[full], enough[full].argmax(axis=1)]
        missing, n_near = missing[~full], min(2 * n_near, metric.n - 1)
    return cores


def linkage(space: Space | ArrayLike, *, engine: Engine | None = None) -> Floats:
    """Compute the single linkage of a space as SciPy's linkage matrix `Z`; points of weight 0 never connect others.

    SciPy's `linkage(space.metric.condensed(), method)` gives average, complete and other linkages.

    Parameters
    ----------
    space : Space, or array of shape (n, m)
        The points; an array means Euclidean distances.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    array of shape (n−1, 4)
        SciPy's linkage matrix: the two merged clusters, their distance, and the size of the new cluster.

    Notes
    -----
    O(n²) distances at worst, memory O(n) in addition to the metric.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.hierarchy.linkage([[0.0], [1.0], [5.0]])
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    return spanning_tree(space if isinstance(space, Space) else Space.from_points(space), engine).Z


def linkage_matrix(edges: Ints, heights: Floats) -> Floats:
    """SciPy's linkage matrix of a tree, from its edges sorted by height."""
    n = len(edges) + 1
    out = np.empty((n - 1, 4))
    join_edges(edges, heights, np.arange(n), np.arange(n), np.ones(n), out)
    return out
