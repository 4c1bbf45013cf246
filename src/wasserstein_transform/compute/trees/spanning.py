"""Minimum spanning trees, of distances and of mutual reachability: Borůvka's algorithm over a k-d tree, or Prim's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut_by_size
from ..cells.rows import inverse
from ..jit import plain
from ..metrics.geometry_jit import Geometry, Table, for_thread
from ..neighbors import kdtree_jit as kdtree, nearest
from ..records import Balls, MutualReachabilityTree
from . import spanning_jit as kernel

if TYPE_CHECKING:
    from ...spaces import Metric

_coarse = plain(kernel.coarse)
_STEPS_PER_REPORT = 2e7  # between two progress reports
_MAX_POINTS_FOR_PRIM = 2000  # for fewer points Prim's algorithm is as fast
_MAX_SHARE_OF_LEAVES = 0.1  # if a search visits this share of the leaves of a k-d tree, Prim's algorithm is as fast
_N_PROBES = 64  # searches for estimating this share


def spanning_tree(metric: Metric, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights of a minimum spanning tree."""
    tree = _prunable_tree(metric, engine)
    if tree is not None:
        return _boruvka(metric, tree, np.zeros(metric.n), engine)[:2]
    geometry, unit = metric.tree_geometry(engine)
    edges, heights = prim(geometry, metric.n, None, metric.cost, engine)[:2]
    return edges, heights * unit


def mutual_reachability_tree(metric: Metric, cores: Floats, engine: Engine) -> MutualReachabilityTree:
    """The tree of max(d(x, y), cores[x], cores[y]), with ties broken by d, by the faster algorithm."""
    tree = _prunable_tree(metric, engine)
    if tree is not None:
        return _boruvka(metric, tree, cores, engine)
    geometry, unit = metric.tree_geometry(engine)
    edges, heights, lengths = prim(geometry, metric.n, cores / unit, metric.cost, engine)
    return MutualReachabilityTree(edges, heights * unit, lengths * unit)


def table_and_unit(matrix: Floats, largest: float) -> tuple[Table, float]:
    """Distances for Prim's algorithm, divided by a unit if squares would overflow or underflow."""
    if len(matrix) < 2 or 1e-100 < largest < 1e100:
        return Table(matrix), 1.0
    unit = float(np.ldexp(1.0, np.frexp(largest)[1] - 1)) or 1.0
    return Table(matrix / unit), unit


def tree_of_known(rows: Balls, cores: Floats) -> MutualReachabilityTree:
    """The tree of mutual reachability along known distances; fewer edges if they do not join all points."""
    n, distances = len(cores), rows.distances
    reach = np.maximum(distances, np.maximum(np.repeat(cores, np.diff(rows.indptr)), cores[rows.indices]))
    keys = _coarse(reach)
    order = np.lexsort((distances, keys))
    rises = (np.diff(keys[order], prepend=-1.0) > 0) | (np.diff(distances[order], prepend=-1.0) > 0)
    ranks = np.empty(len(order))  # because SciPy treats zeros as missing edges
    ranks[order] = np.cumsum(rises)
    kind = np.int32 if len(ranks) < 2**31 else np.int64  # older SciPy accepts only int32
    graph = csr_array((ranks, rows.indices.astype(kind), rows.indptr.astype(kind)), shape=(n, n))
    tree = minimum_spanning_tree(graph).tocoo()
    edges = np.stack([tree.row, tree.col], axis=1).astype(np.intp)
    values = distances[order[rises]]
    lengths = values[tree.data.astype(np.intp) - 1]
    return MutualReachabilityTree(edges, np.maximum(cores[edges].max(axis=1), lengths), lengths)


