"""Where the nodes of a graph are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from .._types import Bools, Floats
from ..graphs import as_network
from .embedding import embed

_MOST = 1500  # nodes that are laid out
_ROUNDS = 60
_FAR = 1.15  # of the largest distance: how far pieces of a graph are put from each other


def layout(graph: Any) -> Floats:
    """Places of nodes in the plane such that distances are those of shortest paths, near ones above all.

    Stress majorization from classical scaling, with weights d⁻²; every edge counts 1. The same graph always has the
    same places.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.plotting.layout([(0, 1), (1, 2)]).shape
    (3, 2)
    """
    network = as_network(graph, weight=None)
    if network.n > _MOST:
        raise ValueError(
            f"graphs of up to {_MOST} nodes are laid out, got {network.n}; give points, or draw a part of the graph"
        )
    if network.n == 1:
        return np.zeros((1, 2))
    D = _hops(network.metric.lengths)
    largest = D[np.isfinite(D)].max()
    D[np.isinf(D)] = _FAR * max(largest, 1.0)
    return _majorized(D, embed(D).points)


def _hops(lengths: csr_array) -> Floats:
    """How many edges lie between nodes. Small indices, for older SciPy takes no others."""
    indices, starts = lengths.indices.astype(np.int32), lengths.indptr.astype(np.int32)
    small = csr_array((lengths.data, indices, starts), lengths.shape)
    return np.asarray(dijkstra(small, directed=False, unweighted=True))


def _majorized(D: Floats, places: Floats) -> Floats:
    """Stress majorization: Σ d⁻²(‖x − y‖ − d)² never rises."""
    n = len(D)
    off = ~np.eye(n, dtype=bool)
    weights = np.zeros((n, n))
    weights[off] = np.maximum(D[off], 1e-9) ** -2
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights, hermitian=True)
    places = places + 1e-3 * np.column_stack([np.cos(np.arange(n)), np.sin(np.arange(n))])  # twins part
    for _ in range(_ROUNDS):
        apart = _apart(places, off)
        pull = -weights * D / apart
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = inverse @ (pull @ places)
    return np.asarray(places)


def _apart(places: Floats, off: Bools) -> Floats:
    steps = places[:, None] - places[None]
    apart = np.sqrt((steps**2).sum(axis=2))
    return np.asarray(np.where(off, np.maximum(apart, 1e-9), 1.0))
