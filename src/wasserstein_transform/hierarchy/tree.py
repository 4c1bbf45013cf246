"""The minimum spanning tree of a metric, which is its single-linkage dendrogram."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile
from ..kernels.boruvka import first_edges, join_components, list_searches, mark_nodes, n_leaves, search_outside
from ..kernels.geometry import private
from ..kernels.kdtree import KdTree
from ..kernels.nearest import MIXED, NOBODY
from ..kernels.trees import join_edges, prim
from ..spaces import Dense, Metric, Space, Sparse, check_space
from ..spaces.nearest import grow_tree, stack, tiles

TIE = 1e-9  # heights that agree to this, relatively, are ties

_STEPS = 2e7  # distances asked for between two looks at Ctrl-C
_FEW = 2000  # points below which Prim's algorithm is as fast
_SHARE = 0.1  # of the leaves of a k-d tree, looked through by a search, from which on it is as fast
_PROBES = 64  # searches to find that out
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
    edges, heights = _tree(metric, engine)
    edges = heavy[edges]
    if len(heavy) < space.n:
        light = np.flatnonzero(space.weights == 0)
        nearest, apart = _nearest(space.metric, light, heavy, engine)
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
    kind = np.int32 if known.nnz < 2**31 else np.int64  # older SciPy takes only the first
    parts = (ranks, known.indices.astype(kind), known.indptr.astype(kind))
    tree = minimum_spanning_tree(csr_array(parts, shape=known.shape)).tocoo()
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


def _tree(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights, by whichever algorithm is faster."""
    shadow = metric.shadow() if metric.n >= _FEW else None
    if shadow is None:
        return _prim(metric, engine)
    tree = grow_tree(metric, shadow, engine)
    return _boruvka(metric, tree, engine) if _prunes(metric, tree) else _prim(metric, engine)


def _prunes(metric: Metric, tree: KdTree) -> bool:
    """Whether searches in the tree look at few of the points; in many dimensions they do not."""
    step = max(1, metric.n // _PROBES)
    alone, mixed = np.arange(metric.n), np.full(len(tree.starts), MIXED)
    seen = n_leaves(private(metric.geometry), tree, alone, mixed, step, *_slot(), *stack(tree))
    return bool(seen < _SHARE * (len(tree.starts) // 2 + 1) * len(range(0, metric.n, step)))


def _slot() -> tuple[Floats, Ints]:
    """Room for the distance and the number of one point."""
    return np.empty(1), np.empty(1, np.intp)


def _boruvka(metric: Metric, tree: KdTree, engine: Engine) -> tuple[Ints, Floats]:
    n, order = metric.n, tree.order
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    near, which = np.zeros(n), np.full(n, NOBODY)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty(n), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    geometry = metric.geometry

    def work(tile: Tile, stop: Flag) -> None:
        search_outside(
            private(geometry), tree, component, whole, limits, asking, tile.start, tile.stop, near, which, *_slot(),
            *stack(tree), stop,
        )  # fmt: skip

    quiet = Engine(engine.n_jobs, None, engine.memory)  # progress is that of the tree, not of a round
    n_edges = 0
    while n_edges < n - 1:
        count = list_searches(component, where, near, which, limits, asking)
        mark_nodes(tree, component, whole)
        quiet.run(work, tiles(count, _SEARCHES), "spanning tree")
        chosen = asking[: first_edges(component, near, which, parent, asking)]
        chosen = chosen[np.argsort(near[chosen], kind="stable")]
        n_edges = join_components(chosen, component, order, where, near, which, parent, edges, heights, n_edges)
        if engine.progress is not None:
            engine.progress("spanning tree", n_edges, n - 1)
    return edges, heights


def _nearest(metric: Metric, light: Ints, heavy: Ints, engine: Engine) -> tuple[Ints, Floats]:
    old, new = metric.take(heavy), metric.take(light)
    if old.shadow() is not None:
        distances, indices = old.neighbors(1, new, engine)
        return heavy[indices[:, 0]], distances[:, 0]
    nearest, apart = np.empty(len(light), np.intp), np.empty(len(light))
    for k, i in enumerate(light):
        row = metric.block(np.array([i]), heavy)[0]
        nearest[k], apart[k] = heavy[row.argmin()], row.min()
    return nearest, apart
