"""What partitions are chosen by: stability, the judge and its card, an order of places that no rotation changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.clustering import judge
from wasserstein_transform.clustering.candidates import are_thin, crossings, cut_everywhere, resolutions, without_count
from wasserstein_transform.clustering.criteria import measure
from wasserstein_transform.clustering.ground import Ground, Places
from wasserstein_transform.clustering.links import NeighborGraph, link_strengths
from wasserstein_transform.clustering.partitions import Partitions
from wasserstein_transform.clustering.recipes import Candidate, Recipe
from wasserstein_transform.clustering.stability import _N_PARTS, _SHARE, stabilities
from wasserstein_transform.clustering.trees import grow
from wasserstein_transform.engine import current
from wasserstein_transform.hierarchy import spanning_tree


def ground_of(X: np.ndarray) -> Ground:
    return Ground.of(Places.of(wt.Space.from_points(X), current()).space, current())


def test_stability_is_the_mean_agreement_with_the_most_similar_partition_of_random_parts() -> None:
    ground, rng = ground_of(make_blobs(90, centers=3, random_state=0)[0]), np.random.default_rng(0)
    candidates = [
        Candidate(Recipe("means", start=str(k)), labels) for k, labels in enumerate(rng.integers(0, 3, (4, 90)))
    ]
    partitions = Partitions.of([*without_count(ground, grow(ground, current()), current()), *candidates], ground.mass)
    found = stabilities(ground, partitions, None, current())
    strengths, draw, wanted = link_strengths(ground.indices, ground.mass).toarray(), np.random.default_rng(0), []
    for _ in range(_N_PARTS):
        rows = np.sort(draw.choice(90, int(_SHARE * 90), replace=False))
        tree = spanning_tree(wt.Space.from_points(ground.points[rows]), reachability=5)
        own = [one.labels for one in cut_everywhere(ground.mass[rows], Recipe("reach", reach=5), tree)]
        graph = NeighborGraph.of(csr_array(strengths[np.ix_(rows, rows)]))
        own += [graph.partition(resolution) for resolution in resolutions()]
        wanted.append([max(adjusted_rand_score(one[rows], other) for other in own) for one in partitions.labels])
    np.testing.assert_allclose(found, np.mean(wanted, axis=0), rtol=0, atol=1e-12)


def test_the_clusters_of_blobs_are_stable_and_halves_of_one_are_not() -> None:
    X, y = make_blobs(300, centers=3, cluster_std=0.5, random_state=1)
    ground = ground_of(X)
    places = Places.of(wt.Space.from_points(X), current())
    true = y[places.rows]
    halves = np.where((true == 0) & (ground.points[:, 0] > np.median(ground.points[true == 0, 0])), 3, true)
    partitions = Partitions.of([Candidate(Recipe("tree"), one) for one in (true, halves)], ground.mass)
    whole, cut = stabilities(ground, partitions, None, current())
    assert whole == 1
    assert cut < 0.9


def test_every_criterion_that_a_judge_asks_for_is_measured() -> None:
    for X in (make_blobs(60, 2, random_state=0)[0], make_blobs(60, 6, random_state=0)[0]):
        ground = ground_of(X)
        forest = grow(ground, current())
        partitions = Partitions.of(without_count(ground, forest, current()), ground.mass)
        criteria = measure(ground, forest, partitions, None, current())
        assert all(np.isfinite(column).all() for column in criteria.values())
        for version in range(1, judge.NEWEST + 1):
            assert all(set(names) <= criteria.keys() for names in judge.card_of(version)["criteria"].values())


def test_a_judge_is_asked_for_by_its_version_and_named_by_the_result() -> None:
    X = make_blobs(60, centers=3, random_state=2)[0]
    assert wt.cluster(X).judge == judge.NEWEST
    assert wt.cluster(X, judge=1).judge == 1
    with pytest.raises(ValueError, match="judge must be"):
        wt.cluster(X, judge=judge.NEWEST + 1)


def test_the_order_of_places_is_that_of_turned_points() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    rows = [Places.of(wt.Space.from_points(one), current()).rows for one in (X, X @ turn.T * 7 + 3, X[::-1])]
    np.testing.assert_array_equal(rows[0], rows[1])
    np.testing.assert_array_equal(rows[0], 199 - rows[2])


def test_shapes_that_cross_are_looked_for_along_curves_and_sheets_only() -> None:
    rng = np.random.default_rng(0)
    t, noise = rng.uniform(-1, 1, 300), 0.01 * rng.normal(size=(300, 2))
    lines = np.where((np.arange(300) < 150)[:, None], np.column_stack([t, 0 * t]), np.column_stack([0 * t, t])) + noise
    assert are_thin(ground_of(lines))
    assert not are_thin(ground_of(rng.normal(size=(300, 2))))
    assert not are_thin(ground_of(rng.uniform(size=(300, 3))))
    ground = ground_of(lines)
    truth = np.abs(ground.points[:, 0]) > np.abs(ground.points[:, 1])
    assert max(adjusted_rand_score(truth, one.labels) for one in crossings(ground, 2, current())) > 0.9
    assert adjusted_rand_score(np.arange(300) < 150, wt.cluster(lines, 2).labels) > 0.9
