"""Communities in one call: by modularity and evidence, and by messages."""

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
from wasserstein_transform.graphs.communities import modularity
from wasserstein_transform.graphs.messages import Links, best_number, pass_messages
from wasserstein_transform.graphs.partitions import Optimizer, probabilities
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
    assert np.count_nonzero(np.bincount(found.labels) > 2) == 2  # besides nodes that no path leads to
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
    assert found.probabilities is not None
    assert (found.probabilities > 0.99).all()
    assert found.modularity == pytest.approx(modularity(found.network, truth))
    assert np.isnan(found.cutoff)


def test_pieces_of_a_graph_are_communities() -> None:
    graph = nx.disjoint_union_all([nx.complete_graph(9)] * 4)
    assert adjusted_rand_score(np.repeat(np.arange(4), 9), wt.graphs.communities(graph).labels) == 1.0


def test_a_number_of_communities_can_be_requested() -> None:
    graph = nx.relaxed_caveman_graph(6, 8, 0.1, seed=2)
    for n in (1, 2, 5, 6):
        assert wt.graphs.communities(graph, n).n_communities == n


def test_more_communities_than_messages_see_are_those_of_the_eigenvectors() -> None:
    graph = nx.gnm_random_graph(60, 200, seed=1)
    found = wt.graphs.communities(graph, 7)
    assert found.n_communities == 7
    assert ((found.probabilities > 0) & (found.probabilities <= 1)).all()


def test_resolution_gives_more_or_fewer() -> None:
    graph = nx.relaxed_caveman_graph(6, 8, 0.15, seed=2)
    numbers = [wt.graphs.communities(graph, resolution=r).n_communities for r in (0.05, 1.0, 4.0)]
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
    assert first.probabilities is not None
    assert again.probabilities is not None
    assert first.labels.tobytes() == again.labels.tobytes()
    assert first.probabilities.tobytes() == again.probabilities.tobytes()


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
    assert wt.graphs.communities(nx.empty_graph(1)).labels.tolist() == [0]
    assert wt.graphs.communities([(0, 1)]).labels.tolist() == [0, 0]
    assert wt.graphs.communities([(0, 1)], 2).n_communities == 2
    assert wt.graphs.communities(nx.star_graph(5)).n_communities == 1


def test_communities_report_and_can_be_cancelled() -> None:
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append) as engine:
        wt.graphs.communities(nx.connected_caveman_graph(3, 5))
        assert {update.stage for update in seen if not update.finished} == {"communities"}
        engine.cancel()
        with pytest.raises(wt.Cancelled):
            wt.graphs.communities(nx.connected_caveman_graph(3, 5))
    with wt.using(memory=1e3), pytest.raises(MemoryError, match="communities"):
        wt.graphs.communities(nx.connected_caveman_graph(3, 5), 3)


