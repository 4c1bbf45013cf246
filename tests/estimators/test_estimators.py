"""Estimators in scikit-learn."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from reference.transforms import euclidean
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.cluster import MeanShift as PeerMeanShift
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import wasserstein_transform as wt

ESTIMATORS = [
    wt.GaussianTransform(), wt.LocalTruncation(), wt.SingleLinkage(), wt.MeanShift(), wt.MeanShift(1.0),
    wt.AutoCluster(), wt.KernelTransform(), wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact(p=1)),
    wt.NeighborMeans(4),
]  # fmt: skip
THAT_SHARE_THEIR_CODE = [
    wt.WassersteinTransform(wt.Mean(wt.Truncation(1.0)), wt.transport.DiracDistance()),
    wt.GaussianTransform(output="distances"),
    wt.GaussianTransform(output="embedding"),
    wt.LocalTruncation(output="embedding"),
]

ROWS_FOR_POINTS = "the output has a column for every fitted point: fewer points, fewer columns"
COUNTS_POINTS = "n_neighbors counts points, not mass"


def expected_failures(estimator: object) -> dict[str, str]:
    gives_distances = (
        isinstance(estimator, wt.LocalTruncation | wt.KernelTransform)
        or (isinstance(estimator, wt.WassersteinTransform) and isinstance(estimator.localize, wt.Truncation))
        or getattr(estimator, "output", None) == "distances"
    ) and getattr(estimator, "output", None) != "embedding"
    if isinstance(estimator, wt.NeighborMeans):
        data = "dense_data", "sparse_data"
        return {f"check_sample_weight_equivalence_on_{kind}": COUNTS_POINTS for kind in data}
    return {"check_sample_weight_equivalence_on_dense_data": ROWS_FOR_POINTS} if gives_distances else {}


QUIET = [
    pytest.mark.filterwarnings(f"ignore::{warning}")
    for warning in (
        "wasserstein_transform.hierarchy.FewerClustersWarning",
        "wasserstein_transform.transforms.MasslessWarning",
        "wasserstein_transform.transforms.ScaleWarning",
        "sklearn.exceptions.SkipTestWarning",
    )
]


def quietly(test: Callable[..., None]) -> Callable[..., None]:
    return functools.reduce(lambda marked, mark: mark(marked), QUIET, test)


@quietly
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.mark.slow
@quietly
@parametrize_with_checks(THAT_SHARE_THEIR_CODE, expected_failed_checks=expected_failures)
def test_scikit_learns_checks_of_estimators_that_share_code(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    X, labels = make_blobs(150, centers=[[0, 0], [4, 0], [0, 4]], cluster_std=0.4, random_state=1)
    return X, labels


POINT_MOVERS = [
    wt.MeanShift(eps=0.9, n_iter=3, tol=None),
    wt.MeanShift(eps=0.9, profile="gaussian", n_iter=2, tol=None),
    wt.MeanShift(eps=[0.5, 0.9], n_iter=2, tol=None),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=0),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=3),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=3, merge=1e-9),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=3, merge=0.2),
    wt.MeanShift(eps=0.9, n_iter=4, merge=0.3, tol=None),
    wt.WassersteinTransform(wt.Gaussian(wt.Truncation(0.9), lam=1.0, move=True), wt.Bures(), n_iter=2),
    wt.NeighborMeans(9),
    wt.NeighborMeans(9, n_iter=2, metric="cosine"),
]


@pytest.mark.parametrize("estimator", POINT_MOVERS, ids=str)
def test_transforming_the_fitted_points_gives_their_new_places(estimator, blobs) -> None:
    X, _ = blobs
    estimator = clone(estimator).fit(X)
    np.testing.assert_allclose(estimator.transform(X), estimator.points_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(clone(estimator).fit_transform(X), estimator.points_, rtol=0, atol=0)


@pytest.mark.parametrize("estimator", POINT_MOVERS, ids=str)
def test_a_new_point_goes_where_it_would_as_a_point_of_weight_0(estimator, blobs, rng) -> None:
    X, _ = blobs
    new = rng.uniform(-1, 5, size=(20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        moved = clone(estimator).fit(X).transform(new)
        weights = np.repeat([1.0, 0.0], [len(X), len(new)])
        together = clone(estimator).fit(np.concatenate([X, new]), sample_weight=weights)
    np.testing.assert_allclose(moved, together.points_[len(X) :], rtol=0, atol=1e-9)


DISTANCE_MAKERS = [
    wt.LocalTruncation(eps=0.9, n_iter=2),
    wt.LocalTruncation(eps=0.9, p=2, n_iter=2, merge=1e-9),
    wt.LocalTruncation(eps=0.9, n_iter=3, merge=0.2),
    wt.LocalTruncation(eps=0.9, metric="cityblock"),
    wt.WassersteinTransform(wt.localize.Identity(), wt.Exact(1)),
    wt.KernelTransform(0.3, "gaussian", cut=3.0, n_iter=2),
    wt.WassersteinTransform(wt.localize.Whole(), wt.Exact(2)),
]


@pytest.mark.repeated(2)
@pytest.mark.parametrize("estimator", DISTANCE_MAKERS, ids=str)
def test_new_rows_of_distances_are_those_of_a_point_of_weight_0(estimator, blobs, rng) -> None:
    X, new = blobs[0][:50], rng.uniform(-1, 5, size=(12, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        rows = clone(estimator).fit(X).transform(new)
        weights = np.repeat([1.0, 0.0], [len(X), len(new)])
        together = clone(estimator).fit(np.concatenate([X, new]), sample_weight=weights)
    np.testing.assert_allclose(rows, together.distances_[len(X) :, : len(X)], rtol=0, atol=1e-9)
    fitted = clone(estimator).fit(X)
    np.testing.assert_allclose(fitted.transform(X), fitted.distances_, rtol=0, atol=1e-9)


def test_precomputed_distances_go_all_the_way(blobs) -> None:
    X, new = blobs[0][:60], blobs[0][60:70]
    points = wt.LocalTruncation(eps=0.9, n_iter=2).fit(X)
    distances = wt.LocalTruncation(eps=0.9, n_iter=2, metric="precomputed").fit(cdist(X, X))
    np.testing.assert_allclose(distances.distances_, points.distances_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(distances.transform(cdist(new, X)), points.transform(new), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="60 features"):
        distances.transform(cdist(new, X[:5]))


@pytest.mark.slow
def test_every_estimator_takes_a_space(blobs) -> None:
    X = blobs[0][:40]
    space = wt.Space.from_points(X, np.arange(1, 41))
    for estimator in (wt.MeanShift(), wt.GaussianTransform(), wt.LocalTruncation(), wt.KernelTransform(eps=0.5, cut=2)):
        one = clone(estimator).fit(space)
        two = clone(estimator).fit(X, sample_weight=np.arange(1, 41))
        np.testing.assert_array_equal(one.distances_, two.distances_)
        with pytest.raises(ValueError, match="weights"):
            estimator.fit(space, sample_weight=np.ones(40))


def test_coordinates_beside_other_distances_can_be_moved(blobs) -> None:
    X = blobs[0][:40]
    D = cdist(X, X, "cityblock")
    moved = wt.MeanShift(eps=0.8, n_iter=1, tol=None).fit(wt.Space.from_distances(D, points=X))
    by_hand = np.array([X[D[i] <= 0.8].mean(axis=0) for i in range(40)])
    np.testing.assert_allclose(moved.points_, by_hand, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="do not give"):
        moved.transform(X)


@pytest.mark.parametrize("metric", ["precomputed", "cityblock"])
@pytest.mark.parametrize("estimator", [wt.MeanShift, wt.GaussianTransform])
def test_transforms_of_points_refuse_distances_alone(estimator, metric: str, blobs) -> None:
    D = euclidean(blobs[0][:20])
    with pytest.raises(ValueError, match="points=X"):
        estimator(metric=metric).fit(D)
    with pytest.raises(ValueError, match="points=X"):
        estimator().fit(wt.Space.from_distances(D))


def test_mean_shift_finds_the_blobs_and_predicts_them(blobs) -> None:
    X, truth = blobs
    estimator = wt.MeanShift(eps=1.0).fit(X)
    assert estimator.trajectory_.converged
    assert adjusted_rand_score(truth, estimator.labels_) == 1
    assert estimator.cluster_centers_.shape == (3, 2)
    np.testing.assert_array_equal(estimator.predict(X), estimator.labels_)
    np.testing.assert_array_equal(wt.MeanShift(eps=1.0).fit_predict(X), estimator.labels_)
    peer = PeerMeanShift(bandwidth=1.0).fit(X)
    assert adjusted_rand_score(peer.labels_, estimator.labels_) == 1
    assert estimator.predict([[4.1, 0.2]])[0] == estimator.labels_[truth == 1][0]


def test_points_that_are_not_at_rest_have_labels_and_a_warning_says_so(blobs) -> None:
    with pytest.warns(ConvergenceWarning, match="labels_ are groups"):
        estimator = wt.MeanShift(eps=1.0, n_iter=1).fit(blobs[0])
    moved = estimator.points_
    by_hand = wt.SingleLinkage(cut="height", height=1.0).fit_predict(moved)
    np.testing.assert_array_equal(estimator.labels_, by_hand)
    np.testing.assert_array_equal(estimator.predict(blobs[0]), by_hand)
    centers = [moved[by_hand == k].mean(axis=0) for k in range(by_hand.max() + 1)]
    np.testing.assert_allclose(estimator.cluster_centers_, centers, rtol=0, atol=1e-12)
    estimator.set_params(n_iter=100).fit(blobs[0])
    assert len(np.unique(estimator.labels_)) == 3


def test_fitted_attributes_are_there(blobs) -> None:
    estimator = wt.GaussianTransform(eps=0.5, n_iter=2).fit(blobs[0])
    assert estimator.points_.shape == blobs[0].shape
    assert isinstance(estimator.metric_, wt.spaces.GaussianMetric)
    assert estimator.distances_ is estimator.distances_
    assert (estimator.eps_, estimator.n_iter_, len(estimator.trajectory_.states)) == (0.5, 2, 3)
    assert len(wt.GaussianTransform(eps=0.5, n_iter=2, keep="last").fit(blobs[0]).trajectory_.states) == 1
    auto = wt.GaussianTransform().fit(blobs[0])
    assert auto.eps_ == wt.localize.suggest_eps(blobs[0]).eps
    assert is_valid_linkage(estimator.linkage())


def test_auto_eps_honours_weights(blobs, rng) -> None:
    X, copies = blobs[0], rng.integers(0, 3, 150)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        weighted = wt.GaussianTransform().fit(X, sample_weight=copies)
    repeated = wt.GaussianTransform().fit(np.repeat(X, copies, axis=0))
    assert weighted.eps_ == pytest.approx(repeated.eps_, rel=1e-12)
    np.testing.assert_allclose(np.repeat(weighted.points_, copies, axis=0), repeated.points_, rtol=0, atol=1e-10)


def test_parts_take_part_in_parameters_clone_and_grid_search(blobs) -> None:
    X, truth = blobs
    estimator = wt.WassersteinTransform(wt.Mean(wt.Truncation(0.1)), wt.transport.DiracDistance())
    assert estimator.get_params()["localize__base__eps"] == 0.1
    twin = clone(estimator).set_params(localize__base__eps=0.5, n_iter=3)
    assert (twin.localize.base.eps, estimator.localize.base.eps) == (0.5, 0.1)
    assert clone(wt.WassersteinTransform(wt.localize.Given(np.eye(3)), wt.Exact(2))).transport.p == 2

    def spread(fitted, X, y=None) -> float:
        return -float(np.linalg.norm(fitted.transform(X).std(axis=0)))

    grid = {"localize__base__eps": [0.5, 5.0], "n_iter": [1, 2]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        search = GridSearchCV(estimator, grid, scoring=spread, cv=2).fit(X, truth)
    assert search.best_params_["localize__base__eps"] == 5.0


def test_pandas_output_has_names(blobs) -> None:
    X = blobs[0][:10]
    moved = wt.GaussianTransform(eps=0.5).set_output(transform="pandas").fit_transform(X)
    assert list(moved.columns) == ["x0", "x1"]
    rows = wt.LocalTruncation(eps=0.5).set_output(transform="pandas").fit_transform(X)
    assert list(rows.columns)[:2] == ["localtruncation0", "localtruncation1"]
    parts = wt.WassersteinTransform(wt.Truncation(0.5), wt.Exact()).set_output(transform="pandas").fit_transform(X)
    assert parts.shape == (10, 10)


def test_fitted_on_another_distance_new_rows_are_distances(blobs) -> None:
    X = blobs[0][:40]
    space = wt.Space.from_points(X, metric="cityblock")
    fitted = wt.LocalTruncation(eps=1.0).fit(space)
    np.testing.assert_allclose(fitted.transform(cdist(X, X, "cityblock")), fitted.distances_, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="to all fitted points"):
        fitted.transform(X)


def test_a_refit_forgets_the_labels_of_the_last(blobs) -> None:
    estimator = wt.MeanShift(eps=1.0).fit(blobs[0])
    estimator.set_params(n_iter=1, tol=None).fit(blobs[0][:40] + 100)
    assert len(estimator.labels_) == 40
    assert estimator.cluster_centers_.min() > 90


def test_points_without_mass_make_no_cluster() -> None:
    with pytest.warns(wt.transforms.MasslessWarning):
        estimator = wt.MeanShift(eps=1.0).fit([[0.0], [0.1], [9.0]], sample_weight=[1, 1, 0])
    np.testing.assert_allclose(estimator.cluster_centers_, [[0.05]])
    assert estimator.labels_.tolist() == [0, 0, 0]


def test_a_failed_fit_is_not_a_fit(blobs) -> None:
    estimator = wt.GaussianTransform(eps=0.5, lam=-1)
    with pytest.raises(ValueError, match="lam"):
        estimator.fit(blobs[0])
    with pytest.raises(NotFittedError):
        estimator.transform(blobs[0])


def test_clusters_of_a_fitted_transform_are_those_of_its_last_space(blobs) -> None:
    fitted = wt.GaussianTransform(eps=0.6, n_iter=2).fit(blobs[0])
    one, two = (
        wt.SingleLinkage(3, cut="robust").fit(fitted),
        wt.SingleLinkage(3, cut="robust").fit(fitted.trajectory_.last),
    )
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_a_million_points_are_refused_before_anything_is_computed() -> None:
    X = np.zeros((1_000_000, 2))
    for estimator in (wt.LocalTruncation(), wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact())):
        with pytest.raises(MemoryError, match="new distances"):
            estimator.fit(X)


def test_new_points_take_the_cluster_of_the_nearest_fitted_point(blobs) -> None:
    X, new = blobs[0][:100], blobs[0][100:]
    D = cdist(X, X)
    rows = wt.GaussianTransform(0.9, 2.0, n_iter=2, output="distances").fit(X).transform(new)
    for fitted, asked, nearest in [
        (wt.SingleLinkage(3, cut="robust").fit(X), new, cdist(new, X)),
        (wt.SingleLinkage(3, metric="cityblock", cut="robust").fit(X), new, cdist(new, X, "cityblock")),
        (wt.SingleLinkage(3, metric="precomputed", cut="robust").fit(D), cdist(new, X), cdist(new, X)),
        (wt.SingleLinkage(3, cut="robust").fit(wt.Space.from_points(X)), new, cdist(new, X)),
        (wt.SingleLinkage(3, cut="robust").fit(wt.Space.from_distances(D)), cdist(new, X), cdist(new, X)),
        (wt.SingleLinkage(3, cut="robust").fit(wt.GaussianTransform(0.9, 2.0, n_iter=2).fit(X)), new, rows),
    ]:
        np.testing.assert_array_equal(fitted.predict(asked), fitted.labels_[nearest.argmin(axis=1)])


def test_prediction_of_the_fitted_points_is_their_labels(blobs, tmp_path) -> None:
    transform = wt.GaussianTransform(0.9, 2.0).fit(blobs[0])
    fitted = wt.SingleLinkage(3, cut="robust").fit(transform)
    transform.fit(blobs[0][:9])  # what was learned stays
    np.testing.assert_array_equal(fitted.predict(blobs[0]), fitted.labels_)
    stored = wt.SingleLinkage.load(fitted.save(tmp_path / "clusters"))
    np.testing.assert_array_equal(stored.predict(blobs[0]), fitted.labels_)
    dropped = wt.SingleLinkage(3, cut="robust").fit(wt.GaussianTransform(0.9, keep="last").fit(blobs[0]))
    with pytest.raises(ValueError, match="keep='last'"):
        dropped.predict(blobs[0])


def test_between_clusters_a_new_point_goes_to_the_larger_and_never_to_points_without_mass() -> None:
    fitted = wt.SingleLinkage(2, cut="robust").fit(
        [[2.0], [2.0], [0.0], [0.0], [0.0], [9.0]], sample_weight=[1] * 5 + [0]
    )
    assert fitted.predict([[1.0], [1.1], [9.0]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize("name", ["fit_predict", "predict", "labels_"])
def test_transforms_that_make_no_clusters_say_who_does(name: str, blobs) -> None:
    for estimator in (wt.GaussianTransform(), wt.LocalTruncation(), wt.GaussianTransform(1.0).fit(blobs[0])):
        with pytest.raises(AttributeError, match="no clusters"):
            getattr(estimator, name)
        assert not hasattr(estimator, name)
    assert not hasattr(wt.MeanShift(), "labels_")


def test_an_unfitted_transform_is_told_from_points() -> None:
    for estimator in (wt.SingleLinkage(), wt.GaussianTransform()):
        with pytest.raises(NotFittedError, match="LocalTruncation"):
            estimator.fit(wt.LocalTruncation())
        with pytest.raises(TypeError, match="SVC"):
            estimator.fit(SVC())


def test_condensed_distances_are_distances(blobs) -> None:
    X = blobs[0][:20]
    for estimator in (
        wt.SingleLinkage(3, metric="precomputed", cut="robust"),
        wt.LocalTruncation(1.0, metric="precomputed"),
    ):
        one, two = clone(estimator).fit(pdist(X)), clone(estimator).fit(cdist(X, X))
        assert one.n_features_in_ == 20
        if isinstance(one, wt.SingleLinkage):
            np.testing.assert_array_equal(one.labels_, two.labels_)
        else:
            np.testing.assert_allclose(one.distances_, two.distances_, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        *(
            wt.localize.suggest_eps,
            wt.hierarchy.linkage,
            wt.SingleLinkage().fit,
            wt.GaussianTransform(1.0).fit,
            wt.AutoCluster().fit,
        ),
        *(wt.cluster, wt.denoise, lambda D: wt.score(D, np.arange(9) % 2)),
    ],
)
def test_distances_given_as_points_are_refused(call, blobs) -> None:
    D = cdist(blobs[0][:9], blobs[0][:9])
    with pytest.raises(ValueError, match=r"got a 9 × 9 matrix that is symmetric and 0 on the diagonal.*'precomputed'"):
        call(D)


@pytest.mark.parametrize("change", ["few", "sign", "diagonal", "asymmetric", "shifted"])
def test_square_points_are_points(change: str, blobs) -> None:
    D = cdist(blobs[0][:9], blobs[0][:9])
    if change == "few":
        D = D[:4, :4]
    elif change == "sign":
        D[2, 3] = D[3, 2] = -1.0
    elif change == "diagonal":
        D[4, 4] = 1.0
    elif change == "asymmetric":
        D[2, 3] += 0.1
    else:
        D += 1.0
    assert wt.Space.from_points(D).n == len(D)


def test_single_precision_stays_single(blobs) -> None:
    X = blobs[0][:30].astype(np.float32)
    for estimator in (
        wt.GaussianTransform(1.0),
        wt.LocalTruncation(1.0),
        wt.GaussianTransform(1.0, output="embedding"),
    ):
        assert clone(estimator).fit_transform(X).dtype == clone(estimator).fit(X).transform(X).dtype == np.float32
        frame = pd.DataFrame(X, columns=["a", "b"])
        assert clone(estimator).fit_transform(frame).dtype == np.float32
        assert clone(estimator).fit(X).points_.dtype == np.float32
        twice = clone(estimator).fit_transform(X.astype(float))
        np.testing.assert_array_equal(clone(estimator).fit_transform(X), twice.astype(np.float32))


def test_a_search_warns_at_the_line_that_runs_it_once_for_each_fit(blobs) -> None:
    search = GridSearchCV(
        wt.MeanShift(1.0), {"n_iter": [1, 2]}, scoring=lambda found, X, y=None: 0.0, cv=2, refit=False
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(blobs[0])
    assert [found.category for found in caught] == [ConvergenceWarning] * 4
    assert {found.filename for found in caught} == {__file__}


@pytest.mark.parametrize("estimator", [wt.LocalTruncation(0.9), wt.GaussianTransform(0.9), wt.MeanShift(0.9)])
def test_nobody_changes_a_fitted_metric_by_its_arrays(estimator: wt.LocalTruncation) -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    estimator.fit(X)
    with pytest.raises(ValueError, match="read-only"):
        estimator.distances_[0, 1] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        estimator.points_[0, 0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        estimator.embedding_[0, 0] = 7.0
    handed = estimator.fit_transform(X)
    handed[0, 0] = 7.0  # a copy: it is the caller's
    assert estimator.distances_[0, 0] == 0.0


def test_the_matrix_of_a_stored_metric_is_handed_out_to_be_read() -> None:
    metric = wt.Space.from_distances([[0.0, 1.0], [1.0, 0.0]]).metric
    with pytest.raises(ValueError, match="read-only"):
        metric.dense()[0, 1] = 7.0
