"""Curvature of graphs, Ricci flow, communities."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from reference import graphs as reference
from reference.transforms import wasserstein
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform.compute.graphs import paths
from wasserstein_transform.graphs.communities import modularity


def weighted(graph: nx.Graph, seed: int) -> nx.Graph:
    rng = np.random.default_rng(seed)
    for a, b in graph.edges:
        graph[a][b]["weight"] = float(rng.uniform(0.2, 2.0))
    return graph


@pytest.mark.parametrize("idleness", [0.0, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_cliques(n: int, idleness: float) -> None:
    found = wt.graphs.curvature(nx.complete_graph(n), wt.graphs.LazyWalk(idleness)).values
    np.testing.assert_allclose(found, 1 - abs(idleness - (1 - idleness) / (n - 1)), atol=1e-14)


LIMITS: dict[str, tuple[nx.Graph, float]] = {
    "triangle": (nx.cycle_graph(3), 3 / 2),
    "square": (nx.cycle_graph(4), 1.0),
    "pentagon": (nx.cycle_graph(5), 1 / 2),
    "hexagon": (nx.cycle_graph(6), 0.0),
    "long cycle": (nx.cycle_graph(20), 0.0),
    "clique": (nx.complete_graph(7), 7 / 6),
    "cube": (nx.hypercube_graph(3), 2 / 3),
    "hypercube": (nx.hypercube_graph(5), 2 / 5),
    "flat torus": (nx.grid_2d_graph(7, 8, periodic=True), 0.0),
    "octahedron": (nx.octahedral_graph(), 1.0),
    "bipartite": (nx.complete_bipartite_graph(4, 4), 2 / 4),
}


def limit_of(graph: nx.Graph, power: float = 0.0, weight: str = "ask") -> np.ndarray:
    """The curvature of Lin, Lu and Yau: the limit of κ_α / (1 − α) as the idleness α goes to 1."""
    return 2 * wt.graphs.curvature(graph, wt.graphs.LazyWalk(0.5, power), weight=weight).values


@pytest.mark.parametrize("graph", [nx.gnm_random_graph(12, 26, seed=3), nx.barbell_graph(4, 1)], ids=["uniform", "bar"])
def test_curvature_is_that_of_rational_numbers(graph: nx.Graph) -> None:
    for idleness in (Fraction(1, 2), Fraction(1, 3)):
        expected = [float(value) for value in reference.rational_curvature(graph, idleness)]
        found = wt.graphs.curvature(graph, wt.graphs.LazyWalk(float(idleness))).values
        np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("name", LIMITS)
def test_the_limit_of_graphs_whose_edges_are_all_alike(name: str) -> None:
    graph, expected = LIMITS[name]
    np.testing.assert_allclose(limit_of(graph), expected, atol=1e-13)


@pytest.mark.parametrize("graph", [nx.random_labeled_tree(40, seed=1), nx.star_graph(6), nx.path_graph(9)], ids=str)
def test_trees(graph: nx.Graph) -> None:
    network = wt.graphs.as_network(graph)
    degrees = network.degrees[network.edges]
    np.testing.assert_allclose(limit_of(graph), 2 / degrees[:, 0] + 2 / degrees[:, 1] - 2, atol=1e-13)


def test_inside_of_a_grid_is_flat() -> None:
    grid = nx.grid_2d_graph(9, 9)
    network = wt.graphs.as_network(grid)
    inner = [all(2 <= c <= 6 for k in pair for c in network.nodes[k]) for pair in network.edges]
    np.testing.assert_allclose(limit_of(grid)[inner], 0, atol=1e-13)


@pytest.mark.parametrize("power", [0.0, 2.0])
@pytest.mark.parametrize("make", [weighted, lambda graph, seed: graph], ids=["lengths", "even"])
def test_the_limit_is_linear_from_one_half_on(make: Callable[..., nx.Graph], power: float) -> None:
    graph = make(nx.gnm_random_graph(20, 45, seed=2), 2)
    limit = limit_of(graph, power, "length")
    for idleness in (0.6, 0.99):
        near = wt.graphs.curvature(graph, wt.graphs.LazyWalk(idleness, power), weight="length").values / (1 - idleness)
        np.testing.assert_allclose(near, limit, atol=1e-10)


@pytest.mark.repeated(3)
@pytest.mark.parametrize("lengths", [(0, 0.0), (1, 2.0), (2, 1.0)])
@pytest.mark.parametrize("idleness", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("small", [0.0, 2.0**22])
def test_curvature_is_that_of_the_linear_program(
    lengths: tuple[int, float], idleness: float, small: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, power = lengths
    monkeypatch.setattr(paths, "_MAX_STORED", {True: small, False: small})
    graph = nx.gnm_random_graph(18, 40, seed=seed)
    if power:
        weighted(graph, seed)
    expected = reference.curvature(graph, reference.lazy_walk(graph, idleness, power))
    found = wt.graphs.curvature(graph, wt.graphs.LazyWalk(idleness, power), weight="length")
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    assert found.report.gap < 1e-12


@pytest.mark.repeated(2)
@pytest.mark.parametrize("rule", [wt.Truncation(1.0), wt.Nearest(5), wt.Nearest(0.2), wt.localize.Heat(2.0)], ids=repr)
def test_all_measures_of_the_library_can_be_compared(rule: wt.localize.Localization) -> None:
    graph = nx.connected_watts_strogatz_graph(24, 4, 0.2, seed=3)
    P = rule(wt.Space.from_graph(graph)).matrix().toarray()
    expected = reference.curvature(graph, P)
    np.testing.assert_allclose(wt.graphs.curvature(graph, rule).values, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(wt.graphs.curvature(graph, wt.localize.Given(P)).values, expected, rtol=0, atol=1e-9)


def test_any_pair_has_a_curvature_and_names_are_those_of_the_graph() -> None:
    graph = nx.path_graph(["a", "b", "c", "d"])
    found = wt.graphs.curvature(graph, pairs=[("d", "a"), ("a", "b"), ("c", "c")])
    P, D = reference.lazy_walk(graph, 0.5), reference.shortest_paths(graph)
    assert found.values[0] == pytest.approx(1 - wasserstein(P[3], P[0], D, 1) / 3)
    assert found.of("a", "d") == found.values[0]
    assert np.isnan(found.values[2])


def test_an_edge_that_is_no_shortest_path_is_measured_by_the_shortest_path() -> None:
    found = wt.graphs.curvature([(0, 1, 10.0), (1, 2, 1.0), (0, 2, 1.0)], weight="length")
    assert found.distances.tolist() == [2, 1, 1]
    assert found.values[0] == pytest.approx(1 - found.transports[0] / 2)


def test_loops_parallel_edges_pieces_isolated_nodes_and_no_length() -> None:
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0), (2, 2), (5, 6)])
    graph.add_node("alone")
    graph.add_edge(6, 7, weight=0.0)
    found = wt.graphs.curvature(graph, weight="length")
    np.testing.assert_allclose(found.values[:3], 0.75)
    assert np.isnan(found.values[found.distances == 0]).all()
    far = wt.graphs.curvature(graph, pairs=[(0, 5), (0, "alone")], weight="length")
    assert np.isnan(far.values).all()
    assert np.isinf(far.distances).all()
    back = found.to_networkx()
    assert {data["curvature"] for _, _, data in back.edges(0, data=True)} == {found.values[0]}
    assert "curvature" not in back[2][2][0]
    assert np.isnan(back.nodes["alone"]["curvature"])
    flow = wt.graphs.ricci_flow(graph, 3, weight="length")
    assert np.isfinite(flow.lengths).all()
    assert flow.communities().n_communities >= 3


def test_edges_in_both_directions_are_one() -> None:
    graph = nx.cycle_graph(4)
    found = wt.graphs.curvature(nx.DiGraph(graph))
    np.testing.assert_array_equal(np.sort(found.values), np.sort(wt.graphs.curvature(graph).values))


def test_a_graph_without_edges_has_no_curvature() -> None:
    empty = nx.empty_graph(4)
    assert len(wt.graphs.curvature(empty).values) == 0
    assert wt.graphs.ricci_flow(empty).communities().n_communities == 4


def test_graphs_of_all_kinds_and_files_give_the_same(tmp_path: Path) -> None:
    graph = weighted(nx.gnm_random_graph(12, 30, seed=4), 4)
    lines = "\n".join(f"{a}, {b},{data['weight']!r}" for a, b, data in graph.edges(data=True))
    (tmp_path / "edges.csv").write_text(f"# a list\n\n{lines}\n")
    nx.write_gml(graph, tmp_path / "graph.gml")
    nx.write_graphml(graph, tmp_path / "graph.graphml")
    edges = [(a, b, data["weight"]) for a, b, data in graph.edges(data=True)]
    expected = wt.graphs.curvature(graph, weight="length").values
    kinds = [csr_array(nx.to_scipy_sparse_array(graph)), edges, np.array(edges)]
    files = [tmp_path / "edges.csv", str(tmp_path / "graph.gml"), tmp_path / "graph.graphml"]
    for given in (*kinds, *files):
        np.testing.assert_allclose(wt.graphs.curvature(given, weight="length").values, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "0 1 2 3", "line 1: an edge is"),
        ("a.csv", "0,,3\n", "line 1: an edge is"),
        ("a.gml", "graph [ what", "cannot be read as gml"),
        ("a.txt", "0 1 far", "line 1: the number of an edge must be finite and at least 0, got 'far'"),
        ("a.txt", "", "at least one node"),
    ],
)
def test_files_that_hold_no_graph_are_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=said):
        wt.graphs.curvature(tmp_path / name)
    with pytest.raises(ValueError, match="does not exist"):
        wt.graphs.curvature(tmp_path / "nothing.gml")


def test_the_result_does_not_depend_on_threads_and_edges_have_no_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "_MAX_STORED", {True: 0.0, False: 0.0})
    graph = weighted(nx.barabasi_albert_graph(150, 3, seed=5), 5)
    one, two = (wt.graphs.curvature(graph, n_jobs=k, weight="length").values for k in (1, 3))
    np.testing.assert_array_equal(one, two)
    order = np.random.default_rng(0).permutation(150)
    mixed = nx.relabel_nodes(graph, dict(enumerate(order.tolist())))
    edges = list(graph.edges)
    pairs = [(int(order[b]), int(order[a])) for a, b in edges]
    turned, straight = (
        wt.graphs.curvature(given, pairs=ends, weight="length").values
        for given, ends in ((mixed, pairs), (graph, edges))
    )
    np.testing.assert_allclose(turned, straight, rtol=0, atol=1e-12)


def test_one_step_of_the_flow_is_one_minus_curvature_times_distance() -> None:
    graph = weighted(nx.gnm_random_graph(15, 35, seed=6), 6)
    flow = wt.graphs.ricci_flow(graph, 1, weight="length")
    scale = len(flow.network.edges) / flow.network.lengths.sum()
    for a, b in graph.edges:
        graph[a][b]["weight"] *= scale
    before = wt.graphs.curvature(graph, wt.graphs.LazyWalk(0.5, power=2.0), weight="length")
    after = (1 - before.values) * before.distances
    np.testing.assert_allclose(flow.curvatures[0], before.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(flow.lengths[1], after / after.mean(), rtol=1e-12)


def test_flow_comes_to_rest_where_all_edges_bend_alike() -> None:
    flow = wt.graphs.ricci_flow(nx.hypercube_graph(3))
    assert flow.converged
    assert flow.n_iter == 1
    assert not wt.graphs.ricci_flow(nx.barbell_graph(4, 1), 3).converged


def test_the_best_cut_has_the_largest_modularity_of_all_cuts() -> None:
    graph = nx.relaxed_caveman_graph(5, 6, 0.2, seed=7)
    flow = wt.graphs.ricci_flow(graph, 12)
    best = flow.communities()
    cuts = [flow.communities(cutoff=cutoff) for cutoff in np.unique(flow.lengths[-1])]
    assert best.modularity == pytest.approx(max(cut.modularity for cut in cuts))
    for cut in cuts[:: len(cuts) // 9]:
        groups = [set(np.flatnonzero(cut.labels == k).tolist()) for k in range(cut.n_communities)]
        assert cut.modularity == pytest.approx(nx.community.modularity(graph, groups, weight=None))
    assert modularity(best.network, best.labels) == best.modularity
    assert best.to_networkx().nodes[0]["community"] == best.labels[0]


def test_ltwt_of_a_graph_contracts_by_its_curvature() -> None:
    graph = nx.connected_watts_strogatz_graph(30, 4, 0.1, seed=8)
    space = wt.Space.from_graph(graph)
    moved = wt.Transform(wt.Truncation(1.0), wt.Exact(p=1))(space).metric
    found = wt.graphs.curvature(graph, wt.Truncation(1.0))
    np.testing.assert_allclose(1 - moved.pairs(*found.pairs.T) / found.distances, found.values, rtol=0, atol=1e-12)


def test_verbose_work_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[wt.engine.Update] = []
    monkeypatch.setattr("wasserstein_transform.engine.core.bar", lambda: seen.append)
    triangle = [(0, 1), (1, 2), (2, 0), (2, 3)]
    wt.graphs.curvature(triangle)
    wt.graphs.ricci_flow(triangle, 3)
    assert not seen
    wt.graphs.curvature(triangle, verbose=True)
    assert "shortest paths" in {update.stage for update in seen}
    wt.graphs.ricci_flow(triangle, 3, verbose=True)
    assert 3 in {update.n_iter for update in seen}


@pytest.mark.parametrize(
    ("work", "n_iter"),
    [
        (wt.graphs.curvature, 0),
        (lambda edges: wt.graphs.ricci_flow(edges, 3, tol=0.0), 3),
    ],
    ids=["curvature", "flow"],
)
def test_graphs_run_on_the_current_engine(work: Callable[..., object], n_iter: int) -> None:
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append) as engine:
        work([(0, 1), (1, 2), (2, 0), (2, 3)])
        assert {update.iteration for update in seen if not update.finished} == (set(range(1, n_iter + 1)) or {0})
        assert [update.finished for update in seen].count(True) == 1
        engine.cancel()
        with pytest.raises(wt.engine.Cancelled):
            work([(0, 1), (1, 2), (2, 0), (2, 3)])


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE graphml [<!ENTITY a "ha">"""
LAUGHS += "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
LAUGHS += "]><graphml><graph edgedefault='undirected'><node id='&i;'/></graph></graphml>"


