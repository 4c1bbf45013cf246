"""Criteria of partitions in compiled code, against the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from reference import partitions as slow
from sklearn.datasets import load_iris, make_blobs, make_moons

import wasserstein_transform as wt
from wasserstein_transform.clustering import candidates, compact, description
from wasserstein_transform.clustering.candidates import without_count
from wasserstein_transform.clustering.ground import Ground, Places
from wasserstein_transform.clustering.partitions import Partitions, adjusted_rand
from wasserstein_transform.clustering.trees import grow
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
    forest = grow(ground, engine)
    turns = np.random.default_rng(2).random(ground.indices[:, :10].shape)
    near = wt.spaces.Euclidean(forest.moved).neighbors(10).indices
    moved = description.View.of(near, None, forest.first, forest.second, ground.unit)
    facts = description.facts_of(ground, forest.plain, forest.reach, turns, moved)
    found = Partitions.of(without_count(ground, forest, engine), ground.mass)
    partitions, columns = found.labels, description.describe(facts, found.labels, engine)
    for at, labels in enumerate(partitions):
        wanted = slow.criteria(ground, facts, forest.plain, forest.reach, labels)
        wanted |= slow.criteria_after_a_step(ground, facts, forest.first, forest.second, labels)
        assert columns.keys() == wanted.keys()
        row = [columns[name][at] for name in wanted]
        np.testing.assert_allclose(row, list(wanted.values()), rtol=1e-9, atol=1e-11)
    table = adjusted_rand(found, engine)
    np.testing.assert_allclose(table, slow.adjusted_rand(partitions, ground.mass), rtol=1e-12, atol=1e-13)
    for one in (0, 1, len(partitions) - 1):
        squares, main, agreement = found.overlaps(partitions[one])
        np.testing.assert_allclose(agreement, table[one], rtol=1e-12, atol=1e-13)
        for at, labels in enumerate(partitions):
            shared = np.zeros((labels.max() + 1, partitions[one].max() + 1))
            np.add.at(shared, (labels, partitions[one]), ground.mass)
            np.testing.assert_allclose(squares[at], (shared**2).sum(), rtol=1e-12)
            assert (main[found.runs.of_one(at)] == shared.argmax(axis=1)).all()


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
