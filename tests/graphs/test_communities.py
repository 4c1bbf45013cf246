"""Communities in one call: by messages, and through the transform."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from reference import messages as reference
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import wasserstein_transform as wt
from benchmarks.communities import louvain, planted
from wasserstein_transform.cli.app import app
from wasserstein_transform.engine import Engine
from wasserstein_transform.graphs import as_network
from wasserstein_transform.graphs.counting import best_number
from wasserstein_transform.graphs.cuts import modularity
from wasserstein_transform.graphs.messages import Links, pass_messages
from wasserstein_transform.graphs.spectrum import Spectrum


def links_of(graph: nx.Graph) -> Links:
    network = as_network(graph, None)
    return Links.of(network.n, network.edges, np.ones(len(network.edges)))


@pytest.mark.slow
@pytest.mark.parametrize("groups", [2, 3])
def test_messages_settle_where_their_formulas_hold(groups: int) -> None:
    graph, start = nx.planted_partition_graph(groups, 8, 0.8, 0.1, seed=3), np.repeat(np.arange(groups), 8)
    found = pass_messages(links_of(graph), start, groups, Engine())
    assert found.moving < 0.02
    rates = 2.0, 0.5
    for _ in range(8):
        messages, chances = reference.settled(graph, start.tolist(), groups, rates, 12)
        rates = reference.learned(graph, messages, chances, rates)
    np.testing.assert_allclose(found.chances, np.array(list(chances.values())), atol=3e-3)
    assert found.evidence == pytest.approx(reference.evidence(graph, messages, chances, groups, rates), abs=0.1)


def two_groups() -> nx.Graph:
    """Two groups of six vertices: 27 of the 30 edges within them, and four between."""
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    graph.remove_edges_from([(0, 1), (0, 2), (7, 10)])
    graph.add_edges_from([(0, 6), (1, 6), (2, 8), (4, 9)])
    return graph


@pytest.mark.parametrize("graph", [nx.barbell_graph(6, 0), two_groups()], ids=["barbell", "groups"])
def test_evidence_is_near_that_of_all_partitions(graph: nx.Graph) -> None:
    found = pass_messages(links_of(graph), np.repeat([0, 1], 6), 2, Engine())
    rates = [(inside, outside) for inside in np.linspace(1.2, 2.0, 9) for outside in np.linspace(0.02, 0.8, 14)]
    exact = max(reference.brute_evidence(graph, 2, pair) for pair in rates)
    assert exact > 1
    assert found.evidence == pytest.approx(exact, abs=1.0)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("seed", [0, 1])
def test_weak_communities_are_found_where_louvain_finds_little(seed: int) -> None:
    graph, truth = planted(600, 2, 5.0, 1.6, seed)
    found = wt.graphs.communities(graph)
    assert found.n_communities == 2
    peer = normalized_mutual_info_score(truth, louvain(graph))
    assert normalized_mutual_info_score(truth, found.labels) > 0.4 > 2 * peer


@pytest.mark.parametrize(
    "graph",
    [
        nx.gnm_random_graph(400, 1600, seed=1),
        nx.barabasi_albert_graph(400, 4, seed=1),
        nx.random_regular_graph(5, 400, seed=1),
        nx.random_labeled_tree(300, seed=1),
        nx.complete_graph(40),
    ],
    ids=["uniform", "hubs", "regular", "tree", "complete"],
)
def test_graphs_of_chance_alone_have_one_community(graph: nx.Graph) -> None:
    assert wt.graphs.communities(graph).n_communities == 1


@pytest.mark.parametrize("k", [3, 8, 30])
def test_cliques_are_found_however_many_there_are(k: int) -> None:
    graph = nx.connected_caveman_graph(k, 7)
    truth = np.repeat(np.arange(k), 7)
    found = wt.graphs.communities(graph)
    assert adjusted_rand_score(truth, found.labels) == 1.0
    assert found.chances is not None
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    np.testing.assert_array_equal(found.chances.argmax(axis=1), found.labels)
    assert found.modularity == pytest.approx(modularity(found.network, truth))
    assert np.isnan(found.cutoff)


def test_pieces_of_a_graph_are_communities() -> None:
    graph = nx.disjoint_union_all([nx.complete_graph(9)] * 4)
    assert adjusted_rand_score(np.repeat(np.arange(4), 9), wt.graphs.communities(graph).labels) == 1.0


@pytest.mark.parametrize("method", [wt.graphs.Messages(), wt.graphs.Transformed(wt.Truncation(1.0))], ids=repr)
def test_a_number_of_communities_can_be_asked_for(method: wt.graphs.Messages) -> None:
    graph = nx.relaxed_caveman_graph(6, 8, 0.1, seed=2)
    for n in (1, 2, 5, 6):
        assert wt.graphs.communities(graph, n, method).n_communities == n


def test_more_communities_than_messages_see_are_those_of_the_eigenvectors() -> None:
    graph = nx.gnm_random_graph(60, 200, seed=1)
    found = wt.graphs.communities(graph, 7)
    assert found.n_communities == 7
    assert found.chances is None


@pytest.mark.parametrize("method", [wt.graphs.Messages(), wt.graphs.Transformed(wt.Truncation(1.0))], ids=repr)
def test_resolution_asks_for_more_or_fewer(method: wt.graphs.Messages) -> None:
    graph = nx.relaxed_caveman_graph(6, 8, 0.15, seed=2)
    numbers = [wt.graphs.communities(graph, method=method, resolution=r).n_communities for r in (0.05, 1.0, 4.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[1]
    flow = wt.graphs.ricci_flow(graph, 10)
    counts = [flow.communities(resolution=r).n_communities for r in (0.05, 1.0, 4.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_strengths_tell_what_edges_alone_do_not() -> None:
    graph = nx.complete_graph(24)
    for a, b in graph.edges:
        graph[a][b]["strength"] = 5.0 if (a < 12) == (b < 12) else 0.5
    truth = [int(node < 12) for node in graph]
    found = wt.graphs.communities(graph)
    assert adjusted_rand_score(truth, found.labels) == 1.0
    assert wt.graphs.communities(graph, weight=None).n_communities == 1
    for a, b in graph.edges:
        graph[a][b]["length"] = 1 / graph[a][b].pop("strength")
    np.testing.assert_array_equal(wt.graphs.communities(graph).labels, found.labels)


@pytest.mark.slow
def test_communities_do_not_depend_on_threads_or_runs() -> None:
    graph, _ = planted(501, 3, 9.0, 1.6, 4)
    first = wt.graphs.communities(graph, n_jobs=1)
    again = wt.graphs.communities(graph, n_jobs=2)
    assert first.chances is not None
    assert again.chances is not None
    assert first.labels.tobytes() == again.labels.tobytes()
    assert first.chances.tobytes() == again.chances.tobytes()


def partition(graph: nx.Graph, n: int | None = None) -> list[list[int]]:
    found = wt.graphs.communities(graph, n)
    return [[node for node, k in zip(graph, found.labels, strict=True) if k == label] for label in set(found.labels)]


def in_another_order(graph: nx.Graph, rng: np.random.Generator) -> nx.Graph:
    nodes, edges, other = list(graph), list(graph.edges(data=True)), nx.Graph()
    other.add_nodes_from(nodes[k] for k in rng.permutation(len(nodes)))
    other.add_edges_from(edges[k] for k in rng.permutation(len(edges)))
    return other


def colors_of(graph: nx.Graph) -> dict[int, int]:
    """Colors of nodes that stay when every node sees the colors of its neighbors, by dictionaries."""
    colors = dict.fromkeys(graph, 0)
    while True:
        seen = {
            v: (colors[v], tuple(sorted((colors[u], graph[v][u].get("strength", 1.0)) for u in graph[v])))
            for v in graph
        }
        numbers = {key: k for k, key in enumerate(sorted(set(seen.values())))}
        if len(numbers) == len(set(colors.values())):
            return colors
        colors = {v: numbers[seen[v]] for v in graph}


def check_that_the_order_of_nodes_does_not_matter(graph: nx.Graph, n: int | None, rng: np.random.Generator) -> None:
    """But for nodes that the graph does not tell apart, which may change places."""
    colors = colors_of(graph)
    one, other = (
        sorted(sorted(colors[node] for node in group) for group in partition(given, n))
        for given in (graph, in_another_order(graph, rng))
    )
    assert one == other


@pytest.mark.parametrize(
    ("graph", "n"),
    [
        (nx.random_geometric_graph(80, 0.13, seed=0), None),
        (nx.random_geometric_graph(80, 0.13, seed=2), 3),
        (nx.random_geometric_graph(35, 0.22, seed=1001), 2),
        (nx.gnm_random_graph(50, 62, seed=2), 4),
        (nx.connected_caveman_graph(6, 4), 4),
        (nx.disjoint_union_all([nx.complete_graph(4)] * 5 + [nx.path_graph(3)] * 3), None),
        (nx.random_regular_graph(4, 40, seed=1), 2),
        (planted(501, 3, 9.0, 1.6, 4)[0], None),
    ],
    ids=["pieces", "pieces in 3", "pieces in 2", "sparse", "ring", "equal pieces", "regular", "planted"],
)
def test_communities_do_not_depend_on_the_order_of_nodes_and_edges(graph: nx.Graph, n: int | None) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        check_that_the_order_of_nodes_does_not_matter(graph, n, rng)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("seed", range(30))
def test_no_order_of_nodes_matters_on_many_graphs(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    for graph in (
        nx.random_geometric_graph(40, 0.25, seed=seed),
        nx.random_geometric_graph(35, 0.22, seed=1000 + seed),
        nx.random_geometric_graph(80, 0.13, seed=seed),
        nx.gnm_random_graph(50, 60 + seed, seed=seed),
        nx.connected_watts_strogatz_graph(40, 4, 0.1, seed=seed),
        nx.random_labeled_tree(30 + seed, seed=seed),
        nx.relaxed_caveman_graph(4, 6, 0.15, seed=seed),
        nx.planted_partition_graph(3, 20, 0.3, 0.08, seed=seed),
        nx.connected_caveman_graph(3 + seed % 8, 4 + seed % 3),
        nx.path_graph(5 + 3 * seed),
        nx.star_graph(4 + seed),
    ):
        if weighted:
            nx.set_edge_attributes(graph, {e: float(rng.choice([0.5, 1, 1.7, 2])) for e in graph.edges}, "strength")
        for n in (None, 2, 3, 4):
            check_that_the_order_of_nodes_does_not_matter(graph, n, rng)


TIES = {
    "ring": nx.connected_caveman_graph(4, 6),
    "long ring": nx.connected_caveman_graph(12, 3),
    "grid": nx.grid_2d_graph(8, 8),
    "cube": nx.hypercube_graph(5),
    "Petersen": nx.petersen_graph(),
    "multipartite": nx.complete_multipartite_graph(4, 4, 4),
    "odd path": nx.path_graph(51),
    "equal pieces": nx.disjoint_union_all([nx.complete_graph(9)] * 4),
}


@pytest.mark.repeated(2)
@pytest.mark.parametrize("name", TIES)
def test_communities_do_not_depend_on_the_basis_of_an_eigenspace(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)

    def turned(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return another basis of each eigenspace, with errors as of another processor."""
        values, vectors = np.linalg.eigh(matrix)
        vectors = vectors + 1e-14 * rng.normal(size=vectors.shape)
        for space in np.split(np.arange(len(values)), np.flatnonzero(np.diff(values) > 1e-9) + 1):
            vectors[:, space] = vectors[:, space] @ np.linalg.qr(rng.normal(size=(len(space), len(space))))[0]
        return values, vectors

    numbers = (None, 2, 3, 4)
    expected = [wt.graphs.communities(TIES[name], n).labels for n in numbers]
    monkeypatch.setattr("wasserstein_transform.graphs.spectrum.eigh", turned)
    for n, labels in zip(numbers, expected, strict=True):
        np.testing.assert_array_equal(wt.graphs.communities(TIES[name], n).labels, labels)


