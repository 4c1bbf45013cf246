"""Both sides of the stability theorems, on random spaces and where they can be written down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import wasserstein_transform as wt
from wt_paper import theory

ALONE = wt.Engine(1)
Statement = Callable[[wt.Space, np.ndarray, float], theory.Inequality]


def _truncation(space: wt.Space, beta: np.ndarray, eps: float) -> theory.Inequality:
    return theory.stability_truncation(space, beta, eps, single=False, engine=ALONE)


def _shifted(space: wt.Space, beta: np.ndarray, eps: float) -> theory.Inequality:
    return theory.stability_mean_shift(space, beta, eps, single=False, engine=ALONE)


def _gaussian(space: wt.Space, beta: np.ndarray, eps: float) -> theory.Inequality:
    return theory.stability_gaussian(space, beta, eps, 2.0, single=False, engine=ALONE)


STATEMENTS: dict[str, Statement] = {
    "kernel": lambda space, beta, eps: theory.stability_kernel(space, beta, eps, engine=ALONE),
    "rational kernel": lambda space, beta, eps: theory.stability_kernel(space, beta, eps, theory.RATIONAL, ALONE),
    "truncation": _truncation,
    "mean shift": lambda space, beta, eps: theory.stability_mean_shift(space, beta, eps, theory.BELL, engine=ALONE),
    "mean shift, truncation": _shifted,
    "gaussian": _gaussian,
    "gaussian, smooth": lambda space, beta, eps: theory.stability_gaussian_smooth(space, beta, eps, 2.0, engine=ALONE),
    "continuity": lambda space, beta, eps: theory.continuity(space, eps, engine=ALONE),
}


def _spaces(n_spaces: int, seed: int):
    """Small spaces of all scales, with weightings from nearly equal to unrelated; some points fall together."""
    rng = np.random.default_rng(seed)
    for _ in range(n_spaces):
        n, m = int(rng.integers(2, 7)), int(rng.integers(1, 4))
        scale = 10 ** rng.uniform(-1.5, 1.5)
        X = scale * (rng.normal(size=(n, m)) if rng.random() < 0.7 else rng.integers(0, 3, size=(n, m)))
        X[0, 0] += scale * 5e-1
        alpha, other = rng.dirichlet(np.ones(n), size=2)
        share = 10 ** rng.uniform(-4, 0)
        yield wt.Space.from_points(X, alpha), (1 - share) * alpha + share * other, scale * rng.uniform(0.5, 3.0)


def _counterexamples(statement: Statement, n_spaces: int, seed: int) -> list[tuple[int, float]]:
    found = [statement(*case) for case in _spaces(n_spaces, seed)]
    whole = [(k, some) for k, some in enumerate(found)] + [(k, some.corollary) for k, some in enumerate(found)]
    return [(k, some.slack) for k, some in whole if some is not None and not some.holds]


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", STATEMENTS)
def test_no_random_space_is_a_counterexample(name: str) -> None:
    assert _counterexamples(STATEMENTS[name], 20, seed=5) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STATEMENTS)
def test_none_of_thousands_of_random_spaces_is_a_counterexample(name: str) -> None:
    assert _counterexamples(STATEMENTS[name], 2000, seed=6) == []


def test_the_left_sides_are_what_they_say(rng: np.random.Generator) -> None:
    X, eps, lam = rng.normal(size=(6, 2)), 1.2, 2.0
    alpha, beta = rng.dirichlet(np.ones(6), size=2)
    one, other = (wt.Space.from_points(X, weights) for weights in (alpha, beta))
    base = wt.Truncation(eps)
    rows = [base(space).matrix().toarray() for space in (one, other)]
    found = theory.stability_truncation(one, beta, eps)
    D = one.metric.dense()
    measures = [wt.wasserstein(a / a.sum(), b / b.sum(), D).value for a, b in zip(*rows, strict=True)]
    np.testing.assert_allclose(found.left, measures, rtol=0, atol=1e-12)
    lt = [wt.Transform(base, wt.Exact(1))(space).metric.condensed() for space in (one, other)]
    np.testing.assert_allclose(found.corollary.left, np.abs(lt[0] - lt[1]), rtol=0, atol=1e-12)
    means = np.linalg.norm(rows[0] @ X - rows[1] @ X, axis=1)
    np.testing.assert_allclose(theory.stability_mean_shift(one, beta, eps).left, means, rtol=0, atol=1e-12)
    gt = [wt.Transform(wt.Gaussian(base, lam), wt.Bures())(space).metric.condensed() for space in (one, other)]
    gaussian = theory.stability_gaussian(one, beta, eps, lam)
    np.testing.assert_allclose(gaussian.left, np.abs(gt[0] - gt[1]), rtol=0, atol=1e-12)


def test_the_right_sides_are_made_of_the_constants(rng: np.random.Generator) -> None:
    X, eps, lam = rng.normal(size=(6, 2)), 1.2, 2.0
    space, beta = wt.Space.from_points(X), rng.dirichlet(np.ones(6))
    w1, far = (wt.wasserstein_cross(space.weights[None], beta[None], X, p)[0, 0] for p in (1, np.inf))
    kernel = theory.stability_kernel(space, beta, eps)
    L, M, N, diam = (kernel.constants[name] for name in ("L", "M", "N", "diam"))
    assert M == 1.0
    assert kernel.right.max() == pytest.approx((2 * L * diam + M) / N * w1)
    assert kernel.corollary.right.max() == pytest.approx(2 * kernel.right.max())
    assert pytest.approx(np.exp(-((diam / eps) ** 2) / 2)) == N
    shift = theory.stability_mean_shift(space, beta, eps, theory.BELL)
    assert shift.right.max() == pytest.approx((2 * (2 * 0.5 * diam / eps**2) * diam + 1) / N * w1)
    truncation = theory.stability_truncation(space, beta, eps)
    constants = truncation.constants
    expected = theory.Phi(w1**0.5, constants["Lambda"], constants["D"], eps)
    assert truncation.right.max() == pytest.approx((1 + 2 * eps) * expected)
    assert constants["Lambda"] == theory.bishop_gromov(space, eps, w1**0.5, beta).Lambda
    assert truncation.corollary.right.max() == pytest.approx(2 * truncation.right.max())
    sharper = theory.stability_truncation(space, beta, eps, single=False)
    assert sharper.right.max() <= truncation.right.max()
    gaussian = theory.stability_gaussian(space, beta, eps, lam)
    expected = theory.Psi(far, gaussian.constants["Lambda"], gaussian.constants["D"], eps)
    assert gaussian.right.max() == pytest.approx(2 * np.sqrt(2 * lam * expected))
    assert theory.stability_gaussian(space, beta, eps, lam, c=1.0, A=1.0).right.max() > gaussian.right.max()
    smooth = theory.stability_gaussian_smooth(space, beta, eps, lam)
    assert smooth.right.max() == pytest.approx(2 * np.sqrt(2 * lam * smooth.constants["C"] * w1))
    terms = eps * np.sqrt(2 / np.e) / N, diam**3 / (eps**2 * N), 2 * diam * shift.right.max() / w1
    assert smooth.constants["C"] == pytest.approx(sum(terms))
    assert smooth.constants["bare ratio"] == pytest.approx(smooth.ratio * np.sqrt(smooth.constants["C"]))


def test_continuity_has_the_constant_of_the_theorem(cloud: np.ndarray) -> None:
    space, eps = wt.Space.from_points(cloud), 2.0
    found = theory.continuity(space, eps)
    L, M, N, diam = (found.constants[name] for name in ("L", "M", "N", "diam"))
    np.testing.assert_allclose(found.right, L * (M + N) * diam / N**2 * space.metric.condensed(), rtol=1e-12)
    new = wt.Transform(wt.Kernel(eps, "gaussian"), wt.Exact(1))(space).metric.condensed()
    np.testing.assert_allclose(found.left, new, rtol=0, atol=1e-12)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", ["kernel", "truncation", "continuity"])
def test_theorems_on_metric_spaces_hold_on_graphs(name: str, rng: np.random.Generator) -> None:
    for _ in range(20):
        n = int(rng.integers(3, 8))
        edges = np.triu(rng.integers(1, 4, size=(n, n)) * (rng.random((n, n)) < 0.6), 1)
        edges[np.arange(n - 1), np.arange(1, n)] = 2.0  # a path, so that all is connected
        D = shortest_path(edges, directed=False)
        alpha, beta = rng.dirichlet(np.ones(n), size=2)
        found = STATEMENTS[name](wt.Space.from_distances(D, alpha, triangle=True), beta, float(rng.integers(1, 4)))
        assert found.holds
        assert found.corollary is None or found.corollary.holds


@pytest.mark.parametrize("name", STATEMENTS)
def test_equal_weightings_have_equal_transforms(name: str, rng: np.random.Generator) -> None:
    space = wt.Space.from_points(rng.normal(size=(6, 2)))
    found = STATEMENTS[name](space, space.weights, 1.0)
    assert found.holds
    if name != "continuity":
        assert found.left.max() == found.right.max() == 0.0


@pytest.mark.parametrize("name", STATEMENTS)
def test_kernels_that_vanish_to_floats_have_infinite_constants(name: str, rng: np.random.Generator) -> None:
    X = np.append(rng.normal(size=(5, 2)), np.zeros((2, 2)), axis=0)
    space, beta = wt.Space.from_points(X), rng.dirichlet(np.ones(7))
    assert STATEMENTS[name](space, beta, 0.01).holds
    assert STATEMENTS[name](space, space.weights, 0.01).holds


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_single_point_is_a_space_too(name: str) -> None:
    found = STATEMENTS[name](wt.Space.from_points([[1.0]]), np.ones(1), 1.0)
    assert found.left.max(initial=0.0) == found.right.max(initial=0.0) == 0.0


def test_an_inequality_that_fails_says_so() -> None:
    found = theory.Inequality("two is one", np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    assert not found.holds
    assert (found.slack, found.ratio, found.witness) == (-1.0, 2.0, 1)
    assert "fails" in repr(found)


GOOD = wt.Space.from_points([[0.0], [1.0], [3.0]])
MATRIX = wt.Space.from_distances([1.0, 2.0, 2.0])
THREE = [1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.stability_kernel(GOOD, [1, 1], 1.0), r"one number per point, shape \(3,\), got shape \(2,\)"),
        (lambda: theory.stability_kernel(GOOD, THREE, -1.0), "eps must be positive"),
        (lambda: theory.stability_truncation(GOOD, [1, 0, 1], 1.0), "every point must have mass, point 1 has none"),
        (lambda: theory.stability_truncation(GOOD, THREE, 1.0, D=2.0), "D must be above the diameter 3, got 2"),
        (lambda: theory.stability_mean_shift(MATRIX, THREE, 1.0), "points of R\\^m with the Euclidean distance"),
        (lambda: theory.stability_gaussian(MATRIX, THREE, 1.0), "Space.from_points"),
        (lambda: theory.stability_gaussian_smooth(GOOD, THREE, 1.0, lam=-1.0), "lam must be a finite number ≥ 0"),
        (lambda: theory.bishop_gromov(GOOD, 1.0, -1.0), "eta must be a finite number ≥ 0"),
        (lambda: theory.continuity(wt.Space.from_points([[0.0]]), 1.0).holds, "there is no pair to compare"),
        (lambda: theory.prokhorov([1, -1, 1], THREE, GOOD), "a must hold one mass per point .* not be negative"),
        (lambda: theory.prokhorov(THREE, [1, 1], GOOD), "b must hold one mass per point .* one number per point"),
        (lambda: theory.closed_quotient(GOOD, 1.0), "subdominant_ultrametric"),
        (lambda: theory.gromov_wasserstein_bounds(GOOD, GOOD, np.inf), "p must be finite"),
        (lambda: theory.gromov_wasserstein_bounds(GOOD, GOOD, 0.5), "p must be a number ≥ 1"),
        (
            lambda: theory.gromov_wasserstein_bounds(GOOD, GOOD, plan=np.eye(3)),
            "weights of the spaces as row and column sums",
        ),
        (lambda: theory.gromov_wasserstein_bounds(GOOD, GOOD, plan=np.eye(2)), "couple 3 with 3 points"),
        (lambda: theory.sampling_convergence(GOOD, [0], 1.0), "sizes must be an integer ≥ 1"),
        (lambda: theory.sample(theory.Form(1, 3), 10), "surface with dim 2"),
        (lambda: theory.Form(2, 2), "curvature must be −1, 0 or 1"),
        (lambda: theory.sampled_contractions(theory.sample(theory.HYPERBOLIC, 99), 3.0, 1.0, 1), "no ball of radius 3"),
        (lambda: theory.sampled_contractions(theory.sample(theory.SPHERE, 99), 0.3, 9.0, 1), "about 9 apart"),
        (lambda: theory.psi(0.5, -1.0, 2.0), "Lambda must be a finite number ≥ 0"),
        (lambda: theory.Phi(0.5, 1.0, 0.0, 1.0), "D must be positive"),
    ],
)
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: theory.stability_kernel([[0.0], [1.0]], [1, 1], 1.0),
        lambda: theory.stability_kernel(GOOD, THREE, 1.0, "gaussian"),
        lambda: theory.continuity(GOOD, 1.0, wt.Kernel(1.0, "gaussian")),
        lambda: theory.gromov_wasserstein_bounds(GOOD, np.eye(3)),
    ],
)
def test_what_is_of_another_kind_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="is needed, got"):
        call()
