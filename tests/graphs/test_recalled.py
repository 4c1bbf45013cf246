"""Ricci flow remembers the problems of the iteration before; it comes out as if it did not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from repeated import each_once

import wasserstein_transform as wt
from wasserstein_transform.backends import Memory
from wasserstein_transform.backends.cpu import paths
from wasserstein_transform.backends.cpu.exact import recalled
from wasserstein_transform.graphs.curvature import compare, localized
from wasserstein_transform.graphs.flow import Surgery
from wasserstein_transform.spaces import Space

HUBS = nx.barabasi_albert_graph(60, 3, seed=0)
PIECES = nx.disjoint_union(nx.barbell_graph(5, 2), nx.gnm_random_graph(20, 40, seed=1))
FLOWS: dict[str, tuple[nx.Graph, dict[str, object]]] = {
    "hubs": (HUBS, {}),
    "walks that go": (HUBS, {"measures": wt.graphs.LazyWalk(0.0, power=2.0)}),
    "walks that stay": (HUBS, {"measures": wt.graphs.LazyWalk(0.99)}),
    "neighborhoods that change": (HUBS, {"measures": wt.Nearest(6)}),
    "pieces": (PIECES, {}),
    "surgery": (PIECES, {"surgery": Surgery(every=3, longer=1.5)}),
    "small steps": (nx.karate_club_graph(), {"step": 0.1, "weight": None}),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("name", "small"), each_once(FLOWS, [0.0, 2.0**24]))
def test_flow_is_that_of_problems_solved_anew(name: str, small: float, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, settings = FLOWS[name]
    monkeypatch.setattr(paths, "_MOST", {True: small, False: small})
    found = wt.graphs.ricci_flow(graph, 7, tol=None, **settings)
    alone = wt.graphs.ricci_flow(graph, 7, tol=None, n_jobs=1, **settings)
    assert alone.lengths.tobytes() == found.lengths.tobytes()
    monkeypatch.setattr(recalled, "fit", lambda *_: False)
    expected = wt.graphs.ricci_flow(graph, 7, tol=None, **settings)
    np.testing.assert_array_equal(found.cut_after, expected.cut_after)
    np.testing.assert_allclose(found.lengths, expected.lengths, rtol=0, atol=1e-11)


def lengths_of(seed: int) -> np.ndarray:
    return 10.0 ** np.random.default_rng(seed).uniform(-6, 1, HUBS.number_of_edges())


def test_what_is_remembered_may_be_anything() -> None:
    network, memory = wt.graphs.as_network(HUBS), Memory()
    engine, weights = wt.Engine(), np.full(60, 1 / 60)
    for seed in (0, 1, 2):
        state = network.with_lengths(lengths_of(seed))
        measures = localized(state, wt.graphs.LazyWalk(0.5, 1.0), Space(state.metric, weights, None), engine)
        found = compare(state, measures, state.edges, engine, memory)
        expected = compare(state, measures, state.edges, engine)
        np.testing.assert_allclose(found.transports, expected.transports, rtol=1e-12)
        assert found.report.gap < 1e-12
    fewer = network.with_lengths(lengths_of(3), np.arange(len(network.edges)) != 5)  # other problems
    measures = localized(fewer, None, Space(fewer.metric, weights, None), engine)
    found = compare(fewer, measures, fewer.edges, engine, memory)
    expected = compare(fewer, measures, fewer.edges, engine)
    np.testing.assert_allclose(found.transports, expected.transports, rtol=1e-12)  # curvatures of short edges are huge
