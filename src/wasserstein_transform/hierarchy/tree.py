"""The minimum spanning tree of a metric, which is its single-linkage dendrogram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._archive import archived
from .._cached import cached_property
from .._types import Floats, Ints
from ..backends import backend_of
from ..backends.host import join_edges
from ..engine import Engine, current
from ..spaces import Metric, Space, check_space

TIE = 1e-9  # heights that agree to this, relatively, are ties


@archived
@dataclass(frozen=True, eq=False)
class Tree:
    """A spanning tree of weighted points, edges sorted by height.

    Attributes
    ----------
    edges : array of shape (n−1, 2)
    heights : array of shape (n−1,)
        Non-decreasing.
    weights : array of shape (n,)
        Masses of the points.
    """

    edges: Ints
    heights: Floats
    weights: Floats

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.weights)

    @cached_property
    def Z(self) -> Floats:
        """SciPy's linkage matrix."""
        out = np.empty((self.n - 1, 4))
        join_edges(self.edges, self.heights, out)
        return out

    def levels(self) -> Floats:
        """The distinct heights, ties counted once (the highest of each group of ties)."""
        if self.n == 1:
            return np.empty(0)
        gaps = np.diff(self.heights) > TIE * self.heights[1:]
        return np.asarray(self.heights[np.append(np.flatnonzero(gaps), self.n - 2)])


def spanning_tree(space: Space, engine: Engine | None = None) -> Tree:
    """The minimum spanning tree of a space, from distances asked for one by one: O(n) memory for lazy metrics.

    Points without mass hang as leaves from the nearest point with mass: they join clusters and never connect two.
    """
    check_space(space)
    space.metric.check_joined()
    with current(engine).watched() as watched:
        heavy = np.flatnonzero(space.weights > 0)
        metric = space.metric.take(heavy) if len(heavy) < space.n else space.metric
        edges, heights = backend_of(watched).spanning_tree(metric.form, watched)
        light = np.flatnonzero(space.weights == 0)
        nearest, apart = _nearest(space.metric, light, heavy, watched)
    n_parts = len(heavy) - len(edges) + int(np.count_nonzero(np.isinf(apart)))
    space.metric.check_joined(n_parts)
    edges = np.concatenate([heavy[edges], np.column_stack([nearest, light])])
    heights = np.concatenate([heights, apart])
    order = np.argsort(heights, kind="stable")
    return Tree(edges[order], heights[order], space.weights)


def _nearest(metric: Metric, light: Ints, heavy: Ints, engine: Engine) -> tuple[Ints, Floats]:
    """The nearest point with mass of each without."""
    if len(light) == 0:
        return np.empty(0, np.intp), np.empty(0)
    if metric.places is not None:
        distances, indices = metric.take(heavy).neighbors(1, metric.take(light), engine)
        return heavy[indices[:, 0]], distances[:, 0]
    nearest, apart = np.empty(len(light), np.intp), np.empty(len(light))
    for k, i in enumerate(light):
        row = metric.block(np.array([i]), heavy, engine)[0]
        nearest[k], apart[k] = heavy[row.argmin()], row.min()
    return nearest, apart
