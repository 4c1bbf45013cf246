"""The minimum spanning tree of a metric, which is its single-linkage dendrogram."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile
from ..kernels.boruvka import join_components, list_searches, mark_nodes, search_outside
from ..kernels.geometry import private
from ..kernels.nearest import NOBODY
from ..kernels.trees import join_edges, prim
from ..spaces import Dense, Metric, Space, Sparse, check_space
from ..spaces.nearest import grow_tree, stack, tiles

TIE = 1e-9  # heights that agree to this, relatively, are ties

_STEPS = 2e7  # distances asked for between two looks at Ctrl-C
_FEW = 1000  # points for which Prim's algorithm is as fast
_WIDE = 40  # axes of a shadow from which on a tree over it prunes too little
_SEARCHES = 512  # of a tile: a few milliseconds


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
    engine = engine or Engine()
    heavy = np.flatnonzero(space.weights > 0)
    metric = space.metric.take(heavy) if len(heavy) < space.n else space.metric
    shadow = metric.shadow()
    if shadow is None or metric.n < _FEW or shadow.shape[1] > _WIDE:
        edges, heights = _prim(metric, engine)
    else:
        edges, heights = _boruvka(metric, shadow, engine)
    edges = heavy[edges]
    if len(heavy) < space.n:
        light = np.flatnonzero(space.weights == 0)
        if shadow is None:
            nearest, apart = _nearest(space.metric, light, heavy)
        else:
            found = metric.neighbors(1, space.metric.take(light), engine)
            nearest, apart = heavy[found.indices[:, 0]], found.distances[:, 0]
        if isinstance(space.metric, Sparse) and not np.isfinite(apart).all():
            raise ValueError(_too_far(space.metric, 1 + int(np.count_nonzero(np.isinf(apart)))))
        edges = np.concatenate([edges, np.column_stack([nearest, light])])
        heights = np.concatenate([heights, apart])
    order = np.argsort(heights, kind="stable")
    return Tree(edges[order], heights[order], space.weights)


def _known_edges(metric: Sparse) -> tuple[Ints, Floats]:
    """The tree along known distances, by their ranks: SciPy takes zeros for no edge."""
    known = metric.matrix()
    ranks = np.unique(known.data, return_inverse=True)[1] + 1.0
    tree = minimum_spanning_tree(csr_array((ranks, known.indices, known.indptr), shape=known.shape)).tocoo()
    if tree.nnz < metric.n - 1:
        raise ValueError(_too_far(metric, metric.n - tree.nnz))
    edges = np.column_stack(tree.coords).astype(np.intp)
    return edges, metric.pairs(edges[:, 0], edges[:, 1])


def _too_far(metric: Sparse, n_parts: int) -> str:
    return (
        f"distances are known up to {metric.radius:g} only, and the points fall into {n_parts} parts "
        "that are farther apart; ask for a larger radius"
    )


def _prim(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    if isinstance(metric, Sparse):
        return _known_edges(metric)
    if isinstance(metric, Dense) and metric.n > 1 and not 1e-100 < metric.matrix.max() < 1e100:
        unit = np.ldexp(1.0, np.frexp(metric.matrix.max())[1] - 1) or 1.0  # squares would leave the range of floats
        edges, heights = _grow(Dense(metric.matrix / unit), engine)
        return edges, heights * unit
    return _grow(metric, engine)


def _grow(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    n = metric.n
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    done = np.zeros(n, np.bool_)
    done[0] = True
    near, source = np.full(n, np.inf), np.zeros(n, np.intp)
    geometry = private(metric.geometry)
    stride = max(1, int(_STEPS / (n * metric.steps)))
    here = 0

    def grow(tile: Tile, stop: Flag) -> None:
        nonlocal here
        part = slice(tile.start, tile.stop)
        here = prim(geometry, here, tile.stop - tile.start, done, near, source, edges[part], heights[part], stop)

    # each piece needs the one before: one thread, however many there are
    tiles = [Tile(k, min(k + stride, n - 1)) for k in range(0, n - 1, stride)]
    Engine(1, engine.progress, engine.memory).run(grow, tiles, "spanning tree")
    return edges, heights


def _boruvka(metric: Metric, shadow: Floats, engine: Engine) -> tuple[Ints, Floats]:
    n = metric.n
    tree = grow_tree(metric, shadow, engine)
    where = np.empty(n, np.intp)
    where[tree.order] = np.arange(n)
    near, which = np.zeros(n), np.full(n, NOBODY)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty(n), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    quiet = Engine(engine.n_jobs, None, engine.memory)

    def work(tile: Tile, stop: Flag) -> None:
        search_outside(
            private(metric.geometry), tree, component, whole, limits, asking, tile.start, tile.stop, near, which,
            np.empty(1), np.empty(1, np.intp), *stack(tree), stop,
        )  # fmt: skip

    n_edges = 0
    while n_edges < n - 1:
        count = list_searches(component, where, near, which, limits, asking)
        mark_nodes(tree, component, whole)
        quiet.run(work, tiles(count, _SEARCHES), "spanning tree")
        n_edges = join_components(component, tree.order, where, near, which, asking, parent, edges, heights, n_edges)
        if engine.progress is not None:
            engine.progress("spanning tree", n_edges, n - 1)
    return edges, heights


def _nearest(metric: Metric, light: Ints, heavy: Ints) -> tuple[Ints, Floats]:
    nearest, apart = np.empty(len(light), np.intp), np.empty(len(light))
    for k, i in enumerate(light):
        row = metric.block(np.array([i]), heavy)[0]
        nearest[k], apart[k] = heavy[row.argmin()], row.min()
    return nearest, apart
