"""Clusters of tables with four or more columns: compact groups, the choice among them, and clouds without any."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.clustering.compact import SHAPES, Shape, lloyd, mixture, ward
from wasserstein_transform.clustering.judge import Rule


def blobs(rng: np.random.Generator, k: int = 3, m: int = 6, n: int = 60, apart: float = 8.0) -> tuple:
    centers = apart * rng.normal(size=(k, m)) / np.sqrt(m)
    return np.concatenate([c + rng.normal(size=(n, m)) for c in centers]), np.repeat(np.arange(k), n)


def nested(rng: np.random.Generator, m: int = 20, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([rng.normal(size=(n, m)), 3 * rng.normal(size=(n, m))]), np.repeat([0, 1], n)


def test_ward_is_that_of_scikit_learn_and_scipy(rng: np.random.Generator) -> None:
    counts = [2, 3, 5]
    for X in (blobs(rng)[0], rng.integers(0, 3, (80, 3)).astype(float)):  # the second has ties
        found, merges = ward(X, counts), linkage(X, "ward")
        for k, labels in zip(counts, found, strict=True):
            np.testing.assert_array_equal(fcluster(merges, k, "maxclust") - 1, labels)
    for k, labels in zip(counts, ward(X := blobs(rng)[0], counts), strict=True):
        assert adjusted_rand_score(AgglomerativeClustering(k).fit_predict(X), labels) == 1


def test_lloyd_ends_where_every_point_is_with_its_nearest_mean(rng: np.random.Generator) -> None:
    X, mass = rng.normal(size=(200, 5)), rng.uniform(0.5, 2, 200)
    labels = lloyd(X, mass, rng.integers(0, 4, 200))
    centers = np.stack([np.average(X[labels == c], axis=0, weights=mass[labels == c]) for c in range(4)])
    np.testing.assert_array_equal(cdist(X, centers).argmin(axis=1), labels)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mixture_ends_where_every_point_has_its_likeliest_gaussian(rng: np.random.Generator, shape: Shape) -> None:
    """The obvious twin: densities of SciPy, with the covariances of the parts, which are far apart."""
    X, truth = blobs(rng, apart=12.0)
    found = mixture(X, np.ones(len(X)), lloyd(X, np.ones(len(X)), truth), shape)
    covs = np.array([np.cov(X[found == c].T, bias=True) for c in range(3)])
    if shape == "tied":
        covs[:] = np.average(covs, axis=0, weights=np.bincount(found))
    if shape == "diagonal":
        covs = np.array([np.diag(np.diag(cov)) for cov in covs])
    logs = [multivariate_normal(X[found == c].mean(axis=0), covs[c]).logpdf(X) for c in range(3)]
    np.testing.assert_array_equal(np.argmax(logs, axis=0), found)
    assert adjusted_rand_score(truth, found) == 1


def test_the_rule_of_the_choice() -> None:
    rule = Rule(least=0.4, whole=0.1, close=0.08)
    counts, votes = np.array([1, 2, 3]), np.array([5, 2, 9])
    assert rule.choose(np.array([0.1, 0.39, 0.3]), counts, votes) is None  # nothing is good enough
    assert rule.choose(np.array([0.6, 0.65, 0.3]), counts, votes) is None  # hardly better than no split
    assert rule.choose(np.array([0.1, 0.8, 0.75]), counts, votes) == 2  # equally good, and votes decide
    assert rule.choose(np.array([0.1, 0.8, 0.7]), counts, votes) == 1


def test_gaussians_of_one_center_and_other_scales_are_told_apart(rng: np.random.Generator) -> None:
    X, truth = nested(rng)
    assert adjusted_rand_score(truth, wt.cluster(X, 2).labels) >= 0.9
    found = wt.cluster(X, noise=False)
    assert found.n_clusters == 2
    assert adjusted_rand_score(truth, found.labels) >= 0.9


def test_blobs_among_columns_that_say_nothing_are_found_with_their_number(rng: np.random.Generator) -> None:
    X, truth = blobs(rng, apart=10.0)
    X = np.column_stack([X, rng.normal(size=(len(X), 6))])
    found = wt.cluster(X, noise=False)
    assert found.n_clusters == 3
    assert adjusted_rand_score(truth, found.labels) > 0.95
    np.testing.assert_array_equal(found.predict(X), found.labels)


def test_clouds_of_many_columns_are_one_cluster() -> None:
    counts = [
        wt.cluster(np.random.default_rng(seed).normal(size=(200, m)), scale=None).n_clusters
        for seed, m in enumerate((4, 8, 20))
    ]
    assert counts == [1, 1, 1]


def test_the_order_of_rows_and_columns_changes_no_cluster(rng: np.random.Generator) -> None:
    X, _ = blobs(rng, apart=6.0)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    found, other = wt.cluster(X, noise=False), wt.cluster(X[rows], noise=False)
    np.testing.assert_array_equal(other.labels, found.labels[rows])
    assert adjusted_rand_score(wt.cluster(X[:, columns], noise=False).labels, found.labels) == 1
