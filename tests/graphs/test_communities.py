"""Communities in one call: by modularity and evidence."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import wasserstein_transform as wt
from benchmarks.communities import louvain, planted
from wasserstein_transform.cli.app import app
from wasserstein_transform.engine import Engine
from wasserstein_transform.graphs import as_network
from wasserstein_transform.graphs.communities import modularity, strengths_between
from wasserstein_transform.graphs.partitions import Optimizer, _core, probabilities


def matrix_of(graph: nx.Graph) -> csr_array:
    network = as_network(graph, None)
    return strengths_between(network.n, network.edges, np.ones(len(network.edges)))


def two_groups() -> nx.Graph:
    """Two groups of six vertices: 27 of the 30 edges within them, and four between."""
    graph = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    graph.remove_edges_from([(0, 1), (0, 2), (7, 10)])
    graph.add_edges_from([(0, 6), (1, 6), (2, 8), (4, 9)])
    return graph


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
        assert wt.graphs.communities(graph, float(n)).n_communities == n  # type: ignore[arg-type]  # as tables have it


@pytest.mark.parametrize(
    "graph",
    [
        nx.gnm_random_graph(60, 200, seed=1),
        nx.random_labeled_tree(30, seed=1),
        nx.star_graph(9),
        nx.cycle_graph(50),
        nx.complete_graph(12),
        nx.disjoint_union_all([nx.complete_graph(4)] * 5 + [nx.empty_graph(3)]),
        nx.empty_graph(6),
    ],
    ids=["chance", "tree", "star", "cycle", "complete", "pieces", "no edges"],
)
def test_every_graph_has_as_many_communities_as_are_asked_for(graph: nx.Graph) -> None:
    for k in (1, 2, 3, 5, len(graph) // 2, len(graph) - 1, len(graph)):
        found = wt.graphs.communities(graph, k)
        assert found.n_communities == k
        assert found.probabilities is None or (found.probabilities > 0).all()


def test_pieces_are_merged_into_the_number_that_is_asked_for_and_never_cut() -> None:
    graph = nx.disjoint_union_all([nx.complete_graph(size) for size in (12, 11, 4, 3)])
    piece = np.repeat([0, 1, 2, 3], [12, 11, 4, 3])
    for k in (2, 3):
        found = wt.graphs.communities(graph, k).labels
        assert len(set(zip(piece, found, strict=True))) == 4


def test_merging_takes_the_two_communities_that_lose_least_modularity() -> None:
    graph = nx.gnm_random_graph(40, 90, seed=3)
    labels, matrix = np.arange(40) // 3, matrix_of(graph)
    expected = labels
    for k in range(13, 1, -1):
        tries = [np.where(expected == b, a, expected) for a in set(expected) for b in set(expected) if a < b]
        expected = max(tries, key=lambda one: q(graph, one, 1.5))
        merged = Optimizer(matrix, Engine())._merged(labels, k, 1.5)
        assert merged.max() + 1 == k
        assert q(graph, merged, 1.5) == pytest.approx(q(graph, expected, 1.5), abs=1e-12)


def test_nodes_settle_in_their_own_communities() -> None:
    graph, truth = planted(400, 4, 16.0, 3.5, 0)
    labels = np.array(truth)
    wrong = np.random.default_rng(0).choice(400, 100, replace=False)
    labels[wrong] = (labels[wrong] + 1) % 4
    settled = Optimizer(matrix_of(graph), Engine())._settled(labels)
    assert adjusted_rand_score(truth, labels) < 0.6
    assert adjusted_rand_score(truth, settled) > 0.98


@pytest.mark.repeated(1)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weak_communities_of_a_given_number_are_found(seed: int) -> None:
    graph, truth = planted(600, 2, 5.0, 1.6, seed)
    assert normalized_mutual_info_score(truth, wt.graphs.communities(graph, 2).labels) > 0.5


def test_resolution_gives_more_or_fewer() -> None:
    graph = nx.relaxed_caveman_graph(6, 8, 0.15, seed=2)
    numbers = [wt.graphs.communities(graph, resolution=r).n_communities for r in (0.05, 1.0, 4.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[1]


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


@pytest.mark.parametrize("n", [None, 3])
def test_communities_do_not_depend_on_the_unit_of_strengths(n: int | None) -> None:
    for seed in range(5):
        graph, rng = nx.powerlaw_cluster_graph(50, 2, 0.5, seed=seed), np.random.default_rng(seed)
        strengths = rng.integers(1, 5, len(graph.edges))
        found = []
        for unit in (1.0, 2.0**20):
            nx.set_edge_attributes(graph, dict(zip(graph.edges, (unit * strengths).tolist(), strict=True)), "strength")
            found.append(wt.graphs.communities(graph, n).labels)
        np.testing.assert_array_equal(*found)


def test_rounding_of_strengths_does_not_change_communities() -> None:
    for seed in range(4):
        graph, rng = nx.powerlaw_cluster_graph(50, 2, 0.5, seed=seed), np.random.default_rng(seed)
        exact = rng.integers(1, 5, len(graph.edges)).astype(float)
        found = []
        for strengths in (exact, np.where(rng.random(len(exact)) < 0.5, np.nextafter(exact, 9), exact)):
            nx.set_edge_attributes(graph, dict(zip(graph.edges, strengths.tolist(), strict=True)), "strength")
            found.append(wt.graphs.communities(graph).labels)
        np.testing.assert_array_equal(*found)


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


def test_evidence_is_counted_in_the_core() -> None:
    for graph in (nx.gnm_random_graph(200, 210, seed=1), nx.lollipop_graph(5, 30), nx.random_labeled_tree(50, seed=1)):
        sources, targets, _ = _core(matrix_of(graph))[0]
        core = nx.k_core(graph, 2)
        found = set(map(frozenset, np.column_stack([sources, targets]).tolist()))
        assert found == set(map(frozenset, core.edges))


def test_a_long_path_is_peeled_in_linear_time() -> None:
    assert wt.graphs.communities(np.arange(200_000)[:, None] + [0, 1]).n_communities == 1  # once took minutes


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
        with pytest.raises(wt.engine.Cancelled):
            wt.graphs.communities(nx.connected_caveman_graph(3, 5))
    with wt.using(memory=1e3), pytest.raises(MemoryError, match="communities"):
        wt.graphs.communities(nx.connected_caveman_graph(3, 5), 3)


def test_of_a_large_graph_the_matrix_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.plotting.graphs.MAX_NODES", 20)
    nx.write_edgelist(nx.connected_caveman_graph(4, 6), tmp_path / "graph.txt", data=False)
    done = CliRunner().invoke(app, ["communities", str(tmp_path / "graph.txt"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "4 communities" in done.output
    assert (tmp_path / "out" / "communities.png").read_bytes().startswith(b"\x89PNG")


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
    optimizer = Optimizer(matrix_of(graph), Engine())
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
    found = probabilities(matrix_of(graph), labels)
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
