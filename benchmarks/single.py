"""One large problem: any cost matrix, points, a graph, and W_∞; against POT and SciPy in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import ot
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, maximum_bipartite_matching
from scipy.spatial.distance import cdist

import wasserstein_transform as wt

from .timing import Row, median_seconds

_SIZES = 500, 1000, 2000
_UNLIMITED = 10**9  # pivots for POT, whose default limit is 100,000


def run() -> list[Row]:
    rows = [_plans(name, n, draw) for name, draw in _COSTS.items() for n in _SIZES]
    rows += [_points(p, n) for p in (1, 2) for n in _SIZES]
    return [*rows, _graph(), *(_farthest(n) for n in _SIZES), _largest()]


def _clouds(rng: np.random.Generator, n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(n, m)), rng.normal(size=(n, m)) + 1


_COSTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "squared distances in the plane": lambda rng, n: cdist(*_clouds(rng, n, 2), "sqeuclidean"),
    "squared distances in ten dimensions": lambda rng, n: cdist(*_clouds(rng, n, 10), "sqeuclidean"),
    "costs at random": lambda rng, n: rng.random((n, n)),
}


def _masses(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = rng.random((2, n)) + 0.1
    return a / a.sum(), b / b.sum()


def _plans(name: str, n: int, draw: Callable[[np.random.Generator, int], np.ndarray]) -> Row:
    """Both libraries return plans and dual potentials."""
    rng = np.random.default_rng(n)
    costs = draw(rng, n)
    a, b = _masses(rng, n)
    ours = median_seconds(lambda: wt.wasserstein(a, b, costs), 3)
    peer = median_seconds(lambda: ot.emd(a, b, costs, numItermax=_UNLIMITED), 3)
    off = abs(wt.wasserstein(a, b, costs).value - ot.emd2(a, b, costs, numItermax=_UNLIMITED)) / costs.max()
    return _row(f"one problem of {n:,} × {n:,} masses, {name}", ours, "POT's `emd`", peer, off)


def _points(p: int, n: int) -> Row:
    rng = np.random.default_rng(n)
    X, Y = _clouds(rng, n, 3)
    a, b = _masses(rng, n)
    points, measures = np.vstack([X, Y]), [(np.arange(n), a), (np.arange(n, 2 * n), b)]
    ours, peer, off = _against(
        lambda: wt.wasserstein_pairs(measures, points, p, pairs=[[0, 1]])[0],
        lambda: ot.emd2(a, b, cdist(X, Y) ** p, numItermax=_UNLIMITED) ** (1 / p),
    )
    return _row(f"W{p} of two clouds of {n:,} points in space", ours, "distances and POT's `emd2`", peer, off)


def _graph() -> Row:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(80, 50))
    rng = np.random.default_rng(0)
    nodes = rng.permutation(4000)
    x, y = nodes[:2000], nodes[2000:]
    a, b = _masses(rng, 2000)
    edges, rows = nx.to_scipy_sparse_array(graph), csr_array((np.r_[a, b], nodes, [0, 2000, 4000]), shape=(2, 4000))
    ours, peer, off = _against(
        lambda: wt.wasserstein_pairs(rows, graph, pairs=[[0, 1]])[0],
        lambda: ot.emd2(
            a, b, np.ascontiguousarray(dijkstra(edges, unweighted=True, indices=x)[:, y]), numItermax=_UNLIMITED
        ),
    )
    work = "W1 of two measures of 2,000 nodes on a grid graph of 4,000"
    return _row(work, ours, "SciPy's shortest paths and POT's `emd2`", peer, off)


def _farthest(n: int) -> Row:
    rng = np.random.default_rng(n)
    X, Y = rng.normal(size=(2, n, 2))
    points, masses = np.vstack([X, Y]), np.ones(n)
    measures = [(np.arange(n), masses), (np.arange(n, 2 * n), masses)]
    ours, peer, off = _against(
        lambda: wt.wasserstein_pairs(measures, points, np.inf, pairs=[[0, 1]])[0], lambda: _bisected(cdist(X, Y))
    )
    return _row(f"W∞ of two clouds of {n:,} points", ours, "SciPy's bipartite matching and bisection", peer, off)


def _bisected(distances: np.ndarray) -> float:
    """The smallest distance within which all points can be matched."""
    values = np.unique(distances)
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        matched = maximum_bipartite_matching(csr_array(distances <= values[middle]), perm_type="column")
        low, high = (low, middle) if (matched >= 0).all() else (middle + 1, high)
    return float(values[low])


def _largest() -> Row:
    """Run each once: POT takes most of a minute."""
    rng = np.random.default_rng(0)
    costs = cdist(*_clouds(rng, 10_000, 2), "sqeuclidean")
    a, b = _masses(rng, 10_000)
    times, values = [], []
    for solve in (lambda: wt.wasserstein(a, b, costs).value, lambda: ot.emd2(a, b, costs, numItermax=_UNLIMITED)):
        start = time.perf_counter()
        values.append(solve())
        times.append(time.perf_counter() - start)
    off = abs(values[0] - values[1]) / costs.max()
    return _row("one problem of 10,000 × 10,000 masses in the plane, once", times[0], "POT's `emd2`", times[1], off)


def _against(ours: Callable[[], Any], peer: Callable[[], Any]) -> tuple[float, float, float]:
    """Seconds of both, and the difference of their values."""
    return median_seconds(ours, 3), median_seconds(peer, 3), abs(float(ours()) - float(peer()))


def _row(work: str, ours: float, name: str, peer: float, off: float) -> Row:
    return Row(work, f"{ours:.3f} s", f"{name}: {peer:.3f} s (difference {off:.0e})", f"{peer / ours:.1f}×")
