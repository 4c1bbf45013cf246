"""Points with errors: distances are W2, errors of zero change nothing, columns of errors are found by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import sqrtm

import wasserstein_transform as wt
from wasserstein_transform import _archive
from wasserstein_transform.clustering.uncertain import coordinates_of, gaussians_of, space_of
from wasserstein_transform.hierarchy.labels import adjusted_rand


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def blobs(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(150, 2)) + np.repeat([[0.0, 0], [8, 0], [0, 8]], 50, axis=0)


def random_covariances(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    roots = rng.normal(size=(n, m, m))
    return np.asarray(roots @ roots.swapaxes(1, 2))


def groups(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A near and precise group before a far and imprecise one."""
    truth = np.arange(300) % 2
    errors = np.where(truth, 0.8, 0.1)[:, None] * rng.lognormal(0, 0.2, (300, 1)) * np.ones(2)
    return rng.normal(size=(300, 2)) * (0.6 + 0.6 * truth[:, None]) + rng.normal(size=(300, 2)) * errors, errors, truth


def one_by_one(means: np.ndarray, covs: np.ndarray) -> np.ndarray:
    """W2 of every two Gaussians, by the formula."""
    return np.array(
        [[w2(x, A, y, B) for y, B in zip(means, covs, strict=True)] for x, A in zip(means, covs, strict=True)]
    )


def w2(x: np.ndarray, A: np.ndarray, y: np.ndarray, B: np.ndarray) -> float:
    root = sqrtm(A).real
    squared = ((x - y) ** 2).sum() + np.trace(A + B - 2 * sqrtm(root @ B @ root).real)
    return float(np.sqrt(max(squared, 0.0)))


def test_distances_with_standard_errors_are_w2(rng: np.random.Generator) -> None:
    means, errors = rng.normal(size=(12, 2)), rng.random((12, 2))
    covs = errors[:, :, None] ** 2 * np.eye(2)
    space = space_of(means, errors, None)
    assert space.metric.is_euclidean
    np.testing.assert_allclose(space.metric.dense(), one_by_one(means, covs), atol=1e-7)


def test_distances_with_covariances_are_w2_and_coordinates_are_not_closer(rng: np.random.Generator) -> None:
    means, covs = rng.normal(size=(12, 2)), random_covariances(rng, 12, 2)
    space = space_of(means, covs, None)
    np.testing.assert_allclose(space.metric.dense(), one_by_one(means, covs), atol=1e-6)
    by_coordinates = wt.spaces.Euclidean(coordinates_of(means, covs)).dense()
    assert (by_coordinates >= space.metric.dense() - 1e-9).all()


def test_coordinates_know_the_covariances(rng: np.random.Generator) -> None:
    means, covs = rng.normal(size=(9, 3)), random_covariances(rng, 9, 3)
    gaussians = gaussians_of(coordinates_of(means, covs), 3)
    np.testing.assert_allclose(gaussians.covs, covs, atol=1e-12)


@pytest.mark.parametrize("shape", [(150, 2), (150, 2, 2)])
def test_errors_of_zero_change_nothing(blobs: np.ndarray, shape: tuple[int, ...]) -> None:
    found = wt.cluster(blobs, covariances=np.zeros(shape))
    np.testing.assert_array_equal(found.labels, wt.cluster(blobs).labels)


def test_diagonal_covariances_are_standard_errors(rng: np.random.Generator) -> None:
    X, errors, _ = groups(rng)
    by_errors = wt.cluster(X, 2, covariances=errors)
    by_covariances = wt.cluster(X, 2, covariances=errors[:, :, None] ** 2 * np.eye(2))
    np.testing.assert_array_equal(by_errors.labels, by_covariances.labels)


def test_errors_tell_groups_apart_that_overlap(rng: np.random.Generator) -> None:
    X, errors, truth = groups(rng)
    assert adjusted_rand(truth, wt.cluster(X, 2, covariances=errors).labels) > 0.95
    assert adjusted_rand(truth, wt.cluster(X, 2).labels) < 0.5


