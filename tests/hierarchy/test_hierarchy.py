"""Trees and cuts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from reference.cuts import partition
from reference.transforms import euclidean
from scipy.cluster import hierarchy as scipy_hierarchy
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt


def same_hierarchy(Z: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(scipy_hierarchy.cophenet(Z), scipy_hierarchy.cophenet(other), rtol=1e-12)


def test_linkage_is_scipys(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    Z = wt.hierarchy.linkage(X)
    assert scipy_hierarchy.is_valid_linkage(Z, throw=True)
    assert same_hierarchy(Z, scipy_hierarchy.linkage(pdist(X), "single"))


@pytest.mark.parametrize("reachability", [0, 3])
def test_a_job_with_one_thread_grows_the_tree_of_many_threads(reachability: int, rng: np.random.Generator) -> None:
    """With ties in plenty."""
    space = wt.Space.from_points(rng.integers(0, 60, (2600, 2)).astype(float))
    engine = wt.Engine(n_jobs=2)
    trees = [wt.hierarchy.spanning_tree(space, wt.Engine(n_jobs=n), reachability=reachability) for n in (1, 4)]
    jobs = engine.map(lambda _, own: wt.hierarchy.spanning_tree(space, own, reachability=reachability), [0, 1], "jobs")
    for tree in (*trees[1:], *jobs):
        np.testing.assert_array_equal(tree.edges, trees[0].edges)
        np.testing.assert_array_equal(tree.heights, trees[0].heights)


def test_points_without_mass_never_connect_clusters(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(20, 2)) * 0.1, rng.normal(size=(20, 2)) * 0.1 + [5, 0]])
    bridge = np.column_stack([np.linspace(0, 5, 30), np.zeros(30)])
    weights = np.repeat([1.0, 0.0], [40, 30])
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(np.concatenate([X, bridge]), weights))
    labels = wt.hierarchy.cut_tree(tree, 2, cut="robust")
    assert len(set(labels[:20])) == 1
    assert len(set(labels[20:40])) == 1
    assert labels[0] != labels[20]
    assert labels[40] == labels[0]
    assert labels[-1] == labels[20]
    alone = wt.hierarchy.spanning_tree(wt.Space.from_points(X))
    np.testing.assert_array_equal(labels[:40], wt.hierarchy.cut_tree(alone, 2, cut="robust"))


def test_count_and_height_cut_like_scipy(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(X))
    Z = scipy_hierarchy.linkage(pdist(X), "single")
    for k in (1, 3, 10, 50):
        ours, theirs = wt.hierarchy.cut_tree(tree, k, cut="count"), scipy_hierarchy.fcluster(Z, k, "maxclust")
        assert adjusted_rand_score(ours, theirs) == 1
    for height in (0.0, 0.3, 0.5, 9.0):
        ours = wt.hierarchy.cut_tree(tree, cut="height", height=height)
        assert adjusted_rand_score(ours, scipy_hierarchy.fcluster(Z, height, "distance")) == 1


def test_ties_are_cut_together() -> None:
    X = np.array([[0.0], [0.1 + 0.2], [0.6], [0.9]])  # spacings 0.3 up to rounding
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(X))
    assert len(tree.levels()) == 1
    assert wt.hierarchy.cut_tree(tree, cut="height", height=0.3).max() == 0


def test_the_robust_cut_ignores_outliers(rng: np.random.Generator) -> None:
    X, truth = make_moons(300, noise=0.05, random_state=0)
    outliers = rng.uniform([-6, -2], [8, 12], size=(12, 2))
    both = np.concatenate([X, outliers])
    plain = wt.SingleLinkage(n_clusters=2, cut="count").fit_predict(both)
    robust = wt.SingleLinkage(n_clusters=2, cut="robust").fit_predict(both)
    assert adjusted_rand_score(truth, plain[:300]) < 0.1
    assert adjusted_rand_score(truth, robust[:300]) == 1
    assert robust.min() == 0


def test_small_pieces_are_noise_when_asked(rng: np.random.Generator) -> None:
    X, truth = make_blobs(200, centers=[[0, 0], [10, 0]], cluster_std=0.5, random_state=0)
    both = np.concatenate([X, [[5.0, 30.0], [5.0, 30.1], [-20.0, 0.0]]])
    labels = wt.SingleLinkage(n_clusters=2, noise=True, cut="robust").fit_predict(both)
    assert labels[200:].tolist() == [-1, -1, -1]
    assert adjusted_rand_score(truth, labels[:200]) == 1


def test_robust_cut_goes_by_mass() -> None:
    X = np.array([[0.0], [1.0], [10.0]])
    with pytest.warns(wt.hierarchy.FewerClustersWarning, match="found 1"):
        labels = wt.SingleLinkage(2, share=0.8, cut="robust").fit_predict(X)
    assert labels.tolist() == [0, 0, 0]
    heavy = wt.SingleLinkage(2, share=0.8, cut="robust").fit(X, sample_weight=[1, 1, 2])
    assert heavy.labels_.tolist() == [0, 0, 1]
    assert heavy.n_clusters_ == 2


def test_fewer_places_than_clusters_work_and_say_so_and_fewer_points_are_refused() -> None:
    with pytest.warns(wt.hierarchy.FewerClustersWarning):
        assert sorted(wt.SingleLinkage(3, cut="count").fit_predict([[0.0], [1.0], [1.0]])) == [0, 0, 1]
    with pytest.warns(wt.hierarchy.FewerClustersWarning):
        assert wt.SingleLinkage(3, cut="robust").fit_predict([[0.0]] * 3).tolist() == [0, 0, 0]
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points([[0.0], [1.0]]))
    for work in (
        lambda: wt.hierarchy.cut_tree(tree, 3),
        lambda: list(wt.hierarchy.cut_tree_each(tree, [2, 3])),
        lambda: wt.SingleLinkage(3).fit([[0.0], [1.0]]),
        lambda: wt.AutoCluster(3).fit([[0.0], [1.0]]),
        lambda: wt.cluster([[0.0], [1.0]], 3),
    ):
        with pytest.raises(ValueError, match="n_clusters must be at most 2, the number of points, got 3"):
            work()
    assert wt.SingleLinkage(cut="height", height=1).fit_predict([[0.0]]).tolist() == [0]
    assert wt.hierarchy.linkage([[0.0]]).shape == (0, 4)


def test_labels_are_numbered_by_falling_mass(rng: np.random.Generator) -> None:
    X = np.concatenate([np.zeros((3, 1)), np.full((9, 1), 5.0), np.full((6, 1), 9.0)]) + rng.normal(size=(18, 1)) * 0.01
    labels = wt.SingleLinkage(3, cut="robust").fit_predict(X)
    assert labels.tolist() == [2] * 3 + [0] * 9 + [1] * 6


def test_a_regular_grid_has_no_robust_split() -> None:
    for X in (np.arange(40.0)[:, None] / 7, np.stack(np.meshgrid(np.arange(9.0), np.arange(8.0)), -1).reshape(-1, 2)):
        with pytest.warns(wt.hierarchy.FewerClustersWarning, match="found 1"):
            assert wt.SingleLinkage(2, cut="robust").fit_predict(X).max() == 0


def test_large_parts_that_tie_are_told_apart_and_small_ones_follow_what_they_touch() -> None:
    block = np.arange(10.0)[:, None] * 0.01
    X = np.concatenate([block, block + 2, [[1.045]], block + 4])  # gaps of 0.955, 0.955 and 1.91
    labels = wt.SingleLinkage(3, cut="robust").fit_predict(X)
    assert sorted(np.bincount(labels)) == [10, 10, 11]
    assert len(np.unique(labels[:10])) == len(np.unique(labels[10:20])) == len(np.unique(labels[21:])) == 1


def test_one_far_outlier_does_not_make_ties_of_everything() -> None:
    X = np.concatenate([np.arange(10) * 0.1, 5 + np.arange(10) * 0.1, [1e10]])[:, None]
    labels = wt.SingleLinkage(2, cut="robust").fit_predict(X)
    assert labels[0] != labels[10]
    assert wt.SingleLinkage(cut="height", height=0.5).fit_predict(X).max() == 2


@pytest.mark.parametrize("cut", [{"cut": "count"}, {"cut": "height", "height": 5.0}, {"cut": "robust"}], ids=str)
def test_points_without_mass_join_what_they_are_nearest_to(cut: dict[str, object]) -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [50.0]])
    labels = wt.SingleLinkage(2, **cut).fit(X, sample_weight=[1] * 6 + [0]).labels_
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_noise_keeps_every_qualifying_cluster() -> None:
    X = np.array([9.0, 9, 13, 16, 16, 18, 23, 28, 28])[:, None]
    for points in (X, X[::-1]):
        assert wt.SingleLinkage(3, noise=True, cut="robust").fit(points).n_clusters_ == 3


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1.0, 1e200, 1e300])
def test_heights_of_stored_distances_are_right_at_any_scale(unit: float) -> None:
    Z = wt.hierarchy.linkage(wt.Space.from_distances(np.array([1.0, 3.0, 2.0]) * unit))
    np.testing.assert_allclose(Z[:, 2], [1.0 * unit, 2.0 * unit], rtol=1e-15)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_many_points_have_the_tree_of_all_pairs(m: int, rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(1500, m)), rng.integers(0, 4, (700, m)), rng.normal(size=(300, m)) + 1e3])
    start = wt.Space.from_points(X)
    for space in (start, wt.iterate(wt.transforms.gaussian_transform(0.3, 2.0), start, n_iter=1).last):
        tree = wt.hierarchy.spanning_tree(space)
        heights = scipy_hierarchy.linkage(space.metric.condensed(), "single")[:, 2]
        # The tree finds Gaussians by the roots of their spectra times √λ, rounded to 1e-15 of their norm. Those
        # that are nearer to each other are joined in any order, and no height of the tree is off by more than that.
        covs = np.zeros((1, m, m)) if space.metric.covs is None else space.metric.covs
        rounding = 1e-15 * np.sqrt(2.0 * np.trace(covs, axis1=1, axis2=2).max())
        np.testing.assert_allclose(tree.heights, heights, rtol=1e-12, atol=rounding)
        assert scipy_hierarchy.is_valid_linkage(tree.Z, throw=True)


def test_many_points_in_many_dimensions_have_the_tree_of_all_pairs(rng: np.random.Generator) -> None:
    X = rng.normal(size=(2100, 25))
    heights = scipy_hierarchy.linkage(pdist(X), "single")[:, 2]
    np.testing.assert_allclose(wt.hierarchy.spanning_tree(wt.Space.from_points(X)).heights, heights, rtol=1e-12)


def test_many_points_without_mass_hang_from_the_nearest_with_mass(rng: np.random.Generator) -> None:
    X = rng.integers(0, 60, (5000, 2)).astype(float)
    weights = (rng.random(5000) < 0.5).astype(float)
    tree = wt.hierarchy.spanning_tree(wt.Space.from_points(X, weights))
    heavy, light = np.flatnonzero(weights), np.flatnonzero(weights == 0)
    rows = wt.spaces.Euclidean(X).block(light, heavy)
    hanging = tree.edges[np.isin(tree.edges[:, 1], light)]
    hanging = hanging[np.argsort(hanging[:, 1])]
    np.testing.assert_array_equal(hanging, np.column_stack([heavy[rows.argmin(axis=1)], light]))
    np.testing.assert_allclose(
        np.sort(tree.heights),
        np.sort(np.concatenate([rows.min(axis=1), wt.hierarchy.spanning_tree(wt.Space.from_points(X[heavy])).heights])),
        rtol=1e-12,
    )


def test_edges_name_the_smaller_number_first(rng: np.random.Generator) -> None:
    for n in (50, 3000):  # found by two algorithms
        edges = wt.hierarchy.spanning_tree(wt.Space.from_points(rng.random((n, 2)))).edges
        assert (edges[:, 0] < edges[:, 1]).all()


def test_progress_of_a_tree_ends_with_all_its_edges(rng: np.random.Generator) -> None:
    seen: list[tuple[str, int, int]] = []
    engine = wt.Engine(progress=lambda update: seen.append(update[:3]))
    wt.hierarchy.spanning_tree(wt.Space.from_points(rng.normal(size=(3000, 2))), engine)
    done = [k for label, k, total in seen if label == "spanning tree" and total == 2999]
    assert done == sorted(done)
    assert done[-1] == 2999


CUTS = {
    "robust": {},
    "noise": {"noise": True},
    "share": {"share": 1.0},
    "count": {"cut": "count"},
    "height": {"cut": "height", "height": 2.0},
    "distances": {"metric": "precomputed"},
    "cityblock": {"metric": "cityblock"},
}


@pytest.mark.repeated(2)
@pytest.mark.filterwarnings("ignore::wasserstein_transform.hierarchy.FewerClustersWarning")
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize("n_clouds", [15, pytest.param(300, marks=pytest.mark.slow)])
def test_clusters_of_ties_depend_neither_on_the_order_of_points_nor_on_their_unit(cut, n_clouds, rng) -> None:
    def clusters(X: np.ndarray, weights: np.ndarray | None, unit: float) -> np.ndarray:
        scaled = {**cut, "height": cut["height"] * unit} if "height" in cut else cut
        X = euclidean(X) if cut.get("metric") == "precomputed" else X
        return wt.SingleLinkage(k, **{"cut": "robust", **scaled}).fit(X * unit, sample_weight=weights).labels_

    for turn in range(n_clouds):
        n = int(rng.integers(3, 13))
        k = min(n, int(rng.integers(2, 5)))
        X = rng.integers(0, rng.integers(3, 9), size=(n, 2)).astype(float)
        weights, order = (np.append(1, rng.integers(0, 3, n - 1)) if turn % 3 == 0 else None), rng.permutation(n)
        labels = clusters(X, weights, 1.0)
        other = clusters(X[order], None if weights is None else weights[order], 1.0)
        assert partition(labels[order]) == partition(other)
        for unit in (1.7, 3e-3):
            assert partition(clusters(X, weights, unit)) == partition(labels)


def test_four_points_of_which_two_are_one_have_no_two_clusters_whatever_their_order() -> None:
    for X in ([[4], [5], [6], [4]], [[4], [4], [5], [6]], [[6], [4], [5], [4]]):
        with pytest.warns(wt.hierarchy.FewerClustersWarning, match="tie"):
            assert wt.SingleLinkage(2, cut="robust").fit_predict(X).tolist() == [0, 0, 0, 0]
        assert wt.SingleLinkage(3, cut="robust").fit_predict(X).max() == 2


def test_a_piece_between_clusters_goes_to_the_nearest_then_the_heaviest_then_the_first_by_coordinates() -> None:
    def clusters(left: int, right: int, between: float, metric: str = "euclidean") -> list[int]:
        X = np.repeat([0.0, 2.0, between], [left, right, 1])[:, None]
        return (
            wt.SingleLinkage(2, metric=metric, cut="robust")
            .fit_predict(X if metric == "euclidean" else euclidean(X))
            .tolist()
        )

    assert clusters(10, 10, 0.9) == [0] * 10 + [1] * 10 + [0]
    assert clusters(10, 11, 1.0) == [1] * 10 + [0] * 11 + [0]
    assert clusters(10, 10, 1.0) == [0] * 10 + [1] * 10 + [0]
    assert clusters(10, 10, 1.0, "precomputed") == [0] * 10 + [1] * 10 + [-1]  # nothing tells the two sides apart


@pytest.mark.slow
def test_a_lazy_tree_is_cut_like_the_tree_of_all_distances(rng: np.random.Generator) -> None:
    transform = wt.Transform(wt.Truncation(1.0), wt.Exact(p=1))
    for _ in range(10):
        X = rng.integers(0, 12, size=(14, 1)).astype(float)
        space, order = wt.Space.from_points(X), rng.permutation(14)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wt.hierarchy.FewerClustersWarning)
            whole = wt.hierarchy.cut_tree(wt.hierarchy.spanning_tree(transform(space)), 3)
            lazy = wt.hierarchy.cut_tree(
                wt.hierarchy.spanning_tree(wt.transforms.transform_lazily(transform, space)), 3
            )
            turned = wt.hierarchy.cut_tree(
                wt.hierarchy.spanning_tree(wt.transforms.transform_lazily(transform, space.take(order))), 3
            )
        assert partition(lazy) == partition(whole)
        assert partition(turned) == partition(whole[order])


def test_points_in_one_place_are_never_told_apart() -> None:
    X = np.repeat([[0.1], [0.3], [0.7]], 4, axis=0) + np.tile([[0.0], [1e-17], [0.0], [2e-17]], (3, 1))
    for cut in ("count", "robust"):
        with pytest.warns(wt.hierarchy.FewerClustersWarning, match="found 3"):
            assert partition(wt.SingleLinkage(5, cut=cut, share=0).fit_predict(X)) == [1] * 4 + [2] * 4 + [3] * 4
    with pytest.warns(wt.hierarchy.FewerClustersWarning, match="no other merge"):
        wt.SingleLinkage(2, cut="robust").fit(wt.GaussianTransform(1e3).fit(np.arange(20.0)[:, None] / 7))