def test_where_nothing_branches_the_pieces_are_seen_without_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.graphs.talking.pass_messages", None)
    for graph in (nx.path_graph(2000), nx.cycle_graph(1000)):
        assert wt.graphs.communities(graph).n_communities == 1
    triangles = wt.graphs.communities(nx.disjoint_union_all([nx.complete_graph(3)] * 200))
    np.testing.assert_array_equal(triangles.labels, np.repeat(np.arange(200), 3))


def test_eigenvectors_of_long_graphs_take_products_in_proportion_to_the_length() -> None:
    spectra = [Spectrum(links_of(nx.circular_ladder_graph(n)).matrix) for n in (500, 1000)]
    for spectrum in spectra:
        assert spectrum.vectors(3).shape == (spectrum.n, 3)
    assert spectra[1].n_products < 2.2 * spectra[0].n_products < 20_000


@pytest.mark.slow
def test_eigenvectors_found_by_iteration_are_those_of_the_dense_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = links_of(nx.connected_caveman_graph(60, 6)).matrix
    found = Spectrum(matrix).vectors(60)
    monkeypatch.setattr("wasserstein_transform.graphs.spectrum._DENSE", 1000)
    exact = Spectrum(matrix).vectors(60)
    np.testing.assert_allclose(found @ (found.T @ exact), exact, atol=1e-3)