@pytest.mark.parametrize("full", [False, True])
def test_fitted_points_keep_their_clusters_also_after_saving(
    rng: np.random.Generator, full: bool, tmp_path: Path
) -> None:
    X, errors, _ = groups(rng)
    covariances = errors[:, :, None] ** 2 * np.array([[1.0, 0.3], [0.3, 1.0]]) if full else errors
    found = wt.cluster(X, 2, covariances=covariances)
    loaded = _archive.read(_archive.write(tmp_path / "found", found), wt.clustering.Clustering)
    for one in (found, loaded):
        np.testing.assert_array_equal(one.predict(X, covariances=covariances), found.labels)
        np.testing.assert_array_equal(one.membership_of(X, covariances=covariances), found.membership)


def test_columns_of_errors_are_read_by_name(rng: np.random.Generator) -> None:
    X, errors, _truth = groups(rng)
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "x_err": errors[:, 0], "sigma_Y": errors[:, 1]})
    found = wt.cluster(frame, 2, covariances=True)
    np.testing.assert_array_equal(found.labels, wt.cluster(X, 2, covariances=errors).labels)
    np.testing.assert_array_equal(found.predict(frame), found.labels)
    named = wt.cluster(frame, 2, columns=["x", "y"], covariances=["x_err", "sigma_Y"])
    np.testing.assert_array_equal(named.labels, found.labels)
    asked = wt.cluster(frame, 2, columns=["x", "y"], covariances=True)
    np.testing.assert_array_equal(asked.labels, found.labels)


def test_columns_of_errors_are_no_coordinates(rng: np.random.Generator) -> None:
    X, errors, _ = groups(rng)
    frame = pd.DataFrame({"mass_kg": X[:, 0], "size_mm": X[:, 1], "mass_kg_error": errors[:, 0]})
    found = wt.cluster(frame, 2)
    np.testing.assert_array_equal(found.labels, wt.cluster(frame[["mass_kg", "size_mm"]], 2).labels)
    assert any("standard errors of mass_kg" in note for note in found.notes)


def test_columns_of_errors_that_are_asked_for_are_coordinates(rng: np.random.Generator) -> None:
    X, errors, _ = groups(rng)
    frame = pd.DataFrame({"x": X[:, 0], "x_err": errors[:, 0]})
    table = wt.tables.features(frame, ["x", "x_err"])
    assert table.names == ("x", "x_err")
    assert table.errors is None


def test_signed_columns_and_columns_without_partner_are_no_errors(rng: np.random.Generator) -> None:
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["depth", "depth_error", "height_err"])
    assert wt.tables.features(frame).errors is None


def test_errors_are_scaled_as_their_columns(rng: np.random.Generator) -> None:
    X, errors, _ = groups(rng)
    found = wt.cluster(X, 2, covariances=errors, scale="standard")
    many = wt.cluster(X * [1, 1000], 2, covariances=errors * [1, 1000], scale="standard")
    np.testing.assert_array_equal(found.labels, many.labels)
    np.testing.assert_allclose(found.space.points[:, 2:], errors / X.std(axis=0))


def test_covariances_are_scaled_as_their_columns(rng: np.random.Generator) -> None:
    table = wt.tables.features(rng.normal(size=(20, 2)) * [1, 50], scale="standard")
    covs = random_covariances(rng, 20, 2)
    scale = np.diag(1 / table.scaling.length)
    np.testing.assert_allclose(table.scale_errors(covs), scale @ covs @ scale)


def test_gaps_of_errors_are_filled(rng: np.random.Generator) -> None:
    frame = pd.DataFrame({"x": rng.normal(size=30), "x_err": [np.nan, *np.full(29, 0.5)]})
    table = wt.tables.features(frame)
    assert table.errors is not None
    assert (table.errors == 0.5).all()
    assert table.there.all()


def test_columns_of_the_answer_are_those_given(blobs: np.ndarray) -> None:
    found = wt.cluster(blobs, covariances=np.abs(blobs))
    names, values = found.columns
    assert names == ("x", "y")
    np.testing.assert_array_equal(values, blobs)
