"""The theory of the paper: its pieces against slow twins, closed forms and other libraries."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial.distance import pdist, squareform

import wasserstein_transform as wt
from wt_paper import theory


def _subset_prokhorov(one: np.ndarray, other: np.ndarray, D: np.ndarray) -> float:
    """inf{r : α(A) ≤ β(A^r) + r for all A}, by bisection over all subsets; A^r = {y : d(y, A) ≤ r} has the same inf."""
    subsets = [list(A) for k in range(1, len(D) + 1) for A in itertools.combinations(range(len(D)), k)]
    sets = np.array([[i in A for i in range(len(D))] for A in subsets])
    low, high = 0.0, 1.0
    for _ in range(50):
        r = (low + high) / 2
        wider = (sets.astype(float) @ (r >= D)) > 0
        low, high = (low, r) if (sets @ one <= wider @ other + r).all() else (r, high)
    return high


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8])
def test_prokhorov_equals_its_definition_over_all_subsets(n: int, rng: np.random.Generator) -> None:
    for scale in (0.05, 0.3, 1.0, 5.0):
        D = squareform(pdist(scale * rng.normal(size=(n, 2)))) if n > 1 else np.zeros((1, 1))
        one, other = (rng.dirichlet(np.full(n, 0.7)) for _ in range(2))
        expected = _subset_prokhorov(one, other, D)
        assert theory.prokhorov(one, other, wt.spaces.Dense(D)) == pytest.approx(expected, abs=1e-12)


def _flow_prokhorov(counts: np.ndarray, others: np.ndarray, D: np.ndarray) -> float:
    """By SciPy's maximum flow, at every distance."""
    n, total = len(D), int(counts.sum())
    capacity = np.zeros((2 * n + 2, 2 * n + 2), np.int32)
    capacity[2 * n, :n], capacity[n : 2 * n, 2 * n + 1] = counts, others
    worst = []
    for radius in np.unique(D):
        capacity[:n, n : 2 * n] = np.where(radius >= D, total, 0)
        worst.append(max(radius, 1 - maximum_flow(csr_array(capacity), 2 * n, 2 * n + 1).flow_value / total))
    return min(worst)


@pytest.mark.slow
def test_prokhorov_equals_maximum_flows(rng: np.random.Generator) -> None:
    for scale in (0.1, 0.5, 2.0):
        X = scale * rng.normal(size=(25, 2))
        one, other = (rng.multinomial(1000, rng.dirichlet(np.full(25, 0.7))) for _ in range(2))
        expected = _flow_prokhorov(one, other, squareform(pdist(X)))
        assert theory.prokhorov(one, other, X) == pytest.approx(expected, abs=1e-12)


def test_prokhorov_of_diracs_is_their_distance_up_to_1() -> None:
    for d in (0.3, 4.0):
        D = np.array([[0.0, d], [d, 0.0]])
        assert theory.prokhorov([10, 0], [0, 10], D) == min(d, 1.0)
        assert theory.prokhorov([10, 0], [10, 0], D) == 0.0


@pytest.mark.parametrize("kernel", theory.KERNELS, ids=lambda kernel: kernel.name)
def test_lipschitz_constants_are_the_steepest_slopes(kernel: theory.SmoothKernel) -> None:
    t = np.linspace(0, 20, 400_001)
    slopes = np.abs(np.diff(kernel.profile(t)) / np.diff(t))
    assert slopes.max() == pytest.approx(kernel.per_square, rel=1e-4)
    along = np.abs(np.diff(kernel.profile(t**2)) / np.diff(t))
    assert along.max() == pytest.approx(kernel.per_distance, rel=1e-6)
    assert along.max() <= kernel.per_distance * (1 + 1e-9)