def _prunable_tree(metric: Metric, engine: Engine) -> kdtree.KdTree | None:
    """The k-d tree of a metric if searches in it visit only few points; in many dimensions they visit most."""
    n, contraction = metric.n, metric.contraction() if metric.n >= _MAX_POINTS_FOR_PRIM else None
    if contraction is None:
        return None
    n_bytes = nearest.tree_bytes(contraction) + 144.0 * n
    engine.reserve(n_bytes, f"the spanning tree of {n} points", "use fewer points")
    tree, zeros = nearest.grow_tree(metric, contraction, engine), np.zeros(n)
    probes, mixed = np.arange(n)[:: max(1, n // _N_PROBES)].copy(), np.full(len(tree.starts), kdtree.MIXED)
    pairs = np.empty(len(probes)), np.empty(len(probes)), np.empty(len(probes), np.intp)
    n_visited = kernel.search_outside(
        for_thread(metric.geometry(engine)), tree, zeros, np.zeros(len(mixed)), np.arange(n), mixed,
        np.full((n, 2), np.inf), zeros, zeros, probes, *pairs, np.empty(2), np.empty(1, np.intp),
        *nearest.stack(tree), np.zeros(1, np.uint8),
    )  # fmt: skip
    return tree if n_visited < _MAX_SHARE_OF_LEAVES * (len(tree.starts) // 2 + 1) * len(probes) else None


def prim(
    geometry: Geometry, n: int, cores: Floats | None, cost: float, engine: Engine, name: str = "spanning tree"
) -> MutualReachabilityTree:
    """Prim's algorithm, some edges at a time: each part needs the one before. Without cores, heights are lengths."""
    edges, heights, lengths = tree = _empty_tree(n)
    in_tree, keys, distances, source = np.arange(n) == 0, np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.intp)
    local = for_thread(geometry)

    def work(stop: Flag) -> None:
        last = 0
        for tile in cut_by_size(n - 1, max(1, int(_STEPS_PER_REPORT / (n * cost)))):
            part = slice(*tile)
            out = edges[part], heights[part], lengths[part]
            if cores is None:
                last = kernel.prim_of_distances(local, last, in_tree, keys, source, *out[:2], stop)
                lengths[part] = heights[part]
            else:
                last = kernel.prim(local, cores, last, in_tree, keys, distances, source, *out, stop)
            if stop[0]:
                return
            scope.report(name, tile.stop, n - 1)

    with engine.progress_scope() as scope:
        scope.run_single(work, name)
    return tree


def _empty_tree(n: int) -> MutualReachabilityTree:
    return MutualReachabilityTree(np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1))


def _boruvka(metric: Metric, tree: kdtree.KdTree, cores: Floats, engine: Engine) -> MutualReachabilityTree:
    """Borůvka's algorithm: in each round, every component is joined with its nearest."""
    n, order, cores = metric.n, tree.order, cores[tree.order]
    position, keys, distances = inverse(order), _coarse(cores), np.zeros(n)
    partner, min_cores = np.full(n, kdtree.NO_POINT), np.empty(len(tree.starts))
    kernel.find_min_cores(tree, cores, min_cores)
    component, node_component = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty((n, 2)), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights, lengths = result = _empty_tree(n)
    geometry, n_edges = metric.geometry(engine), 0

    def search(tile: Tile, stop: Flag) -> None:
        rows = askers[slice(*tile)]
        pairs = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows), np.intp)
        kernel.search_outside(
            for_thread(geometry), tree, cores, min_cores, component, node_component, limits, keys, distances, rows,
            *pairs, np.empty(2), np.empty(1, np.intp), *nearest.stack(tree), stop,
        )  # fmt: skip
        if not stop[0]:
            keys[rows], distances[rows], partner[rows] = pairs

    with engine.progress_scope() as scope:
        silent = scope.silent()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = kernel.list_searches(component, position, keys, distances, partner, limits, asking)
            kernel.mark_nodes(tree, component, node_component)
            askers = asking[:count].copy()
            silent.for_tiles("spanning tree", cut_by_size(count, kernel.SEARCHES_PER_GROUP), search, joined=True)
            chosen = asking[: kernel.first_edges(component, keys, distances, partner, parent, asking)]
            chosen = chosen[np.lexsort((distances[chosen], keys[chosen]))]
            n_edges = kernel.join_components(
                chosen, component, order, position, cores, distances, partner, parent, edges, heights, lengths, n_edges
            )
            scope.report("spanning tree", n_edges, n - 1)
    return result