def test_through_the_transform_is_the_robust_cut_of_the_new_distances() -> None:
    graph = nx.relaxed_caveman_graph(4, 7, 0.15, seed=3)
    space = wt.Space.from_graph(graph)
    walk = wt.iterate(wt.Transform(wt.Heat(2.0), wt.Exact(1.0)), space, n_iter=1)
    expected = wt.cut_tree(wt.hierarchy.spanning_tree(walk.last), 4, cut="robust")
    np.testing.assert_array_equal(wt.graphs.communities(graph, 4, wt.graphs.Transformed()).labels, expected)
    lazy = wt.graphs.Transformed(wt.graphs.LazyWalk(0.5), n_iter=2)
    truth = np.repeat(np.arange(4), 7)
    assert adjusted_rand_score(truth, wt.graphs.communities(graph, 4, lazy).labels) > 0.7


def test_the_search_for_a_number_asks_once_and_finds_the_top() -> None:
    for top in (2, 3, 7, 20):
        asked: list[int] = []

        def score(k: int, top: int = top, asked: list[int] = asked) -> float:
            asked.append(k)
            return -float(abs(k - top))

        found = best_number(score, 4, 64, -100.0)
        assert abs(found - top) <= max(0, top // 6)
        assert len(asked) == len(set(asked))
    assert best_number(lambda k: -float(k), 2, 64, 0.0) == 1
    assert best_number(float, 2, 9, 0.0, margin=100.0) == 1


@pytest.mark.slow
def test_the_bethe_hessian_counts_communities() -> None:
    graph, _ = planted(800, 4, 12.0, 1.9, 1)
    spectrum = Spectrum(links_of(graph).matrix)
    assert spectrum.n_negative() == 4
    many = Spectrum(links_of(nx.connected_caveman_graph(60, 6)).matrix)
    assert many.n_negative() == 60
    assert len(np.unique(many.groups(60))) == 60


def test_odd_graphs_have_communities() -> None:
    assert wt.graphs.communities(nx.empty_graph(3)).labels.tolist() == [0, 1, 2]
    assert wt.graphs.communities(nx.empty_graph(1), method=wt.graphs.Transformed()).labels.tolist() == [0]
    assert wt.graphs.communities([(0, 1)]).labels.tolist() == [0, 0]
    assert wt.graphs.communities([(0, 1)], 2).n_communities == 2
    assert wt.graphs.communities(nx.star_graph(5)).n_communities == 1


def test_messages_report_and_can_be_cancelled() -> None:
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append) as engine:
        wt.graphs.communities(nx.connected_caveman_graph(3, 5))
        assert {update.stage for update in seen if not update.finished} == {"messages"}
        engine.cancel()
        with pytest.raises(wt.Cancelled):
            wt.graphs.communities(nx.connected_caveman_graph(3, 5))
    with wt.using(memory=1e3), pytest.raises(MemoryError, match="communities"):
        wt.graphs.communities(nx.connected_caveman_graph(3, 5))


