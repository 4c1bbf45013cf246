"""Nearest neighbors, and the k-d trees that find them without visiting all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Place, Record, Rows, Scattered, Task, Tile, of_size
from ...kernels.geometry import Geometry, for_thread
from ...kernels.kdtree import KdTree, seed, split_nodes
from ...kernels.nearest import MIXED, STRANGER, measure_inner, measure_leaves, nearest_in_rows, nearest_others
from ..forms import Filed, Form, Network
from ..records import Nearest
from . import lists, paths
from .kinds import geometry_of, kind_of
from .matrices import joined

_QUERIES = 256  # searches per tile: a few milliseconds
_CROWN = 4  # levels of a tree that are split before its branches are built in parallel


def nearest(form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
    """The k nearest other points of every point, or the k nearest points of `form` for every point of `of`."""
    if isinstance(form, Network):
        return paths.nearest(form, k, engine)
    if isinstance(form, Filed):
        return lists.nearest(form, k, engine)
    both = form if of is None else joined(form, of)
    size = (form.n if of is None else of.n, k)
    found = Nearest(np.empty(size), np.empty(size, np.intp))
    contraction = kind_of(both).contraction(both)
    if contraction is not None:
        n_bytes = 16.0 * found.indices.size + tree_bytes(contraction) + 8.0 * (of is not None) * contraction.size
        what = f"the {k} nearest of {size[0]} points, and k-d trees of {both.n} points"
        engine.reserve(n_bytes, what, "ask for fewer points at a time")
    if contraction is None:
        _search_rows(form, found, engine)
    elif of is None:
        tree, alone = grow_tree(form, contraction, engine), np.arange(form.n)
        _search_tree(_Queries(geometry_of(form, engine), tree, alone, _mixed(tree), tree, 0, alone), found, engine)
    else:
        tree, alone = grow_tree(both, contraction[: form.n], engine), np.arange(form.n)
        rounding = kind_of(both).rounding(both, contraction[form.n :])
        asked = _split(contraction[form.n :], rounding, engine)  # so that near queries follow each other
        strangers = np.full(size[0], STRANGER)
        queries = _Queries(geometry_of(both, engine), tree, alone, _mixed(tree), asked, form.n, strangers)
        _search_tree(queries, found, engine)
    return found


def _mixed(tree: KdTree) -> Ints:
    return np.full(len(tree.starts), MIXED)


class _Queries(NamedTuple):
    geometry: Geometry
    tree: KdTree
    groups: Ints
    whole: Ints
    asked: KdTree
    first: int
    asking: Ints


def _search_tree(queries: _Queries, found: Nearest, engine: Engine) -> None:
    tiles, place = of_size(len(queries.asking), _QUERIES), Scattered(queries.asked.order)
    engine.run(Task("nearest neighbors", _from_tree, queries, tiles, place), found)


def _from_tree(queries: _Queries, tile: Tile, stop: Flag, record: Record) -> None:
    distances, indices = record
    nodes, gaps = stack(queries.tree)
    _, tree, groups, whole, asked, first, asking = queries
    nearest_others(
        for_thread(queries.geometry), tree, groups, whole, asked, first, asking, tile.start, tile.stop, distances,
        indices, nodes, gaps, stop,
    )  # fmt: skip


class _All(NamedTuple):
    geometry: Geometry
    n: int


def _search_rows(form: Form, found: Nearest, engine: Engine) -> None:
    asked = _All(geometry_of(form, engine), form.n)
    engine.run(Task("nearest neighbors", _from_rows, asked, of_size(form.n, _QUERIES), Rows()), found)
    if not np.isfinite(found.distances).all():
        k = found.distances.shape[1]
        raise ValueError(f"some points have fewer than {k} others at a known distance; ask for a larger radius")


def _from_rows(asked: _All, tile: Tile, stop: Flag, record: Record) -> None:
    distances, indices = record
    nearest_in_rows(for_thread(asked.geometry), asked.n, tile.start, tile.stop, distances, indices, stop)


class _Leaves(NamedTuple):
    geometry: Geometry
    tree: KdTree


def tree_bytes(contraction: Floats) -> float:
    """Bytes of the k-d trees of these points, and of the numbers of points that a search needs."""
    n, dim = contraction.shape
    return float(n * (56.0 + 12.0 * dim))


def grow_tree(form: Form, contraction: Floats, engine: Engine) -> KdTree:
    """The k-d tree of the contraction of a form, or of its first points."""
    tree = _split(contraction, kind_of(form).rounding(form, contraction), engine)
    geometry, n_inner = geometry_of(form, engine), len(tree.starts) // 2
    tiles, radii = of_size(n_inner + 1, _QUERIES), tree.radius[n_inner:]
    engine.run(Task("sorting points", _measure, _Leaves(geometry, tree), tiles, Rows()), (radii,))
    measure_inner(for_thread(geometry), tree)
    return tree


def _measure(leaves: _Leaves, tile: Tile, stop: Flag, record: Record) -> None:
    n_inner = len(leaves.tree.starts) // 2
    measure_leaves(for_thread(leaves.geometry), leaves.tree, n_inner + tile.start, n_inner + tile.stop, record[0], stop)


def _split(contraction: Floats, rounding: Floats, engine: Engine) -> KdTree:
    tree = seed(contraction, rounding)
    engine.alone(lambda stop: split_nodes(tree, 0, _CROWN, stop), "sorting points")
    first = 2**_CROWN - 1  # first node at this level
    if first < len(tree.starts):
        tiles = [Tile(node, node + 1) for node in range(first, 2 * first + 1)]
        engine.run(Task("sorting points", _grow_branch, tree, tiles, _Branches()), tree)
    return tree


@dataclass(frozen=True)
class _Branches(Place):
    """Branches of a tree: tile (node, node + 1) is the branch below that node, and its record is a KdTree."""

    def blank(self, out: Record, tile: Tile) -> Record:
        tree = KdTree(*out)
        part, nodes = slice(tree.starts[tile.start], tree.ends[tile.start]), _below(tile.start, len(tree.starts))
        by_position = [np.empty_like(array[part]) for array in out[:3]]
        return KdTree(*by_position, *(np.empty_like(array[nodes]) for array in out[3:]))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        tree, branch = KdTree(*out), KdTree(*record)
        start = tree.starts[tile.start]
        part, nodes = slice(start, tree.ends[tile.start]), _below(tile.start, len(tree.starts))
        for target, values in zip(out[:3], record[:3], strict=True):
            target[part] = values
        branch.starts[:] += start
        branch.ends[:] += start
        for target, values in zip(out[3:], record[3:], strict=True):
            target[nodes] = values


def _below(node: int, n_nodes: int) -> Ints:
    """The nodes of the branch below a node, level by level."""
    levels, first, last = [], node, node + 1
    while first < n_nodes:
        levels.append(np.arange(first, last))
        first, last = 2 * first + 1, 2 * last + 1
    return np.concatenate(levels)


def _grow_branch(tree: KdTree, tile: Tile, stop: Flag, record: Record) -> None:
    part, branch = slice(tree.starts[tile.start], tree.ends[tile.start]), KdTree(*record)
    for target, values in zip(branch[:3], tree[:3], strict=True):
        target[:] = values[part]
    branch.starts[:], branch.ends[:], branch.radius[:] = 0, len(branch.order), np.inf
    split_nodes(branch, 0, branch.depth, stop)


def stack(tree: KdTree) -> tuple[Ints, Floats]:
    """A stack for the search of one thread."""
    return np.empty(2 * tree.depth, np.intp), np.empty(2 * tree.depth)
