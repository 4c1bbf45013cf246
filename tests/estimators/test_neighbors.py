"""Points at the means of their nearest neighbors."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from reference.transforms import euclidean
from scipy.sparse import csr_array, csr_matrix, random_array
from sklearn.base import clone
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import wasserstein_transform as wt


def means_of_nearest(X: np.ndarray, k: int) -> np.ndarray:
    """Each row's mean of its k nearest, itself and those as far as the last included."""
    D = euclidean(X)
    return np.array([X[row <= np.sort(row)[k - 1] * (1 + 1e-12)].mean(axis=0) for row in D])


def unit(X: np.ndarray) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.fixture
def cloud(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(90, 12)) + 0.3


@pytest.mark.parametrize("k", [1, 2, 7, 60, 90])
@pytest.mark.filterwarnings("ignore::wasserstein_transform.transforms.ScaleWarning")
def test_points_move_to_the_means_of_their_nearest(k: int, cloud: np.ndarray) -> None:
    fitted = wt.NeighborMeans(k).fit(cloud)
    assert not fitted.on_sphere_
    np.testing.assert_allclose(fitted.points_, means_of_nearest(cloud, k), rtol=0, atol=1e-12)
    np.testing.assert_allclose(fitted.distances_, euclidean(fitted.points_), rtol=0, atol=1e-12)


def test_equally_near_points_all_count() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [9.0], [9.0], [20.0]])
    assert wt.NeighborMeans(2).fit_transform(X).ravel().tolist() == [0.5, 1.0, 2.0, 2.5, 9.0, 9.0, 9.0, 12.75 - 1]
    np.testing.assert_array_equal(wt.NeighborMeans(2).fit_transform(X), means_of_nearest(X, 2))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rows_of_length_1_stay_on_the_sphere(dtype: type, cloud: np.ndarray) -> None:
    X = unit(cloud).astype(dtype)
    fitted = wt.NeighborMeans(6).fit(X)
    expected = unit(means_of_nearest(unit(X.astype(np.float64)), 6))
    assert fitted.on_sphere_
    np.testing.assert_allclose(fitted.points_, expected, rtol=0, atol=1e-6 if dtype == np.float32 else 1e-12)
    assert fitted.points_.dtype == fitted.transform(X).dtype == (np.float32 if dtype == np.float32 else np.float64)


def test_the_metric_says_whether_lengths_count(cloud: np.ndarray) -> None:
    cosine = wt.NeighborMeans(6, metric="cosine").fit_transform(cloud)
    np.testing.assert_allclose(cosine, wt.NeighborMeans(6).fit_transform(unit(cloud)), rtol=0, atol=1e-12)
    inside = wt.NeighborMeans(6, metric="euclidean").fit_transform(unit(cloud))
    np.testing.assert_allclose(inside, means_of_nearest(unit(cloud), 6), rtol=0, atol=1e-12)
    assert (np.linalg.norm(inside, axis=1) < 0.99).all()
    with pytest.raises(ValueError, match="must be one of 'auto', 'cosine', 'euclidean'"):
        wt.NeighborMeans(metric="cityblock").fit(cloud)


def test_rows_without_a_direction_among_rows_of_length_1_are_an_error(cloud: np.ndarray) -> None:
    X = unit(cloud)
    X[[3, 8]] = 0
    with pytest.raises(ValueError, match="2 of 90 rows do not have length 1 like the others, row 3 has length 0"):
        wt.NeighborMeans(6).fit(X)
    with pytest.raises(ValueError, match=r"2 of 90 rows have only zeros.* row 3"):
        wt.NeighborMeans(6, metric="cosine").fit(X)
    fitted = wt.NeighborMeans(6).fit(np.delete(X, [3, 8], axis=0))
    with pytest.raises(ValueError, match="2 of 90 rows have only zeros"):
        fitted.transform(X)
    assert wt.NeighborMeans(6, metric="euclidean").fit_transform(X).shape == X.shape


def test_opposite_points_have_no_mean_direction_and_stay() -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    with pytest.warns(wt.transforms.ScaleWarning, match="n_neighbors=4 of 4 points"):
        np.testing.assert_array_equal(wt.NeighborMeans(4).fit_transform(X), X)