def test_of_a_large_graph_the_matrix_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.cli.communities.DRAWN", 20)
    nx.write_edgelist(nx.connected_caveman_graph(4, 6), tmp_path / "graph.txt", data=False)
    done = CliRunner().invoke(app, ["communities", str(tmp_path / "graph.txt"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "4 communities" in done.output
    assert (tmp_path / "out" / "communities.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["communities", "flow"])
def test_figures_and_tables_have_the_same_bytes_in_every_run(name: str, tmp_path: Path) -> None:
    nx.write_gml(nx.relaxed_caveman_graph(4, 6, 0.2, seed=1), tmp_path / "graph.gml")
    for jobs in (1, 2):
        words = [name, str(tmp_path / "graph.gml"), "-o", str(tmp_path / f"out{jobs}"), "-j", str(jobs)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    files = sorted(path.name for path in (tmp_path / "out1").iterdir() if path.name != "summary.json")
    assert len(files) >= 2
    for file in files:
        assert (tmp_path / "out1" / file).read_bytes() == (tmp_path / "out2" / file).read_bytes()


@pytest.mark.slow
def test_the_command_takes_a_number_a_resolution_and_a_method(tmp_path: Path) -> None:
    graph = nx.connected_caveman_graph(4, 6)
    nx.set_node_attributes(graph, {k: k // 6 for k in graph}, "cave")
    nx.write_gml(graph, tmp_path / "graph.gml")

    def run(*words: str) -> str:
        return CliRunner().invoke(app, ["communities", str(tmp_path / "graph.gml"), "-o", *words]).output

    assert "2 communities, modularity" in run(str(tmp_path / "two"), "-k", "2")
    said = run(str(tmp_path / "known"), "--truth", "cave", "--method", "transform", "--resolution", "1")
    assert "4 known communities: adjusted Rand index" in said
    lines = (tmp_path / "two" / "communities.csv").read_text().splitlines()
    assert lines[0] == "node,community,chance"
    assert len(lines) == 25
    assert "--method must be one of messages, transform, got 'leiden'" in run(str(tmp_path / "x"), "--method", "leiden")
