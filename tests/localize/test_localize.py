"""Localizations and the choice of a scale."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from reference.transforms import euclidean
from scipy.sparse import csr_array, csr_matrix

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments import neighborhoods
from wasserstein_transform.compute.neighbors.moments_jit import PROFILES, profile_value
from wasserstein_transform.localize.extrinsic import takes_new_points
from wasserstein_transform.localize.kernel import evaluate
from wasserstein_transform.localize.scale import ordinal


@pytest.mark.parametrize("profile", PROFILES)
def test_kernel_measures_are_the_normalised_kernel(profile: str, cloud: np.ndarray, rng: np.random.Generator) -> None:
    alpha = rng.dirichlet(np.ones(len(cloud)))
    D = euclidean(cloud)
    expected = evaluate(profile, (D / 0.8) ** 2) * alpha
    if np.isfinite(PROFILES[profile].reach):
        expected = expected * (D <= 0.8)
    expected /= expected.sum(axis=1, keepdims=True)
    measures = wt.Kernel(0.8, profile)(wt.Space.from_points(cloud, alpha))
    np.testing.assert_allclose(measures.matrix().toarray(), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("profile", PROFILES)
def test_fused_moments_equal_those_of_the_rows(profile: str, cloud: np.ndarray) -> None:
    space = wt.Space.from_points(cloud)
    kernel = wt.Kernel(0.9, profile)
    fused, rows = kernel.moments(space, wt.Engine()), kernel(space)
    np.testing.assert_allclose(fused.means(cloud).values, rows.means(cloud).values, rtol=0, atol=1e-13)
    np.testing.assert_allclose(fused.covs(cloud).values, rows.covs(cloud).values, rtol=0, atol=1e-13)


def test_means_of_measures_far_from_the_origin(rng: np.random.Generator) -> None:
    X, matrix = rng.normal(size=(50, 7)), rng.random((50, 50)) * (rng.random((50, 50)) < 0.2) + np.eye(50)
    matrix /= matrix.sum(axis=1, keepdims=True)
    measures = wt.localize.Given(csr_array(matrix))(wt.Space.from_points(X))
    np.testing.assert_allclose(measures.means(X).values, measures.matrix() @ X, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(measures.means(X[:, ::-1]).values, measures.means(X).values[:, ::-1])
    far = measures.means(np.ldexp(np.round(np.ldexp(X, 10)), -10) + 2.0**40).values - 2.0**40
    np.testing.assert_allclose(far, measures.matrix() @ X, rtol=0, atol=2e-3)
    np.testing.assert_array_equal(measures.means(np.full((50, 2), 0.1)).values, 0.1)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_compiled_profile_is_the_formula_of_its_row_in_the_table(profile: str) -> None:
    t = np.concatenate([np.linspace(0, 2, 33), [1e-300, np.nextafter(1, 0), np.nextafter(1, 2), 1e3, 1399, 1400, 1e5]])
    compiled = [profile_value(PROFILES[profile].code, float(s)) for s in t]
    np.testing.assert_allclose(compiled, PROFILES[profile].formula(t), rtol=1e-15, atol=0)


def test_codes_of_profiles_differ_and_an_unknown_one_gives_nan() -> None:
    codes = [profile.code for profile in PROFILES.values()]
    assert len(set(codes)) == len(codes)
    unknown, space = max(codes) + 1, wt.Space.from_points([[0.0, 0.0], [0.1, 0.0], [0.0, 0.3]])
    assert np.isnan(profile_value(unknown, 0.5))
    seen = neighborhoods(space.metric, space.weights, unknown, 1.0, 1.0, wt.Engine()).means(space.points)
    assert np.isnan(seen.mass).all()
    assert np.isnan(seen.values).all()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("gap", [-1e-3, -1e-11, -1e-16, 0.0, 1e-16, 4e-13, 1e-11, 1e-3])
def test_stored_fused_and_crossed_measures_have_one_support_at_the_rim(profile: str, gap: float) -> None:
    """Points at ε(1 + gap) from the first one, in three directions."""
    eps = 0.7
    far = eps * (1 + gap)
    points = np.array([[0.0, 0.0], [far, 0.0], [0.0, far], [-far, 0.0]])
    space, kernel = wt.Space.from_points(points), wt.Kernel(eps, profile)
    stored = kernel(space).matrix().toarray()
    crossed = kernel.cross(euclidean(points), space).matrix().toarray()
    fused = kernel.moments(space, wt.Engine()).means(points)
    np.testing.assert_array_equal(stored > 0, crossed > 0)
    np.testing.assert_allclose(crossed, stored, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(fused.values, stored @ points, rtol=0, atol=1e-12)
    inside = evaluate(profile, np.array([far / eps]) ** 2)[0] > 0 and not (
        np.isfinite(PROFILES[profile].reach) and gap > 1e-12
    )
    assert (stored[0] > 0).tolist() == [True, inside, inside, inside]


@pytest.mark.parametrize("wrap", [np.asarray, csr_array, csr_matrix])
def test_given_takes_dense_and_sparse_matrices(wrap: type) -> None:
    matrix = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]])
    measures = wt.localize.Given(wrap(matrix))(wt.Space.from_points([[0.0], [1.0], [2.0]]))
    np.testing.assert_allclose(measures.matrix().toarray(), matrix)


def test_a_point_without_mass_in_reach_stays_and_is_counted_in_one_warning() -> None:
    space = wt.Space.from_points([[0.0], [0.5], [9.0], [8.0]], weights=[1, 1, 0, 0])
    for process in (wt.transforms.mean_shift(1.0), wt.transforms.gaussian_transform(1.0, 2.0)):
        with pytest.warns(wt.transforms.MasslessWarning, match="2 of 4") as caught:
            walk = wt.iterate(process, space, n_iter=3)
        assert len(caught) == 1
        np.testing.assert_allclose(walk.points, [[0.25], [0.25], [9.0], [8.0]])
    with pytest.warns(wt.transforms.MasslessWarning):
        gt = wt.iterate(wt.transforms.gaussian_transform(1.0, 2.0), space, n_iter=1).last.metric
    assert (gt.covs[2:] == 0).all()


def test_parts_are_values_that_can_be_looked_into() -> None:
    part = wt.Gaussian(wt.Kernel(0.5, "gaussian"), lam=2.0)
    assert part.get_params()["base__eps"] == 0.5
    other = part.replaced(base__eps=1.0, lam=3.0)
    assert (other.base.eps, other.lam, part.base.eps) == (1.0, 3.0, 0.5)
    assert other == wt.Gaussian(wt.Kernel(1.0, "gaussian"), lam=3.0)
    assert wt.Truncation(0.5).get_params() == {"eps": 0.5}


def test_suggested_eps_honours_weights(rng: np.random.Generator) -> None:
    X, copies = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    weighted = wt.localize.suggest_eps(X, sample_weight=copies)
    repeated = wt.localize.suggest_eps(np.repeat(X, copies, axis=0))
    assert float(weighted) == pytest.approx(float(repeated), rel=1e-12)
    assert float(wt.localize.suggest_eps(3 * X, sample_weight=copies)) == pytest.approx(3 * float(weighted))


@pytest.mark.parametrize("X", [np.zeros((5, 2)), np.ones((1, 3)), np.array([[0.0], [0.0], [0.0], [1e-3]])])
def test_suggested_eps_is_positive_on_degenerate_data(X: np.ndarray) -> None:
    scale = wt.localize.suggest_eps(X)
    assert scale.eps > 0
    assert scale.reason in str(scale)


def test_suggested_eps_gives_half_of_the_points_ten_neighbors(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    counts = np.diff(wt.Space.from_points(X).metric.balls(wt.localize.suggest_eps(X).eps).indptr)
    assert np.mean(counts >= 11) == pytest.approx(0.5, abs=0.01)
    assert wt.localize.suggest_eps(euclidean(X), metric="precomputed").eps == pytest.approx(
        wt.localize.suggest_eps(X).eps
    )
    assert wt.localize.suggest_eps(wt.Space.from_distances(euclidean(X))).eps == pytest.approx(
        wt.localize.suggest_eps(X).eps
    )


@pytest.mark.slow
def test_suggested_eps_does_not_depend_on_the_order_of_many_points(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(1500, 2)) * 0.01, rng.normal(size=(1500, 2)) * 10])
    assert wt.localize.suggest_eps(X).eps == wt.localize.suggest_eps(X[rng.permutation(3000)]).eps


@pytest.mark.parametrize("profile", ["flat", lambda t: 1.0 * (t <= 1)], ids=["flat", "callable"])
def test_every_profile_warns_of_points_that_see_no_mass(profile: object) -> None:
    space = wt.Space.from_points([[0.0], [0.5], [9.0]], weights=[1, 1, 0])
    with pytest.warns(wt.transforms.MasslessWarning, match="1 of 3"):
        wt.iterate(wt.transforms.mean_shift(1.0, profile), space, n_iter=1)


def test_a_suggested_eps_is_a_number_like_any_other(cloud: np.ndarray) -> None:
    scale = wt.localize.suggest_eps(cloud)
    assert wt.Truncation(scale).eps == scale.eps
    assert wt.GaussianTransform(eps=scale / 2).fit(cloud).eps_ == scale.eps / 2
    assert pickle.loads(pickle.dumps(scale)).reason == scale.reason


def test_localizations_say_by_type_what_they_offer() -> None:
    for kind in wt.localize.LOCALIZATIONS.values():
        assert (
            hasattr(kind, "moments") == issubclass(kind, wt.localize.Intrinsic) == (kind.makes is wt.measures.Discrete)
        )
        assert hasattr(kind, "cross") == issubclass(kind, wt.localize.Inductive)
        assert issubclass(kind, wt.localize.Extrinsic) == (kind.makes is not wt.measures.Discrete)
    for fixed in (wt.localize.Given(np.eye(3)), wt.localize.Heat(1.0)):
        assert not isinstance(fixed, wt.localize.Inductive)
        assert not takes_new_points(wt.Mean(fixed))
    assert takes_new_points(wt.Mean(wt.Nearest(2)))


@pytest.mark.parametrize(
    "localize", [wt.localize.Given(np.eye(3)), wt.Mean(wt.localize.Given(np.eye(3)))], ids=["Given", "Mean"]
)
def test_new_points_are_refused_once_where_only_fitted_ones_have_measures(localize: wt.localize.Localization) -> None:
    transport = wt.Exact() if isinstance(localize, wt.localize.Given) else wt.transport.DiracDistance()
    X = np.arange(3.0)[:, None]
    fitted = wt.WassersteinTransform(localize, transport).fit(X)
    with pytest.raises(ValueError, match=r"^(Mean of )?Given has no measures"):
        fitted.transform(X)


def test_ordinals_are_english() -> None:
    assert [ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 31, 42, 101, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "31st", "42nd", "101st", "111th"]
    )


@pytest.mark.parametrize("k", [1, 4, 0.3, 40])
@pytest.mark.parametrize("grid", [False, True], ids=["apart", "ties"])
def test_nearest_of_new_points_are_those_of_points_of_weight_0(k: float, grid: bool, rng: np.random.Generator) -> None:
    X = rng.integers(0, 4, (60, 2)).astype(float) if grid else rng.normal(size=(60, 2))
    space = wt.Space.from_points(X, np.repeat([1.0, 3.0, 0.0], [30, 15, 15]))
    with pytest.MonkeyPatch.context() as all_looked_at:
        all_looked_at.setattr("wasserstein_transform.localize.nearest._ROWS_PER_NEIGHBOR", 0 if grid else 16)
        of_new = wt.Nearest(k).moments(space, wt.Engine(), 45)
    expected = wt.Nearest(k)(space).take(np.arange(45, 60))
    np.testing.assert_array_equal(of_new.matrix().toarray(), expected.matrix().toarray())


def test_means_on_the_sphere_are_directions_of_means(cloud: np.ndarray) -> None:
    X = cloud / np.linalg.norm(cloud, axis=1, keepdims=True)
    space = wt.Space.from_points(X)
    means = wt.Mean(wt.Truncation(0.8))(space).points
    moved = wt.Mean(wt.Truncation(0.8), on_sphere=True)(space)
    np.testing.assert_allclose(moved.points, means / np.linalg.norm(means, axis=1, keepdims=True), rtol=0, atol=1e-15)
    assert moved.metric().n == len(X)
    np.testing.assert_array_equal(
        wt.Mean(wt.localize.Whole(), on_sphere=True)(wt.Space.from_points([[1.0], [-1.0]])).points, [[1.0], [-1.0]]
    )


def test_one_point_with_many_neighbors_does_not_make_all_points_search_for_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those on the circle are all equally far from its center."""
    angles = np.linspace(0, 2 * np.pi, 500, endpoint=False)
    X = np.vstack([np.column_stack([np.cos(angles), np.sin(angles)]), [[0.0, 0.0]]])
    space, asked = wt.Space.from_points(X), list[int]()
    neighbors = wt.spaces.Euclidean.neighbors

    def count(metric: wt.spaces.Euclidean, k: int, engine: wt.Engine) -> object:
        asked.append(k)
        return neighbors(metric, k, engine=engine)

    monkeypatch.setattr(wt.spaces.Euclidean, "neighbors", count)
    found = wt.Nearest(3)(space)
    assert asked == [8]
    assert np.diff(found.indptr).tolist() == [3] * 500 + [501]
    expected = wt.Nearest(3).cross(euclidean(X), space)
    np.testing.assert_allclose(found.matrix().toarray(), expected.matrix().toarray(), rtol=0, atol=1e-15)
