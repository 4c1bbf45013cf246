"""What the paper proves, on data that knows its answer; and the algorithms against their slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from reference import transforms as reference

import wasserstein_transform as wt


def run(process: wt.transforms.Process, points: np.ndarray, n_iter: int, weights: np.ndarray | None = None) -> wt.Space:
    return wt.iterate(process, wt.Space.from_points(points, weights), n_iter=n_iter).last


@pytest.mark.parametrize("n_iter", [0, 1, 3])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_mean_shift_equals_its_twin(n_iter: int, m: int, rng: np.random.Generator) -> None:
    X, alpha = rng.normal(size=(40, m)), rng.dirichlet(np.ones(40))
    expected = reference.mean_shift(X, alpha, 0.8, n_iter)
    np.testing.assert_allclose(
        run(wt.transforms.mean_shift(0.8), X, n_iter, alpha).points, expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("profile", "formula"),
    [
        ("gaussian", lambda t: np.exp(-t / 2)),
        ("epanechnikov", lambda t: np.maximum(1 - t, 0)),
        ("triangle", lambda t: np.maximum(1 - np.sqrt(t), 0)),
    ],
)
def test_mean_shift_with_a_profile_equals_its_twin(profile: str, formula, cloud: np.ndarray) -> None:
    alpha = np.full(len(cloud), 1 / len(cloud))
    expected = reference.mean_shift(cloud, alpha, 0.9, 2, formula)
    np.testing.assert_allclose(
        run(wt.transforms.mean_shift(0.9, profile), cloud, 2).points, expected, rtol=0, atol=1e-11
    )
    callable_ = run(wt.transforms.mean_shift(0.9, formula), cloud, 2)
    np.testing.assert_allclose(callable_.points, expected, rtol=0, atol=1e-11)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("n_iter", [0, 1, 2])
@pytest.mark.parametrize(("m", "eps"), [(1, 0.5), (2, 1.0), (3, 1.5), (5, 2.5)])
def test_gaussian_transform_equals_its_twin(n_iter: int, m: int, eps: float, rng: np.random.Generator) -> None:
    X, alpha = rng.normal(size=(20, m)), rng.dirichlet(np.ones(20))
    points, D = reference.gaussian_transform(X, alpha, eps, 3.0, n_iter)
    space = run(wt.transforms.gaussian_transform(eps, 3.0), X, n_iter, alpha)
    np.testing.assert_allclose(space.points, points, rtol=0, atol=1e-12)
    # two-point balls have singular covariances, of which 1e-8 is all that can be had (and the twin has less)
    np.testing.assert_allclose(space.metric.dense(), D, rtol=0, atol=2e-7)


@pytest.mark.slow
@pytest.mark.parametrize("p", [1, 2, 1.5])
def test_local_truncation_equals_its_twin(p: float, rng: np.random.Generator) -> None:
    X, alpha = rng.normal(size=(14, 2)), rng.dirichlet(np.ones(14))
    expected = reference.local_truncation(reference.euclidean(X), alpha, 1.0, p, 2)
    space = run(wt.transforms.local_truncation(1.0, p), X, 2, alpha)
    np.testing.assert_allclose(space.metric.dense(), expected, rtol=0, atol=1e-6)  # HiGHS is good to 1e-7


@pytest.mark.parametrize(
    ("profile", "p", "formula"),
    [("gaussian", 1, lambda t: np.exp(-t / 2)), ("triangle", 2, lambda t: np.maximum(1 - np.sqrt(t), 0))],
)
def test_kernel_transform_equals_its_twin(profile: str, p: float, formula, rng: np.random.Generator) -> None:
    X, alpha = rng.normal(size=(9, 2)), rng.dirichlet(np.ones(9))
    expected = reference.local_truncation(reference.euclidean(X), alpha, 1.0, p, 2, formula)
    space = run(wt.transforms.kernel_transform(1.0, profile, p), X, 2, alpha)
    np.testing.assert_allclose(space.metric.dense(), expected, rtol=0, atol=1e-6)


def test_mean_shift_is_a_wasserstein_transform(cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    moved = wt.Transform(wt.Mean(wt.Truncation(0.8)), wt.transport.DiracDistance())(space)
    by_hand = reference.mean_shift(cloud, space.weights, 0.8, 1)
    np.testing.assert_allclose(moved.metric.dense(), reference.euclidean(by_hand), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_iter", [0, 1, 2, 5])
def test_gaussian_transform_without_covariance_is_mean_shift(n_iter: int, cloud: np.ndarray) -> None:
    gt, ms = (
        run(wt.transforms.gaussian_transform(0.8, 0.0), cloud, n_iter),
        run(wt.transforms.mean_shift(0.8), cloud, n_iter),
    )
    np.testing.assert_array_equal(gt.points, ms.points)
    np.testing.assert_array_equal(gt.metric.dense(), ms.metric.dense())


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_truncation_on_an_ultrametric_is_the_closed_quotient(ultrametric: np.ndarray, quantile: float) -> None:
    eps = float(np.quantile(ultrametric[ultrametric > 0], quantile))
    space = wt.Space.from_distances(ultrametric, weights=np.arange(1, 26), triangle=True)
    D = wt.Transform(wt.Truncation(eps), wt.Exact(1))(space).metric.dense()
    expected = np.where(ultrametric <= eps, 0.0, ultrametric)
    np.testing.assert_allclose(D, expected, rtol=0, atol=1e-12)


def test_on_two_segments_the_gaussian_transform_is_truncation_of_order_2() -> None:
    across = np.column_stack([np.linspace(-1, 1, 201), np.zeros(201)])
    up = np.column_stack([np.full(201, 3.0), np.linspace(-1, 1, 201)])
    space = wt.Space.from_points(np.concatenate([across, up]))
    eps = 0.1004  # balls are centered segments of 21 points away from the ends
    inner = np.r_[20:181:20, 221:382:20]
    gt = wt.iterate(wt.transforms.gaussian_transform(eps, 1.0), space, n_iter=0).last.metric.block(inner, inner)
    measures = wt.Truncation(eps)(space).take(inner)
    lt = wt.Exact(2).metric(measures, space.metric).dense()
    np.testing.assert_allclose(gt, lt, rtol=0, atol=1e-12)


def test_means_and_gaussians_bound_transport(cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    base = wt.Truncation(0.9)
    measures = base(space)
    seen = measures.means(cloud).values, measures.covs(cloud).values
    means = reference.euclidean(seen[0])
    gaussians = wt.spaces.GaussianMetric(*seen, 1.0).dense()
    w1, w2 = (wt.Exact(p).metric(measures, space.metric).dense() for p in (1, 2))
    assert (means <= gaussians + 1e-12).all()
    assert (gaussians <= w2 + 1e-12).all()
    assert (means <= w1 + 1e-12).all()
    assert (w1 <= w2 + 1e-12).all()


@pytest.mark.parametrize("p", [1, 2])
def test_whole_collapses_and_point_changes_nothing(p: float, cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    assert (wt.Transform(wt.localize.Whole(), wt.Exact(p))(space).metric.dense() == 0).all()
    same = wt.Transform(wt.localize.Identity(), wt.Exact(p))(space).metric.dense()
    np.testing.assert_allclose(same, reference.euclidean(cloud), rtol=1e-14)


@pytest.mark.parametrize(
    "process", [wt.transforms.mean_shift(0.6), wt.transforms.gaussian_transform(0.6, 2.0)], ids=["ms", "gt"]
)
def test_iterating_on_the_lazy_metric_is_iterating_on_its_matrix(
    process: wt.transforms.Process, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(120, 2))
    lazy = wt.Space.from_points(X)
    if process.start is not None:
        lazy = process.start(lazy)
    dense = lazy
    for _ in range(3):
        lazy = process.at(0)(lazy)
        dense = process.at(0)(wt.Space.from_distances(dense.metric.dense(), points=dense.points))
    np.testing.assert_allclose(lazy.points, dense.points, rtol=0, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_scale_and_offset_do_not_matter(offset: float, scale: float, rng: np.random.Generator) -> None:
    X = np.round(rng.normal(size=(60, 2)) * 2**10) / 2**10  # survives the offset exactly
    plain = run(wt.transforms.gaussian_transform(0.5, 1.0), X, 1)
    moved = run(wt.transforms.gaussian_transform(0.5 * scale, 1.0), (X + offset) * scale, 1)
    back = moved.points / scale - offset
    tolerance = 1e-12 if offset == 0 else 1e-7  # the points themselves are only good to 1e8 · 2e-16
    np.testing.assert_allclose(back, plain.points, rtol=0, atol=tolerance)


def test_on_integer_grids_the_closed_ball_counts_its_rim() -> None:
    X = np.stack(np.meshgrid(np.arange(7.0), np.arange(7.0)), axis=-1).reshape(-1, 2) * 0.1
    counts = np.diff(wt.Space.from_points(X).metric.balls(0.3).indptr).reshape(7, 7)
    assert counts[3, 3] == 29  # lattice points with x² + y² ≤ 9
    assert counts[0, 0] == 11
