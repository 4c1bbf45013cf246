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


class Tour(NamedTuple):
    """Measures in the order of a walk along their spanning tree, and for each the place of its parent; −1 at the root.

    It depends on the measures alone: results are the same for any number of threads.
    """

    order: Ints
    parent: Ints


def walk(measures: Rows, form: Form, engine: Engine) -> Ints:
    """Ranks of the measures in an order that keeps near ones near: the leaves of a k-d tree of what landmarks see."""
    rank = np.empty(len(measures.totals), np.intp)
    rank[cKDTree(_seen(measures, form, engine), leafsize=1).indices] = np.arange(len(rank))
    return rank


def tour(measures: Rows, form: Form, engine: Engine) -> Tour:
    """A walk along the minimum spanning tree of the measures as landmarks see them."""
    n = len(measures.totals)
    if n == 1:
        return Tour(np.zeros(1, np.intp), np.full(1, -1, np.intp))
    seen = _seen(measures, form, engine)
    edges, _ = grow(Cloud(seen), n, 1.0, engine, "tour of the measures")
    tree = csr_array((np.ones(n - 1), (edges[:, 0], edges[:, 1])), shape=(n, n))
    order, parent = depth_first_order(tree, 0, directed=False)
    place = np.empty(n, np.intp)
    place[order] = np.arange(n)
    places = np.append(-1, place[parent[order[1:]]])
    return Tour(order.astype(np.intp), places.astype(np.intp))


def _seen(measures: Rows, form: Form, engine: Engine) -> Floats:
    rows = landmark_rows(form, engine)
    return seen_from(measures, rows / (rows.max() or 1.0))  # trees square what they are given
