"""The experiment `theory`: what comes out of a quick run, and its hand-made pieces against slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import pdist, squareform

from wasserstein_transform.engine import Engine
from wasserstein_transform.experiments import Verdict
from wasserstein_transform.experiments.parameters import QUICK
from wasserstein_transform.experiments.theory import EXPERIMENT, TheoryResult
from wasserstein_transform.experiments.theory.bounds import bounds_claims, run_bounds
from wasserstein_transform.experiments.theory.constants import KERNELS, SmoothKernel, growth
from wasserstein_transform.experiments.theory.curvature import FORMS, SPHERE, Form, ball, distances, fibonacci, moved
from wasserstein_transform.experiments.theory.densities import disc, in_the_plane, interval, on_the_line
from wasserstein_transform.experiments.theory.prokhorov import prokhorov
from wasserstein_transform.experiments.theory.sampling import distortion
from wasserstein_transform.experiments.theory.sides import Sides, order
from wasserstein_transform.experiments.theory.stability import run_stability, stability_claims


@pytest.fixture(scope="module")
def found() -> TheoryResult:
    return EXPERIMENT.run(QUICK["theory"], Engine())


def test_every_statement_comes_out_but_the_constant_that_is_a_slip(found: TheoryResult) -> None:
    claims = EXPERIMENT.claims(found)
    missed = {claim.name: claim.verdict for claim in claims if claim.verdict != Verdict.REPRODUCED}
    assert missed == {"theory: limit of GT balls on a line, as printed": Verdict.NOT}


def test_claims_have_names_of_their_own_and_figures(found: TheoryResult) -> None:
    claims = EXPERIMENT.claims(found)
    assert len({claim.name for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.name.startswith("theory: ")
        assert claim.where
        assert "true if" in claim.quantity
        assert all(any(sign.isdigit() for sign in choice.measured) for choice in claim.choices)


def test_pictures_can_be_drawn(found: TheoryResult) -> None:
    pytest.importorskip("matplotlib")
    for picture in EXPERIMENT.pictures(found):
        picture.draw().canvas.draw()


def test_tables_are_rectangular(found: TheoryResult) -> None:
    for table in EXPERIMENT.tables(found):
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_the_same_seed_gives_the_same_claims_on_one_thread(found: TheoryResult) -> None:
    alone = [run(QUICK["theory"], Engine(1)) for run in (run_bounds, run_stability)]
    assert bounds_claims(alone[0]) == bounds_claims(found.bounds)
    assert stability_claims(alone[1]) == stability_claims(found.stability)


def test_unmoved_centres_break_the_upper_bound(found: TheoryResult) -> None:
    assert found.bounds.pair == (1.0, 0.0)
    assert found.bounds.unmoved.excess > 0.1


def _slow_prokhorov(one: np.ndarray, other: np.ndarray, D: np.ndarray) -> float:
    """inf{r : α(A) ≤ β(A^r) + r for all A}, by bisection over all subsets; A^r = {y : d(y, A) ≤ r} has the same inf."""
    subsets = [list(A) for k in range(1, len(D) + 1) for A in itertools.combinations(range(len(D)), k)]
    low, high = 0.0, 1.0
    for _ in range(50):
        r = (low + high) / 2
        enough = all(one[A].sum() <= other[D[A].min(axis=0) <= r].sum() + r for A in subsets)
        low, high = (low, r) if enough else (r, high)
    return high


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_prokhorov_equals_its_definition_over_all_subsets(n: int, rng: np.random.Generator) -> None:
    for scale in (0.05, 0.3, 1.0, 5.0):
        D = squareform(pdist(scale * rng.normal(size=(n, 2))))
        one, other = (rng.multinomial(100, rng.dirichlet(np.full(n, 0.7))) for _ in range(2))
        slow = _slow_prokhorov(one / 100, other / 100, D)
        assert prokhorov(one, other, D) == pytest.approx(slow, abs=1e-12)


def test_prokhorov_of_diracs_is_their_distance_up_to_1() -> None:
    for d in (0.3, 4.0):
        D = np.array([[0.0, d], [d, 0.0]])
        assert prokhorov(np.array([10, 0]), np.array([0, 10]), D) == min(d, 1.0)
        assert prokhorov(np.array([10, 0]), np.array([10, 0]), D) == 0.0


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_lipschitz_constants_are_the_steepest_slopes(kernel: SmoothKernel) -> None:
    t = np.linspace(0, 20, 400_001)
    slopes = np.abs(np.diff(kernel.profile(t)) / np.diff(t))
    assert slopes.max() == pytest.approx(kernel.per_square, rel=1e-4)
    along = np.abs(np.diff(kernel.profile(t**2)) / np.diff(t))
    assert along.max() == pytest.approx(kernel.per_distance, rel=1e-6)
    assert along.max() <= kernel.per_distance * (1 + 1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_matrix_constant_bounds_difference_quotients(kernel: SmoothKernel, rng: np.random.Generator) -> None:
    def matrices(z: np.ndarray) -> np.ndarray:
        return z[:, :, None] * z[:, None, :] * kernel.profile((z**2).sum(axis=1))[:, None, None]

    z = rng.normal(size=(20_000, 2)) * 1.2
    steps = 1e-6 * rng.normal(size=z.shape)
    quotients = np.linalg.norm(matrices(z + steps) - matrices(z), axis=(1, 2)) / np.linalg.norm(steps, axis=1)
    assert quotients.max() <= kernel.per_matrix * (1 + 1e-6)
    assert quotients.max() >= 0.99 * kernel.per_matrix


def test_growth_is_the_least_exponent_for_its_radii(cloud: np.ndarray, rng: np.random.Generator) -> None:
    D, eps, eta = squareform(pdist(cloud)), 0.7, 0.4
    outer = 1.01 * D.max()
    weightings = tuple(rng.dirichlet(np.ones(len(D)), size=2))
    balls = growth(D, weightings, eps, eta, outer)
    near, far = [], []
    for weights, row in itertools.product(weightings, D):
        mass = weights[row <= eps].sum()
        near.append(weights[row <= eps + eta].sum() / mass / ((eps + eta) / eps) ** balls.near)
        far.append(1 / mass / (outer / eps) ** balls.far)
    assert max(near) == pytest.approx(1, rel=1e-12)
    assert max(far) == pytest.approx(1, rel=1e-12)
    assert balls.common().near == balls.common().far == max(balls.near, balls.far)
    assert balls.common().phi(0.3) >= balls.phi(0.3)
    assert balls.phi(0.0) == balls.upsilon(0.0) == 0.0


def test_no_exponent_serves_all_radii_of_a_finite_space() -> None:
    D, weights = np.array([[0.0, 1.0], [1.0, 0.0]]), (np.array([0.5, 0.5]),)
    exponents = [growth(D, weights, 1 - gap, gap, 1.01).near for gap in (1e-2, 1e-4, 1e-6)]
    assert exponents[0] > 50
    assert exponents[1] > 50 * exponents[0]
    assert exponents[2] > 50 * exponents[1]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_translations_are_isometries(form: Form) -> None:
    points, masses = ball(form, 0.5, (4, 8))
    there = moved(form, points, 0.7)
    np.testing.assert_allclose(distances(form, there, there), distances(form, points, points), rtol=0, atol=1e-12)
    pole = np.eye(form.dim + 1)[:1]
    np.testing.assert_allclose(distances(form, pole, moved(form, pole, 0.7)), 0.7, rtol=1e-13)
    assert distances(form, pole, points).max() <= 0.5
    assert masses.sum() == pytest.approx(1)


def test_balls_of_the_flat_torus_have_the_moments_of_euclidean_ones() -> None:
    for dim in (2, 3):
        points, masses = ball(Form(0, dim), 0.5, (5, 10))
        second = (points[:, 1:].T * masses) @ points[:, 1:]
        np.testing.assert_allclose(second, 0.25 / (dim + 2) * np.eye(dim), rtol=0, atol=1e-15)


def test_distances_are_angles_on_the_sphere_and_their_likes_on_the_hyperboloid() -> None:
    one, other = fibonacci(20), fibonacci(30)
    np.testing.assert_allclose(
        distances(SPHERE, one, other), np.arccos(np.clip(one @ other.T, -1, 1)), rtol=0, atol=1e-7
    )
    plane = FORMS["hyperbolic plane"]
    points = ball(plane, 1.0, (3, 7))[0]
    lorentz = points * [1, -1, -1] @ points.T
    np.testing.assert_allclose(distances(plane, points, points), np.arccosh(np.maximum(lorentz, 1)), rtol=0, atol=1e-7)


@pytest.mark.parametrize("x", [-1.3, 0.0, 0.8])
def test_derivatives_equal_difference_quotients(x: float) -> None:
    f, step = on_the_line(), 1e-5
    up, down = f.derivatives(x + step), f.derivatives(x - step)
    np.testing.assert_allclose((up - down)[:3] / (2 * step), f.derivatives(x)[1:], rtol=0, atol=1e-8)
    assert f(np.array([x])) == pytest.approx(f.derivatives(x)[0])


def test_moments_on_a_line_equal_adaptive_quadrature() -> None:
    f, x, eps = on_the_line(), 0.4, 0.6
    mass, first, second = (
        quad(lambda t, k=k: t**k * float(f(np.array([x + t]))), -eps, eps, epsabs=1e-14)[0] for k in range(3)
    )
    mean, cov = interval(40).moments(f, np.array([x]), eps)
    assert eps * mean[0] == pytest.approx(first / mass, rel=1e-11)
    assert cov[0, 0] == pytest.approx(second / mass - (first / mass) ** 2, rel=1e-11)


def test_moments_in_the_plane_equal_those_of_a_fine_grid() -> None:
    f, eps = in_the_plane(), 0.5
    axis = np.linspace(-1, 1, 1201)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    grid = grid[(grid**2).sum(axis=1) <= 1]
    masses = f(eps * grid)
    slow = eps**2 * np.cov(grid.T, aweights=masses, ddof=0)
    np.testing.assert_allclose(disc(12).moments(f, np.zeros(2), eps)[1], slow, rtol=0, atol=1e-4)


def test_distortion_equals_the_sum_over_all_quadruples(rng: np.random.Generator) -> None:
    one, other = (squareform(pdist(rng.normal(size=(n, 2)))) for n in (4, 5))
    plan = rng.random((4, 5)) * (rng.random((4, 5)) < 0.6)
    slow = sum(
        abs(one[i, k] - other[j, l]) * plan[i, j] * plan[k, l]
        for i, j, k, l in itertools.product(range(4), range(5), range(4), range(5))
    )
    assert distortion(plan, one, other) == pytest.approx(slow)
    assert distortion(np.eye(4) / 4, one, one) == 0.0


def test_orders_and_sides_of_known_answer() -> None:
    steps = np.array([0.4, 0.2, 0.1])
    assert order(steps, -3 * steps**2.5) == pytest.approx(2.5)
    sides = Sides(np.array([1.0, 2.0, 0.0]), np.array([2.0, 3.0, 0.0]))
    assert sides.worst == pytest.approx(2 / 3)
    assert sides.excess == 0.0
    assert sides.choice("any", 0.0).holds
    assert not Sides(np.array([1.1]), np.array([1.0])).choice("any", 1e-12).holds
