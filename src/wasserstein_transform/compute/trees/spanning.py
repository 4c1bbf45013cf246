"""Minimum spanning trees, of distances and of mutual reachability: Borůvka's algorithm over a k-d tree, or Prim's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut_by_size
from ..cells.rows import inverse
from ..metrics.geometry_jit import Geometry, Table, for_thread
from ..neighbors import kdtree_jit as kdtree, nearest
from ..records import Balls, MutualReachabilityTree
from . import reachability_jit as reachability, spanning_jit as spanning_trees
from .spanning_jit import SEARCHES_PER_GROUP

if TYPE_CHECKING:
    from ...spaces import Metric

_STEPS_PER_REPORT = 2e7  # between two progress reports
_MAX_POINTS_FOR_PRIM = 2000  # for fewer points Prim's algorithm is as fast
_MAX_SHARE_OF_LEAVES = 0.1  # if a search visits this share of the leaves of a k-d tree, Prim's algorithm is as fast
_N_PROBES = 64  # searches for estimating this share


def spanning_tree(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights, by the faster algorithm."""
    tree = _prunable_tree(metric, 96.0, engine)
    if tree is not None:
        edges, heights, _ = _boruvka(metric, tree, engine)
        return edges, heights
    geometry, unit = metric.tree_geometry(engine)
    edges, heights = prim(geometry, metric.n, metric.cost, engine)
    return edges, heights * unit


def mutual_reachability_tree(metric: Metric, cores: Floats, engine: Engine) -> MutualReachabilityTree:
    """The tree of max(d(x, y), cores[x], cores[y]), with ties broken by d, by the faster algorithm."""
    tree = _prunable_tree(metric, 144.0, engine)
    if tree is not None:
        return _boruvka(metric, tree, engine, cores)
    geometry, unit = metric.tree_geometry(engine)
    edges, heights, lengths = prim_mutual_reachability(geometry, cores / unit, metric.cost, engine)
    return MutualReachabilityTree(edges, heights * unit, lengths * unit)


def table_and_unit(matrix: Floats, largest: float) -> tuple[Table, float]:
    """Distances for Prim's algorithm, divided by a unit if squares would overflow or underflow."""
    if len(matrix) < 2 or 1e-100 < largest < 1e100:
        return Table(matrix), 1.0
    unit = float(np.ldexp(1.0, np.frexp(largest)[1] - 1)) or 1.0
    return Table(matrix / unit), unit


def tree_of_known(rows: Balls) -> tuple[Ints, Floats]:
    """The tree along known distances; fewer edges if they do not join all points."""
    return _tree_of_ranks(rows, np.unique(rows.distances, return_inverse=True)[1] + 1.0)


def mutual_reachability_tree_of_known(rows: Balls, cores: Floats) -> MutualReachabilityTree:
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


