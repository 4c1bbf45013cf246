"""Curvature of graphs whose edges are all alike: flows at three prices, beside the simplex and linear programs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from reference import graphs as reference
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import batches as exact

GRAPHS = {
    "sparse": nx.gnm_random_graph(16, 30, seed=0),
    "dense": nx.gnm_random_graph(10, 32, seed=1),
    "attached": nx.barabasi_albert_graph(20, 3, seed=2),
    "star": nx.star_graph(9),
    "barbell": nx.barbell_graph(5, 2),
    "bipartite": nx.complete_bipartite_graph(3, 6),
    "pieces": nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(4)),
}


def by_simplex(monkeypatch: pytest.MonkeyPatch, *given: object, **named: object) -> wt.graphs.Curvature:
    with monkeypatch.context() as patch:
        patch.setattr(exact, "are_hops", lambda *_: False)
        return wt.graphs.curvature(*given, **named)


@pytest.mark.repeated(7)
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("idleness", [0.0, 0.5, 0.99])
def test_flows_cost_what_the_linear_program_says(name: str, idleness: float) -> None:
    graph = GRAPHS[name]
    expected = reference.curvature(graph, reference.lazy_walk(graph, idleness))
    found = wt.graphs.curvature(graph, wt.graphs.LazyWalk(idleness))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    assert found.report.gap < 1e-14


@pytest.mark.parametrize("seed", range(3))
def test_masses_of_any_size_cost_what_the_simplex_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(60, 300, seed=seed)
    pattern = nx.to_scipy_sparse_array(graph, format="csr") + csr_array(np.eye(60))
    masses = 10.0 ** rng.uniform(-18, 0, pattern.nnz) * (rng.random(pattern.nnz) < 0.8) + 1e-300
    masses /= np.repeat(np.add.reduceat(masses, pattern.indptr[:-1]), np.diff(pattern.indptr))
    given = wt.localize.Given(csr_array((masses, pattern.indices, pattern.indptr), shape=(60, 60)))
    found, expected = wt.graphs.curvature(graph, given), by_simplex(monkeypatch, graph, given)
    np.testing.assert_allclose(found.transports, expected.transports, rtol=1e-12, atol=1e-14)


@pytest.mark.slow
def test_hubs_take_several_words(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    hubs = [(a, b) for a in range(4) for b in range(a)] + [(a, int(b)) for a in range(4) for b in range(4, 400)]
    graph = nx.Graph([edge for edge in hubs if edge[1] < 4 or rng.random() < 0.4])
    graph.add_edges_from(rng.integers(4, 400, (900, 2)).tolist())
    assert max(degree for _, degree in graph.degree) > 124
    for rule in (None, wt.graphs.LazyWalk(0.0), wt.Truncation(1.0)):
        found, expected = wt.graphs.curvature(graph, rule), by_simplex(monkeypatch, graph, rule)
        np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-13)
        again = wt.graphs.curvature(graph, rule, n_jobs=1)
        assert again.values.tobytes() == found.values.tobytes()


@pytest.mark.parametrize("length", [1e-120, 0.1, 3.0, 1e120])
def test_the_length_of_all_edges_is_a_unit(length: float) -> None:
    graph = nx.barabasi_albert_graph(30, 3, seed=5)
    nx.set_edge_attributes(graph, length, "length")
    plain = wt.graphs.curvature(graph, weight=None)
    found = wt.graphs.curvature(graph)
    np.testing.assert_allclose(found.values, plain.values, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.transports, plain.transports * length, rtol=1e-14)


def test_measures_that_reach_farther_go_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.gnm_random_graph(40, 70, seed=3)
    pairs = [(a, b) for a in range(5) for b in nx.node_connected_component(graph, a) if b > a]
    monkeypatch.setattr(exact, "listed_by_hops", lambda *_: pytest.fail("not all distances are 3 edges at most"))
    assert len(wt.graphs.curvature(graph, wt.Truncation(2.0)).values) == graph.number_of_edges()
    assert len(wt.graphs.curvature(graph, pairs=pairs).values) == len(pairs)


def test_equal_measures_cost_nothing() -> None:
    found = wt.graphs.curvature(nx.complete_graph(7), wt.Truncation(1.0))
    assert found.transports.tolist() == [0.0] * 21
    assert found.values.tolist() == [1.0] * 21
