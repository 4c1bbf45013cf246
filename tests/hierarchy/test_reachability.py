"""Trees of mutual reachability."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from reference.cuts import partition, reach_heights
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.hierarchy import spanning_tree


@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_few_points_have_the_heights_of_all_pairs(m: int, k: int, rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(60, m)), rng.integers(0, 3, (40, m))])
    for space in (wt.Space.from_points(X), wt.Space.from_distances(cdist(X, X))):
        tree = spanning_tree(space, reachability=k)
        np.testing.assert_allclose(tree.heights, reach_heights(space.metric.dense(), k), rtol=1e-9, atol=1e-12)
        ends = tree.edges.T
        np.testing.assert_allclose(tree.lengths, space.metric.pairs(*ends), rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_trees_that_share_neighbors_are_those_that_do_not(weighted: bool, rng: np.random.Generator) -> None:
    X, weights = rng.normal(size=(120, 2)), rng.integers(1, 4, 120) if weighted else None
    space, alone = (wt.Space.from_points(X, weights) for _ in range(2))
    space.metric.derived.neighbors = space.metric.neighbors(8)
    for k in (1, 8, 20):
        one, other = (spanning_tree(each, reachability=k) for each in (space, alone))
        np.testing.assert_array_equal(one.edges, other.edges)
        np.testing.assert_array_equal(one.heights, other.heights)


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 2, 3])
def test_many_points_have_the_heights_of_all_pairs(m: int, rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(1500, m)), rng.integers(0, 4, (700, m)), rng.normal(size=(300, m)) + 1e3])
    start = wt.Space.from_points(X)
    for space in (start, wt.iterate(wt.transforms.gaussian_transform(0.3, 2.0), start, n_iter=1).last):
        heights = spanning_tree(space, reachability=7).heights
        np.testing.assert_allclose(heights, reach_heights(space.metric.dense(), 7), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_many_points_in_many_dimensions_have_the_heights_of_all_pairs(rng: np.random.Generator) -> None:
    X = rng.normal(size=(2100, 25))
    heights = spanning_tree(wt.Space.from_points(X), reachability=5).heights
    np.testing.assert_allclose(heights, reach_heights(cdist(X, X), 5), rtol=1e-9)


def test_near_rows_have_the_tree_of_the_known_distances(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 2))
    D = cdist(X, X)
    wanted = reach_heights(D, 4)
    assert wanted.max() < 2.5  # all that matters is known
    near = wt.spaces.Sparse(wt.spaces.Euclidean(X).balls(2.5), 2.5)
    tree = spanning_tree(wt.Space(near, np.full(80, 1 / 80), X), reachability=4)
    np.testing.assert_allclose(tree.heights, wanted, rtol=1e-9)


def test_graphs_have_the_tree_of_their_paths(rng: np.random.Generator) -> None:
    graph = nx.random_geometric_graph(60, 0.35, seed=2)
    nx.set_edge_attributes(graph, {edge: float(rng.uniform(0.5, 2)) for edge in graph.edges}, "weight")
    space = wt.Space.from_graph(graph, weight="length")
    heights = spanning_tree(space, reachability=3).heights
    np.testing.assert_allclose(heights, reach_heights(space.metric.dense(), 3), rtol=1e-9)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("n", [40, 2600])
def test_among_equal_heights_the_tree_is_that_of_distances(n: int, rng: np.random.Generator) -> None:
    X = rng.normal(size=(n, 2))
    tree = spanning_tree(wt.Space.from_points(X), reachability=8)
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, 8]
    reach = np.maximum(D, np.maximum(core[:, None], core))
    rows, cols = np.triu_indices(n, 1)
    order = np.lexsort((D[rows, cols], reach[rows, cols]))
    parent, lengths = list(range(n)), []

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in zip(rows[order].tolist(), cols[order].tolist(), strict=True):  # Kruskal's algorithm
        a, b = root(i), root(j)
        if a != b:
            parent[b] = a
            lengths.append(D[i, j])
        if len(lengths) == n - 1:
            break
    np.testing.assert_allclose(tree.lengths, lengths, rtol=1e-12)
    assert len(np.unique(tree.level_of_edges)) == n - 1


def test_the_kth_neighbor_lifts_the_sparse() -> None:
    tree = spanning_tree(wt.Space.from_points([[0.0], [1.0], [2.0], [9.0]]), reachability=2)
    assert tree.heights.tolist() == [2.0, 2.0, 8.0]
    assert tree.lengths.tolist() == [1.0, 1.0, 7.0]


def test_copies_are_weights(rng: np.random.Generator) -> None:
    for k in (1, 3, 6):
        X, weights = rng.normal(size=(25, 2)), np.append(1, rng.integers(1, 5, 24))
        one = spanning_tree(wt.Space.from_points(X, weights), reachability=k)
        two = spanning_tree(wt.Space.from_points(np.repeat(X, weights, axis=0)), reachability=k)
        np.testing.assert_allclose(one.heights, two.heights[two.lengths > 0], rtol=1e-9)
        labels = wt.SingleLinkage(3, reachability=k, share=0.1, cut="robust").fit(X, sample_weight=weights).labels_
        copies = wt.SingleLinkage(3, reachability=k, share=0.1, cut="robust").fit(np.repeat(X, weights, axis=0)).labels_
        assert partition(np.repeat(labels, weights)) == partition(copies)


def test_other_weights_count_in_mean_masses(rng: np.random.Generator) -> None:
    X, weights = rng.normal(size=(30, 2)), rng.uniform(0.01, 2, 30)
    D = cdist(X, X)
    order = np.argsort(D, axis=1)
    held = np.cumsum(weights[order], axis=1)
    core = np.take_along_axis(D, order, axis=1)[np.arange(30), (held >= 5 * weights.mean()).argmax(axis=1)]
    reach = np.maximum(D, np.maximum(core[:, None], core))
    wanted = spanning_tree(wt.Space.from_distances(reach - np.diag(np.diag(reach)))).heights
    for space in (wt.Space.from_points(X, weights), wt.Space.from_distances(D, weights=weights)):
        np.testing.assert_allclose(spanning_tree(space, reachability=4).heights, wanted, rtol=1e-9)


def test_points_without_mass_are_not_there(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    weights = np.repeat([1.0, 0.0], [35, 15])
    tree = spanning_tree(wt.Space.from_points(X, weights), reachability=4)
    alone = spanning_tree(wt.Space.from_points(X[:35]), reachability=4)
    hanging = (tree.edges >= 35).any(axis=1)
    np.testing.assert_allclose(tree.heights[~hanging], alone.heights)
    np.testing.assert_allclose(np.sort(tree.heights[hanging]), np.sort(cdist(X[35:], X[:35]).min(axis=1)))


def test_noise_connects_clusters_less(rng: np.random.Generator) -> None:
    X, truth = make_moons(600, noise=0.08, random_state=4)
    X = np.concatenate([X, rng.uniform([-1.5, -1], [2.5, 1.5], (60, 2))])
    plain, reaching = (
        wt.SingleLinkage(2, cut="robust").fit(X),
        wt.SingleLinkage(2, reachability=10, cut="robust").fit(X),
    )
    assert adjusted_rand_score(truth, reaching.labels_[:600]) > 0.9
    assert adjusted_rand_score(truth, reaching.labels_[:600]) >= adjusted_rand_score(truth, plain.labels_[:600])
    np.testing.assert_array_equal(reaching.predict(X), reaching.labels_)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::wasserstein_transform.hierarchy.FewerClustersWarning")
@pytest.mark.parametrize("options", [{}, {"noise": True}, {"cut": "count"}], ids=str)
def test_clusters_of_ties_depend_neither_on_the_order_of_points_nor_on_their_unit(options, rng) -> None:
    for turn in range(200):
        n, k = int(rng.integers(6, 30)), int(rng.integers(2, 5))
        X = rng.integers(0, rng.integers(3, 12), size=(n, 2)).astype(float)
        order = rng.permutation(n)
        weights = rng.integers(1, 4, n) if turn % 3 == 0 else np.ones(n)
        linkage = wt.SingleLinkage(k, reachability=int(rng.integers(1, 5)), **{"cut": "robust", **options})
        labels = linkage.fit(X, sample_weight=weights).labels_
        assert partition(labels[order]) == partition(linkage.fit(X[order], sample_weight=weights[order]).labels_)
        for unit in (1.7, 3e-3):
            assert partition(labels) == partition(linkage.fit(X * unit, sample_weight=weights).labels_)


def test_such_a_tree_is_saved_with_its_lengths(tmp_path: Path, rng: np.random.Generator) -> None:
    fitted = wt.SingleLinkage(2, reachability=3, cut="robust").fit(rng.normal(size=(30, 2)))
    stored = wt.SingleLinkage.load(fitted.save(tmp_path / "clusters"))
    np.testing.assert_array_equal(stored.tree_.lengths, fitted.tree_.lengths)
    np.testing.assert_array_equal(stored.tree_.level_of_edges, fitted.tree_.level_of_edges)
    assert stored.reachability == 3


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_stored_distances_may_have_any_unit(unit: float, rng: np.random.Generator) -> None:
    D = cdist(*[rng.normal(size=(20, 2))] * 2)
    one, other = (spanning_tree(wt.Space.from_distances(D * u), reachability=3).heights for u in (1.0, unit))
    np.testing.assert_allclose(other, one * unit, rtol=1e-9)
