"""Minimum spanning trees: Borůvka's algorithm over a k-d tree, or Prim's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Record, Scattered, Task, Tile, of_size
from ...kernels.boruvka import first_edges, join_components, list_searches, mark_nodes, n_leaves, search_outside
from ...kernels.geometry import Geometry, for_thread
from ...kernels.kdtree import KdTree
from ...kernels.nearest import MIXED, NOBODY
from ...kernels.trees import prim
from ..forms import Filed, Form, Matrix, NearRows
from . import rounds
from .kinds import cost_of, geometry_of, kind_of
from .matrices import pairs
from .nearest import grow_tree, stack, tree_bytes

STEPS = 2e7  # steps between two progress reports
FEW = 2000  # for fewer points Prim's algorithm is as fast
_SHARE = 0.1  # if a search visits this share of the leaves of a k-d tree, Prim's algorithm is as fast
_PROBES = 64  # searches for estimating this share
SEARCHES = 512  # searches per tile: a few milliseconds


def spanning_tree(form: Form, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights, by the faster algorithm; near rows give fewer edges if they are not connected."""
    if isinstance(form, NearRows):
        return _known_edges(form, engine)
    if isinstance(form, Filed):
        return rounds.spanning_tree(form, engine)
    contraction = kind_of(form).contraction(form) if form.n >= FEW else None
    if contraction is None:
        return _prim(form, engine)
    n_bytes = tree_bytes(contraction) + 96.0 * form.n
    engine.reserve(n_bytes, f"the spanning tree of {form.n} points", "use fewer points")
    tree = grow_tree(form, contraction, engine)
    return _boruvka(form, tree, engine) if prunes(form, tree, engine) else _prim(form, engine)


def _known_edges(form: NearRows, engine: Engine) -> tuple[Ints, Floats]:
    """The tree along known distances, using their ranks because SciPy treats zeros as missing edges."""
    ranks = np.unique(form.distances, return_inverse=True)[1] + 1.0
    kind = np.int32 if len(ranks) < 2**31 else np.int64  # older SciPy accepts only int32
    rows = csr_array((ranks, form.indices.astype(kind), form.indptr.astype(kind)), shape=(form.n, form.n))
    tree = minimum_spanning_tree(rows).tocoo()
    edges = np.column_stack(tree.coords).astype(np.intp)
    return edges, pairs(form, edges[:, 0], edges[:, 1], engine)


def _prim(form: Form, engine: Engine) -> tuple[Ints, Floats]:
    if isinstance(form, Matrix) and form.n > 1 and not 1e-100 < form.largest < 1e100:
        unit = np.ldexp(1.0, np.frexp(form.largest)[1] - 1) or 1.0  # squares would overflow or underflow
        edges, heights = grow(geometry_of(Matrix(form.matrix / unit), engine), form.n, 1.0, engine)
        return edges, heights * unit
    return grow(geometry_of(form, engine), form.n, cost_of(form), engine)


def grow(geometry: Geometry, n: int, cost: float, engine: Engine, name: str = "spanning tree") -> tuple[Ints, Floats]:
    """Prim's algorithm, some edges at a time; each part needs the one before."""
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    done = np.zeros(n, np.bool_)
    done[0] = True
    near, source = np.full(n, np.inf), np.zeros(n, np.intp)
    own, stride = for_thread(geometry), max(1, int(STEPS / (n * cost)))

    def work(stop: Flag) -> None:
        here = 0
        for tile in of_size(n - 1, stride):
            part = slice(tile.start, tile.stop)
            here = prim(own, here, tile.stop - tile.start, done, near, source, edges[part], heights[part], stop)
            if stop[0]:
                return
            watched.report(name, tile.stop, n - 1)

    with engine.watched() as watched:
        watched.alone(work, name)
    return edges, heights


def prunes(form: Form, tree: KdTree, engine: Engine) -> bool:
    """Whether searches in the tree visit only few points; in many dimensions they visit most."""
    step = max(1, form.n // _PROBES)
    alone, mixed = np.arange(form.n), np.full(len(tree.starts), MIXED)
    seen = n_leaves(for_thread(geometry_of(form, engine)), tree, alone, mixed, step, *_slot(), *stack(tree))
    return bool(seen < _SHARE * (len(tree.starts) // 2 + 1) * len(range(0, form.n, step)))


def _slot() -> tuple[Floats, Ints]:
    """Memory for the distance and the index of one point."""
    return np.empty(1), np.empty(1, np.intp)


class _Round(NamedTuple):
    geometry: Geometry
    tree: KdTree
    component: Ints
    whole: Ints
    limits: Floats
    known: Floats
    asking: Ints


def _boruvka(form: Form, tree: KdTree, engine: Engine) -> tuple[Ints, Floats]:
    n, order = form.n, tree.order
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    near, which = np.zeros(n), np.full(n, NOBODY)
    component, whole = np.arange(n), np.empty(len(tree.starts), np.intp)
    limits, asking, parent = np.empty(n), np.empty(n, np.intp), np.empty(n, np.intp)
    edges, heights = np.empty((n - 1, 2), np.intp), np.empty(n - 1)
    geometry, n_edges = geometry_of(form, engine), 0
    with engine.watched() as watched:
        quiet = watched.quiet()  # progress is reported for the tree, not for a round
        while n_edges < n - 1:
            count = list_searches(component, where, near, which, limits, asking)
            mark_nodes(tree, component, whole)
            asked = asking[:count].copy()
            inputs = _Round(geometry, tree, component, whole, limits, near, asked)
            task = Task("spanning tree", _search, inputs, of_size(count, SEARCHES), Scattered(asked))
            quiet.run(task, (near, which))
            chosen = asking[: first_edges(component, near, which, parent, asking)]
            chosen = chosen[np.argsort(near[chosen], kind="stable")]
            n_edges = join_components(chosen, component, order, where, near, which, parent, edges, heights, n_edges)
            watched.report("spanning tree", n_edges, n - 1)
    return edges, heights


def _search(inputs: _Round, tile: Tile, stop: Flag, record: Record) -> None:
    geometry, tree, component, whole, limits, known, asking = inputs
    (near, which), (found, who), (nodes, gaps) = record, _slot(), stack(tree)
    search_outside(
        for_thread(geometry), tree, component, whole, limits, known, asking[tile.start : tile.stop], near, which, found,
        who, nodes, gaps, stop,
    )  # fmt: skip
