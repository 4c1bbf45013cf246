"""All distances of a graph, found for many nodes at once: to the bit those found from one node after the other."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import wasserstein_transform as wt
from wasserstein_transform.compute.graphs import paths

GRAPHS = {
    "hubs": nx.barabasi_albert_graph(90, 3, seed=0),
    "grid": nx.grid_2d_graph(9, 8),
    "pieces": nx.disjoint_union(nx.gnm_random_graph(40, 60, seed=1), nx.path_graph(7)),
    "a chain in any order": nx.from_edgelist(np.random.default_rng(0).permutation(80)[[range(79), range(1, 80)]].T),
    "three nodes": nx.path_graph(3),
}


@pytest.mark.parametrize("few", [1, 12], ids=["heaps", "sweeps"])
@pytest.mark.parametrize("name", GRAPHS)
def test_distances_are_those_of_single_searches(name: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network = wt.graphs.as_network(GRAPHS[name])
    rng = np.random.default_rng(2)
    lengths = rng.uniform(0.1, 2.0, len(network.edges)) * (rng.random(len(network.edges)) < 0.9)
    metric, everybody, engine = network.with_lengths(lengths).metric, np.arange(network.n), wt.Engine()
    assert not metric.adjacency.even
    monkeypatch.setattr(paths, "_MAX_SWEEPS", few)
    found = np.empty((network.n, network.n))
    paths.path_matrix(metric, found, engine)
    single = paths.path_block(metric, everybody, everybody, engine)
    upper = np.triu_indices(network.n)
    assert found[upper].tobytes() == single[upper].tobytes()
    assert found.T.tobytes() == found.tobytes()
    matrix = network.with_lengths(lengths + 1e-300).metric.lengths  # SciPy takes no edges of length 0
    np.testing.assert_allclose(found, dijkstra(matrix), rtol=1e-14, atol=1e-200)
