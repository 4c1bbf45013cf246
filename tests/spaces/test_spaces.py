"""Spaces: metrics lazy and stored, balls, quotients."""

from __future__ import annotations

import numpy as np
import pytest
from reference.transforms import euclidean
from scipy.spatial.distance import cdist, pdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.spaces.named import TRIANGLE, cross_by_name


def gaussians(rng: np.random.Generator, n: int, m: int, lam: float = 2.0) -> wt.spaces.GaussianMetric:
    roots = rng.normal(size=(n, m, m))
    return wt.spaces.GaussianMetric(rng.normal(size=(n, m)), roots @ roots.transpose(0, 2, 1) / 4, lam)


@pytest.fixture(params=["euclidean-1", "euclidean-2", "euclidean-6", "gaussian-1", "gaussian-2", "gaussian-3", "dense"])
def metric(request: pytest.FixtureRequest, rng: np.random.Generator) -> wt.spaces.Metric:
    kind, _, m = request.param.partition("-")
    if kind == "euclidean":
        return wt.spaces.Euclidean(rng.normal(size=(80, int(m))))
    if kind == "gaussian":
        return gaussians(rng, 80, int(m))
    return wt.spaces.Dense(euclidean(rng.normal(size=(80, 2))))


@pytest.mark.repeated(4)
def test_condensed_block_and_dense_agree(metric: wt.spaces.Metric, rng: np.random.Generator) -> None:
    D = metric.dense()
    np.testing.assert_array_equal(squareform(metric.condensed()), D)
    rows, cols = rng.integers(0, 80, 7), rng.integers(0, 80, 9)
    np.testing.assert_array_equal(metric.block(rows, cols), D[np.ix_(rows, cols)])
    np.testing.assert_allclose(metric.take(rows).dense(), D[np.ix_(rows, rows)], rtol=1e-13)