def _prunable_tree(metric: Metric, bytes_per_point: float, engine: Engine) -> kdtree.KdTree | None:
    """The k-d tree of a metric if searches in it visit only few points; in many dimensions they visit most."""
    contraction = metric.contraction() if metric.n >= _MAX_POINTS_FOR_PRIM else None
    if contraction is None:
        return None
    n_bytes = nearest.tree_bytes(contraction) + bytes_per_point * metric.n
    engine.reserve(n_bytes, f"the spanning tree of {metric.n} points", "use fewer points")
    tree, points = nearest.grow_tree(metric, contraction, engine), np.arange(metric.n)
    probes, mixed = points[:: max(1, metric.n // _N_PROBES)], np.full(len(tree.starts), kdtree.MIXED)
    n_visited = spanning_trees.search_outside(
        for_thread(metric.geometry(engine)), tree, points, mixed, np.full((metric.n, 2), np.inf), np.zeros(metric.n),
        probes.copy(), np.empty(len(probes)), np.empty(len(probes), np.intp), np.empty(1), np.empty(1, np.intp),
        *nearest.stack(tree), np.zeros(1, np.uint8),
    )  # fmt: skip
    return tree if n_visited < _MAX_SHARE_OF_LEAVES * (len(tree.starts) // 2 + 1) * len(probes) else None


def prim(geometry: Geometry, n: int, cost: float, engine: Engine, name: str = "spanning tree") -> tuple[Ints, Floats]:
    """Prim's algorithm."""
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    in_tree, nearest, source = np.arange(n) == 0, np.full(n, np.inf), np.zeros(n, np.intp)
    local = for_thread(geometry)

    def extend(last: int, part: slice, stop: Flag) -> int:
        return spanning_trees.prim(local, last, in_tree, nearest, source, edges[part], heights[part], stop)

    _grow(extend, n, cost, engine, name)
    return edges, heights


def prim_mutual_reachability(geometry: Geometry, cores: Floats, cost: float, engine: Engine) -> MutualReachabilityTree:
    """The same for mutual reachability."""
    n = len(cores)
    edges, heights, lengths = tree = _empty_tree(n)
    in_tree, keys, distances, source = np.arange(n) == 0, np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.intp)
    local = for_thread(geometry)

    def extend(last: int, part: slice, stop: Flag) -> int:
        out = edges[part], heights[part], lengths[part]
        return reachability.prim_by_reach(local, cores, last, in_tree, keys, distances, source, *out, stop)

    _grow(extend, n, cost, engine, "spanning tree")
    return tree


def _grow(extend: Callable[[int, slice, Flag], int], n: int, cost: float, engine: Engine, name: str) -> None:
    """Add some edges at a time, from the point added last on; each part needs the one before."""
    parts = cut_by_size(n - 1, max(1, int(_STEPS_PER_REPORT / (n * cost))))

    def work(stop: Flag) -> None:
        last = 0
        for tile in parts:
            last = extend(last, slice(*tile), stop)
            if stop[0]:
                return
            scope.report(name, tile.stop, n - 1)

    with engine.progress_scope() as scope:
        scope.run_single(work, name)


def _empty_tree(n: int) -> MutualReachabilityTree:
    return MutualReachabilityTree(np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1))


def _boruvka(
    metric: Metric, tree: kdtree.KdTree, engine: Engine, cores: Floats | None = None
) -> MutualReachabilityTree:
    """Borůvka's algorithm: in each round, every component is joined with its nearest; without cores by distance."""
    n, order, by_reach = metric.n, tree.order, cores is not None
    cores = np.zeros(n) if cores is None else cores[order]
    position, distances, partner = inverse(order), np.zeros(n), np.full(n, kdtree.NO_POINT)
    keys = _coarse(cores) if by_reach else distances
    min_cores = np.empty(len(tree.starts))
    if by_reach:
        reachability.find_min_cores(tree, cores, min_cores)
    component, node_component = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty((n, 2)), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights, lengths = result = _empty_tree(n)
    geometry, n_edges = metric.geometry(engine), 0

    def search(tile: Tile, stop: Flag) -> None:
        rows = askers[slice(*tile)]
        new_keys, new_partners = np.empty(len(rows)), np.empty(len(rows), np.intp)
        new_distances = np.empty(len(rows)) if by_reach else new_keys
        points = for_thread(geometry), tree
        components, scratch = (component, node_component, limits), (np.empty(1, np.intp), *nearest.stack(tree), stop)
        if by_reach:
            reachability.search_by_reach(
                *points, cores, min_cores, *components, keys, distances, rows, new_keys, new_distances, new_partners,
                np.empty(2), *scratch,
            )  # fmt: skip
        else:
            spanning_trees.search_outside(
                *points, *components, distances, rows, new_distances, new_partners, np.empty(1), *scratch
            )
        if not stop[0]:
            keys[rows], distances[rows], partner[rows] = new_keys, new_distances, new_partners

    with engine.progress_scope() as scope:
        silent = scope.silent()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = spanning_trees.list_searches(component, position, keys, distances, partner, limits, asking)
            spanning_trees.mark_nodes(tree, component, node_component)
            askers = asking[:count].copy()
            silent.for_tiles("spanning tree", cut_by_size(count, SEARCHES_PER_GROUP), search, joined=True)
            chosen = asking[: spanning_trees.first_edges(component, keys, distances, partner, parent, asking)]
            chosen = chosen[np.lexsort((distances[chosen], keys[chosen]))]
            n_edges = spanning_trees.join_components(
                chosen, component, order, position, cores, distances, partner, parent, edges, heights, lengths, n_edges
            )
            scope.report("spanning tree", n_edges, n - 1)
    return result
