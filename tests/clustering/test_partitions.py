"""Criteria of partitions in compiled code, against the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from reference import partitions as slow
from sklearn.datasets import load_iris, make_blobs, make_moons

import wasserstein_transform as wt
from wasserstein_transform.clustering import candidates, compact, criteria, description
from wasserstein_transform.clustering.candidates import grow, without_count
from wasserstein_transform.clustering.ground import Ground, Places
from wasserstein_transform.hierarchy.cut import RootedTree

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
    facts = description.facts_of(ground, plain, reach, turns)
    partitions = criteria.Partitions.of(without_count(ground, trees, engine)).labels
    for labels, row in zip(partitions, description.describe(facts, partitions, engine), strict=True):
        np.testing.assert_allclose(row, slow.criteria(ground, facts, plain, reach, labels), rtol=1e-9, atol=1e-11)
    table = criteria.adjusted_rand(partitions, ground.mass, engine)
    np.testing.assert_allclose(table, slow.adjusted_rand(partitions, ground.mass), rtol=1e-12, atol=1e-13)
    runs = description.Runs.of(partitions)
    codes = np.array(partitions) + runs.starts[:, None]
    for one in (0, 1, len(partitions) - 1):
        squares, main = criteria.Overlaps.of(partitions[one], codes, runs, ground.mass)
        for at, labels in enumerate(partitions):
            shared = np.zeros((labels.max() + 1, partitions[one].max() + 1))
            np.add.at(shared, (labels, partitions[one]), ground.mass)
            np.testing.assert_allclose(squares[at], (shared**2).sum(), rtol=1e-12)
            assert (main[runs.of_one(at)] == shared.argmax(axis=1)).all()


@pytest.mark.parametrize("n_features", [2, 6])
def test_many_clusters_are_compared_with_the_nearest_only(n_features: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = make_blobs(150, n_features, centers=12, random_state=0)[0]
    mass, labels = np.ones(len(X)), compact.ward(X, [12])[0]
    centers = np.array([X[labels == c].mean(axis=0) for c in range(12)])
    every = description._nearest_other(X, labels, centers, wt.Engine()), compact.lloyd(X, mass, labels[::-1].copy())
    for module in (compact, description, candidates):
        monkeypatch.setattr(module, "MOST_SHARES", 10)
    near = description._nearest_other(X, labels, centers, wt.Engine()), compact.lloyd(X, mass, labels[::-1].copy())
    np.testing.assert_allclose(near[0][0], every[0][0], rtol=1e-12)
    assert (near[0][1] == every[0][1]).all()
    assert (near[1] == every[1]).all()
    found = wt.cluster(X, 12)
    assert found.n_clusters == 12
    assert not any("mixture" in recipe for recipe in found.table["recipe"])


def test_a_cluster_for_every_third_point() -> None:
    X = make_blobs(3000, centers=30, random_state=0)[0]
    assert np.bincount(wt.cluster(X, 1000).labels, minlength=1000).min() > 0


def test_parts_of_a_tree_are_numbered_by_first_appearance() -> None:
    edges = np.array([[3, 4], [0, 2], [1, 3], [2, 3]])
    rooted = RootedTree.of(edges, np.ones(5))
    assert rooted.label_parts(np.array([3])).tolist() == [0, 1, 0, 1, 1]
    assert rooted.label_parts(np.array([0, 2, 1])).tolist() == [0, 1, 2, 2, 3]
    assert rooted.mass[0] == 5


def test_a_valley_lies_between_groups_and_not_within_one(rng: np.random.Generator) -> None:
    whole = rng.normal(size=(20_000, 1))
    apart = whole + 8 * (np.arange(20_000) % 2)[:, None]
    for X, low, high in ((apart, 0.0, 0.05), (whole, 0.7, 1.0)):
        labels = (X[:, 0] > np.median(X)).astype(np.intp)
        centers = np.array([X[labels == c].mean(axis=0) for c in (0, 1)])
        _, valleys = description._between(labels, np.ones(20_000), X, centers, wt.Engine())
        assert valleys[0] == valleys[1]
        assert low <= valleys[0] <= high
