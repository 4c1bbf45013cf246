"""What the clusters without parameters are made of, each against a slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from reference import clustering as twin
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.clustering import judge
from wasserstein_transform.clustering.candidates import k_means, lasting_cuts, log_levels, mixture
from wasserstein_transform.clustering.criteria import OF_DATA
from wasserstein_transform.clustering.ground import Ground, thin_places
from wasserstein_transform.clustering.partitions import Partitions, adjusted_rand
from wasserstein_transform.clustering.recipes import Candidate, Recipe
from wasserstein_transform.engine import current
from wasserstein_transform.hierarchy import spanning_tree
from wasserstein_transform.hierarchy.cut import RootedTree
from wasserstein_transform.hierarchy.dendrogram import Dendrogram


def random_tree(rng: np.random.Generator, n: int) -> np.ndarray:
    """Edges of any shape: chains, stars, and what lies between."""
    back = int(rng.integers(1, n))
    edges = np.array([(rng.integers(max(0, i - back), i), i) for i in range(1, n)], np.intp)
    flip = rng.random(n - 1) < 0.5
    edges[flip] = edges[flip, ::-1]
    return rng.permutation(n)[edges[rng.permutation(n - 1)]]


@pytest.mark.slow
def test_the_walk_down_a_tree_is_that_of_recomputing_all_pieces(rng: np.random.Generator) -> None:
    for _ in range(300):
        n = int(rng.integers(2, 30))
        edges = random_tree(rng, n)
        mass = rng.integers(1, 4, n).astype(float) if rng.random() < 0.5 else np.ones(n)
        least, max_cuts = float(rng.integers(1, 8)) - 0.5, int(rng.integers(1, 12))
        cuts = RootedTree.of(edges, mass).cut_between_large(least, max_cuts)
        assert cuts.tolist() == twin.walk_down(edges, mass, least, max_cuts)


def test_parts_that_last_are_the_best_of_all_choices(rng: np.random.Generator) -> None:
    for _ in range(60):
        n = int(rng.integers(3, 16))
        space = wt.Space.from_points(rng.normal(size=(n, 2)), rng.integers(1, 4, n))
        tree, least = spanning_tree(space), float(rng.choice([0.08, 0.15, 0.3]))
        cut = lasting_cuts(Dendrogram.of(tree), log_levels(tree), least * (1 - 1e-9))
        choices = twin.lasting_choices(tree.edges, tree.heights, space.weights, least * (1 - 1e-9))
        best = max(choices, key=lambda one: one[0])
        assert set(cut.tolist()) == best[1]
        assert len(cut) == len(best[1])


def test_agreement_is_the_adjusted_rand_index_of_scikit_learn(rng: np.random.Generator) -> None:
    weights = rng.integers(1, 4, 40)
    partitions = [rng.integers(0, k, 40) for k in (1, 2, 5, 9)] + [np.arange(40), np.repeat(np.arange(8), 5)]
    candidates = [Candidate(Recipe("tree"), labels) for labels in (*partitions, partitions[0])]  # equal ones are one
    found = adjusted_rand(Partitions.of(candidates, weights.astype(float)), wt.Engine())
    copies = [np.repeat(labels, weights) for labels in partitions]
    wanted = [[adjusted_rand_score(one, other) for other in copies] for one in copies]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("version", range(1, judge.NEWEST + 1))
@pytest.mark.parametrize("name", judge.card_of()["rules"])
def test_the_judge_is_the_sum_of_its_trees_walked_one_by_one(rng: np.random.Generator, name: str, version: int) -> None:
    model = judge.Judge.of(name, version)
    own, of_data = rng.normal(size=(20, len(model.names))), rng.normal(size=len(OF_DATA))
    criteria = dict(zip(model.names, own.T, strict=True)) | {
        one: np.full(20, value) for one, value in zip(OF_DATA, of_data, strict=True)
    }
    trees = list(zip(model.features.tolist(), model.thresholds.tolist(), model.values.tolist(), strict=True))
    for row, value in zip(own, model(criteria), strict=True):
        ends = row - own.max(axis=0), row - own.min(axis=0)
        asked = np.concatenate([row, *ends, of_data]).round(7).astype(np.float32)
        assert value == pytest.approx(twin.judged(trees, model.start, asked), abs=1e-6)


def three_groups(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.normal(size=(30, 2)) * s + c for s, c in ((1, [0, 0]), (0.3, [6, 0]), (0.6, [0, 7]))])


def test_compact_clusters_of_weights_are_those_of_copies(rng: np.random.Generator) -> None:
    X, weights = three_groups(rng), rng.integers(1, 4, 90)
    copies, start = np.repeat(X, weights, axis=0), rng.integers(0, 3, 90)
    one = mixture(X, weights * 90 / weights.sum(), start)
    other = mixture(copies, np.ones(len(copies)), np.repeat(start, weights))
    np.testing.assert_array_equal(np.repeat(one, weights), other)
    means = k_means(X, weights * 90 / weights.sum(), 3)
    assert adjusted_rand_score(np.repeat(means, weights), k_means(copies, np.ones(len(copies)), 3)) == 1


def test_k_means_ends_where_every_point_is_with_its_nearest_mean(rng: np.random.Generator) -> None:
    X, mass = three_groups(rng), rng.uniform(0.5, 2, 90)
    labels = k_means(X, mass, 4)
    centers = np.stack([np.average(X[labels == k], axis=0, weights=mass[labels == k]) for k in range(4)])
    np.testing.assert_array_equal(cdist(X, centers).argmin(axis=1), labels)


def test_a_mixture_finds_groups_that_overlap_in_every_coordinate(rng: np.random.Generator) -> None:
    """A cross: two lines through one point, which no mean tells apart."""
    long, thin = rng.normal(size=(2, 150)) * 3, rng.normal(size=(2, 150)) * 0.1
    X = np.concatenate([np.column_stack([long[0], thin[0]]), np.column_stack([thin[1], long[1]])])
    truth = np.repeat([0, 1], 150)
    start = (np.abs(X[:, 0]) < np.abs(X[:, 1])).astype(np.intp)
    assert adjusted_rand_score(truth, mixture(X, np.ones(300), start)) > 0.9
    assert adjusted_rand_score(truth, k_means(X, np.ones(300), 2)) < 0.5


def test_thin_places_are_those_far_from_others_by_the_measure_of_their_cluster(rng: np.random.Generator) -> None:
    dense, sparse = rng.uniform(0, 1, (200, 2)), rng.uniform(20, 26, (200, 2))
    X = np.concatenate([dense, sparse, [[10.0, 13.0], [11.0, 6.0]]])
    labels = np.repeat([0, 1], [200, 202])
    thin = thin_places(Ground.of(wt.Space.from_points(X), current()), labels)
    assert thin[-2:].all()
    assert thin[:400].mean() < 0.03
