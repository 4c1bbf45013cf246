"""Spanning trees of mutual reachability: Borůvka's algorithm over a k-d tree, or Prim's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Record, Scattered, Task, Tile, of_size
from ...kernels.boruvka import mark_nodes
from ...kernels.geometry import Geometry, for_thread
from ...kernels.kdtree import KdTree
from ...kernels.nearest import NOBODY
from ...kernels.reach import (
    first_by_reach,
    join_by_reach,
    least_cores,
    list_reach_searches,
    prim_by_reach,
    search_by_reach,
)
from ..forms import Filed, Form, Matrix, NearRows
from ..records import ReachTree
from . import rounds
from .kinds import cost_of, geometry_of, kind_of
from .matrices import pairs
from .nearest import grow_tree, stack, tree_bytes
from .trees import FEW, SEARCHES, STEPS, prunes


def reach_tree(form: Form, cores: Floats, engine: Engine) -> ReachTree:
    """The tree, by the faster algorithm; near rows give fewer edges if they are not connected."""
    if isinstance(form, NearRows):
        return _known_edges(form, cores, engine)
    if isinstance(form, Filed):
        return rounds.reach_tree(form, cores, engine)
    contraction = kind_of(form).contraction(form) if form.n >= FEW else None
    if contraction is None:
        return _prim(form, cores, engine)
    n_bytes = tree_bytes(contraction) + 144.0 * form.n
    engine.reserve(n_bytes, f"the spanning tree of {form.n} points", "use fewer points")
    tree = grow_tree(form, contraction, engine)
    return _boruvka(form, tree, cores, engine) if prunes(form, tree, engine) else _prim(form, cores, engine)


def _known_edges(form: NearRows, cores: Floats, engine: Engine) -> ReachTree:
    """The tree along known distances, using ranks of the pairs (reach, distance)."""
    rows = np.repeat(np.arange(form.n), np.diff(form.indptr))
    reach = np.maximum(form.distances, np.maximum(cores[rows], cores[form.indices]))
    ranks = (
        np.unique(np.column_stack([rounds.coarse(reach), form.distances]), axis=0, return_inverse=True)[1].ravel() + 1.0
    )
    kind = np.int32 if len(ranks) < 2**31 else np.int64  # older SciPy accepts only int32
    graph = csr_array((ranks, form.indices.astype(kind), form.indptr.astype(kind)), shape=(form.n, form.n))
    edges = np.column_stack(minimum_spanning_tree(graph).tocoo().coords).astype(np.intp)
    lengths = pairs(form, edges[:, 0], edges[:, 1], engine)
    return ReachTree(edges, np.maximum(cores[edges].max(axis=1), lengths), lengths)


def _prim(form: Form, cores: Floats, engine: Engine) -> ReachTree:
    if isinstance(form, Matrix) and form.n > 1 and not 1e-100 < form.largest < 1e100:
        unit = np.ldexp(1.0, np.frexp(form.largest)[1] - 1) or 1.0  # squares would overflow or underflow
        edges, heights, lengths = _grow(geometry_of(Matrix(form.matrix / unit), engine), cores / unit, 1.0, engine)
        return ReachTree(edges, heights * unit, lengths * unit)
    return _grow(geometry_of(form, engine), cores, cost_of(form), engine)


def _grow(geometry: Geometry, cores: Floats, cost: float, engine: Engine) -> ReachTree:
    """Prim's algorithm, some edges at a time; each part needs the one before."""
    n = len(cores)
    edges, heights, lengths = out = ReachTree(np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1))
    done = np.zeros(n, np.bool_)
    done[0] = True
    near, apart, source = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.intp)
    own, stride = for_thread(geometry), max(1, int(STEPS / (n * cost)))

    def work(stop: Flag) -> None:
        here = 0
        for tile in of_size(n - 1, stride):
            part = slice(tile.start, tile.stop)
            here = prim_by_reach(
                own, cores, here, tile.stop - tile.start, done, near, apart, source, edges[part], heights[part],
                lengths[part], stop,
            )  # fmt: skip
            if stop[0]:
                return
            watched.report("spanning tree", tile.stop, n - 1)

    with engine.watched() as watched:
        watched.alone(work, "spanning tree")
    return out


class _Round(NamedTuple):
    geometry: Geometry
    tree: KdTree
    cores: Floats
    least: Floats
    component: Ints
    whole: Ints
    limits: Floats
    known: Floats
    known_apart: Floats
    asking: Ints


def _boruvka(form: Form, tree: KdTree, cores: Floats, engine: Engine) -> ReachTree:
    n, order, cores = form.n, tree.order, cores[tree.order]
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    near, apart, which, least = rounds.coarse(cores), np.zeros(n), np.full(n, NOBODY), np.empty(len(tree.starts))
    least_cores(tree, cores, least)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty((n, 2)), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights, lengths = out = ReachTree(np.empty((n - 1, 2), np.intp), np.empty(n - 1), np.empty(n - 1))
    geometry, n_edges = geometry_of(form, engine), 0
    with engine.watched() as watched:
        quiet = watched.quiet()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = list_reach_searches(component, where, near, apart, which, limits, asking)
            mark_nodes(tree, component, whole)
            asked = asking[:count].copy()
            inputs = _Round(geometry, tree, cores, least, component, whole, limits, near, apart, asked)
            task = Task("spanning tree", _search, inputs, of_size(count, SEARCHES), Scattered(asked))
            quiet.run(task, (near, apart, which))
            chosen = asking[: first_by_reach(component, near, apart, which, parent, asking)]
            chosen = chosen[np.lexsort((apart[chosen], near[chosen]))]
            n_edges = join_by_reach(
                chosen, component, order, where, cores, apart, which, parent, edges, heights, lengths, n_edges
            )
            watched.report("spanning tree", n_edges, n - 1)
    return out


def _search(inputs: _Round, tile: Tile, stop: Flag, record: Record) -> None:
    geometry, tree, cores, least, component, whole, limits, known, known_apart, asking = inputs
    near, apart, which = record
    search_by_reach(
        for_thread(geometry), tree, cores, least, component, whole, limits, known, known_apart,
        asking[tile.start : tile.stop], near, apart, which, np.empty(2), np.empty(1, np.intp), *stack(tree), stop,
    )  # fmt: skip
