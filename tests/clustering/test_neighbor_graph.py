"""Clusters of points with many columns, such as embeddings: communities of the neighbor graph."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

import wasserstein_transform as wt
from wasserstein_transform.clustering.neighbor_graph import (
    Cloud,
    leading_axes,
    link_strengths,
    moved_to_neighbors,
    silhouette,
    without_groups,
)


def topics(n: int = 900, m: int = 64, k: int = 8, spread: float = 0.8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length 1 around k directions."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(k, m))[y] + spread * rng.normal(size=(n, m))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def nearest(X: np.ndarray, k: int) -> np.ndarray:
    return np.asarray(NearestNeighbors(n_neighbors=k).fit(X).kneighbors()[1])


@pytest.fixture(scope="module")
def found() -> wt.Clustering:
    return wt.cluster(topics()[0])


def test_links_are_as_strong_as_the_share_of_common_neighbors() -> None:
    X, mass = topics(60)[0], np.random.default_rng(0).integers(1, 4, 60).astype(float)
    indices = nearest(X, 7)
    near = [{i, *row} for i, row in enumerate(indices.tolist())]
    wanted = np.zeros((60, 60))
    for i in range(60):
        for j in near[i] - {i}:
            wanted[i, j] = wanted[j, i] = mass[i] * mass[j] * len(near[i] & near[j]) / len(near[i] | near[j])
    np.testing.assert_allclose(link_strengths(indices, mass).toarray(), wanted, rtol=1e-15)


def test_a_step_to_the_neighbors_stays_on_the_sphere() -> None:
    X, mass = topics(50)[0], np.random.default_rng(0).random(50)
    indices = nearest(X, 5)
    moved = moved_to_neighbors(X, mass, indices, np.arange(20))
    for i in range(20):
        rows = [i, *indices[i]]
        mean = np.average(X[rows], axis=0, weights=mass[rows])
        np.testing.assert_allclose(moved[i], mean / np.linalg.norm(mean), rtol=0, atol=1e-14)
    twice = moved_to_neighbors(2 * X, mass, indices, np.arange(1))  # these are no directions
    np.testing.assert_allclose(twice[0], 2 * np.average(X[[0, *indices[0]]], axis=0, weights=mass[[0, *indices[0]]]))


def test_leading_axes_hold_most_of_the_variance(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 100)) * np.arange(1, 101) ** -1.0
    lengths = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    found = leading_axes(X)
    assert found.shape == (300, 64)
    np.testing.assert_allclose((found**2).sum(), (lengths[:64] ** 2).sum(), rtol=1e-3)


def test_the_silhouette_compares_the_two_nearest_centers() -> None:
    X, labels = np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1])
    assert silhouette(X, labels) == pytest.approx(np.mean([1 - 1 / 11, 1 - 1 / 9, 1 - 1 / 9, 1 - 1 / 11]))


def test_a_cloud_without_groups_has_the_same_covariances(rng: np.random.Generator) -> None:
    X = 3.0 + rng.normal(size=(3000, 5)) @ rng.normal(size=(5, 5))
    cloud = without_groups(X)
    assert cloud.shape == (2000, 5)
    scale = np.sqrt(np.outer(np.diag(np.cov(X.T)), np.diag(np.cov(X.T))))
    assert (np.abs(np.cov(cloud.T) - np.cov(X.T)) / scale).max() < 0.15
    np.testing.assert_allclose(cloud.mean(axis=0), X.mean(axis=0), atol=0.3)


def test_communities_are_merged_and_small_ones_join_others() -> None:
    X, y = topics(400, k=6, spread=0.3)
    cloud = Cloud.of(X, np.ones(400), nearest(X, 20))
    for k in (2, 3, 6):
        merged = cloud.graph.merged(k)
        assert merged is not None
        assert len(np.unique(merged)) == k
    assert adjusted_rand_score(y, merged) == 1
    for least in (1, 60, 75, 401):
        labels = cloud.graph.without_small(cloud.graph.partition(20.0), cloud.mass, least)
        assert np.bincount(labels).min() >= least or labels.max() == 0
    assert adjusted_rand_score(y, cloud.graph.without_small(cloud.graph.partition(20.0), cloud.mass, 30)) > 0.8


def test_groups_as_small_as_a_neighborhood() -> None:
    centers = np.random.default_rng(0).normal(size=(150, 64))
    X = np.repeat(centers, 4, axis=0) + 0.01 * np.random.default_rng(1).normal(size=(600, 64))
    assert wt.cluster(X, 150).n_clusters == 150
    assert wt.cluster(X).n_clusters >= 1  # nothing to link but other groups


@pytest.mark.parametrize(("n", "m", "k"), [(900, 64, 8), (2510, 384, 20), (3000, 30, 100)])
def test_topics_are_found(n: int, m: int, k: int) -> None:
    X, y = topics(n, m, k, spread=0.6 if m == 30 else 0.8)
    free, given = wt.cluster(X.astype(np.float32)), wt.cluster(X, k)
    assert adjusted_rand_score(y, free.labels) > 0.95
    assert adjusted_rand_score(y, given.labels) > 0.95
    assert given.n_clusters == k


def test_few_points_keep_the_least_size() -> None:
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    assert wt.cluster(X, min_cluster_size=2).n_clusters == 2
    assert wt.cluster(X, min_cluster_size=3).n_clusters == 1
    with pytest.raises(ValueError, match="no partition into 5 clusters has at least 2"):
        wt.cluster(X, 5, min_cluster_size=2)


@pytest.mark.parametrize("power", [0.0, 0.3])
def test_a_cloud_is_one_cluster(power: float) -> None:
    X = np.random.default_rng(0).normal(size=(1000, 200)) * np.arange(1, 201) ** -power
    found = wt.cluster(X)
    assert found.n_clusters == len(found.layers) == 1
    assert wt.cluster(X / np.linalg.norm(X, axis=1, keepdims=True)).n_clusters == 1


def test_neither_order_nor_threads_change_the_clusters(found: wt.Clustering) -> None:
    X = topics()[0]
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(wt.cluster(X[order], n_jobs=1).labels, found.labels[order])


def test_new_points_go_with_most_of_their_neighbors(found: wt.Clustering) -> None:
    X = topics()[0]
    np.testing.assert_array_equal(found.predict(X), found.labels)
    new = X + 0.01 * np.random.default_rng(2).normal(size=X.shape)
    near = found.labels[NearestNeighbors(n_neighbors=15).fit(X).kneighbors(new)[1]]
    most = [np.bincount(row).argmax() for row in near]
    assert np.mean(found.predict(new) == most) > 0.99  # but where two clusters have as many


def test_more_points_than_are_clustered_follow() -> None:
    X, y = topics(11_000, 24, 5, spread=0.5)
    for found in (wt.cluster(X), wt.cluster(X, 5)):
        assert any("found on 10,000 of 11,000 points" in note for note in found.notes)
        assert adjusted_rand_score(y, found.labels) > 0.98


@pytest.mark.parametrize("points", [topics(600)[0], wt.datasets.circles(0).points], ids=["topics", "circles"])
def test_membership_and_layers(points: np.ndarray) -> None:
    found = wt.cluster(points)
    membership, there = found.membership, found.labels >= 0
    assert membership.shape == (len(points), found.n_clusters)
    np.testing.assert_allclose(membership.sum(axis=1), there, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(membership[there, found.labels[there]], found.probabilities[there])
    np.testing.assert_array_equal(found.membership_of(points), membership)
    layers = found.layers
    assert any(np.array_equal(layer, found.labels) for layer in layers)
    for coarse, fine in itertools.pairwise(layers):
        assert coarse.max() < fine.max()
        pairs = {(int(b), int(a)) for a, b in zip(coarse, fine, strict=True)}
        assert len(pairs) == len({b for b, _ in pairs})  # each fine cluster lies in one coarse cluster
    assert (found.labels[found.medoids] == np.arange(found.n_clusters)).all()


@pytest.mark.parametrize("points", [topics(600)[0], wt.datasets.circles(0).points], ids=["topics", "circles"])
@pytest.mark.parametrize("n_clusters", [None, 2])
def test_clusters_are_as_large_as_wanted(points: np.ndarray, n_clusters: int | None) -> None:
    found = wt.cluster(points, n_clusters, min_cluster_size=150)
    assert found.sizes.min() >= 150
    assert wt.AutoCluster(n_clusters, min_cluster_size=150).fit(points).n_clusters_ == found.n_clusters


def test_a_size_that_no_partition_has_is_one_clear_error() -> None:
    with pytest.raises(ValueError, match=r"min_cluster_size must be .* points"):
        wt.cluster(topics()[0], min_cluster_size=901)
    with pytest.raises(ValueError, match="ask for fewer clusters, or a smaller min_cluster_size"):
        wt.cluster(topics()[0], 8, min_cluster_size=300)


def test_weights_count_like_copies_in_links() -> None:
    matrix = link_strengths(np.array([[1], [0], [1]]), np.array([1.0, 2.0, 3.0]))
    assert isinstance(matrix, csr_array)
    np.testing.assert_allclose(matrix.toarray(), [[0, 2, 0], [2, 0, 2], [0, 2, 0]])


def pair(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the k nearest, each point itself included."""
    distances, indices = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(X)
    return indices, distances


