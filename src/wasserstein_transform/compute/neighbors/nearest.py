"""Points near every point: closed balls, points that coincide, and nearest neighbors.

Nearest neighbors are found by k-d trees, and among many columns by matrix products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut_by_cost, cut_by_size, to_host
from ..cells.cells_jit import sort_balls
from ..cells.rows import for_tiles, inverse, lexical_order, sample_evenly
from ..metrics.distances import closed
from ..metrics.geometry_jit import for_thread
from ..records import Balls, KNeighbors
from . import kdtree_jit as kdtree, products
from .balls_jit import count_balls, fill_balls, find_leaders

if TYPE_CHECKING:
    from ...spaces import Metric

_MAX_PAIRS_TO_SORT_AT_ONCE = 1 << 16  # NumPy sorts fewer as fast


def balls(metric: Metric, radius: float, engine: Engine) -> Balls:
    """The closed balls of the given radius around every point: counted first, then filled."""
    index, limit = metric.search(radius, engine), closed(radius)
    geometry, cells, longest = metric.geometry_near(index, radius, engine), index.cells, index.longest_run
    tiles, counts = index.tiles(metric.cost), np.empty(metric.n, np.intp)

    def count(tile: Tile, stop: Flag) -> None:
        part = counts[slice(*tile)]
        count_balls(for_thread(geometry), cells, *tile, limit, np.empty(longest), part, stop)

    engine.for_tiles("counting neighbors", tiles, count)
    indptr = np.append(0, np.cumsum(counts))
    size = int(indptr[-1])
    engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
    members, distances = np.empty(size, np.intp), np.empty(size)

    def fill(tile: Tile, stop: Flag) -> None:
        part = slice(indptr[tile.start], indptr[tile.stop])
        scratch = np.empty(longest)
        fill_balls(for_thread(geometry), cells, *tile, limit, scratch, members[part], distances[part], stop)

    engine.for_tiles("finding neighbors", tiles, fill)
    return _by_point(Balls(indptr, members, distances), index.order, engine)


def _by_point(by_position: Balls, order: Ints, engine: Engine) -> Balls:
    """Convert balls by position to balls by point, with sorted members."""
    if by_position.indices.size <= _MAX_PAIRS_TO_SORT_AT_ONCE:
        points, members = np.repeat(order, np.diff(by_position.indptr)), order[by_position.indices]
        rank, counts = np.lexsort((members, points)), np.bincount(points, minlength=len(order))
        return Balls(np.append(0, np.cumsum(counts)), members[rank], by_position.distances[rank])
    positions = inverse(order)
    indptr = np.append(0, np.cumsum(np.diff(by_position.indptr)[positions]))
    result = Balls(indptr, np.empty_like(by_position.indices), np.empty_like(by_position.distances))

    def sort(tile: Tile, stop: Flag) -> None:
        part = slice(indptr[tile.start], indptr[tile.stop])
        sort_balls(by_position, order, positions[slice(*tile)], result.indices[part], result.distances[part], stop)

    for_tiles("finding neighbors", cut_by_cost(np.diff(indptr) * 20.0 + 1.0), sort, engine)
    return result


def leaders(metric: Metric, weights: Floats, tol: float, engine: Engine) -> Ints:
    """For every point, the first leader within `tol`; a point without mass never leads one with mass."""
    massless = weights == 0
    heavy_first = np.argsort(massless, kind="stable")
    if tol == 0 and metric.coordinates is not None and metric.covs is None:
        points, leader = to_host(metric.coordinates), np.empty(metric.n, np.intp)
        order = heavy_first[lexical_order(points[heavy_first] if massless.any() else points)]
        is_first = np.append(True, (points[order[1:], :1] != points[order[:-1], :1]).any(axis=1))
        again = np.flatnonzero(~is_first)  # of the first column, and so perhaps of all
        is_first[again] = (points[order[again]] != points[order[again - 1]]).any(axis=1)
        leader[order] = order[is_first][np.cumsum(is_first) - 1]
        return leader
    index = metric.search(tol, engine)
    position = inverse(index.order)
    geometry, cells = for_thread(metric.geometry_near(index, tol, engine)), index.cells
    leader, rank, following = np.empty((3, metric.n), np.intp)
    order, cell_lists = position[heavy_first], np.empty((3, len(cells.runs)), np.intp)
    engine.run_single(
        lambda stop: find_leaders(geometry, cells, order, closed(tol), leader, rank, following, cell_lists, stop),
        "merging points",
    )
    return np.asarray(index.order[leader][position])


_MAX_POINTS_TO_COMPARE, _MAX_COST_TO_COMPARE = 1000, 10  # up to these all are compared: a tree would save little
_QUERIES_PER_TILE = 256  # a few milliseconds
_MAX_POINTS_IN_CALLER = 2**14  # trees of more points are split by several threads
_MIN_COLUMNS = 12  # trees of points with fewer prune enough
_PRODUCTS_PER_COMPARED = 32  # products of rows that take as long as a comparison in a leaf of a tree
_MAX_SAMPLE, _N_PROBES = 2**14, 16
_MAX_SHARE_OF_SAMPLE = 0.25  # of more, the number of compared points grows with that of all points
_N_LEVELS_FIRST = 4  # levels of a tree that are split before its branches are built in parallel


def nearest(metric: Metric, k: int, of: Metric | None, engine: Engine) -> KNeighbors:
    """The k nearest other points of every point, or the k nearest points of `metric` for every point of `of`."""
    if _has_many_columns(metric) and not _is_pruned(metric, k, engine):
        return products.nearest(to_host(metric.coordinates), None if of is None else to_host(of.coordinates), k, engine)
    both = metric if of is None else metric.concatenate(of)
    n = metric.n
    size = (n if of is None else of.n, k)
    result = KNeighbors(np.empty(size), np.empty(size, np.intp))
    contraction = both.contraction()
    if contraction is None or (of is None and n <= _MAX_POINTS_TO_COMPARE and both.cost < _MAX_COST_TO_COMPARE):
        _search_rows(metric, result, engine)
        return result
    n_bytes = 16.0 * result.indices.size + tree_bytes(contraction) + 8.0 * (of is not None) * contraction.size
    what = f"the {k} nearest of {size[0]} points, and k-d trees of {both.n} points"
    engine.reserve(n_bytes, what, "ask for fewer points at a time")
    tree = grow_tree(both, contraction[:n], engine)
    if of is None:
        queries, first, positions = tree, 0, np.arange(n)
    else:  # a tree of the queries, so that near ones follow each other
        new = contraction[n:]
        queries, first, positions = _split(new, both.rounding(new), engine), n, np.full(size[0], kdtree.NOT_IN_TREE)
    geometry = both.geometry(engine)

    def search(tile: Tile, stop: Flag) -> None:
        distances, indices = np.empty((tile.stop - tile.start, k)), np.empty((tile.stop - tile.start, k), np.intp)
        kdtree.nearest_others(
            for_thread(geometry), tree, queries, first, positions, *tile, distances, indices, *stack(tree), stop
        )
        rows = queries.order[slice(*tile)]
        result.distances[rows], result.indices[rows] = distances, indices

    engine.for_tiles("nearest neighbors", cut_by_size(len(positions), _QUERIES_PER_TILE), search, joined=True)
    return result


def _has_many_columns(metric: Metric) -> bool:
    points = metric.coordinates
    return points is not None and metric.is_euclidean and metric.covs is None and points.shape[1] >= _MIN_COLUMNS


def _is_pruned(metric: Metric, k: int, engine: Engine) -> bool:
    """Whether a search by a tree is faster than products: of many points on a curve or a surface.

    Comparing the points of one leaf takes as long as many products. How many a search compares, a sample tells.
    """
    n, leaf = metric.n, max(kdtree.MAX_LEAF_SIZE, 4 * int(metric.cost))
    if n < _PRODUCTS_PER_COMPARED * max(leaf, k):
        return False
    sample = metric.take(sample_evenly(n, _MAX_SAMPLE))
    tree = grow_tree(sample, to_host(sample.coordinates), engine.silent())
    geometry, out, n_compared = sample.geometry(engine), (np.empty((1, k)), np.empty((1, k), np.intp)), 0
    for p in sample_evenly(sample.n, _N_PROBES):
        n_compared += kdtree.nearest_others(
            geometry, tree, tree, 0, np.arange(sample.n), p, p + 1, *out, *stack(tree), np.zeros(1, np.uint8)
        )
    compared = n_compared / _N_PROBES
    return compared * _PRODUCTS_PER_COMPARED < n and compared < _MAX_SHARE_OF_SAMPLE * sample.n


def _search_rows(metric: Metric, result: KNeighbors, engine: Engine) -> None:
    geometry, n = metric.geometry(engine), metric.n

    def search(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        kdtree.nearest_in_rows(for_thread(geometry), n, *tile, result.distances[part], result.indices[part], stop)

    engine.for_tiles("nearest neighbors", cut_by_size(n, _QUERIES_PER_TILE), search, joined=True)
    if not np.isfinite(result.distances).all():
        k = result.distances.shape[1]
        raise ValueError(f"some points have fewer than {k} others at a known distance; ask for a larger radius")


def tree_bytes(contraction: Floats) -> float:
    """Bytes of the k-d trees of these points, and of the numbers of points that a search needs."""
    n, dim = contraction.shape
    return float(n * (56.0 + 12.0 * dim))


def grow_tree(metric: Metric, contraction: Floats, engine: Engine) -> kdtree.KdTree:
    """The k-d tree of the contraction of a metric, or of its first points."""
    tree = _split(contraction, metric.rounding(contraction), engine)
    geometry, n_inner = metric.geometry(engine), len(tree.starts) // 2

    def measure(tile: Tile, stop: Flag) -> None:
        first, last = n_inner + tile.start, n_inner + tile.stop
        kdtree.measure_leaves(for_thread(geometry), tree, first, last, tree.radius[first:last], stop)

    engine.for_tiles("sorting points", cut_by_size(n_inner + 1, _QUERIES_PER_TILE), measure, joined=True)
    kdtree.measure_inner(for_thread(geometry), tree)
    return tree


def _split(contraction: Floats, rounding: Floats, engine: Engine) -> kdtree.KdTree:
    tree = kdtree.unsplit_tree(contraction, rounding)
    n_levels = _N_LEVELS_FIRST if len(contraction) > _MAX_POINTS_IN_CALLER else tree.depth
    engine.run_single(lambda stop: kdtree.split_nodes(tree, 0, n_levels, stop), "sorting points")
    first = 2**n_levels - 1  # first node below these levels
    if first < len(tree.starts):
        branches = [Tile(node, node + 1) for node in range(first, 2 * first + 1)]
        engine.for_tiles(
            "sorting points", branches, lambda tile, stop: kdtree.split_nodes(tree, tile.start, tree.depth, stop)
        )
    return tree


def stack(tree: kdtree.KdTree) -> tuple[Ints, Floats]:
    """A stack for the search of one thread."""
    return np.empty(2 * tree.depth, np.intp), np.empty(2 * tree.depth)
