"""Spanning trees of distances in a file, with few passes over it.

Prim's algorithm reads one row for each edge, in any order. In a condensed file a row is scattered over the whole file;
in a chunked file it touches as many chunks as a whole band of rows. Borůvka's algorithm reads the file sequentially,
but once for each doubling of the components. Here a pass finds for every point the few nearest points in other
components. Components are then joined as long as these lists are certain to contain the shortest outgoing edge, which
gets much farther than one round of Borůvka's algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..._types import Floats, Ints
from ...engine import Engine
from ..forms import Filed
from ..records import ReachTree
from ..source import Cell
from .filed import go_through
from .lists import Lists, offer_both

_LISTED = 8  # nearest points per list


def spanning_tree(form: Filed, engine: Engine) -> tuple[Ints, Floats]:
    """Edges and heights of the minimum spanning tree."""
    tree = _grown(form, None, engine)
    return tree.edges, tree.lengths


def reach_tree(form: Filed, cores: Floats, engine: Engine) -> ReachTree:
    """The tree of mutual reachability."""
    return _grown(form, cores, engine)


def coarse(values: Floats) -> Floats:
    """Values rounded as in the kernels for reachability."""
    spread = values * (2.0**23 + 1.0)
    return np.asarray(spread - (spread - values))


def _grown(form: Filed, cores: Floats | None, engine: Engine) -> ReachTree:
    component = np.arange(form.n)
    edges, lengths, n_parts, n_passes = [np.empty((0, 2), np.intp)], [np.empty(0)], form.n, 0
    with engine.watched() as watched:
        while n_parts > 1:
            n_passes += 1
            found, lengths_found, component = _joined(
                _Candidates.of(_ways_out(form, cores, component, n_passes, watched)), component
            )
            edges.append(found)
            lengths.append(lengths_found)
            n_parts -= len(found)
    joined, apart = np.concatenate(edges), np.concatenate(lengths)
    heights = apart if cores is None else np.maximum(cores[joined].max(axis=1, initial=0.0), apart)
    return ReachTree(joined, heights, apart)


def _ways_out(form: Filed, cores: Floats | None, component: Ints, number: int, engine: Engine) -> Lists:
    """For every point, the nearest points in other components."""
    lists = Lists(form.n, min(_LISTED, form.n - 1))
    shift = (
        0 if 1e-100 < form.largest < 1e100 else -int(np.frexp(form.largest)[1])
    )  # rounding multiplies, which could overflow

    def look(cell: Cell, values: Floats) -> None:
        inside = component[cell.rows, None] == component[cell.cols]
        inside[:, : cell.edge] |= cell.below()
        keys = values
        if cores is not None:
            keys = np.maximum(values, np.maximum(cores[cell.rows, None], cores[cell.cols]))
            keys = coarse(np.ldexp(keys, shift) if shift else keys)
        np.putmask(keys, inside, np.inf)
        offer_both(lists, cell, keys, values)

    go_through(form.source, engine, f"spanning tree, pass {number}", look)
    return lists


class _Candidates(NamedTuple):
    """The listed pairs of points, sorted, each once; and for each point the rank of the last entry of its list.

    A pair that is not on the list of a point is not better than the last entry; a list that is not full is complete.
    """

    edges: Ints
    lengths: Floats
    last: Ints

    @classmethod
    def of(cls, lists: Lists) -> _Candidates:
        owner = np.repeat(np.arange(len(lists.others)), lists.k)
        other, key, length = lists.others.ravel(), lists.keys.ravel(), lists.lengths.ravel()
        listed = np.flatnonzero(other >= 0)
        low, high = np.minimum(owner, other)[listed], np.maximum(owner, other)[listed]
        order = np.lexsort((high, low, length[listed], key[listed]))
        low, high = low[order], high[order]
        fresh = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))[: len(low)]
        place = np.full(len(other), int(np.count_nonzero(fresh)))
        place[listed[order]] = np.cumsum(fresh) - 1
        edges = np.column_stack([low, high])[fresh]
        return cls(edges, length[listed][order][fresh], place.reshape(lists.others.shape)[:, -1])


def _joined(candidates: _Candidates, component: Ints) -> tuple[Ints, Floats, Ints]:
    """Edges of a minimum spanning tree that the candidates certainly contain, their lengths, and the new components.

    A component takes its best outgoing edge if it ranks before the last entries of the lists of all its points: no
    unlisted edge is better. All components use the same order, so no cycle is closed.
    """
    edges, lengths, last = candidates
    chosen = [np.empty(0, np.intp)]
    places, none = np.arange(len(edges)), len(edges)
    while True:
        ends = component[edges[places]]
        outside = ends[:, 0] != ends[:, 1]
        places, ends = places[outside], ends[outside]
        best, bound = np.full(len(component), none), np.full(len(component), none)
        np.minimum.at(best, ends.ravel(), np.repeat(places, 2))
        np.minimum.at(bound, component, last)
        taken = np.unique(best[(best < none) & (best <= bound)])
        if len(taken) == 0:
            picked = np.concatenate(chosen)
            return edges[picked], lengths[picked], component
        chosen.append(taken)
        component = _relabelled(component, component[edges[taken]])


def _relabelled(component: Ints, joined: Ints) -> Ints:
    n = len(component)
    graph = csr_array((np.ones(len(joined)), (joined[:, 0], joined[:, 1])), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)[component]
