"""What a transform hands on: points, distances, or points that have the distances."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import wasserstein_transform as wt
from wasserstein_transform.transforms.scaling import Scaling

JUNCTION = {"eps": 2, "lam": 5, "n_iter": 2}


@pytest.fixture
def blobs(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat([0, 1, 2], 20)
    return np.array([[0, 0], [4, 0], [0, 4]])[labels] + 0.4 * rng.normal(size=(60, 2)), labels


def test_a_grid_search_before_a_classifier_is_silent(blobs: tuple[np.ndarray, np.ndarray]) -> None:
    pipeline = make_pipeline(StandardScaler(), wt.GaussianTransform(), KNeighborsClassifier())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = GridSearchCV(pipeline, {"gaussiantransform__eps": [0.1, 0.3, 0.5]}, cv=5).fit(*blobs)
    assert search.best_score_ == 1.0


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("output", "metric"), [("distances", "precomputed"), ("embedding", "euclidean")])
def test_a_pipeline_keeps_the_metric(output: str, metric: str) -> None:
    X, truth = wt.datasets.t_junction()
    gt = wt.GaussianTransform(**JUNCTION, output=output)
    labels = make_pipeline(gt, wt.SingleLinkage(2, metric=metric, cut="robust")).fit_predict(X)
    assert sorted(np.bincount(labels)) == [200, 201]
    assert adjusted_rand_score(truth, labels) == 1
    np.testing.assert_array_equal(labels, wt.SingleLinkage(2, cut="robust").fit_predict(gt.fit(X)))
    peer = AgglomerativeClustering(2, metric=metric, linkage="single")
    assert adjusted_rand_score(make_pipeline(gt, peer).fit_predict(X), labels) == 1


@pytest.mark.parametrize(
    "transform",
    [
        wt.GaussianTransform(0.9, 2.0, output="points"),
        wt.GaussianTransform(0.9, 0.0),
        wt.MeanShift(0.9),
        wt.LocalTruncation(0.9),
        wt.WassersteinTransform(wt.Mean(wt.Truncation(0.9)), wt.transport.DiracDistance()),
    ],
    ids=str,
)
def test_where_points_are_asked_for_or_say_all_there_is_no_warning(transform, blobs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_pipeline(transform, KNeighborsClassifier(1)).fit(*blobs)


def test_who_calls_by_hand_has_the_metric_and_gets_no_warning(blobs) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gt = wt.GaussianTransform(0.9, 2.0)
        np.testing.assert_array_equal(gt.fit_transform(blobs[0]), gt.points_)


def named(estimator: object) -> str:
    """Functions print with their addresses, which no two processes share."""
    return type(estimator).__name__


MOVERS = [
    wt.MeanShift(eps=0.9, n_iter=3, tol=None),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=0),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=3),
    wt.GaussianTransform(eps=0.9, lam=2.0, n_iter=3, merge=0.2),
    wt.WassersteinTransform(wt.Gaussian(wt.Nearest(0.1), 1.0, move=True), wt.transport.Stored(wt.Bures()), n_iter=2),
    wt.WassersteinTransform(
        wt.Gaussian(wt.Truncation(0.9), 1.0, move=True), wt.transport.Stored(wt.Bures()), n_iter=3, merge=0.2
    ),
    wt.WassersteinTransform(
        wt.Mean(wt.Kernel(0.5, lambda t: 1 / (1 + t) ** 4)), wt.transport.Stored(wt.transport.DiracDistance()), n_iter=2
    ),
]


@pytest.mark.parametrize("estimator", MOVERS, ids=named)
def test_distances_of_new_points_are_those_of_points_of_weight_0(estimator, blobs, rng) -> None:
    X, new = blobs[0], rng.uniform(-1, 5, size=(15, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        fitted = clone(estimator).set_params(output="distances").fit(X)
        rows = fitted.transform(new)
        weights = np.repeat([1.0, 0.0], [len(X), len(new)])
        together = clone(estimator).fit(np.concatenate([X, new]), sample_weight=weights)
    assert rows.shape == (15, 60)
    np.testing.assert_allclose(rows, together.distances_[len(X) :, : len(X)], rtol=0, atol=1e-8)
    np.testing.assert_allclose(fitted.transform(X), fitted.distances_, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(clone(fitted).fit_transform(X), fitted.distances_)


@pytest.mark.parametrize("estimator", [*MOVERS, wt.LocalTruncation(0.9, 2)], ids=named)
def test_new_points_are_placed_in_the_embedding_of_the_fitted_ones(estimator, blobs) -> None:
    X = blobs[0]
    fitted = clone(estimator).set_params(output="embedding").fit(X)
    np.testing.assert_allclose(fitted.transform(X), fitted.embedding_, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(clone(fitted).fit_transform(X), fitted.embedding_)
    off = pdist(fitted.embedding_) - squareform(fitted.distances_)
    assert fitted.distortion_ == pytest.approx(np.linalg.norm(off) / np.linalg.norm(squareform(fitted.distances_)))


def test_points_are_embedded_without_distortion_and_placed_exactly(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(5, 3))
    found = Scaling.of(squareform(pdist(X)), np.full(30, 1 / 30))
    assert found.points.shape == (30, 3)
    assert found.distortion < 1e-14
    np.testing.assert_allclose(pdist(found.points), pdist(X), rtol=1e-12)
    np.testing.assert_allclose(cdist(found.place(cdist(new, X)), found.points), cdist(new, X), rtol=1e-10)
    np.testing.assert_allclose(found.place(squareform(pdist(X))), found.points, rtol=0, atol=1e-12)


def test_in_an_embedding_weight_k_is_k_copies(rng: np.random.Generator) -> None:
    X, copies = rng.normal(size=(20, 2)), rng.integers(0, 4, 20)
    D, where = squareform(pdist(X, "cityblock")), np.repeat(np.arange(20), copies)
    weighted = Scaling.of(D, copies / copies.sum())
    repeated = Scaling.of(D[np.ix_(where, where)], np.full(len(where), 1 / len(where)))
    np.testing.assert_allclose(weighted.points[where], repeated.points, rtol=0, atol=1e-9)
    assert weighted.distortion == pytest.approx(repeated.distortion)
    assert Scaling.of(np.zeros((3, 3)), np.full(3, 1 / 3)).points.tolist() == [[0], [0], [0]]


@pytest.mark.slow
def test_the_metric_goes_through_grid_search(blobs) -> None:
    X, truth = blobs
    pipeline = make_pipeline(
        wt.GaussianTransform(0.9, output="distances"), KNeighborsClassifier(3, metric="precomputed")
    )
    grid = {"gaussiantransform__lam": [0.0, 2.0], "gaussiantransform__n_iter": [0, 1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, truth)
        assert search.best_score_ == 1
        assert (search.predict([[0.0, 0.1], [4.0, 0.2], [0.1, 4.1]]) == [0, 1, 2]).all()
    outputs = {"gaussiantransform__output": ["points", "embedding"], "kneighborsclassifier__metric": ["euclidean"]}
    assert GridSearchCV(pipeline, outputs, cv=3, error_score="raise").fit(X, truth).best_score_ == 1


@pytest.mark.parametrize("output", ["points", "distances", "embedding"])
def test_columns_have_names_whatever_is_handed_on(output: str, blobs) -> None:
    X = blobs[0]
    gt = wt.GaussianTransform(0.9, 2.0, output=output).set_output(transform="pandas")
    frame = gt.fit_transform(X)
    names = ["x0", "x1"] if output == "points" else [f"gaussiantransform{k}" for k in range(frame.shape[1])]
    assert list(frame.columns) == list(gt.get_feature_names_out()) == list(gt.transform(X[:3]).columns) == names
    assert clone(gt).output == output


def test_the_output_can_be_changed_after_the_fit(blobs) -> None:
    X = blobs[0]
    gt = wt.GaussianTransform(0.9, 2.0).fit(X)
    assert gt.transform(X[:4]).shape == (4, 2)
    assert gt.set_params(output="distances").transform(X[:4]).shape == (4, 60)
    assert gt.set_params(output="embedding").transform(X[:4]).shape == (4, gt.embedding_.shape[1])


def test_outputs_that_cannot_be_are_refused_before_anything_is_computed(blobs) -> None:
    for intrinsic in (wt.LocalTruncation(0.9), wt.WassersteinTransform(wt.Truncation(0.9), wt.Exact())):
        with pytest.raises(ValueError, match="output='distances'"):
            intrinsic.set_params(output="points").fit(blobs[0])
    with pytest.raises(MemoryError, match="output='points'"):
        wt.GaussianTransform(output="distances").fit(np.zeros((1_000_000, 2)))


def test_clusters_of_mean_shift_do_not_depend_on_its_output(blobs) -> None:
    X = blobs[0]
    plain, other = wt.MeanShift(1.0).fit(X), wt.MeanShift(1.0, output="distances").fit(X)
    np.testing.assert_array_equal(plain.predict(X), other.predict(X))


def _threads_of(n_jobs: int | None) -> int:
    return wt.GaussianTransform(1.0, n_jobs=n_jobs)._engine().n_threads


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_within_joblib_no_number_of_threads_means_one(backend: str) -> None:
    within = Parallel(n_jobs=2, backend=backend)(delayed(_threads_of)(n_jobs) for n_jobs in (None, None, 3))
    assert within == [1, 1, 3]
    cores = wt.Engine().n_threads
    assert Parallel(n_jobs=1)(delayed(_threads_of)(n_jobs) for n_jobs in (None, 3)) == [cores, 3]


class _Counted(wt.GaussianTransform):
    """Its score is the number of threads."""

    def score(self, X: np.ndarray, y: object = None) -> float:
        return float(self._engine().n_threads)


def test_a_grid_search_of_two_workers_uses_one_thread_in_each() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    search = GridSearchCV(_Counted(n_iter=0), {"eps": [0.5, 1.0]}, cv=2, n_jobs=2).fit(X)
    assert search.cv_results_["mean_test_score"].tolist() == [1.0, 1.0]