@pytest.mark.parametrize("kernel", theory.KERNELS, ids=lambda kernel: kernel.name)
def test_matrix_constant_bounds_difference_quotients(kernel: theory.SmoothKernel, rng: np.random.Generator) -> None:
    def matrices(z: np.ndarray) -> np.ndarray:
        return z[:, :, None] * z[:, None, :] * kernel.profile((z**2).sum(axis=1))[:, None, None]

    z = rng.normal(size=(20_000, 2)) * 1.2
    steps = 1e-6 * rng.normal(size=z.shape)
    quotients = np.linalg.norm(matrices(z + steps) - matrices(z), axis=(1, 2)) / np.linalg.norm(steps, axis=1)
    assert quotients.max() <= kernel.per_matrix * (1 + 1e-6)
    assert quotients.max() >= 0.99 * kernel.per_matrix


def test_the_exponent_is_the_least_for_its_radii_and_the_witness_attains_it(
    cloud: np.ndarray, rng: np.random.Generator
) -> None:
    D, eps, eta = squareform(pdist(cloud)), 0.7, 0.4
    outer = 1.01 * D.max()
    alpha, beta = rng.dirichlet(np.ones(len(D)), size=2)
    found = theory.bishop_gromov(wt.Space.from_points(cloud, alpha), eps, eta, beta, outer)
    near, far = [], []
    for weights, row in itertools.product((alpha, beta), D):
        mass = weights[row <= eps].sum()
        near.append(weights[row <= eps + eta].sum() / mass / ((eps + eta) / eps) ** found.near.exponent)
        far.append(1 / mass / (outer / eps) ** found.far.exponent)
    assert max(near) == pytest.approx(1, rel=1e-12)
    assert max(far) == pytest.approx(1, rel=1e-12)
    assert found.near.weighting * len(D) + found.near.point == np.argmax(near)
    assert found.far.weighting * len(D) + found.far.point == np.argmax(far)
    assert found.Lambda == max(found.exponents)
    small, large = found.witness.masses
    assert np.log(large / small) / np.log(found.witness.radii[1] / found.witness.radii[0]) == pytest.approx(
        found.Lambda
    )


def test_no_exponent_serves_all_radii_of_a_finite_space() -> None:
    space = wt.Space.from_points([[0.0], [1.0]])
    exponents = [theory.bishop_gromov(space, 1 - gap, gap, D=1.01).near.exponent for gap in (1e-2, 1e-4, 1e-6)]
    assert exponents[0] > 50
    assert exponents[1] > 50 * exponents[0]
    assert exponents[2] > 50 * exponents[1]


def test_the_functions_are_the_papers() -> None:
    t, Lambda, D, eps = 0.3, 1.7, 2.0, 0.5
    psi = min(1, (eps / D) ** Lambda)
    assert theory.psi(eps, Lambda, D) == pytest.approx(psi)
    assert theory.psi(3.0, Lambda, D) == 1.0
    assert theory.Phi(t, Lambda, D, eps) == pytest.approx(t / psi + (1 + t / eps) ** Lambda - 1)
    root = t**0.5
    upsilon = (1 + root / eps) ** Lambda - 1 + root
    expected = eps**2 * np.pi * 3 * 5 / psi * t + eps**2 / psi**2 * upsilon
    expected += 2 * eps * (1 + 2 * eps) * theory.Phi(root, Lambda, D, eps)
    assert theory.Psi(t, Lambda, D, eps, c=3, A=5, m=2) == pytest.approx(expected)
    pair = theory.Exponents(near=1.7, far=0.5)
    assert theory.Phi(t, pair, D, eps) == pytest.approx(t / (eps / D) ** 0.5 + (1 + t / eps) ** 1.7 - 1)
    assert theory.Phi(0.0, Lambda, D, eps) == theory.Psi(0.0, Lambda, D, eps) == theory.phi(0.0, Lambda, eps) == 0.0


def test_the_functions_end_in_infinity_and_not_in_an_error() -> None:
    assert theory.Phi(0.1, 1e6, 2.0, 0.1) == np.inf
    assert theory.Psi(0.1, 1e6, 2.0, 0.1) == np.inf
    assert theory.Phi(0.0, 1e6, 2.0, 0.1) == 0.0


