"""The robust cut against its slow twin, and many cuts of one tree."""

from __future__ import annotations

import numpy as np
import pytest
from reference.cuts import partition, robust_clusters
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import wasserstein_transform as wt
from wasserstein_transform.hierarchy import Tree, cut_tree_each, spanning_tree

pytestmark = pytest.mark.filterwarnings("ignore::wasserstein_transform.hierarchy.FewerClustersWarning")


def random_space(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points, many of them tied, and weights, some of them whole numbers."""
    n, m = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    tied = rng.random() < 0.6
    X = rng.integers(0, rng.integers(2, 12), (n, m)).astype(float) if tied else rng.normal(size=(n, m))
    weights = rng.integers(1, 4, n).astype(float) if rng.random() < 0.5 else np.ones(n)
    return X, weights


def keys_of(heights: np.ndarray) -> np.ndarray:
    """Whole numbers by height, 0 for no height."""
    return np.unique(np.round(heights, 9), return_inverse=True)[1] + (np.round(heights, 9).min() > 0)


@pytest.mark.slow
def test_the_robust_cut_is_that_of_its_twin(rng: np.random.Generator) -> None:
    for _ in range(300):
        X, weights = random_space(rng)
        k, share = min(len(X), int(rng.integers(1, 7))), float(rng.choice([0.05, 0.25, 0.35, 0.8]))
        space = wt.Space.from_points(X, weights)
        tree = spanning_tree(space)
        wanted = robust_clusters(tree.edges, keys_of(tree.heights), space.weights, X, cdist(X, X), k, share)
        assert partition(wt.hierarchy.cut_tree(tree, k, share=share, cut="robust")) == partition(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [False, True])
def test_many_cuts_of_one_tree_are_the_cuts_one_by_one(noise: bool, rng: np.random.Generator) -> None:
    X, _ = make_blobs(150, centers=6, random_state=0)
    space = wt.Space.from_points(np.concatenate([X, rng.uniform(-12, 12, (40, 2))]), np.append(0, np.ones(189)))
    for tree in (spanning_tree(space), spanning_tree(space, reachability=4)):
        each = list(cut_tree_each(tree, range(1, 12), noise=noise))
        assert len(each) == 11
        for k, labels in zip(range(1, 12), each, strict=True):
            np.testing.assert_array_equal(labels, wt.hierarchy.cut_tree(tree, k, noise=noise, cut="robust"))


def test_a_piece_goes_to_the_nearest_cluster_wherever_it_hung() -> None:
    block = np.arange(20.0)[:, None] * 0.1  # 0 to 1.9
    stone = [[6.5]]  # joins the second block, at 2.6, after the first was cut off at 4.6
    X = np.concatenate([block, stone, block + 9.1, block + 14.0])
    labels = wt.SingleLinkage(3, cut="robust").fit_predict(X)
    assert partition(labels) == [1] * 20 + [2] + [2] * 20 + [3] * 20


def test_copies_are_weights(rng: np.random.Generator) -> None:
    for _ in range(20):
        X, weights = rng.integers(0, 9, (15, 2)).astype(float), rng.integers(1, 4, 15)
        one = wt.SingleLinkage(3, cut="robust").fit(X, sample_weight=weights).labels_
        two = wt.SingleLinkage(3, cut="robust").fit(np.repeat(X, weights, axis=0)).labels_
        np.testing.assert_array_equal(np.repeat(one, weights), two)


def test_a_tree_without_its_space_is_cut_along_its_edges() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [50.0]])
    grown = spanning_tree(wt.Space.from_points(X))
    labels = wt.hierarchy.cut_tree(Tree(grown.edges, grown.heights, grown.weights), 2, cut="robust")
    assert partition(labels) == [1, 1, 1, 1, 2, 2, 2, 2, 2]


def test_distances_give_the_clusters_of_points(rng: np.random.Generator) -> None:
    X = np.concatenate([make_blobs(400, centers=5, random_state=3)[0], rng.uniform(-12, 12, (60, 2))])
    for k in (2, 5, 9):
        near = wt.SingleLinkage(k, cut="robust").fit_predict(X)
        stored = wt.SingleLinkage(k, metric="precomputed", cut="robust").fit_predict(cdist(X, X))
        np.testing.assert_array_equal(near, stored)
