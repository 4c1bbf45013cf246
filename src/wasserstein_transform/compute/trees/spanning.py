"""Minimum spanning trees, of distances and of mutual reachability: Borůvka's algorithm over a k-d tree, or Prim's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut_by_size
from ..metrics.geometry_jit import Geometry, Table, for_thread
from ..neighbors.kdtree_jit import MIXED, NO_POINT, KdTree
from ..neighbors.nearest import grow_tree, stack, tree_bytes
from ..records import Balls, MutualReachabilityTree
from . import reachability_jit as reachability, spanning_jit as spanning_trees
from .spanning_jit import TOGETHER

if TYPE_CHECKING:
    from ...spaces import Metric

_STEPS_PER_REPORT = 2e7  # between two progress reports
_MAX_POINTS_FOR_PRIM = 2000  # for fewer points Prim's algorithm is as fast
_MAX_SHARE_OF_LEAVES = 0.1  # if a search visits this share of the leaves of a k-d tree, Prim's algorithm is as fast
_PROBES = 64  # searches for estimating this share


def spanning_tree(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights, by the faster algorithm."""
    tree = _prunable_tree(metric, 96.0, engine)
    if tree is not None:
        return _boruvka(metric, tree, engine)
    geometry, unit = metric.tree_geometry(engine)
    edges, heights = prim(geometry, metric.n, metric.cost, engine)
    return edges, heights * unit


def reach_tree(metric: Metric, cores: Floats, engine: Engine) -> MutualReachabilityTree:
    """The tree of max(d(x, y), cores[x], cores[y]), with ties broken by d, by the faster algorithm."""
    tree = _prunable_tree(metric, 144.0, engine)
    if tree is not None:
        return _boruvka_by_reach(metric, tree, cores, engine)
    geometry, unit = metric.tree_geometry(engine)
    edges, heights, lengths = prim_mutual_reachability(geometry, cores / unit, metric.cost, engine)
    return MutualReachabilityTree(edges, heights * unit, lengths * unit)


def table_and_unit(matrix: Floats, largest: float) -> tuple[Table, float]:
    """Distances for Prim's algorithm, divided by a unit if squares would overflow or underflow."""
    if len(matrix) < 2 or 1e-100 < largest < 1e100:
        return Table(matrix), 1.0
    unit = float(np.ldexp(1.0, np.frexp(largest)[1] - 1)) or 1.0
    return Table(matrix / unit), unit


def known_tree(rows: Balls) -> tuple[Ints, Floats]:
    """The tree along known distances; fewer edges if they do not join all points."""
    return _tree_of_ranks(rows, np.unique(rows.distances, return_inverse=True)[1] + 1.0)


def known_reach_tree(rows: Balls, cores: Floats) -> MutualReachabilityTree:
    """The tree of mutual reachability along known distances, using ranks of the pairs (reach, distance)."""
    owner = np.repeat(np.arange(len(cores)), np.diff(rows.indptr))
    reach = np.maximum(rows.distances, np.maximum(cores[owner], cores[rows.indices]))
    keys = np.column_stack([_coarse(reach), rows.distances])
    edges, lengths = _tree_of_ranks(rows, np.unique(keys, axis=0, return_inverse=True)[1].ravel() + 1.0)
    return MutualReachabilityTree(edges, np.maximum(cores[edges].max(axis=1), lengths), lengths)


def _tree_of_ranks(rows: Balls, ranks: np.ndarray) -> tuple[Ints, Floats]:
    """Edges of the tree of smallest ranks, and distances; ranks, because SciPy treats zeros as missing edges."""
    kind, n = np.int32 if len(ranks) < 2**31 else np.int64, len(rows.indptr) - 1  # older SciPy accepts only int32
    graph = csr_array((ranks, rows.indices.astype(kind), rows.indptr.astype(kind)), shape=(n, n))
    tree = minimum_spanning_tree(graph).tocoo()
    edges = np.column_stack(tree.coords).astype(np.intp)
    by_rank = np.empty(int(ranks.max(initial=0.0)) + 1)
    by_rank[ranks.astype(np.intp)] = rows.distances
    return edges, by_rank[tree.data.astype(np.intp)]


def _coarse(values: Floats) -> Floats:
    """Values rounded as in the kernels for reachability."""
    spread = values * (2.0**23 + 1.0)
    return np.asarray(spread - (spread - values))


