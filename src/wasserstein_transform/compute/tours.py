"""The order in which problems are solved: each after one with a similar measure, whose potentials it inherits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order
from scipy.spatial import cKDTree

from .._types import Floats, Ints
from ..engine import Engine
from ..kernels.geometry import Cloud
from .metric import MetricArrays
from .records import Rows
from .trees import grow

_MAX_STEPS_UP = 2  # to the ancestor whose potentials a problem inherits: farther ones are not better than none
_N_LANDMARKS = 8


class Tour(NamedTuple):
    """Measures in the order of a walk along their spanning tree, and the positions of their parents; −1 for the root.

    It depends only on the measures, so that results do not depend on the number of threads.
    """

    order: Ints
    parent: Ints


def walk(measures: Rows, metric: MetricArrays, engine: Engine) -> Ints:
    """Ranks of the measures such that similar ones are close: the leaves of a k-d tree of landmark coordinates."""
    return inverse(cKDTree(_seen(measures, metric, engine), leafsize=1).indices)


def tour(measures: Rows, metric: MetricArrays, engine: Engine) -> Tour:
    """A walk along the minimum spanning tree of the landmark coordinates of the measures."""
    n = len(measures.totals)
    if n == 1:
        return Tour(np.zeros(1, np.intp), np.full(1, -1, np.intp))
    seen = _seen(measures, metric, engine)
    edges, _ = grow(Cloud(seen), n, 1.0, engine, "tour of the measures")
    tree = csr_array((np.ones(n - 1), (edges[:, 0], edges[:, 1])), shape=(n, n))
    order, parent = depth_first_order(tree, 0, directed=False)
    places = np.append(-1, inverse(order)[parent[order[1:]]])
    return Tour(order.astype(np.intp), places.astype(np.intp))


def inverse(order: Ints) -> Ints:
    """The inverse of a permutation."""
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return place


def listed_parents(parent: Ints, owners: Ints, places: Ints) -> Ints:
    """For pairs sorted by owner and tour position: the index of the owner's nearest ancestor on the tour; −1 for none.

    Only two steps up are searched: potentials from farther away are not better than none.
    """
    n = len(parent)
    keys = owners * n + places
    parents, above = np.full(len(keys), -1), places
    for _ in range(_MAX_STEPS_UP):
        above = np.where(above >= 0, parent[above], -1)
        at = np.minimum(np.searchsorted(keys, owners * n + above), len(keys) - 1)
        there = (parents < 0) & (above >= 0) & (keys[at] == owners * n + above)
        parents[there] = at[there]
    return parents


def _seen(measures: Rows, metric: MetricArrays, engine: Engine) -> Floats:
    rows = landmark_rows(metric, engine)
    return seen_from(measures, rows / (rows.max() or 1.0))  # the spanning tree squares coordinates


def landmark_rows(metric: MetricArrays, engine: Engine, k: int = _N_LANDMARKS) -> Floats:
    """Distances of all points to k landmarks, each the farthest from the previous ones; fewer if no point is left."""
    everything, engine = np.arange(metric.n), engine.quiet()
    rows = [metric.block(np.zeros(1, np.intp), everything, engine)[0]]
    rows[0] = metric.block(rows[0].argmax()[None], everything, engine)[0]
    nearest = rows[0]
    while len(rows) < k and nearest.max() > 0:
        rows.append(metric.block(nearest.argmax()[None], everything, engine)[0])
        nearest = np.minimum(nearest, rows[-1])
    return np.stack(rows)


def seen_from(measures: Rows, rows: Floats) -> Floats:
    """∫ d(·, z) dα for every measure α and landmark z; by the triangle inequality these differ by at most W1."""
    shares = measures.masses / np.repeat(measures.totals, np.diff(measures.indptr))
    matrix = csr_array((shares, measures.indices, measures.indptr), shape=(len(measures.totals), rows.shape[1]))
    return np.asarray(matrix @ rows.T)
