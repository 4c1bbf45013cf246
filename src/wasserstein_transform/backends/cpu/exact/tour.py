"""The order in which a measure meets the others: each after one it is near, whose potentials it inherits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order
from scipy.spatial import cKDTree

from ...._types import Floats, Ints
from ....engine import Engine
from ....kernels.geometry import Cloud
from ...forms import Form
from ...records import Rows
from ..trees import grow
from .landmarks import landmark_rows, seen_from

_REACH = 2


class Tour(NamedTuple):
    """Measures in the order of a walk along their spanning tree, and for each the place of its parent; −1 at the root.

    It depends on the measures alone: results are the same for any number of threads.
    """

    order: Ints
    parent: Ints


def walk(measures: Rows, form: Form, engine: Engine) -> Ints:
    """Ranks of the measures in an order that keeps near ones near: the leaves of a k-d tree of what landmarks see."""
    return inverse(cKDTree(_seen(measures, form, engine), leafsize=1).indices)


def tour(measures: Rows, form: Form, engine: Engine) -> Tour:
    """A walk along the minimum spanning tree of the measures as landmarks see them."""
    n = len(measures.totals)
    if n == 1:
        return Tour(np.zeros(1, np.intp), np.full(1, -1, np.intp))
    seen = _seen(measures, form, engine)
    edges, _ = grow(Cloud(seen), n, 1.0, engine, "tour of the measures")
    tree = csr_array((np.ones(n - 1), (edges[:, 0], edges[:, 1])), shape=(n, n))
    order, parent = depth_first_order(tree, 0, directed=False)
    places = np.append(-1, inverse(order)[parent[order[1:]]])
    return Tour(order.astype(np.intp), places.astype(np.intp))


def inverse(order: Ints) -> Ints:
    """The place of everybody in an order."""
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return place


def listed_parents(parent: Ints, owners: Ints, places: Ints) -> Ints:
    """Of pairs sorted by owner and place on a tour, where the nearest place above is that the owner has; −1 if none is.

    Two steps up are as far as potentials carry: from farther, a start without any is as good.
    """
    n = len(parent)
    keys = owners * n + places
    found, above = np.full(len(keys), -1), places
    for _ in range(_REACH):
        above = np.where(above >= 0, parent[above], -1)
        at = np.minimum(np.searchsorted(keys, owners * n + above), len(keys) - 1)
        there = (found < 0) & (above >= 0) & (keys[at] == owners * n + above)
        found[there] = at[there]
    return found


def _seen(measures: Rows, form: Form, engine: Engine) -> Floats:
    rows = landmark_rows(form, engine)
    return seen_from(measures, rows / (rows.max() or 1.0))  # trees square what they are given
