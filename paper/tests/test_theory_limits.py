"""The theory of the paper: small balls, curvature, samples; what tends to what, and how fast."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import wasserstein_transform as wt
from wt_paper import theory
from wt_paper.theory.curvature import ball, distances, moved

LINE = theory.Mixture(np.array([[-1.0], [1.0]]), np.array([0.7, 1.0]), np.array([0.45, 0.55]))
PLANE = theory.Mixture(
    np.array([[-1.0, 0.0], [0.6, 0.5], [0.2, -1.0]]) / 2, np.array([0.3, 0.4, 0.35]), np.array([0.4, 0.3, 0.3])
)
SURFACES = {"sphere": theory.SPHERE, "torus": theory.TORUS, "hyperbolic plane": theory.HYPERBOLIC}
FORMS = {**SURFACES, "sphere of dimension 3": theory.Form(1, 3)}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_translations_are_isometries(form: theory.Form) -> None:
    points, masses = ball(form, 0.5, (4, 8))
    there = moved(form, points, 0.7)
    np.testing.assert_allclose(distances(form, there, there), distances(form, points, points), rtol=0, atol=1e-12)
    pole = np.eye(form.dim + 1)[:1]
    np.testing.assert_allclose(distances(form, pole, moved(form, pole, 0.7)), 0.7, rtol=1e-13)
    assert distances(form, pole, points).max() <= 0.5
    assert masses.sum() == pytest.approx(1)


def test_balls_of_the_flat_torus_have_the_moments_of_euclidean_ones() -> None:
    for dim in (2, 3):
        points, masses = ball(theory.Form(0, dim), 0.5, (5, 10))
        second = (points[:, 1:].T * masses) @ points[:, 1:]
        np.testing.assert_allclose(second, 0.25 / (dim + 2) * np.eye(dim), rtol=0, atol=1e-15)


def test_distances_are_angles_on_the_sphere_and_their_likes_on_the_hyperboloid() -> None:
    one, other = (theory.sample(theory.SPHERE, n).points for n in (20, 30))
    np.testing.assert_allclose(
        distances(theory.SPHERE, one, other), np.arccos(np.clip(one @ other.T, -1, 1)), rtol=0, atol=1e-7
    )
    plane = theory.HYPERBOLIC
    points = ball(plane, 1.0, (3, 7))[0]
    lorentz = points * [1, -1, -1] @ points.T
    np.testing.assert_allclose(distances(plane, points, points), np.arccosh(np.maximum(lorentz, 1)), rtol=0, atol=1e-7)


@pytest.mark.parametrize("f", [LINE, PLANE], ids=["line", "plane"])
def test_derivatives_equal_difference_quotients(f: theory.Mixture, rng: np.random.Generator) -> None:
    m, step = f.centers.shape[1], 1e-5
    for x in rng.normal(size=(3, m)):
        jet = f.jet(x)
        ends = [[f.jet(x + sign * step * e) for sign in (1, -1)] for e in np.eye(m)]
        for k in range(3):
            slopes = np.stack([(up[k] - down[k]) / (2 * step) for up, down in ends], axis=-1)
            np.testing.assert_allclose(slopes, jet[k + 1], rtol=0, atol=1e-7)
        assert f(x) == pytest.approx(jet.value)


def test_moments_on_a_line_equal_adaptive_quadrature() -> None:
    f, x, eps = LINE, 0.4, 0.6
    mass, first, second = (
        quad(lambda t, k=k: t**k * float(f(np.array([x + t]))), -eps, eps, epsabs=1e-14)[0] for k in range(3)
    )
    mean, cov = theory.interval(40).moments(f, np.array([x]), eps)
    assert eps * mean[0] == pytest.approx(first / mass, rel=1e-11)
    assert cov[0, 0] == pytest.approx(second / mass - (first / mass) ** 2, rel=1e-11)


@pytest.mark.slow
def test_moments_in_the_plane_equal_those_of_a_fine_grid() -> None:
    f, eps = PLANE, 0.25
    axis = np.linspace(-1, 1, 1201)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    grid = grid[(grid**2).sum(axis=1) <= 1]
    masses = f(eps * grid)
    slow = eps**2 * np.cov(grid.T, aweights=masses, ddof=0)
    np.testing.assert_allclose(theory.disc(12).moments(f, np.zeros(2), eps)[1], slow, rtol=0, atol=1e-4)


@pytest.mark.parametrize("pair", [(-2.0, -0.5), (-0.3, 0.8), (0.5, 2.2)])
def test_the_expansion_on_a_line_has_an_error_of_order_3_at_least(pair: tuple[float, float]) -> None:
    steps = np.array([0.4, 0.2, 0.1])
    found = [theory.taylor_1d(LINE, *pair, eps, 24) for eps in steps]
    assert theory.order(steps, np.array([some.error for some in found])) > 3
    assert theory.order(steps, np.array([some.change for some in found])) == pytest.approx(2, abs=0.2)
    assert found[0].distance == pytest.approx(found[0].expansion + found[0].error)


def test_the_distance_of_the_expansion_is_that_of_the_quantile_functions() -> None:
    x, y, eps = -0.3, 0.8, 0.3
    u = (np.arange(20_000) + 0.5) / 20_000
    places = np.linspace(-eps, eps, 20_001)
    quantiles = []
    for center in (x, y):
        climb = np.append(0.0, np.cumsum((LINE(center + places[1:, None]) + LINE(center + places[:-1, None])) / 2))
        quantiles.append(center + np.interp(u, climb / climb[-1], places))
    slow = np.abs(quantiles[0] - quantiles[1]).mean()
    assert theory.taylor_1d(LINE, x, y, eps).distance == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize("m", [1, 2])
def test_local_covariances_are_as_expanded_up_to_order_6(m: int) -> None:
    f, nodes = (LINE, theory.interval(24)) if m == 1 else (PLANE, theory.disc(10))
    point, steps = np.full(m, 0.15), np.array([0.2, 0.1, 0.05])
    term = theory.covariance_term(f, point)[0]
    errors = [np.abs(nodes.moments(f, point, e)[1] - e**2 / (m + 2) * np.eye(m) - e**4 * term).max() for e in steps]
    assert theory.order(steps, np.array(errors)) > 5.5


def test_the_slope_of_the_covariance_is_its_difference_quotient() -> None:
    point, step = np.array([0.1, -0.2]), 1e-5
    ends = [[theory.covariance_term(PLANE, point + sign * step * e)[0] for sign in (1, -1)] for e in np.eye(2)]
    slopes = np.stack([(up - down) / (2 * step) for up, down in ends], axis=-1)
    np.testing.assert_allclose(theory.covariance_term(PLANE, point)[1], slopes, rtol=0, atol=1e-6)


def test_on_a_line_the_limit_is_the_papers_with_15() -> None:
    for x in (-1.2, -0.2, 0.1, 0.6):
        value, first, second, third = (part.item() for part in LINE.jet(np.array([x])))
        g, s, t = first / value, second / value, third / value
        slope = (-10 * g * (s - g**2) + 2 * (t - s * g)) / 15
        assert theory.limit_ellipsoid(LINE, [x]).half_axes.item() == pytest.approx(np.sqrt(12 / (12 + slope**2)))


def test_balls_of_the_gaussian_transform_tend_to_the_ellipsoid_at_second_order() -> None:
    narrow = theory.Mixture(LINE.centers / 2, LINE.scales / 2, LINE.shares)
    steps, sides = np.array([0.05, 0.025, 0.0125]), np.array([[1.0], [-1.0]])
    for x in (-0.6, -0.1):
        limit = theory.limit_ellipsoid(narrow, [x]).half_axes.item()
        nodes = theory.interval(24)
        widths = [theory.ball_radii(narrow, nodes, np.array([x]), sides, e).mean() for e in steps]
        assert widths[-1] == pytest.approx(limit, rel=2e-3)
        assert theory.order(steps, np.array(widths) - limit) > 1.5


def test_balls_of_the_plane_tend_to_the_ellipsoid() -> None:
    angles = np.arange(16) * np.pi / 8
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    limit = theory.limit_ellipsoid(PLANE, [0.0, 0.0])
    assert limit.half_axes[0] < 0.99
    radii = theory.ball_radii(PLANE, theory.disc(8), np.zeros(2), directions, 0.01)
    both = (radii + np.roll(radii, 8)) / 2  # odd terms cancel over opposite directions
    np.testing.assert_allclose(both, limit.radii(directions), rtol=2e-3)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_truncation_contracts_by_ricci_curvature(form: theory.Form) -> None:
    steps = np.array([0.4, 0.2])
    nodes = (6, 16) if form.dim == 2 else (4, 8)
    found = np.array([theory.contraction(form, e, e, nodes) for e in steps])
    expected = theory.predicted(form, steps)
    np.testing.assert_allclose(found, expected, rtol=0.05, atol=1e-12)
    if form.ricci:
        assert abs(found[1] / expected[1] - 1) < abs(found[0] / expected[0] - 1)


@pytest.mark.parametrize(
    "form", [theory.SPHERE, theory.TORUS, theory.HYPERBOLIC], ids=["sphere", "torus", "hyperbolic"]
)
def test_samples_contract_like_the_surface(form: theory.Form) -> None:
    eps, apart = 0.5, 1.0
    found = theory.sampled_contractions(theory.sample(form, 2500), eps, apart, n_pairs=30)
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert abs(found.mean() - theory.contraction(form, eps, apart, (8, 20))) < 3 * error
    assert np.sign(round(found.mean() / (4 * error))) == form.curvature


def test_contractions_of_a_sample_are_those_of_local_truncation() -> None:
    sphere = theory.sample(theory.SPHERE, 60)
    D = distances(theory.SPHERE, sphere.points, sphere.points)
    lt = wt.Transform(wt.Truncation(0.8), wt.Exact(1))(wt.Space.from_distances((D + D.T) / 2, triangle=True))
    all_pairs = 1 - lt.metric.dense()[np.triu_indices(60, 1)] / D[np.triu_indices(60, 1)]
    for value in theory.sampled_contractions(sphere, 0.8, 1.0, n_pairs=5):
        assert np.abs(all_pairs - value).min() < 1e-9


@pytest.mark.parametrize(
    "form", [theory.SPHERE, theory.TORUS, theory.HYPERBOLIC], ids=["sphere", "torus", "hyperbolic"]
)
def test_samples_are_even(form: theory.Form) -> None:
    sample = theory.sample(form, 3000)
    D = distances(form, sample.points[::100], sample.points)
    pole = np.eye(3)[:1]
    inner = distances(form, pole, sample.points[::100])[0] <= sample.rim - 0.6
    area = {1: 2 * np.pi * (1 - np.cos(0.6)), 0: np.pi * 0.36, -1: 2 * np.pi * (np.cosh(0.6) - 1)}[form.curvature]
    counts = (D[inner] <= 0.6).sum(axis=1)
    assert inner.sum() > 5
    np.testing.assert_allclose(counts, area / sample.area * 3000, rtol=0.1)


@pytest.mark.slow
def test_samples_converge_at_the_rate_of_transport_on_a_line() -> None:
    places = np.linspace(-2.5, 2.5, 100)[:, None]
    population = wt.Space.from_points(places, LINE(places))
    line = wt.transport.Line(1)
    found = theory.sampling_convergence(population, [25, 100, 400], 2.5, repeats=12, transport=line, seed=1)
    assert found.inequality.holds
    far = [theory.BELL.continued(2.5, 5.0), theory.BELL.localized(2.5, 5.0)]
    assert [found.constants["C1"], found.constants["C2"]] == pytest.approx(far)
    assert found.rate <= -1 / 3
    assert abs(found.rate + 0.5) < 4 * found.rate_error
    exact = theory.sampling_convergence(population, [25], 2.5, repeats=2, seed=1)
    line = theory.sampling_convergence(population, [25], 2.5, repeats=2, transport=wt.transport.Line(1), seed=1)
    np.testing.assert_allclose(exact.bounds, line.bounds, rtol=1e-9)


def test_bounds_of_samples_are_above_the_lower_bounds_of_gromov_wasserstein(rng: np.random.Generator) -> None:
    X = rng.normal(size=(12, 2))
    space = wt.Space.from_points(X)
    found = theory.sampling_convergence(space, [8], 1.5, repeats=1, seed=3)
    drawn = np.random.default_rng(3).multinomial(8, space.weights)
    seen = np.flatnonzero(drawn)
    step = wt.Transform(theory.BELL.localize(1.5), wt.Exact(1))
    sample = step(wt.Space.from_points(X[seen], drawn[seen]))
    assert theory.gromov_wasserstein_bounds(sample, step(space)).lower <= found.bounds[0, 0] + 1e-12
    w1 = wt.wasserstein_cross(drawn[None] / 8, space.weights[None], X)[0, 0]
    assert found.proven[0, 0] == pytest.approx((found.constants["C1"] + 2 * found.constants["C2"]) * w1)