@pytest.mark.repeated(6)
@pytest.mark.parametrize("radius", [1e-9, 0.3, 1.0, 50.0])
def test_balls_are_the_closed_balls_of_the_matrix(metric: wt.spaces.Metric, radius: float) -> None:
    D, balls = metric.dense(), metric.balls(radius)
    for i in range(metric.n):
        part = slice(balls.indptr[i], balls.indptr[i + 1])
        np.testing.assert_array_equal(balls.indices[part], np.flatnonzero(D[i] <= radius * (1 + 1e-12)))
        np.testing.assert_allclose(balls.distances[part], D[i, balls.indices[part]], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("m", [4, 5, 9, 24, 25])
def test_gaussians_of_many_dimensions_are_as_far_apart_however_they_are_asked_for(
    m: int, rng: np.random.Generator
) -> None:
    n = 70
    factors = rng.normal(size=(n, m, m + 1))
    factors[10:20, :, 2:] = 0.0
    covs = factors @ factors.transpose(0, 2, 1)
    covs[30], covs[31], covs[32] = covs[3], covs[4] * (1 + 1e-9), 0.0
    metric = wt.spaces.GaussianMetric(rng.normal(size=(n, m)) * (rng.random((n, 1)) > 0.5), covs, 0.7)
    whole, (i, j), everybody = metric.dense(), np.triu_indices(n, 1), np.arange(n)
    np.testing.assert_allclose(metric.pairs(i, j), whole[i, j], rtol=1e-9, atol=1e-7)
    assert whole[3, 30] == pytest.approx(np.linalg.norm(metric.means[3] - metric.means[30]))
    np.testing.assert_array_equal(metric.condensed(), whole[i, j])
    np.testing.assert_array_equal(metric.block(everybody, everybody), whole)
    for start, end in ((0, 1), (3, 30), (35, 70)):
        np.testing.assert_array_equal(metric.block(everybody[::-1], everybody[start:end]), whole[::-1, start:end])
    reach = float(np.quantile(whole, 0.3))
    assert metric.balls(reach).indices.tolist() == [k for row in whole for k in np.flatnonzero(row <= reach)]


def test_balls_in_a_dense_cloud_use_small_cells_and_are_the_same(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(3000, 2)) * [1.0, 3.0] + 1e6
    radius = 0.31
    D = cdist(X, X)
    counts = np.diff(wt.spaces.Euclidean(X).balls(radius).indptr)
    np.testing.assert_array_equal(counts, (radius >= D).sum(axis=1))


def test_euclidean_is_scipys(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    np.testing.assert_allclose(wt.spaces.Euclidean(X).condensed(), pdist(X), rtol=1e-14)


@pytest.mark.parametrize("name", sorted(TRIANGLE))
def test_names_of_scipy_are_known(name: str, rng: np.random.Generator) -> None:
    boolean = name in {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}
    X = rng.integers(0, 2, (12, 6)) if boolean else rng.uniform(0.1, 1, (12, 3))
    if boolean:
        X[:, 0] = 1  # a row of zeros has no distance in some of them
        X = X.astype(bool)
    space = wt.Space.from_points(X, metric=name)
    by_mass = {"seuclidean": {"V": X.var(axis=0)}, "mahalanobis": {"VI": np.linalg.pinv(np.cov(X.T, ddof=0))}}
    expected = pdist(X, name, **by_mass.get(name, {}))
    np.testing.assert_allclose(space.metric.condensed(), expected, rtol=1e-9)
    assert space.metric.triangle == TRIANGLE[name]
    if TRIANGLE[name]:
        D = space.metric.dense()
        assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    assert space.points is not None
    cross = cross_by_name(space.points, space.points, name, space.weights)
    off = ~np.eye(12, dtype=bool)
    np.testing.assert_allclose(cross[off], space.metric.dense()[off], rtol=1e-9, atol=1e-12)


def test_condensed_and_square_distances_make_the_same_space(cloud: np.ndarray) -> None:
    one, two = wt.Space.from_distances(pdist(cloud)), wt.Space.from_distances(euclidean(cloud))
    np.testing.assert_allclose(one.metric.dense(), two.metric.dense(), rtol=1e-14)
    assert one.points is None
    assert not one.metric.triangle


def test_quotient_merges_into_the_earliest_point_within_tolerance(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    merged = wt.spaces.quotient(wt.Space.from_points(X), tol=0.2)
    leaders = merged.space.points
    assert leaders is not None
    assert (np.linalg.norm(X - leaders[merged.labels], axis=1) <= 0.2 + 1e-12).all()
    assert (pdist(leaders) > 0.2).all()
    np.testing.assert_allclose(merged.space.weights, np.bincount(merged.labels) / 200)
    assert merged.expand().n == 200


def test_quotient_of_gaussians_tells_covariances_apart() -> None:
    means, covs = np.zeros((3, 2)), np.array([np.eye(2), np.eye(2), 2 * np.eye(2)])
    space = wt.Space(wt.spaces.GaussianMetric(means, covs, 1.0), np.full(3, 1 / 3), means)
    assert wt.spaces.quotient(space).labels.tolist() == [0, 0, 1]


def test_quotient_of_many_collapsed_points_is_cheap() -> None:
    X = np.repeat(np.arange(5.0), 20_000)[:, None]
    merged = wt.spaces.quotient(wt.Space.from_points(X))
    assert merged.space.n == 5


@pytest.mark.parametrize("m", [1, 2, 3])
def test_movement_is_the_largest_distance_to_the_later_self(m: int, rng: np.random.Generator) -> None:
    one, two = gaussians(rng, 10, m), gaussians(rng, 10, m)
    both = wt.spaces.GaussianMetric(np.concatenate([one.means, two.means]), np.concatenate([one.covs, two.covs]), 2.0)
    expected = both.block(np.arange(10), np.arange(10, 20)).diagonal().max()
    assert one.movement(two) == pytest.approx(expected)
    assert one.movement(one) == 0


@pytest.mark.parametrize("name", ["seuclidean", "mahalanobis"])
def test_scales_of_a_metric_honour_weights(name: str, rng: np.random.Generator) -> None:
    X, copies = rng.normal(size=(15, 2)), rng.integers(1, 4, 15)
    where = np.repeat(np.arange(15), copies)
    weighted = wt.Space.from_points(X, copies, metric=name).metric.dense()
    repeated = wt.Space.from_points(X[where], metric=name).metric.dense()
    np.testing.assert_allclose(repeated, weighted[np.ix_(where, where)], rtol=1e-9)


def test_one_far_point_does_not_put_all_others_into_one_cell(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(500, 3)), [[1e12, -1e12, 1e9]]])
    for reach in (0.0, 1e-6, 0.3):
        search = wt.spaces.Euclidean(X).search(reach, wt.Engine())
        assert search.candidates_by_position().max() < 200
    counts = np.diff(wt.spaces.Euclidean(X).balls(0.3).indptr)
    np.testing.assert_array_equal(counts, (cdist(X, X) <= 0.3).sum(axis=1))


def test_points_without_mass_never_lead_points_with_mass() -> None:
    space = wt.Space.from_points([[0.3], [0.0], [1.25]], weights=[0, 10, 1])
    merged = wt.spaces.quotient(space, 0.4)
    assert merged.space.points is not None
    assert merged.space.points.ravel().tolist() == [0.0, 1.25]
    assert merged.labels.tolist() == [0, 0, 1]


def test_indices_are_checked() -> None:
    metric = wt.spaces.Euclidean([[0.0], [1.0]])
    for rows in ([2], [-1]):
        with pytest.raises(IndexError, match="indices"):
            metric.block(np.array(rows), np.array([0]))


def test_a_space_keeps_its_own_numbers(cloud: np.ndarray) -> None:
    D = euclidean(cloud)
    points, distances = wt.Space.from_points(cloud), wt.Space.from_distances(D)
    cloud[:], D[:] = 0, 0
    assert points.metric.dense().max() > 0
    assert distances.metric.dense().max() > 0


@pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2)])
def test_coordinates_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="2-D array"):
        wt.spaces.Euclidean(np.zeros(shape))
