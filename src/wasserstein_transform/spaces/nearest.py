"""Nearest neighbours, and the trees that find them without looking at all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile
from ..kernels.geometry import private
from ..kernels.kdtree import KdTree, seed, split_nodes
from ..kernels.nearest import MIXED, STRANGER, measure_inner, measure_leaves, nearest_in_rows, nearest_others

if TYPE_CHECKING:  # metrics import this file
    from .metric import Metric

_QUERIES = 256  # searches of a tile: a few milliseconds
_CROWN = 4  # levels of a tree that are split before its branches grow side by side


class Nearest(NamedTuple):
    """The k nearest points of each point, from near to far, of equal distances the smaller index first.

    Attributes
    ----------
    distances : array of shape (n, k)
    indices : array of shape (n, k)
    """

    distances: Floats
    indices: Ints


def neighbors(metric: Metric, k: int, of: Metric | None, engine: Engine) -> Nearest:
    """The k nearest other points of every point, or the k nearest points of the metric for every point of `of`."""
    k = check.count(k, "k", 1)
    if of is None and k > metric.n - 1:
        raise ValueError(f"k must be at most {metric.n - 1}, as many as there are other points, got {k}")
    if k > metric.n:
        raise ValueError(f"k must be at most {metric.n}, as many as there are points, got {k}")
    both = metric if of is None else metric.beside(of)
    size = (both.n if of is None else both.n - metric.n, k)
    engine.reserve(16.0 * size[0] * k, f"the {k} nearest of {size[0]} points", "ask for fewer points at a time")
    found = Nearest(np.empty(size), np.empty(size, np.intp))
    shadow = both.shadow()
    if shadow is None:
        _search_rows(metric, found, engine)
    elif of is None:
        tree, alone = grow_tree(metric, shadow, engine), np.arange(metric.n)
        _search_tree(metric, tree, alone, tree, 0, alone, found, engine)
    else:
        tree, alone = grow_tree(both, shadow[: metric.n], engine), np.arange(metric.n)
        asked = _split(shadow[metric.n :], both.blur(shadow[metric.n :]), engine)  # near queries follow each other
        _search_tree(both, tree, alone, asked, metric.n, np.full(size[0], STRANGER), found, engine)
    return found


def _search_tree(
    both: Metric, tree: KdTree, groups: Ints, asked: KdTree, first: int, asking: Ints, found: Nearest, engine: Engine
) -> None:
    geometry = both.geometry
    whole = np.full(len(tree.starts), MIXED)

    def work(tile: Tile, stop: Flag) -> None:
        nodes, gaps = stack(tree)
        nearest_others(
            private(geometry),
            tree,
            groups,
            whole,
            asked,
            first,
            asking,
            tile.start,
            tile.stop,
            *found,
            nodes,
            gaps,
            stop,
        )

    engine.run(work, tiles(len(asking), _QUERIES), "nearest neighbors")


def _search_rows(metric: Metric, found: Nearest, engine: Engine) -> None:
    geometry = metric.geometry

    def work(tile: Tile, stop: Flag) -> None:
        nearest_in_rows(private(geometry), metric.n, tile.start, tile.stop, *found, stop)

    engine.run(work, tiles(metric.n, _QUERIES), "nearest neighbors")
    if not np.isfinite(found.distances).all():
        k = found.distances.shape[1]
        raise ValueError(f"some points have fewer than {k} others at a known distance; ask for a larger radius")


def grow_tree(metric: Metric, shadow: Floats, engine: Engine) -> KdTree:
    """The k-d tree of the shadow of a metric, or of its first points."""
    tree = _split(shadow, metric.blur(shadow), engine)
    geometry, n_inner = metric.geometry, len(tree.starts) // 2

    def work(tile: Tile, stop: Flag) -> None:
        measure_leaves(private(geometry), tree, n_inner + tile.start, n_inner + tile.stop, stop)

    engine.run(work, tiles(n_inner + 1, _QUERIES), "sorting points")
    measure_inner(private(geometry), tree)
    return tree


def _split(shadow: Floats, blur: Floats, engine: Engine) -> KdTree:
    tree = seed(shadow, blur)
    first = 2**_CROWN - 1  # of the nodes at that level

    def crown(tile: Tile, stop: Flag) -> None:
        split_nodes(tree, 0, _CROWN, stop)

    def branch(tile: Tile, stop: Flag) -> None:
        split_nodes(tree, tile.start, tree.depth, stop)

    engine.run(crown, [Tile(0, 1)], "sorting points")
    if first < len(tree.starts):
        engine.run(branch, [Tile(node, node + 1) for node in range(first, 2 * first + 1)], "sorting points")
    return tree


def stack(tree: KdTree) -> tuple[Ints, Floats]:
    """Room for the search of one thread."""
    return np.empty(2 * tree.depth, np.intp), np.empty(2 * tree.depth)


def tiles(n: int, size: int) -> list[Tile]:
    """Rows 0…n in tiles of the same size."""
    return [Tile(k, min(k + size, n)) for k in range(0, n, size)]


def root_spectra(covs: Floats) -> Floats:
    """Roots of the eigenvalues of covariances, rising; what is small enough to be rounding is the same for all."""
    values = np.empty(covs.shape[:2])
    piece = max(1, int(1e7 / covs.shape[1] ** 3))  # LAPACK does not hear Ctrl-C
    with threadpool_limits(1, user_api="blas"):  # on small matrices its threads only wait for each other
        for start in range(0, len(covs), piece):
            values[start : start + piece] = np.linalg.eigvalsh(covs[start : start + piece])
    # roots of what rounding makes of 0 would be far apart; raising small numbers to one and the same shortens distances
    least = 1e8 * _rounding(len(covs[0]), values.max())
    return np.asarray(np.sqrt(np.maximum(values, least)))


def root_errors(roots: Floats) -> Floats:
    """How far rounding can have moved the roots of each spectrum."""
    squares = roots * roots
    off = _rounding(roots.shape[1], squares.max(axis=1, keepdims=True))
    widths = np.sqrt(squares + off) - np.sqrt(np.maximum(squares - off, 0.0))
    return np.asarray(np.linalg.norm(widths, axis=1) + 1e-15 * np.linalg.norm(roots, axis=1))


def _rounding(m: int, largest: Any) -> Any:
    """What rounding does to the eigenvalues of an m × m matrix, given the largest."""
    return 1e-15 * m * largest