def sparse(X: np.ndarray) -> Any:
    return kneighbors_graph(X, 22, mode="distance")


@pytest.mark.parametrize(
    "given",
    [
        sparse,
        lambda X: coo_array(sparse(X)),
        lambda X: pair(X, 21),
        lambda X: (*(one.astype(np.float32) if k else one for k, one in enumerate(pair(X, 30))), None),
        lambda X: pair(X, 25)[::-1],
        lambda X: wt.spaces.Euclidean(X).neighbors(20),
        lambda X: SimpleNamespace(neighbor_graph=pair(X, 25)),
    ],
    ids=["csr", "coo", "pair", "UMAP", "kneighbors", "neighbors", "NNDescent"],
)
def test_given_neighbors_are_as_good_as_found_ones(given: Any, found: wt.Clustering) -> None:
    X = topics()[0]
    known = wt.cluster(X, neighbors=given(X))
    np.testing.assert_array_equal(known.labels, found.labels)
    np.testing.assert_array_equal(known.membership, found.membership)
    np.testing.assert_array_equal(known.predict(X[:50]), found.predict(X[:50]))
    np.testing.assert_array_equal(wt.AutoCluster().fit(X, neighbors=given(X)).labels_, found.labels)


def test_given_neighbors_of_lengths_equal_rows_and_all_points() -> None:
    X, y = topics(10_500, 24, 5, spread=0.5)
    X[100:200], y[100:200] = X[0], y[0]
    long = X * np.random.default_rng(0).uniform(1, 5, (len(X), 1))
    for n_clusters in (None, 5):
        known = wt.cluster(long, n_clusters, metric="cosine", neighbors=pair(X, 21), noise=False)
        assert adjusted_rand_score(y, known.labels) > 0.98
        assert len(known.membership) == len(X)
        assert not any("10,000" in note for note in known.notes)
        assert len(np.unique(known.labels[100:200])) == 1


