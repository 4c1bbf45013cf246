from __future__ import annotations

import numpy as np
import pytest
from curves.shapes import circle
from scipy.spatial import cKDTree

import wasserstein_transform as wt
from wasserstein_transform.curves.joining import Forest, Net, _running_along, gather, is_within, join, spanning
from wasserstein_transform.engine import current


def some_edges(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    nx = pytest.importorskip("networkx")
    rng = np.random.default_rng(seed)
    edges = np.array(nx.gnm_random_graph(n, n, seed=seed).edges)
    return rng.permutation(edges), rng.random(len(edges))


@pytest.mark.parametrize("seed", range(5))
def test_ways_through_a_forest_are_those_of_networkx(seed):
    nx = pytest.importorskip("networkx")
    edges, lengths = some_edges(60, seed)
    chosen = spanning(60, edges)
    graph = nx.empty_graph(60)
    kept = []
    for k, (a, b) in enumerate(edges):  # Kruskal, as he would by hand
        if not nx.has_path(graph, a, b):
            graph.add_edge(a, b, weight=lengths[k])
            kept.append(k)
    assert np.flatnonzero(chosen).tolist() == kept
    true = dict(nx.all_pairs_dijkstra_path_length(graph))
    pairs = np.array([[a, b] for a in range(60) for b in range(60)])
    expected = np.array([true[a].get(b, np.inf) for a, b in pairs])
    assert np.allclose(Forest.of(60, edges[chosen], lengths[chosen]).ways(pairs), expected)


def test_no_edges_are_a_forest():
    none = np.empty((0, 2), np.intp)
    assert spanning(3, none).tolist() == []
    assert Forest.of(3, none, np.empty(0)).ways(np.array([[0, 1], [2, 2]])).tolist() == [np.inf, 0.0]


def test_the_net_is_that_of_edges_added_one_by_one():
    """The slow twin asks every edge for a way around it, and knows no forest."""
    found = wt.denoise(circle(800, 0.1).points)
    knots = gather(
        found.points, found.axes[:, :, 0], found.weights, found.evidence, ~found.outliers, 0.2 * found.eps, current()
    )
    near, reach, loop = 1.5 * found.eps, 2 * found.eps, 3 * found.eps
    every = np.array(np.triu_indices(len(knots.points), 1)).T
    apart = np.linalg.norm(knots.points[every[:, 0]] - knots.points[every[:, 1]], axis=1)
    slow: Net = {k: {} for k in range(len(knots.points))}
    edges, lengths = _running_along(knots, cKDTree(knots.points), every[apart <= reach], found.eps, near)
    for (a, b), length in zip(edges.tolist(), lengths.tolist(), strict=True):
        if not is_within(slow, a, b, max(4 * length, loop - length)):
            slow[a][b] = slow[b][a] = length
    assert join(knots, found.eps, near, reach, loop, current())[0] == slow
