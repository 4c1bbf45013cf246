"""Positions of the nodes of a graph in a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from .._types import Bools, Floats
from ..graphs import as_network
from .embedding import embed

_MOST = 1500  # largest number of nodes
_ROUNDS = 60
_FAR = 1.15  # distance between components of a graph, relative to the largest finite distance


def layout(graph: Any) -> Floats:
    """Find positions in the plane for the nodes of a graph, with distances close to those of shortest paths.

    Stress majorization with weights d⁻², started from classical scaling. Every edge has length 1. The result is
    deterministic.

    Parameters
    ----------
    graph : networkx graph, sparse matrix, edges of shape (e, 2), or Network
        At most 1,500 nodes. Edge weights are ignored.

    Returns
    -------
    array of shape (n, 2)
        Positions of the nodes, in edge lengths.

    Notes
    -----
    Time O(n³), memory O(n²).

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> places = wt.plotting.layouts.layout([(0, 1), (1, 2)])  # a path: its ends are two edges apart
    >>> round(float(np.linalg.norm(places[0] - places[2])), 3)
    2.0
    """
    network = as_network(graph, weight=None)
    if network.n > _MOST:
        raise ValueError(
            f"layout takes graphs of at most {_MOST} nodes, got {network.n}; pass points, or draw a part of the graph"
        )
    if network.n == 1:
        return np.zeros((1, 2))
    D = _hops(network.metric.lengths)
    largest = D[np.isfinite(D)].max()
    D[np.isinf(D)] = _FAR * max(largest, 1.0)
    return _majorized(D, embed(D).points)


def _hops(lengths: csr_array) -> Floats:
    """Number of edges on shortest paths. Indices are int32 because older versions of SciPy need that."""
    indices, starts = lengths.indices.astype(np.int32), lengths.indptr.astype(np.int32)
    small = csr_array((lengths.data, indices, starts), lengths.shape)
    return np.asarray(dijkstra(small, directed=False, unweighted=True))


def _majorized(D: Floats, places: Floats) -> Floats:
    """Positions after stress majorization, whose steps never increase Σ d⁻²(‖x − y‖ − d)²."""
    n = len(D)
    off = ~np.eye(n, dtype=bool)
    weights = np.zeros((n, n))
    weights[off] = np.maximum(D[off], 1e-9) ** -2
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights, hermitian=True)
    places = places + 1e-3 * np.column_stack(
        [np.cos(np.arange(n)), np.sin(np.arange(n))]
    )  # separates nodes that start in the same place
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