def _prunable_tree(metric: Metric, bytes_per_point: float, engine: Engine) -> KdTree | None:
    """The k-d tree of a metric if searches in it visit only few points; in many dimensions they visit most."""
    contraction = metric.contraction() if metric.n >= _MAX_POINTS_FOR_PRIM else None
    if contraction is None:
        return None
    n_bytes = tree_bytes(contraction) + bytes_per_point * metric.n
    engine.reserve(n_bytes, f"the spanning tree of {metric.n} points", "use fewer points")
    tree, alone = grow_tree(metric, contraction, engine), np.arange(metric.n)
    asking, mixed = alone[:: max(1, metric.n // _PROBES)], np.full(len(tree.starts), MIXED)
    seen = spanning_trees.search_outside(
        for_thread(metric.geometry(engine)), tree, alone, mixed, np.full((metric.n, 2), np.inf), np.zeros(metric.n),
        asking.copy(), np.empty(len(asking)), np.empty(len(asking), np.intp), *_slot(), *stack(tree),
        np.zeros(1, np.uint8),
    )  # fmt: skip
    return tree if seen < _MAX_SHARE_OF_LEAVES * (len(tree.starts) // 2 + 1) * len(asking) else None


def _slot() -> tuple[Floats, Ints]:
    """Memory for the distance and the index of one point."""
    return np.empty(1), np.empty(1, np.intp)


def prim(geometry: Geometry, n: int, cost: float, engine: Engine, name: str = "spanning tree") -> tuple[Ints, Floats]:
    """Prim's algorithm, some edges at a time; each part needs the one before."""
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    done = np.zeros(n, np.bool_)
    done[0] = True
    near, source = np.full(n, np.inf), np.zeros(n, np.intp)
    own, stride = for_thread(geometry), max(1, int(_STEPS_PER_REPORT / (n * cost)))

    def work(stop: Flag) -> None:
        here = 0
        for tile in cut_by_size(n - 1, stride):
            part = slice(*tile)
            here = spanning_trees.prim(
                own, here, tile.stop - tile.start, done, near, source, edges[part], heights[part], stop
            )
            if stop[0]:
                return
            watched.report(name, tile.stop, n - 1)

    with engine.progress_scope() as watched:
        watched.run_single(work, name)
    return edges, heights


def prim_mutual_reachability(geometry: Geometry, cores: Floats, cost: float, engine: Engine) -> MutualReachabilityTree:
    """The same for mutual reachability."""
    n = len(cores)
    edges, heights, lengths = out = MutualReachabilityTree(
        np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1)
    )
    done = np.zeros(n, np.bool_)
    done[0] = True
    near, apart, source = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.intp)
    own, stride = for_thread(geometry), max(1, int(_STEPS_PER_REPORT / (n * cost)))

    def work(stop: Flag) -> None:
        here = 0
        for tile in cut_by_size(n - 1, stride):
            part = slice(*tile)
            here = reachability.prim_by_reach(
                own, cores, here, tile.stop - tile.start, done, near, apart, source, edges[part], heights[part],
                lengths[part], stop,
            )  # fmt: skip
            if stop[0]:
                return
            watched.report("spanning tree", tile.stop, n - 1)

    with engine.progress_scope() as watched:
        watched.run_single(work, "spanning tree")
    return out


def _boruvka(metric: Metric, tree: KdTree, engine: Engine) -> tuple[Ints, Floats]:
    n, order = metric.n, tree.order
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    near, which = np.zeros(n), np.full(n, NO_POINT)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty((n, 2)), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    geometry, n_edges = metric.geometry(engine), 0

    def search(tile: Tile, stop: Flag) -> None:
        rows = askers[slice(*tile)]
        distances, others = np.empty(len(rows)), np.empty(len(rows), np.intp)
        spanning_trees.search_outside(
            for_thread(geometry), tree, component, whole, limits, near, rows, distances, others, *_slot(), *stack(tree),
            stop,
        )  # fmt: skip
        if not stop[0]:
            near[rows], which[rows] = distances, others

    with engine.progress_scope() as watched:
        quiet = watched.silent()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = spanning_trees.list_searches(component, where, near, near, which, limits, asking)
            spanning_trees.mark_nodes(tree, component, whole)
            askers = asking[:count].copy()
            quiet.for_tiles("spanning tree", cut_by_size(count, TOGETHER), search, joined=True)
            chosen = asking[: spanning_trees.first_edges(component, near, near, which, parent, asking)]
            chosen = chosen[np.argsort(near[chosen], kind="stable")]
            n_edges = spanning_trees.join_components(
                chosen, component, order, where, near, which, parent, edges, heights, n_edges
            )
            watched.report("spanning tree", n_edges, n - 1)
    return edges, heights


def _boruvka_by_reach(metric: Metric, tree: KdTree, cores: Floats, engine: Engine) -> MutualReachabilityTree:
    n, order, cores = metric.n, tree.order, cores[tree.order]
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    near, apart, which, least = _coarse(cores), np.zeros(n), np.full(n, NO_POINT), np.empty(len(tree.starts))
    reachability.least_cores(tree, cores, least)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty((n, 2)), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights, lengths = out = MutualReachabilityTree(
        np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1)
    )
    geometry, n_edges = metric.geometry(engine), 0

    def search(tile: Tile, stop: Flag) -> None:
        rows = askers[slice(*tile)]
        reaches, distances, others = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows), np.intp)
        reachability.search_by_reach(
            for_thread(geometry), tree, cores, least, component, whole, limits, near, apart, rows, reaches, distances,
            others, np.empty(2), np.empty(1, np.intp), *stack(tree), stop,
        )  # fmt: skip
        if not stop[0]:
            near[rows], apart[rows], which[rows] = reaches, distances, others

    with engine.progress_scope() as watched:
        quiet = watched.silent()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = spanning_trees.list_searches(component, where, near, apart, which, limits, asking)
            spanning_trees.mark_nodes(tree, component, whole)
            askers = asking[:count].copy()
            quiet.for_tiles("spanning tree", cut_by_size(count, TOGETHER), search, joined=True)
            chosen = asking[: spanning_trees.first_edges(component, near, apart, which, parent, asking)]
            chosen = chosen[np.lexsort((apart[chosen], near[chosen]))]
            n_edges = reachability.join_by_reach(
                chosen, component, order, where, cores, apart, which, parent, edges, heights, lengths, n_edges
            )
            watched.report("spanning tree", n_edges, n - 1)
    return out
