"""Shortest paths as a metric: found when asked for, the same as SciPy's."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.sparse.linalg import expm_multiply

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import flows
from wasserstein_transform.compute.exact.simplex_tree_jit import peel, simplex_workspace
from wasserstein_transform.compute.graphs import paths


def random_graph(n: int, m: int, seed: int, lengths: bool) -> nx.Graph:
    """A connected graph, with lengths or without."""
    rng = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(n, m, seed=seed)
    nx.add_path(graph, range(n))
    if lengths:
        for a, b in graph.edges:
            graph[a][b]["weight"] = float(rng.random())
    return graph


@pytest.fixture(params=[False, True], ids=["even", "lengths"])
def graph(request: pytest.FixtureRequest) -> nx.Graph:
    return random_graph(60, 100, 3, request.param)


@pytest.fixture
def metric(graph: nx.Graph) -> wt.spaces.Graph:
    return wt.spaces.Graph.of(graph, weight="length")


@pytest.fixture
def D(metric: wt.spaces.Graph) -> np.ndarray:
    return dijkstra(metric.lengths.toarray(), directed=False)


def test_all_distances_are_scipys(metric: wt.spaces.Graph, D: np.ndarray) -> None:
    np.testing.assert_allclose(metric.dense(), D, rtol=1e-14)
    np.testing.assert_array_equal(metric.dense(), metric.dense().T)
    np.testing.assert_allclose(metric.condensed(), D[np.triu_indices(60, 1)], rtol=1e-14)
    np.testing.assert_allclose(metric.block(np.array([5, 7, 5]), np.arange(60)), D[[5, 7, 5]], rtol=1e-14)
    rows, cols = np.array([3, 9, 3, 0]), np.array([9, 9, 50, 1])
    np.testing.assert_allclose(metric.pairs(rows, cols), D[rows, cols], rtol=1e-14)


@pytest.mark.parametrize("radius", [0.0, 0.4, 2.0, 100.0])
def test_balls_are_those_of_the_matrix(metric: wt.spaces.Graph, D: np.ndarray, radius: float) -> None:
    one, other = metric.balls(radius), wt.spaces.Dense(D).balls(radius)
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_allclose(one.distances, other.distances, rtol=1e-14)


def test_neighbors_are_those_of_the_matrix(metric: wt.spaces.Graph) -> None:
    one, other = metric.neighbors(7), wt.spaces.Dense(metric.dense()).neighbors(7)
    np.testing.assert_allclose(one.distances, other.distances, rtol=1e-12)
    np.testing.assert_array_equal(one.indices, other.indices)


def test_some_of_the_points_keep_the_paths_through_the_others(metric: wt.spaces.Graph, D: np.ndarray) -> None:
    rows = np.array([7, 3, 3, 50, 7])
    some = metric.take(rows)
    np.testing.assert_allclose(some.dense(), D[np.ix_(rows, rows)], rtol=1e-14)
    np.testing.assert_allclose(some.take(np.array([3, 0])).dense(), D[np.ix_([50, 7], [50, 7])], rtol=1e-14)
    assert wt.spaces.quotient(wt.Space(some, np.full(5, 0.2), None)).labels.tolist() == [0, 1, 1, 2, 0]


@pytest.mark.repeated(3)
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("localize", [wt.Truncation(1.0), wt.Nearest(0.1), wt.localize.Heat(1.0, cut=1e-3)], ids=repr)
def test_paths_looked_for_around_a_measure_are_the_shortest(
    graph: nx.Graph, localize: wt.localize.Localization, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_MAX_STORED", {True: 0.0, False: 0.0})  # nothing is stored
    space = wt.Space.from_graph(graph, weight="length")
    measures, pairs = localize(space), np.random.default_rng(0).integers(0, 60, (150, 2))
    stored = wt.spaces.Dense(space.metric.dense(), triangle=True)
    one, other = (np.asarray(wt.wasserstein_pairs(measures, metric, p, pairs)) for metric in (space.metric, stored))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_truncation_on_a_graph_is_that_on_its_matrix(graph: nx.Graph) -> None:
    lazy, step = wt.Space.from_graph(graph, weight="length"), wt.transforms.local_truncation(1.0)
    stored = wt.Space.from_distances(lazy.metric.dense(), triangle=True)
    one, other = (wt.iterate(step, space, n_iter=2).last.metric.dense() for space in (lazy, stored))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    near = wt.transforms.iterate_locally(step, lazy, radius=0.5, n_iter=2).metric
    known = near.block(np.arange(60), np.arange(60))
    np.testing.assert_allclose(known[known < np.inf], one[known < np.inf], rtol=0, atol=1e-12)
    assert (one[known == np.inf] > 0.5 - 1e-12).all()


def test_graphs_of_all_kinds_are_the_same_space() -> None:
    edges = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 4.0), (0, 3, 1.0)]
    graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    a, b, w = np.array(edges).T
    matrix = coo_array((np.r_[w, w], (np.r_[a, b].astype(int), np.r_[b, a].astype(int))), shape=(4, 4))
    spaces = [
        wt.Space.from_graph(given, weight="length").metric.dense() for given in (graph, matrix, edges, np.array(edges))
    ]
    for other in spaces[1:]:
        np.testing.assert_array_equal(other, spaces[0])
    assert spaces[0][0].tolist() == [0, 2, 3, 1]


def test_loops_parallel_edges_and_edges_of_no_length() -> None:
    edges = [("a", "a", 3.0), ("a", "b", 2.0), ("b", "a", 1.0), ("b", "c", 0.0), ("c", "d", 1.0)]
    metric = wt.spaces.Graph.of(edges, weight="length")
    np.testing.assert_array_equal(metric.dense()[0], [0, 1, 1, 2])
    assert wt.spaces.quotient(wt.Space(metric, np.full(4, 0.25), None)).labels.tolist() == [0, 1, 1, 2]


def test_pieces_are_infinitely_far_and_all_distances_are_refused() -> None:
    space = wt.Space.from_graph([(0, 1), (2, 3), (3, 4)])
    np.testing.assert_array_equal(space.metric.block([0], [0, 1, 2]), [[0, 1, np.inf]])
    assert np.diff(space.metric.balls(9.0).indptr).tolist() == [2, 2, 3, 3, 3]
    assert np.diff(wt.Nearest(4)(space).indptr).tolist() == [2, 2, 3, 3, 3]
    assert space.metric.neighbors(2).indices[0].tolist() == [1, -1]
    for ask in (
        space.metric.dense,
        space.metric.condensed,
        lambda: wt.Transform(wt.Truncation(1.0), wt.Exact())(space),
    ):
        with pytest.raises(ValueError, match="2 pieces"):
            ask()


def test_heat_is_the_exponential_of_the_laplacian(graph: nx.Graph) -> None:
    space = wt.Space.from_graph(graph, weights=np.random.default_rng(1).uniform(0.5, 1.0, 60), weight="length")
    adjacency = nx.to_numpy_array(graph, weight=None) * space.weights
    walk = adjacency / adjacency.sum(axis=1, keepdims=True)
    for time in (0.1, 3.0, 40.0):
        expected = expm_multiply(time * csr_array(walk - np.eye(60)).T, np.eye(60)).T
        np.testing.assert_allclose(
            wt.localize.Heat(time, cut=0.0)(space).matrix().toarray(), expected, rtol=0, atol=1e-12
        )
        given = wt.localize.Heat(time, wt.localize.Given(walk), cut=0.0)(space).matrix().toarray()
        np.testing.assert_allclose(given, expected, rtol=0, atol=1e-12)


def test_heat_drops_small_masses_and_normalises_the_rest() -> None:
    path = wt.Space.from_graph([(k, k + 1) for k in range(40)])
    whole, cut = (wt.localize.Heat(1.0, cut=cut)(path).matrix().toarray() for cut in (0.0, 1e-3))
    expected = np.where(whole >= 1e-3 / 41, whole, 0.0)
    assert (expected > 0).sum() < (whole > 0).sum()
    np.testing.assert_allclose(cut, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.slow
def test_heat_that_does_not_fit_is_refused() -> None:
    star = wt.Space.from_graph([(0, k) for k in range(1, 2500)])
    with pytest.raises(MemoryError, match="masses"):
        wt.localize.Heat(1.0, cut=0.0)(star, wt.Engine(memory=0.2e9))


@pytest.mark.parametrize("k", [1, 5, 30, 0.25, 0.999])
def test_nearest_is_the_smallest_ball_with_the_mass(cloud: np.ndarray, k: float) -> None:
    weights = np.random.default_rng(5).uniform(0.2, 1.0, 30)
    space = wt.Space.from_points(cloud, weights)
    D, need = space.metric.dense(), k if k < 1 else k / 30
    expected = np.zeros((30, 30))
    for i, row in enumerate(D):
        order = np.argsort(row)
        last = min(np.searchsorted(np.cumsum(space.weights[order]), need - 1e-12), 29)
        near = row <= row[order[last]]
        expected[i, near] = space.weights[near] / space.weights[near].sum()
    np.testing.assert_allclose(wt.Nearest(k)(space).matrix().toarray(), expected, rtol=1e-12)
    np.testing.assert_allclose(wt.Nearest(k).cross(D, space).matrix().toarray(), expected, rtol=1e-12)


def test_nearest_takes_all_that_are_as_far_as_the_last() -> None:
    star = wt.Space.from_graph([("hub", leaf) for leaf in "abcdefghij"])
    assert np.diff(wt.Nearest(2)(star).indptr).tolist() == [11] + [2] * 10
    assert np.diff(wt.Nearest(3)(star).indptr).tolist() == [11] * 11
    grid = wt.Space.from_points(np.argwhere(np.ones((7, 7))).astype(float))
    assert np.diff(wt.Nearest(4)(grid).indptr)[24] == 5
    for wrong in (0, -1, 2.5, None):
        with pytest.raises(ValueError, match="k"):
            wt.Nearest(wrong)


def test_tables_of_paths_are_announced_beside_the_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "_MAX_STORED", {True: 0.0, False: 0.0})
    monkeypatch.setattr(flows, "_STEPS_PER_FLOW", np.inf)  # flows need no tables
    star = wt.Space.from_graph([(0, k) for k in range(1, 400)])
    said: list[str] = []
    monkeypatch.setattr(wt.Engine, "announce", lambda self, n_bytes, what: said.append(f"{what}: {n_bytes:.0f}"))
    wt.graphs.curvature([(0, k) for k in range(1, 400)], wt.Truncation(2.0), n_jobs=1)
    table = next(line for line in said if line.startswith("tables of shortest paths"))
    assert float(table.split(": ")[1]) >= 8 * star.n**2  # from every point of a measure to every point it meets


def test_the_start_of_a_large_problem_can_be_interrupted() -> None:
    space = simplex_workspace(8, np.ones(1, np.uint8))
    space.supply[:], space.demand[:], space.potential[:] = 1.0, 1.0, 0.0
    space.cost_start[:] = 8 * np.arange(len(space.cost_start))
    assert peel(8, 8, 0.0, np.random.default_rng(0).random(64), space) == -1
    space.stop[0] = 0
    assert peel(8, 8, 0.0, np.random.default_rng(0).random(64), space) >= 0