def test_new_points_move_to_the_means_of_the_fitted_ones_nearest_to_them(cloud: np.ndarray) -> None:
    X, new = cloud[:60], cloud[60:]
    for prepare in (np.asarray, unit):
        fitted = wt.NeighborMeans(5).fit(prepare(X))
        nearest = np.argsort(euclidean(prepare(cloud))[60:, :60], axis=1)[:, :5]
        expected = prepare(X)[nearest].mean(axis=1)
        expected = unit(expected) if fitted.on_sphere_ else expected
        np.testing.assert_allclose(fitted.transform(prepare(new)), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(fitted.transform(prepare(new)[:1]), expected[:1], rtol=0, atol=1e-12)


def test_weights_are_masses_and_the_mean_weight_is_that_of_a_point() -> None:
    X = np.array([[0.0], [1.0], [2.5], [9.0]])
    moved = wt.NeighborMeans(2).fit_transform(X, sample_weight=[1, 1, 4, 2])  # balls hold a mass of 4
    np.testing.assert_allclose(moved.ravel(), [11 / 6, 11 / 6, 2.5, 28 / 6])
    np.testing.assert_array_equal(moved, wt.NeighborMeans(2).fit_transform(X, sample_weight=[0.1, 0.1, 0.4, 0.2]))


@pytest.mark.parametrize("wrap", [csr_array, csr_matrix])
def test_sparse_rows_are_those_of_the_dense_matrix(wrap: type) -> None:
    X = wrap(random_array((80, 30), density=0.3, random_state=0, dtype=np.float32))
    for metric in ("auto", "cosine"):
        fitted = wt.NeighborMeans(5, metric=metric).fit(X)
        dense = wt.NeighborMeans(5, metric=metric).fit(X.toarray())
        assert fitted.points_.dtype == np.float32
        np.testing.assert_array_equal(fitted.points_, dense.points_)
        np.testing.assert_array_equal(fitted.transform(X), dense.transform(X.toarray()))


def test_a_sparse_matrix_too_large_as_a_dense_one_is_refused() -> None:
    with pytest.raises(MemoryError, match=r"sparse matrix of 1000000 × 1000000 as a dense one.*TruncatedSVD"):
        wt.NeighborMeans().fit(csr_array((1_000_000, 1_000_000)))


def test_a_frame_keeps_its_names_and_any_number_of_threads_gives_the_same_bits(cloud: np.ndarray) -> None:
    frame = pd.DataFrame(cloud, columns=[f"e{k}" for k in range(12)])
    moved = wt.NeighborMeans(5, n_jobs=2).set_output(transform="pandas").fit_transform(frame)
    assert list(moved.columns) == list(frame.columns)
    np.testing.assert_array_equal(moved, wt.NeighborMeans(5, n_jobs=1).fit_transform(cloud))


def test_what_is_wrong_is_said(cloud: np.ndarray) -> None:
    for wrong in (0, 0.5, 2.5, "20", None):
        with pytest.raises(ValueError, match="n_neighbors must be an integer ≥ 1"):
            wt.NeighborMeans(wrong).fit(cloud)
    with pytest.raises(ValueError, match="points=X"):
        wt.NeighborMeans(3).fit(wt.Space.from_distances(euclidean(cloud)))
    with pytest.warns(wt.transforms.ScaleWarning, match="n_neighbors=20 of 30 points: all will collapse"):
        wt.NeighborMeans(20).fit(cloud[:30])


def test_a_space_brings_its_weights_and_distances(cloud: np.ndarray) -> None:
    weights = np.arange(1.0, 91.0)
    one = wt.NeighborMeans(5, metric="cosine").fit(wt.Space.from_points(cloud, weights))
    two = wt.NeighborMeans(5, metric="cosine").fit(cloud, sample_weight=weights)
    np.testing.assert_array_equal(one.points_, two.points_)
    D = np.abs(cloud[:, None] - cloud).sum(axis=2)
    moved = wt.NeighborMeans(5).fit(wt.Space.from_distances(D, points=cloud)).points_
    np.testing.assert_allclose(moved, cloud[np.argsort(D, axis=1)[:, :5]].mean(axis=1), rtol=0, atol=1e-12)


def test_it_finds_what_noise_in_many_columns_hides() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 60)
    X = unit(np.eye(100)[y] + rng.normal(scale=0.2, size=(240, 100)))
    clusterer = HDBSCAN(min_cluster_size=15, min_samples=5, copy=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = make_pipeline(wt.NeighborMeans(), clusterer).fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1
    assert adjusted_rand_score(y, clone(clusterer).fit_predict(X)) < 0.5


def test_a_report_can_be_written(cloud: np.ndarray, tmp_path) -> None:
    assert wt.NeighborMeans(5).fit(cloud).report(tmp_path / "page.html").exists()
