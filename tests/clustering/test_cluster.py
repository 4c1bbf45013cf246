"""Clusters without parameters."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.clustering import Clustering, ground
from wasserstein_transform.clustering.trees import REACHES, WALKS


@pytest.fixture(scope="module")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    X, truth = make_blobs([20, 30, 40], centers=[[0, 0], [5, 0], [0, 5]], cluster_std=0.5, random_state=1)
    return X, truth


@pytest.fixture(scope="module")
def moons() -> tuple[np.ndarray, np.ndarray]:
    """Two moons, and a few points anywhere."""
    X, truth = make_moons(120, noise=0.05, random_state=0)
    strays = np.random.default_rng(3).uniform(-1.5, 2.5, (12, 2))
    return np.concatenate([X, strays]), np.append(truth, np.full(12, -1))


@pytest.fixture(scope="module")
def of_blobs(blobs: tuple[np.ndarray, np.ndarray]) -> Clustering:
    return wt.cluster(blobs[0])


@pytest.fixture(scope="module")
def of_moons(moons: tuple[np.ndarray, np.ndarray]) -> Clustering:
    return wt.cluster(moons[0], 2, noise=True)


def test_blobs_are_found_with_their_number_and_without(blobs, of_blobs) -> None:
    X, truth = blobs
    kept = of_blobs.labels >= 0
    assert kept.mean() > 0.85
    assert of_blobs.n_clusters == 3
    assert adjusted_rand_score(truth[kept], of_blobs.labels[kept]) == 1
    assert np.bincount(of_blobs.labels[kept]).tolist() == sorted(np.bincount(of_blobs.labels[kept]), reverse=True)
    assert ((of_blobs.probabilities > 0) == kept).all()
    assert of_blobs.probabilities.max() <= 1
    given = wt.cluster(X, 3)
    assert adjusted_rand_score(truth, given.labels) == 1
    assert (given.probabilities == 1).all()  # all recipes agree


def test_moons_are_found_and_what_lies_between_is_noise(moons, of_moons) -> None:
    own = (moons[1] >= 0) & (of_moons.labels >= 0)
    assert of_moons.n_clusters == 2
    assert adjusted_rand_score(moons[1][own], of_moons.labels[own]) > 0.95
    assert (of_moons.labels[moons[1] < 0] < 0).mean() > 0.5
    assert (of_moons.labels[moons[1] >= 0] < 0).mean() < 0.1


def test_clusters_do_not_depend_on_the_order_of_rows_the_unit_or_threads(moons, of_moons, rng) -> None:
    X, order = moons[0], rng.permutation(len(moons[0]))
    for found in (
        wt.cluster(X[order], 2, noise=True).labels[np.argsort(order)],
        wt.cluster(X * 2.0**-30, 2, noise=True).labels,
        wt.cluster(X * 2.0**21, 2, noise=True).labels,
        wt.cluster(X, 2, noise=True, n_jobs=1).labels,
        wt.cluster(X, 2, noise=True, n_jobs=2).labels,
    ):
        np.testing.assert_array_equal(found, of_moons.labels)


@pytest.mark.slow
def test_without_a_number_neither(blobs, of_blobs, rng) -> None:
    order = rng.permutation(90)
    shuffled = wt.cluster(blobs[0][order] * 8, n_jobs=1)
    np.testing.assert_array_equal(shuffled.labels[np.argsort(order)], of_blobs.labels)
    assert shuffled.verdict == of_blobs.verdict


@pytest.mark.slow
def test_clusters_move_with_the_points(blobs, of_blobs) -> None:
    X = blobs[0] @ np.array([[0.6, -0.8], [0.8, 0.6]]) + [100, -7]
    assert adjusted_rand_score(wt.cluster(X, 3).labels, blobs[1]) == 1
    found = wt.cluster(X)
    kept = (found.labels >= 0) & (of_blobs.labels >= 0)
    assert kept.mean() > 0.85
    assert adjusted_rand_score(found.labels[kept], of_blobs.labels[kept]) == 1


def test_weight_k_is_k_copies_and_weight_0_no_point(blobs, rng) -> None:
    X, weights = blobs[0], rng.integers(0, 4, 90)
    weighted = wt.cluster(X, 3, sample_weight=weights, noise=True)
    copied = wt.cluster(np.repeat(X, weights, axis=0), 3, noise=True)
    np.testing.assert_array_equal(np.repeat(weighted.labels, weights), copied.labels)
    np.testing.assert_allclose(np.repeat(weighted.probabilities, weights), copied.probabilities, rtol=0, atol=1e-9)
    light, heavy = np.flatnonzero(weights == 0), np.flatnonzero(weights)
    nearest = heavy[cdist(X[light], X[heavy]).argmin(axis=1)]
    np.testing.assert_array_equal(weighted.labels[light], weighted.labels[nearest])


@pytest.mark.slow
def test_copies_do_not_change_clusters_whose_number_is_open(blobs, rng) -> None:
    X, weights = blobs[0], rng.integers(1, 3, 90)
    copied, weighted = wt.cluster(np.repeat(X, weights, axis=0)), wt.cluster(X, sample_weight=weights)
    np.testing.assert_array_equal(np.repeat(weighted.labels, weights), copied.labels)


@pytest.mark.slow
def test_distances_alone_give_the_clusters_of_the_points(blobs) -> None:
    X, truth = blobs
    D = cdist(X, X)
    for found in (
        wt.cluster(D, 3, metric="precomputed"),
        wt.cluster(wt.Space.from_distances(D), 3),
        wt.cluster(X, 3, metric="cityblock"),
    ):
        assert adjusted_rand_score(truth, found.labels) == 1
    (note,) = wt.cluster(D, 3, metric="precomputed").notes
    assert note == "coordinates are the first 2 axes of the classical scaling of the distances"


@pytest.mark.slow
def test_one_group_is_one_cluster(rng) -> None:
    found = wt.cluster(rng.uniform(size=(120, 2)))
    assert found.n_clusters == 1
    assert re.fullmatch(r"1 cluster; \d+ would be (a guess|unsure) \(0\.\d\)", found.verdict)
    assert found.alternatives[0].n_clusters > 1
    assert str(found).splitlines()[1] == "120 points"
    assert len(found.partitions) > 10
    assert found.predict([[0.5, 0.5]]).tolist() == [0]


def test_among_much_noise_groups_are_found(rng) -> None:
    X, truth = make_blobs(140, centers=[[0, 0], [10, 0]], cluster_std=0.5, random_state=0)
    found = wt.cluster(np.concatenate([X, rng.uniform(-5, 15, (60, 2))]), 2)
    assert adjusted_rand_score(truth, found.labels[:140]) > 0.95


@pytest.mark.slow
def test_a_hundred_columns_are_reduced_and_it_says_so(rng) -> None:
    """Sixty points span 59 dimensions."""
    X = np.concatenate([rng.normal(size=(30, 100)), rng.normal(size=(30, 100)) + 2])
    found = wt.cluster(X, 2)
    assert adjusted_rand_score(np.repeat([0, 1], 30), found.labels) == 1
    assert "59 dimensions were reduced to their first principal 8 axes" in found.notes
    np.testing.assert_array_equal(found.predict(X), found.labels)


def test_points_on_a_line_and_points_in_one_column(rng) -> None:
    t = np.concatenate([rng.normal(size=40), rng.normal(size=40) + 12])
    for X in (t[:, None], np.outer(t, [1.0, 2.0, -1.0])):
        assert adjusted_rand_score(np.repeat([0, 1], 40), wt.cluster(X, 2).labels) == 1


def test_many_points_in_few_places(rng) -> None:
    X = rng.integers(0, 3, (200, 2)) + np.repeat([0, 50], 100)[:, None]
    found = wt.cluster(X.astype(float), 2)
    assert adjusted_rand_score(np.repeat([0, 1], 100), found.labels) == 1


def test_one_partition_is_the_only_one() -> None:
    X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [99, 0], [0, 99]], 30, axis=0)
    found = wt.cluster(X, 3)
    assert len(found.partitions) == 1
    assert found.alternatives == ()


@pytest.mark.parametrize(
    ("X", "k", "n_clusters", "reason"),
    [
        (np.ones((20, 3)), None, 1, "all points are in one place"),
        ([[2.0]], None, 1, "all points are in one place"),
        ([[0.0], [1.0]], None, 1, "2 distinct points are too few to look for clusters"),
        ([[0.0], [1.0], [5.0]], None, 1, "3 distinct points are too few"),
        ([[0.0], [1.0], [5.0]], 3, 3, "each distinct point is a cluster"),
        ([[0.0], [1.0], [5.0]], 1, 1, "one cluster was requested"),
    ],
)
def test_where_there_is_nothing_to_choose_it_says_so(X, k, n_clusters, reason) -> None:
    found = wt.cluster(X, k)
    assert found.n_clusters == n_clusters
    assert reason in found.reason
    assert found.recipe is None
    np.testing.assert_array_equal(found.predict(X), found.labels)
    assert found.table["recipe"] == []
    assert found.verdict == f"{n_clusters} cluster{'s' * (n_clusters > 1)}"
    assert found.reason in found._repr_html_()


def test_three_points_are_parted_in_two_if_asked() -> None:
    assert wt.cluster([[0.0], [1.0], [5.0]], 2).labels.tolist() == [0, 0, 1]
    assert wt.cluster([[0.0], [1.0], [5.0], [7.0]]).labels.shape == (4,)


def test_the_fitted_points_are_predicted_to_be_where_they_are(blobs, moons, of_blobs, of_moons) -> None:
    np.testing.assert_array_equal(of_blobs.predict(blobs[0]), of_blobs.labels)
    np.testing.assert_array_equal(of_moons.predict(moons[0]), of_moons.labels)
    assert of_blobs.predict([[5.1, 0.2]])[0] == of_blobs.labels[blobs[1] == 1].max()


@pytest.mark.slow
def test_new_points_go_with_the_nearest_by_the_metric_that_was_named(blobs, rng) -> None:
    X, new = blobs[0], rng.uniform(-2, 7, (50, 2))
    by_name = wt.cluster(X, 3, metric="chebyshev")
    rows = cdist(new, X, "chebyshev")
    np.testing.assert_array_equal(by_name.predict(X), by_name.labels)
    stored = wt.cluster(cdist(X, X, "chebyshev"), 3, metric="precomputed")
    np.testing.assert_array_equal(stored.predict(rows), stored.labels[rows.argmin(axis=1)])
    if by_name.recipe.kind != "gaussian":
        np.testing.assert_array_equal(by_name.predict(new), by_name.labels[rows.argmin(axis=1)])


def test_prediction_of_many_points_in_parts_is_the_same(of_blobs) -> None:
    new = np.random.default_rng(0).uniform(-2, 7, (50_000, 2))
    parts = [of_blobs.predict(part) for part in np.array_split(new, 7)]
    np.testing.assert_array_equal(of_blobs.predict(new), np.concatenate(parts))


def test_more_clusters_than_places_are_each_place_and_a_warning() -> None:
    for X, n_places in (([[1.0, 2.0]] * 4, 1), ([[0.0], [0.0], [3.0], [3.0]], 2)):
        with pytest.warns(wt.hierarchy.FewerClustersWarning, match=f"found {n_places} "):
            assert wt.cluster(X, 4).n_clusters == n_places


@pytest.mark.slow
def test_of_many_points_a_sample_is_clustered_and_the_others_follow(blobs, monkeypatch, rng) -> None:
    monkeypatch.setattr(ground, "LARGEST", {2: 50})
    monkeypatch.setattr(ground, "_WIDE", 50)
    X, truth = blobs
    found = wt.cluster(X, 3)
    assert adjusted_rand_score(truth, found.labels) == 1
    assert found.notes == ("found on 50 of 90 points, drawn at random; the others got the cluster of the nearest",)
    assert found.notes[0] in str(found)
    assert len(found.rows) == len(found.labels_of_places) == 50
    order = rng.permutation(90)
    np.testing.assert_array_equal(wt.cluster(X[order], 3).labels, found.labels[order])
    by_distances = wt.cluster(cdist(X, X), 3, metric="precomputed")
    assert adjusted_rand_score(truth, by_distances.labels) == 1


@pytest.mark.parametrize("seed", [0, 3])
def test_clusters_are_numbered_by_the_mass_of_all_rows(seed, monkeypatch) -> None:
    """Not by that of the sample."""
    monkeypatch.setattr(ground, "LARGEST", {2: 30})
    rng = np.random.default_rng(seed)
    X = np.concatenate(
        [rng.normal(size=(n, 2)) * 0.3 + at for n, at in ((33, (0, 0)), (30, (4, 0)), (27, (0, 4)))],
    )
    assert np.bincount(wt.cluster(X, 3).labels).tolist() == [33, 30, 27]


def test_clusters_are_numbered_by_their_mass_without_noise() -> None:
    """Of 23 scattered points two are noise, of 22 others none."""
    rng = np.random.default_rng(1)
    X = np.concatenate([3 * rng.normal(size=(23, 2)), 0.3 * rng.normal(size=(22, 2)) + 9])
    labels = wt.cluster(X, 2, noise=True).labels
    assert np.bincount(labels + 1).tolist() == [2, 22, 21]


def test_clusters_of_equal_mass_are_numbered_by_their_smallest_coordinates(rng) -> None:
    X = np.repeat([[5.0, 1.0], [0.0, 9.0], [5.0, 0.0]], 4, axis=0)
    order = rng.permutation(12)
    assert wt.cluster(X[order], 3).labels.tolist() == np.repeat([2, 0, 1], 4)[order].tolist()


def test_clusters_are_those_of_the_dimension_that_the_points_span(rng) -> None:
    """A column of zeros, and a plane in space: the same labels, also of new points; equal sizes go by coordinates."""
    X = make_blobs([26, 20, 14], 2, random_state=3)[0] @ np.array([[0.6, -0.6], [-0.4, 0.8]])
    turn = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    plain, new = wt.cluster(X, 4, scale=None), X[:20] + rng.normal(scale=0.3, size=(20, 2))
    for around in (lambda x: np.column_stack([x, np.full(len(x), 0.1)]), lambda x: x @ turn + 0.3):
        found = wt.cluster(around(X), 4, scale=None)
        np.testing.assert_array_equal(found.labels, plain.labels)
        assert found.recipe == plain.recipe
        np.testing.assert_array_equal(found.predict(around(new)), plain.predict(new))


def test_what_was_considered_is_a_table_the_best_first(of_blobs) -> None:
    table = of_blobs.table
    assert (np.diff(table["expected"]) <= 0).all()
    assert sum(table["votes"]) > len(table["votes"]) > 1
    assert table["clusters"][0] == of_blobs.n_clusters
    assert list(of_blobs.to_pandas().columns) == list(table)
    assert str(of_blobs).startswith("3 clusters, very sure")
    assert repr(of_blobs).startswith("<Clustering of 90 points: 3 clusters, ")


def test_a_clustering_survives_pickling(of_moons, moons) -> None:
    again = pickle.loads(pickle.dumps(of_moons))
    np.testing.assert_array_equal(again.predict(moons[0]), of_moons.labels)


def test_progress_is_told_of_all_trees(blobs) -> None:
    seen = []
    wt.cluster(blobs[0], 3, engine=wt.Engine(progress=seen.append))
    trees = [update.done for update in seen if update.stage == "trees"]
    assert trees == sorted(trees)
    assert trees[-1] == len(REACHES) + sum(n_iter + 1 for *_, n_iter in WALKS)