def test_a_graph_that_needs_more_memory_than_there_is_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n" * 1000)
    message = r"the graph of .*edges.txt needs 156.2 KiB, and 97.7 KiB are available; .* wt.using\(memory=…\)"
    with wt.using(memory=1e5), pytest.raises(MemoryError, match=message):
        wt.graphs.read_graph(tmp_path / "edges.txt")
    (tmp_path / "laughs.graphml").write_text(LAUGHS)
    with pytest.raises(ValueError, match="entities"):
        wt.graphs.read_graph(tmp_path / "laughs.graphml")


def test_names_in_files_are_read_as_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "edges.txt"
    file.write_bytes("0 1\n1 2\n2 0\n".encode("utf-8-sig"))  # as spreadsheets write it
    assert wt.graphs.read_graph(file) == [(0, 1), (1, 2), (2, 0)]
    file.write_text("--5 ² \n a b", "utf-8")
    assert wt.graphs.read_graph(file) == [("--5", "²"), ("a", "b")]
    gml = tmp_path / "bare.gml"
    gml.write_text("graph [ node [ id 4 ] node [ id 7 ] edge [ source 4 target 7 ] ]")
    assert list(wt.graphs.read_graph(gml)) == [4, 7]


def test_without_networkx_graphs_are_lists_and_the_rest_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    found = wt.graphs.curvature([(0, 1), (1, 2), (2, 0)])
    np.testing.assert_allclose(found.values, 0.75)
    with pytest.raises(ImportError, match=r"a networkx graph needs networkx.*wasserstein-transform\[graph\]"):
        found.to_networkx()


def test_communities_are_asked_for_by_their_number_and_cutoffs_by_name() -> None:
    flow = wt.graphs.ricci_flow(nx.relaxed_caveman_graph(5, 6, 0.2, seed=7), 12)
    for k in (2, 3, 5, 7):
        found = flow.communities(k)
        assert found.n_communities == k
        np.testing.assert_array_equal(found.labels, flow.communities(cutoff=found.cutoff).labels)
    assert flow.communities(30).labels.tolist() == list(range(30))
    with pytest.raises(TypeError):
        flow.communities(None, 1.5)
    with pytest.warns(wt.hierarchy.FewerClustersWarning):
        assert wt.graphs.ricci_flow(nx.cycle_graph(6), 2).communities(3).n_communities == 1
