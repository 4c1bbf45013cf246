"""Balanced Forman curvature, and that of Lin, Lu and Yau in rational numbers."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from reference import graphs as reference

import wasserstein_transform as wt
from wasserstein_transform.graphs import forman

GRAPHS = {
    "sparse": nx.gnm_random_graph(24, 40, seed=1),
    "dense": nx.gnm_random_graph(14, 60, seed=2),
    "hubs": nx.barabasi_albert_graph(30, 3, seed=3),
    "ring": nx.watts_strogatz_graph(26, 4, 0.2, seed=4),
    "bipartite": nx.algorithms.bipartite.random_graph(9, 11, 0.4, seed=5),
    "karate": nx.Graph(nx.karate_club_graph().edges),
}
ALIKE: dict[str, tuple[nx.Graph, float]] = {  # table 1 of Topping et al.
    "triangle": (nx.cycle_graph(3), 3 / 2),
    "square": (nx.cycle_graph(4), 1.0),
    "pentagon": (nx.cycle_graph(5), 0.0),
    "long cycle": (nx.cycle_graph(12), 0.0),
    "clique": (nx.complete_graph(6), 6 / 5),
    "torus": (nx.grid_2d_graph(7, 8, periodic=True), 0.0),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("wedges", [1.0, 2e6], ids=["edge by edge", "at once"])
def test_balanced_forman_is_that_of_its_definition(name: str, wedges: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forman, "_WEDGES", wedges)
    found = wt.graphs.balanced_forman(GRAPHS[name])
    np.testing.assert_allclose(found.values, reference.balanced_forman(GRAPHS[name]), atol=1e-13)


@pytest.mark.parametrize("name", ALIKE)
def test_balanced_forman_of_graphs_whose_edges_are_all_alike(name: str) -> None:
    graph, expected = ALIKE[name]
    np.testing.assert_allclose(wt.graphs.balanced_forman(graph).values, expected, atol=1e-13)


@pytest.mark.parametrize("name", GRAPHS)
def test_lin_lu_yau_is_never_less_than_balanced_forman(name: str) -> None:
    lower = wt.graphs.balanced_forman(GRAPHS[name]).values
    assert (wt.graphs.lin_lu_yau(GRAPHS[name]).values >= lower - 1e-12).all()


@pytest.mark.parametrize("name", GRAPHS)
def test_lin_lu_yau_is_the_limit_in_rational_numbers(name: str) -> None:
    found = wt.graphs.lin_lu_yau(GRAPHS[name]).values
    near = [reference.lin_lu_yau(GRAPHS[name], Fraction(k - 1, k)) for k in (2, 1000)]
    assert near[0] == near[1]
    np.testing.assert_allclose(found, np.array(near[0], float), rtol=0, atol=1e-13)


def test_curvature_of_edges_is_put_at_edges_and_shown() -> None:
    found = wt.graphs.balanced_forman([("a", "b", 3.0), ("b", "c", 0.5), ("c", "a", 1.0), ("c", "d", 1.0)])
    assert repr(found) == "<Forman curvature of 4 edges, 0 to 1.5>"
    assert "curvature" in found._repr_html_()
    assert found.to_networkx().edges["c", "d"]["curvature"] == 0.0
    assert repr(wt.graphs.balanced_forman(nx.empty_graph(3))) == "<Forman curvature of 0 edges>"