def _gw_by_permutations(D: np.ndarray, E: np.ndarray, p: float) -> float:
    """The least distortion of a bijection, n points each with equal weights: an upper bound of d_GWp."""
    n = len(D)
    losses = (np.abs(D - E[np.ix_(s, s)]) ** p for s in map(list, itertools.permutations(range(n))))
    return min(loss.mean() for loss in losses) ** (1 / p)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_gromov_wasserstein_lies_between_its_bounds(p: float, rng: np.random.Generator) -> None:
    for _ in range(5):
        one, other = (wt.Space.from_points(rng.normal(size=(5, 2))) for _ in range(2))
        found = theory.gromov_wasserstein_bounds(one, other, p)
        best = _gw_by_permutations(one.metric.dense(), other.metric.dense(), p)
        assert max(found.flb, found.slb) <= found.tlb + 1e-12
        assert found.lower <= best + 1e-12
        assert found.lower <= found.upper <= found.identity + 1e-12


def _third_bound(one: wt.Space, other: wt.Space, p: float) -> float:
    """TLB, every cost by the simplex."""
    D, E = one.metric.dense(), other.metric.dense()
    costs = [[wt.wasserstein(one.weights, other.weights, np.abs(x[:, None] - y) ** p).value for y in E] for x in D]
    return wt.wasserstein(one.weights, other.weights, costs).value ** (1 / p)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_lower_bounds_equal_transport_by_the_simplex(p: float, rng: np.random.Generator) -> None:
    one, other = (wt.Space.from_points(rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n))) for n in (5, 7))
    found = theory.gromov_wasserstein_bounds(one, other, p)
    assert found.identity is None
    assert found.tlb == pytest.approx(_third_bound(one, other, p), rel=1e-10)
    D, E = one.metric.dense(), other.metric.dense()
    pairs = [np.outer(space.weights, space.weights).ravel() for space in (one, other)]
    slb = wt.wasserstein(*pairs, np.abs(D.reshape(-1, 1) - E.reshape(1, -1)) ** p).value ** (1 / p)
    assert found.slb == pytest.approx(slb, rel=1e-9)
    means = [(d**p @ space.weights) ** (1 / p) for d, space in ((D, one), (E, other))]
    flb = wt.wasserstein(one.weights, other.weights, np.abs(means[0][:, None] - means[1]) ** p).value ** (1 / p)
    assert found.flb == pytest.approx(flb, rel=1e-9)


def test_isometric_spaces_have_bounds_of_0(rng: np.random.Generator) -> None:
    X, alpha = rng.normal(size=(9, 2)), rng.dirichlet(np.ones(9))
    order = rng.permutation(9)
    found = theory.gromov_wasserstein_bounds(
        wt.Space.from_points(X, alpha), wt.Space.from_points(3 - X[order], alpha[order])
    )
    assert found.upper == pytest.approx(0, abs=1e-12)


def test_the_plan_of_pot_is_an_upper_bound_that_may_be_better(rng: np.random.Generator) -> None:
    pytest.importorskip("ot")
    one, other = (wt.Space.from_points(rng.normal(size=(n, 2))) for n in (8, 10))
    plan = theory.gromov_wasserstein_plan(one, other)
    alone, helped = (theory.gromov_wasserstein_bounds(one, other, 2, plan=some) for some in (None, plan))
    loss = theory.distortion(plan, one.metric.dense(), other.metric.dense(), 2)
    assert helped.upper == min(alone.upper, loss)
    assert helped.lower <= loss


def test_without_pot_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ot.gromov", None)
    space = wt.Space.from_points([[0.0], [1.0]])
    with pytest.raises(ImportError, match=r"needs POT, which is not installed; use pip install POT"):
        theory.gromov_wasserstein_plan(space, space)


