"""Ricci flow: the same for any number of threads, and whether or not all shortest paths are stored."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.graphs import paths

HUBS = nx.barabasi_albert_graph(60, 3, seed=0)
PIECES = nx.disjoint_union(nx.barbell_graph(5, 2), nx.gnm_random_graph(20, 40, seed=1))
FLOWS: dict[str, tuple[nx.Graph, dict[str, object]]] = {
    "hubs": (HUBS, {}),
    "walks that go": (HUBS, {"measures": wt.graphs.LazyWalk(0.0, power=2.0)}),
    "walks that stay": (HUBS, {"measures": wt.graphs.LazyWalk(0.99)}),
    "neighborhoods that change": (HUBS, {"measures": wt.Nearest(6)}),
    "pieces": (PIECES, {}),
    "small steps": (nx.karate_club_graph(), {"step": 0.1, "weight": None}),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", FLOWS)
def test_flow_depends_neither_on_threads_nor_on_stored_paths(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, settings = FLOWS[name]
    flows = []
    for most in (0.0, 2.0**24):
        monkeypatch.setattr(paths, "_MAX_STORED", {True: most, False: most})
        flows.append(wt.graphs.ricci_flow(graph, 7, tol=None, **settings))
        alone = wt.graphs.ricci_flow(graph, 7, tol=None, n_jobs=1, **settings)
        assert alone.lengths.tobytes() == flows[-1].lengths.tobytes()
    np.testing.assert_allclose(flows[0].lengths, flows[1].lengths, rtol=0, atol=1e-11)
