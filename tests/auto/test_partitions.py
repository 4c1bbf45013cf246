"""Criteria of partitions in compiled code, against the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from reference import partitions as slow
from sklearn.datasets import load_iris, make_blobs, make_moons

import wasserstein_transform as wt
from wasserstein_transform.auto.clustering import criteria
from wasserstein_transform.auto.clustering.candidates import grow, without_count
from wasserstein_transform.auto.clustering.ground import Ground, Places
from wasserstein_transform.kernels.partitions import N_CRITERIA, _valleys, count_agreeing, describe, label_parts

CLOUDS = {
    "blobs": make_blobs(200, centers=4, random_state=0)[0],
    "moons": make_moons(150, noise=0.1, random_state=0)[0],
    "line": make_blobs(60, n_features=1, random_state=3)[0],
    "iris": load_iris().data,
}


@pytest.mark.parametrize("name", CLOUDS)
def test_criteria_are_those_of_the_slow_way(name: str) -> None:
    engine, X = wt.Engine(n_jobs=1), CLOUDS[name]
    weights = np.random.default_rng(1).integers(1, 4, len(X))
    ground = Ground.of(Places.of(wt.Space.from_points(X, weights), engine).space, engine)
    trees = grow(ground, engine)
    plain, reach = trees[0][1], trees[1][1]
    turns = np.random.default_rng(2).random(ground.indices[:, :10].shape)
    facts, out = criteria.facts_of(ground, plain, reach, turns), np.empty(N_CRITERIA)
    partitions = criteria.Partitions.of(without_count(ground, trees, engine)).labels
    for labels in partitions[::5]:
        describe(labels, *facts, out)
        np.testing.assert_allclose(out, slow.criteria(ground, facts, plain, reach, labels), rtol=1e-9, atol=1e-11)
    table = criteria.adjusted_rand(partitions, ground.mass)
    np.testing.assert_allclose(table, slow.adjusted_rand(partitions, ground.mass), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(criteria.compare_with_all(partitions[1], partitions, ground.mass), table[1], atol=1e-12)


def test_parts_of_a_tree_are_numbered_by_first_appearance() -> None:
    edges, labels = np.array([[3, 4], [0, 2], [1, 3], [2, 3]]), np.empty(5, np.intp)
    assert label_parts(edges, np.array([3]), labels) == 2
    assert labels.tolist() == [0, 1, 0, 1, 1]


def test_points_agree_where_most_of_their_cluster_does() -> None:
    labels, out = np.array([[0, 0, 0, 1], [0, 1, 1, 1]]), np.empty(4)
    count_agreeing(labels, np.array([2, 2]), np.array([1.0, 10.0]), np.array([0, 0, 1, 1]), np.ones(4), out)
    assert out.tolist() == [11.0, 1.0, 10.0, 11.0]


def test_a_valley_lies_between_groups_and_not_within_one(rng: np.random.Generator) -> None:
    whole = rng.normal(size=(20_000, 1))
    apart = whole + 8 * (np.arange(20_000) % 2)[:, None]
    for X, low, high in ((apart, 0.0, 0.05), (whole, 0.7, 1.0)):
        labels = (X[:, 0] > np.median(X)).astype(np.intp)
        centers = np.array([X[labels == c].mean(axis=0) for c in (0, 1)])
        valleys = _valleys(X, np.ones(20_000), labels, centers, criteria._WINDOWS)
        assert valleys[0] == valleys[1]
        assert low <= valleys[0] <= high