def test_distortion_equals_the_sum_over_all_quadruples(rng: np.random.Generator) -> None:
    one, other = (squareform(pdist(rng.normal(size=(n, 2)))) for n in (4, 5))
    plan = rng.random((4, 5)) * (rng.random((4, 5)) < 0.6)
    for p in (1.0, 2.5):
        slow = sum(
            abs(one[i, k] - other[j, l]) ** p * plan[i, j] * plan[k, l]
            for i, j, k, l in itertools.product(range(4), range(5), range(4), range(5))
        )
        assert theory.distortion(plan, one, other, p) == pytest.approx(slow ** (1 / p))
    assert theory.distortion(np.eye(4) / 4, one, one) == 0.0


def test_distortion_of_many_pairs_is_summed_in_parts(rng: np.random.Generator) -> None:
    one, other = (squareform(pdist(rng.normal(size=(40, 2)))) for _ in range(2))
    plan = np.full((40, 40), 1 / 1600)
    expected = np.abs(one[:, None, :, None] - other[None, :, None, :]).mean()
    assert theory.distortion(plan, one, other) == pytest.approx(expected)


def _minimax_paths(D: np.ndarray) -> np.ndarray:
    """The least of the largest steps on all paths, by Floyd and Warshall's recursion."""
    U = D.copy()
    for k in range(len(D)):
        U = np.minimum(U, np.maximum(U[:, k : k + 1], U[k]))
    return U


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_subdominant_ultrametric_is_single_linkage_and_minimax_paths(n: int, rng: np.random.Generator) -> None:
    X = rng.normal(size=(n, 3))
    D = wt.spaces.Euclidean(X).dense()
    found = theory.subdominant_ultrametric(wt.Space.from_points(X, np.arange(n) + (n == 1))).matrix
    np.testing.assert_allclose(found, _minimax_paths(D), rtol=1e-14)
    if n > 1:
        np.testing.assert_allclose(squareform(found), cophenet(linkage(X, "single")), rtol=1e-14)
    assert theory.is_ultrametric(wt.spaces.Dense(found))
    assert theory.is_ultrametric(wt.spaces.Dense(D)) == (n < 3)


def test_one_triple_is_enough_not_to_be_ultrametric(ultrametric: np.ndarray) -> None:
    assert theory.is_ultrametric(ultrametric)
    other = ultrametric.copy()
    other[3, 7] = other[7, 3] = 1.001 * ultrametric[3, 7]
    assert not theory.is_ultrametric(other)
    assert theory.is_ultrametric(other, rounding=0.01)


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_closed_quotient_is_what_truncation_makes(ultrametric: np.ndarray, quantile: float) -> None:
    eps = float(np.quantile(ultrametric[ultrametric > 0], quantile))
    space = wt.Space.from_distances(ultrametric, weights=np.arange(1, 26), triangle=True)
    found = theory.closed_quotient(space, eps)
    D = wt.Transform(wt.Truncation(eps), wt.Exact(1))(space).metric.dense()
    np.testing.assert_allclose(found.expand().metric.dense(), D, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.expand().metric.dense(), np.where(ultrametric <= eps, 0.0, ultrametric))
    assert theory.is_ultrametric(found.space)
    assert found.space.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("p", [2.0, 200.0, 900.0])
def test_bounds_of_high_order_stay_within_floats(p: float) -> None:
    one, other = (wt.Space.from_points(X) for X in ([[0.0], [1.0], [9.0]], [[0.0], [1.0], [10.0]]))
    found = theory.gromov_wasserstein_bounds(one, other, p)
    assert found.upper == pytest.approx((4 / 9) ** (1 / p), rel=1e-12)  # four of nine pairs change, by 1
    assert max(found.flb, found.tlb) <= found.upper * (1 + 1e-9)
    assert found.slb == pytest.approx(found.upper, rel=1e-9)