def test_rough_neighbors_are_enough(rng: np.random.Generator) -> None:
    X, y = topics()
    indices, distances = pair(X, 41)
    kept = np.sort(rng.permuted(np.tile(np.arange(1, 41), (len(X), 1)), axis=1)[:, :25])  # of 40 nearest, 25
    known = wt.cluster(X, neighbors=tuple(np.take_along_axis(one, kept, axis=1) for one in (indices, distances)))
    assert adjusted_rand_score(y, known.labels) > 0.95


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda X: sparse(X)[:5],
            r"must be a sparse matrix .* or two arrays .* got \(5, 900\); .* makes one",
        ),
        (lambda _: 20, "indices below 900 and distances, got 20;"),
        (lambda X: pair(X, 25)[:1], r"got \[\(900, 25\)\]"),
        (lambda X: pair(X, 25)[1:] * 2, r"got \[\(900, 25\), \(900, 25\)\]"),
        (lambda X: tuple(one[:7] for one in pair(X, 25)), r"got \[\(7, 25\), \(7, 25\)\]"),
        (lambda X: (pair(X, 25)[0] + 1, pair(X, 25)[1]), "indices below 900"),
        (lambda X: pair(X, 20), "20 other points or more for each point, got 19 for point 0; search for 21 or more"),
        (lambda X: (np.where(pair(X, 25)[0] == 7, -1, 0), pair(X, 25)[1]), "got 0 for point 0"),
    ],
)
def test_neighbors_that_do_not_fit_are_one_clear_error(change: Any, message: str) -> None:
    X = topics()[0]
    with pytest.raises(ValueError, match=message):
        wt.cluster(X, neighbors=change(X))


@pytest.mark.parametrize(
    ("options", "got"),
    [
        ({"X": np.random.default_rng(0).random((900, 3))}, r"shape \(900, 3\)"),
        ({"X": topics(150)[0]}, r"shape \(150, 64\)"),
        ({"X": topics()[0], "sample_weight": np.arange(900.0)}, r"shape \(900, 64\)"),
        ({"X": np.ones((9, 9)) - np.eye(9), "metric": "precomputed"}, "distances"),
    ],
)
def test_neighbors_of_other_points_are_refused(options: dict[str, Any], got: str) -> None:
    with pytest.raises(ValueError, match=f"neighbors= needs 500 points .* weights of 0, got {got}; leave it out"):
        wt.cluster(**options, neighbors=pair(topics()[0], 25))