def test_of_a_large_graph_the_matrix_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.plotting.graphs.DRAWN", 20)
    nx.write_edgelist(nx.connected_caveman_graph(4, 6), tmp_path / "graph.txt", data=False)
    done = CliRunner().invoke(app, ["communities", str(tmp_path / "graph.txt"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "4 communities" in done.output
    assert (tmp_path / "out" / "communities.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_figures_and_tables_have_the_same_bytes_in_every_run(tmp_path: Path) -> None:
    nx.write_gml(nx.relaxed_caveman_graph(4, 6, 0.2, seed=1), tmp_path / "graph.gml")
    for jobs in (1, 2):
        words = ["communities", str(tmp_path / "graph.gml"), "-o", str(tmp_path / f"out{jobs}"), "-j", str(jobs)]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    files = sorted(path.name for path in (tmp_path / "out1").iterdir() if path.name != "summary.json")
    assert len(files) >= 2
    for file in files:
        assert (tmp_path / "out1" / file).read_bytes() == (tmp_path / "out2" / file).read_bytes()


@pytest.mark.slow
def test_the_command_takes_a_number_and_a_resolution(tmp_path: Path) -> None:
    graph = nx.connected_caveman_graph(4, 6)
    nx.set_edge_attributes(graph, {(a, b): 1 + (a // 6 == b // 6) for a, b in graph.edges}, "value")
    nx.write_gml(graph, tmp_path / "graph.gml")

    def run(*words: str) -> str:
        return CliRunner().invoke(app, ["communities", str(tmp_path / "graph.gml"), "-o", *words]).output

    assert "pass --weight value to use it, or --weight none to ignore" in run(str(tmp_path / "x"))
    assert "2 communities, modularity" in run(str(tmp_path / "two"), "-k", "2", "--weight", "value")
    said = run(str(tmp_path / "known"), "--resolution", "1", "--weight", "none")
    assert "4 communities, modularity" in said
    lines = (tmp_path / "known" / "communities.csv").read_text().splitlines()
    assert lines[0] == "node,community,probability"
    assert len(lines) == 25


def q(graph: nx.Graph, labels: np.ndarray, resolution: float = 1.0) -> float:
    groups = [{node for node, k in zip(graph, labels, strict=True) if k == label} for label in set(labels.tolist())]
    return nx.community.modularity(graph, groups, weight="strength", resolution=resolution)


@pytest.mark.parametrize("resolution", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
def test_modularity_is_as_large_as_by_networkx(resolution: float, weighted: bool) -> None:
    for seed in range(4):
        graph, _ = planted(300, 4, 10.0, 1.8, seed)
        if weighted:
            rng = np.random.default_rng(seed)
            nx.set_edge_attributes(graph, {e: float(rng.choice([0.5, 1.0, 2.0])) for e in graph.edges}, "strength")
        found = wt.graphs.communities(graph, resolution=resolution)
        expected = []
        for draw in range(9):  # one draw differs from another by up to a tenth
            peer = nx.community.louvain_communities(graph, weight="strength", resolution=resolution, seed=draw)
            expected.append(nx.community.modularity(graph, peer, weight="strength", resolution=resolution))
        assert q(graph, found.labels, resolution) > 0.98 * np.median(expected)


def test_no_node_can_move_to_a_better_community() -> None:
    graph, _ = planted(200, 4, 10.0, 1.8, 1)
    optimizer = Optimizer(links_of(graph).matrix)
    labels = np.arange(200)
    for _ in range(10):
        labels = optimizer._partition(optimizer._strengths, 1.0, 0, labels)
    for node in range(200):
        for other in {labels[neighbor] for neighbor in graph[node]}:
            moved = labels.copy()
            moved[node] = other
            assert q(graph, moved) <= q(graph, labels) + 1e-9


def test_probabilities_are_those_of_the_planted_partition() -> None:
    graph = two_groups()
    labels = np.repeat([0, 1], 6)
    found = probabilities(links_of(graph).matrix, labels)
    degrees = np.array([graph.degree[v] for v in range(12)])
    inside, total = [2 * graph.subgraph(np.flatnonzero(labels == c)).number_of_edges() for c in (0, 1)], degrees.sum()
    sums = [degrees[labels == c].sum() for c in (0, 1)]
    rates = [inside[c] * total / sums[c] ** 2 for c in (0, 1)]
    between = (total - sum(inside)) / (total - (sums[0] ** 2 + sums[1] ** 2) / total)
    for v in range(12):
        logs = []
        for c in (0, 1):
            others = [u for u in range(12) if u != v]
            rate = [rates[c] if labels[u] == c else between for u in others]
            mean = [degrees[v] * degrees[u] / total * r for u, r in zip(others, rate, strict=True)]
            edges = [np.log(r) for u, r in zip(others, rate, strict=True) if graph.has_edge(u, v)]
            logs.append(sum(edges) - sum(mean))
        assert found[v] == pytest.approx(1 / (1 + np.exp(logs[1 - labels[v]] - logs[labels[v]])), abs=1e-9)


def test_communities_are_sets_and_a_table_and_a_figure() -> None:
    graph = nx.relabel_nodes(nx.barbell_graph(5, 0), "abcdefghij".__getitem__)
    found = wt.graphs.communities(graph)
    assert found.communities == [set("abcde"), set("fghij")]
    assert nx.community.is_partition(graph, found.communities)
    table = found.to_pandas()
    assert list(table) == ["node", "community", "probability"]
    assert table["node"].tolist() == list("abcdefghij")
    assert len(found.plot(title="two").axes) == 1
    assert len(wt.graphs.curvature(graph).plot().axes) == 1
    assert list(wt.graphs.curvature(graph).to_pandas()) == ["a", "b", "distance", "curvature"]
    assert len(wt.graphs.ricci_flow(graph, 2).plot().axes) == 1


def test_the_groups_of_small_graphs_with_known_ones_are_found() -> None:
    karate = nx.karate_club_graph()
    found = wt.graphs.communities(karate, weight=None)
    assert adjusted_rand_score([karate.nodes[v]["club"] for v in karate], found.labels) > 0.7
    assert wt.graphs.communities(nx.davis_southern_women_graph(), 2).n_communities == 2


def heavy(seed: int) -> tuple[nx.Graph, np.ndarray]:
    """Forty groups of unequal sizes, with degrees from 4 to 100."""
    rng = np.random.default_rng(seed)
    truth = np.sort(rng.choice(40, 1200, p=rng.dirichlet(np.full(40, 2.0))))
    pull = (1 - rng.random(1200)) ** -0.6
    graph = nx.empty_graph(1200)
    for v in range(1200):
        own = np.flatnonzero(truth == truth[v])
        for inside in rng.random(int(2 * pull[v]) + 2) < 0.75:
            pool = own if inside else np.arange(1200)
            graph.add_edge(v, int(rng.choice(pool, p=pull[pool] / pull[pool].sum())))
    graph.remove_edges_from(nx.selfloop_edges(graph))
    return graph, truth


def test_many_groups_of_heavy_degrees_are_found_as_well_as_by_louvain() -> None:
    graph, truth = heavy(0)
    mine, peer = (
        adjusted_rand_score(truth, labels) for labels in (wt.graphs.communities(graph).labels, louvain(graph))
    )
    assert mine > peer