def test_contractions_are_of_points_as_far_apart_as_asked() -> None:
    for form in (theory.SPHERE, theory.TORUS):
        for eps, apart in ((0.4, 4.0), (4.0, 0.4)):
            with pytest.raises(ValueError, match="at most π"):
                theory.contraction(form, eps, apart)
    sample = theory.sample(theory.SPHERE, 200)
    assert np.isfinite(theory.sampled_contractions(sample, 0.4, 0.2, 40)).all()  # never a point and itself
    with pytest.raises(ValueError, match="no two points"):
        theory.sampled_contractions(theory.sample(theory.SPHERE, 1), 0.4, 0.1, 5)


def test_a_space_of_one_point_can_be_printed() -> None:
    found = theory.continuity(wt.Space.from_points([[0.0]]), 1.0)
    assert "no pair to compare" in repr(found)


BELL = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
LINE = wt.Space.from_points([[0.0], [1.0], [3.0]])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: theory.order([1.0], [1.0]), "two different steps"),
        (lambda: theory.order([1.0, 2.0], [0.0, 1.0]), "errors other than 0"),
        (lambda: theory.sampling_convergence(LINE, [], 1.0), "sizes must be a nonempty list"),
        (lambda: theory.sampling_convergence(LINE, 5, 1.0), "sizes must be a nonempty list"),
        (lambda: theory.sampling_convergence(LINE, [5, 9], 1.0, repeats=1).rate_error, "needs at least two samples"),
        (lambda: theory.Psi(1.0, 2, 2.0, 1.0, m=-2), "m must be an integer"),
        (lambda: theory.taylor_1d(BELL, "a", 1.0, 0.1), "x and y must be numbers"),
        (lambda: theory.limit_ellipsoid(BELL, [1e3]), "density must be positive"),
        (lambda: theory.limit_ellipsoid(BELL, []), "must be one point"),
        (lambda: theory.ball_radii(BELL, theory.interval(8), [0.1], [[1.0]], -1.0), "eps must be positive"),
        (lambda: theory.ball_radii(BELL, theory.disc(8), [0.1], [[1.0]], 0.1), "2 coordinates like the ball"),
        (lambda: theory.interval(0), "n must be an integer"),
        (lambda: theory.Mixture(np.zeros((2, 1)), np.ones(3), np.ones(2)), "scales and shares of shape"),
        (lambda: theory.Mixture(np.zeros((1, 1)), -np.ones(1), np.ones(1)), "scales must be > 0"),
        (lambda: theory.distortion(np.eye(2), np.eye(3), np.eye(2)), "needs distances of shapes"),
        (lambda: theory.distortion(np.eye(2) / 2, np.eye(2), np.eye(2), 0), "p must be a number"),
        (lambda: theory.contraction(theory.SPHERE, 0.4, 0.4, (0, 3)), "nodes must be an integer"),
        (lambda: theory.sample(theory.HYPERBOLIC, 9, 1e3), "radius must be at most 300"),
    ],
)
def test_bad_input_is_refused_in_words(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: theory.limit_ellipsoid(3, [0.0]),
        lambda: theory.contraction(3, 0.4, 0.4),
        lambda: theory.predicted(3, 0.4),
        lambda: theory.sampled_contractions(3, 0.4, 0.4, 3),
    ],
)
def test_wrong_kinds_are_refused_in_words(ask: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="is needed"):
        ask()


@pytest.mark.parametrize("p", [50.0, 1e3, 1e6])
def test_distortions_of_large_order_do_not_vanish(p: float) -> None:
    """They rise to the largest difference of distances, here 0.25: powers of anything below 1 would be nothing."""
    one = np.array([[0.0, 0.75], [0.75, 0.0]])
    assert theory.distortion(np.eye(2) / 2, one, 4 / 3 * one, p) == pytest.approx(0.25 * 0.5 ** (1 / p), rel=1e-12)
    spaces = [wt.Space.from_distances(distances) for distances in (one, 4 / 3 * one)]
    bounds = theory.gromov_wasserstein_bounds(*spaces, p=p)
    assert bounds.lower <= bounds.upper * (1 + 1e-12)
    assert bounds.lower > 0.2
