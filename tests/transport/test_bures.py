"""The Bures distance against its definition in arithmetic of 50 digits, closed forms and POT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from reference.bures import bures
from reference.transforms import dcov_squared
from scipy.spatial.distance import pdist, squareform
from scipy.stats import ortho_group

import wasserstein_transform as wt
from wasserstein_transform.compute.gaussians.bures_jit import gap_space

Floats = NDArray[np.float64]
Maker = Callable[[int, float], wt.measures.Gaussians]

LOW = (1, 2)  # dimensions with a closed form
HIGH = (3, 4, 5, 8)
STEPS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14)
MODERATE = (1e1, 1e3, 1e6)  # condition numbers for which m ≥ 3 promises 1e-12·√(tr A + tr B)
LARGE = (1e8, 1e10, 1e12)  # full rank still: double precision ends at 1e16
CONDITIONS = [(m, c) for c in (*MODERATE, *LARGE) for m in LOW] + [(m, c) for c in MODERATE for m in HIGH]
SCALES = (1e-8, 1e-4, 1.0, 1e4, 1e8)  # of the coordinates: covariances change by the square
EXTREMES = [1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300]


def symmetric(A: Floats) -> Floats:
    return np.asarray((A + A.T) / 2)


def distance(A: Floats, B: Floats) -> float:
    return float(wt.bures_pairs([A, B])[0])


def assert_near(A: Floats, B: Floats, found: float | None = None) -> None:
    """Nine digits in one and two dimensions; in more, twelve digits of the size, where covariances have full rank."""
    expected = bures(A, B)
    room = 1e-9 * expected if len(A) <= 2 else 1e-12 * size(A, B)
    assert abs((distance(A, B) if found is None else found) - expected) <= room, (A, B)


def size(A: Floats, B: Floats) -> float:
    """√(tr A + tr B), the unit of absolute errors."""
    return float(np.sqrt(np.trace(A) + np.trace(B)))


def full_rank(rng: np.random.Generator, m: int, condition: float) -> Floats:
    """Eigenvalues from 1 down to 1/condition, along random axes."""
    axes = ortho_group.rvs(m, random_state=rng) if m > 1 else np.eye(1)
    values = condition ** -np.append(rng.random(m)[: m - 2], [0.0, 1.0])[-m:]
    return symmetric((axes * values) @ axes.T)


def near(rng: np.random.Generator, A: Floats, step: float) -> Floats:
    """A^½(I + step·S)A^½ with a random S of norm 9/10: any direction in which A can go and keep its rank."""
    S = symmetric(rng.normal(size=A.shape))
    S *= 0.9 / np.abs(np.linalg.eigvalsh(S)).max()
    root = np.linalg.cholesky(A)
    return symmetric(A + step * (root @ S @ root.T))


def low_rank(rng: np.random.Generator, m: int, rank: int) -> Floats:
    X = rng.normal(size=(m, rank))
    return symmetric(X @ X.T)


def zoo(m: int) -> Floats:
    """Ordinary, flat, zero, tiny, huge and nearly equal covariances."""
    rng = np.random.default_rng(100 + m)
    plain = [full_rank(rng, m, condition) for condition in (*MODERATE, *LARGE)]
    flat = [low_rank(rng, m, rank) for rank in range(1, m)]
    close = [near(rng, A, step) for A in plain[:3] for step in (1e-4, 1e-9, 1e-14)]
    close += [A * (1 + 1e-12) for A in flat]
    whole = np.zeros((m, m))
    whole[0, 0] = 1.0
    scaled = [scale * A for A in (plain[0], whole) for scale in (1e-16, 1e16)]
    return np.array([*plain, *flat, *close, *scaled, whole, np.ones((m, m)), np.zeros((m, m))])


@pytest.mark.repeated(2)
@pytest.mark.parametrize(("m", "condition"), CONDITIONS)
def test_near_covariances_keep_their_digits(m: int, condition: float) -> None:
    rng = np.random.default_rng(1)
    for step in STEPS:
        for _ in range(12 if m <= 2 else 1):
            A = full_rank(rng, m, condition)
            assert_near(A, near(rng, A, step))


@pytest.mark.repeated(8)
@pytest.mark.parametrize(("m", "condition"), CONDITIONS)
def test_unrelated_covariances_keep_their_digits(m: int, condition: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(40 if m <= 2 else 8):
        assert_near(full_rank(rng, m, condition), rng.uniform(0.1, 10) * full_rank(rng, m, condition))


@pytest.mark.parametrize("m", LOW)
def test_changing_one_entry_by_the_least_step_is_seen_exactly(m: int) -> None:
    rng = np.random.default_rng(3)
    for k in range(20):
        A = full_rank(rng, m, 10.0)
        B = A.copy()
        B[k % m, k % m] = np.nextafter(B[k % m, k % m], np.inf)
        assert_near(A, B)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_singular_covariances_keep_seven_digits_of_their_size(m: int) -> None:
    rng = np.random.default_rng(6)
    for rank in range(m):
        for other in range(m + 1):
            A, B = low_rank(rng, m, rank), low_rank(rng, m, other)
            assert abs(distance(A, B) - bures(A, B)) <= 1e-7 * size(A, B), (rank, other)


@pytest.mark.repeated(2)
@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_near_singular_covariances_keep_seven_digits_of_their_size(m: int) -> None:
    rng = np.random.default_rng(7)
    for rank in range(1, m):
        for step in STEPS:
            X = rng.normal(size=(m, rank))
            Y = X + step * rng.normal(size=X.shape)
            A, B = symmetric(X @ X.T), symmetric(Y @ Y.T)
            assert abs(distance(A, B) - bures(A, B)) <= 1e-7 * size(A, B), (rank, step)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_distance_to_zero_is_the_root_of_the_trace(m: int) -> None:
    for A in zoo(m):
        assert distance(A, np.zeros((m, m))) == pytest.approx(np.sqrt(np.trace(A)), rel=1e-12)


@pytest.mark.repeated(10)
@pytest.mark.parametrize("m", [*LOW, 3, 5])
@pytest.mark.parametrize("scale", SCALES)
def test_digits_are_kept_at_any_scale(m: int, scale: float) -> None:
    rng = np.random.default_rng(8)
    for step in STEPS if m <= 2 else STEPS[::2]:
        A = scale**2 * full_rank(rng, m, 1e3)
        assert_near(A, near(rng, A, step))


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
def test_equal_covariances_have_distance_exactly_zero(m: int) -> None:
    for A in zoo(m):
        assert distance(A, A.copy()) == 0.0


@pytest.mark.repeated(6)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("scale", EXTREMES)
def test_equal_covariances_of_extreme_size_have_distance_exactly_zero(m: int, scale: float) -> None:
    A = scale * full_rank(np.random.default_rng(11), m, 10.0)
    assert distance(A, A.copy()) == 0.0


@pytest.mark.parametrize("m", [1, 2, 3])
def test_equal_covariances_beside_a_huge_one_have_distance_exactly_zero(m: int) -> None:
    A = full_rank(np.random.default_rng(25), m, 10.0)
    assert squareform(wt.bures_pairs([1e200 * A, A, A]))[1, 2] == 0.0


@pytest.mark.repeated(6)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("scale", EXTREMES)
def test_distances_of_covariances_of_extreme_size_are_finite_and_not_negative(m: int, scale: float) -> None:
    rng = np.random.default_rng(12)
    A = full_rank(rng, m, 10.0)
    found = wt.bures_pairs(scale * np.array([A, near(rng, A, 1e-9), full_rank(rng, m, 10.0), low_rank(rng, m, 1)]))
    assert np.isfinite(found).all()
    assert (found >= 0).all()


@pytest.mark.repeated(3)
@pytest.mark.parametrize("m", [*LOW, *HIGH])
def test_the_two_sides_can_be_swapped(m: int) -> None:
    rng = np.random.default_rng(13)
    for condition in MODERATE:
        for step in STEPS:
            A = full_rank(rng, m, condition)
            B = near(rng, A, step)
            one, other = distance(A, B), distance(B, A)
            assert abs(one - other) <= (1e-9 * one if m <= 2 else 1e-12 * size(A, B))


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
def test_distances_in_the_zoo_are_finite_and_the_same_from_both_sides(m: int) -> None:
    covs = zoo(m)
    assert np.isfinite(wt.bures_pairs(covs)).all()
    assert (wt.bures_pairs(covs) >= 0).all()
    straight, swapped = squareform(wt.bures_pairs(covs)), squareform(wt.bures_pairs(covs[::-1]))[::-1, ::-1]
    traces = np.trace(covs, axis1=1, axis2=2)
    assert (np.abs(straight - swapped) <= 1e-7 * np.sqrt(traces[:, None] + traces)).all()


def largest_detour(distances: Floats) -> float:
    """max d(i, k) − d(i, j) − d(j, k)."""
    return float((distances[:, None, :] - distances[:, :, None] - distances[None, :, :]).max())


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
def test_triangle_inequality_holds(m: int) -> None:
    rng = np.random.default_rng(15)
    plain = [full_rank(rng, m, 1e3) for _ in range(12)]
    covs = np.array([*plain, *(near(rng, A, step) for A in plain[:4] for step in (1e-3, 1e-6, 1e-9, 1e-12))])
    assert largest_detour(squareform(wt.bures_pairs(covs))) <= 3e-12 * size(covs[0], covs[0])


def closed_form(a: Floats, b: Floats) -> float:
    """‖√a − √b‖, the distance of commuting covariances with eigenvalues a and b."""
    return float(np.linalg.norm((a - b) / (np.sqrt(a) + np.sqrt(b))))


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
def test_diagonal_covariances_have_the_closed_form(m: int) -> None:
    rng = np.random.default_rng(17)
    for step in (10.0, *STEPS):
        a = rng.uniform(0.1, 1, m)
        b = a * (1 + step * rng.random(m))
        A, B = np.diag(a), np.diag(b)
        limit = 1e-9 * closed_form(a, b) if m <= 2 else 1e-12 * size(A, B)
        assert abs(distance(A, B) - closed_form(a, b)) <= limit, step


@pytest.mark.repeated(3)
@pytest.mark.parametrize("m", [2, 3, 4, 5, 8])
def test_covariances_with_common_axes_have_the_closed_form(m: int) -> None:
    rng = np.random.default_rng(18)
    for _ in range(20):
        axes = ortho_group.rvs(m, random_state=rng)
        a, b = rng.uniform(0.1, 1, m), rng.uniform(0.1, 1, m)
        A, B = symmetric((axes * a) @ axes.T), symmetric((axes * b) @ axes.T)
        assert abs(distance(A, B) - closed_form(a, b)) <= 1e-12 * size(A, B)


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8])
def test_distance_lies_between_those_of_the_eigenvalues_and_of_the_roots(m: int) -> None:
    rng = np.random.default_rng(19)
    for _ in range(20):
        A, B = full_rank(rng, m, 1e3), full_rank(rng, m, 1e3)
        (a, u), (b, v) = np.linalg.eigh(A), np.linalg.eigh(B)
        roots = (u * np.sqrt(a)) @ u.T - (v * np.sqrt(b)) @ v.T
        room = 1e-12 * size(A, B)
        assert np.linalg.norm(np.sqrt(a) - np.sqrt(b)) - room <= distance(A, B) <= np.linalg.norm(roots) + room


@pytest.mark.parametrize("m", [1, 2, 3])
def test_pairs_come_in_the_condensed_order_of_scipy(m: int) -> None:
    rng = np.random.default_rng(21)
    sizes = rng.uniform(0.1, 3, 9)
    covs = sizes[:, None, None] ** 2 * np.eye(m)
    np.testing.assert_allclose(wt.bures_pairs(covs), np.sqrt(m) * pdist(sizes[:, None]), rtol=1e-9)


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("m", "n"), [(1, 6000), (2, 6000), (3, 1600), (8, 250)])
def test_pairs_do_not_depend_on_the_number_of_threads(m: int, n: int) -> None:
    factors = np.random.default_rng(22).normal(size=(n, m, m + 1))
    metric = wt.spaces.GaussianMetric(np.zeros((n, m)), factors @ factors.transpose(0, 2, 1), 1.0)
    tiles: list[int] = []
    engines = [
        wt.Engine(n_jobs, progress=lambda update: update.stage and tiles.append(update.total)) for n_jobs in (1, 2, 3)
    ]
    one, two, three = (metric.condensed(engine) for engine in engines)
    assert min(tiles) > 3  # there is work for all of them
    assert (one == two).all()
    assert (one == three).all()


def test_one_covariance_has_no_pairs() -> None:
    assert wt.bures_pairs([np.eye(2)]).shape == (0,)


@pytest.mark.parametrize(
    ("covs", "message"),
    [
        (np.ones((2, 2, 3)), r"stack of square matrices, shape \(n, m, m\), got shape \(2, 2, 3\)"),
        ([np.eye(2), [[1.0, 0.0], [0.0, np.nan]]], r"covs must be finite, got nan at \[1, 1, 1\]"),
        ([[[1.0, 0.5], [0.4, 1.0]]], r"covs must be symmetric matrices; use \(C \+ C.transpose\(0, 2, 1\)\) / 2"),
        ([[[-1.0]]], "positive semidefinite, matrix 0 has the eigenvalue -1"),
        ("covariances", "covs must be numbers, got .covariances"),
    ],
)
def test_what_is_no_stack_of_covariances_is_refused(covs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.bures_pairs(covs)  # type: ignore[arg-type]


def gaussians(rng: np.random.Generator, covs: Floats, lam: float) -> wt.measures.Gaussians:
    n, m = covs.shape[:2]
    return wt.measures.Gaussians(rng.normal(size=(n, m)), covs, lam, np.zeros(n, bool))


def couple(measures: wt.measures.Gaussians, i: int, j: int) -> wt.transport.Coupling:
    return wt.Bures().coupling(measures, wt.spaces.Euclidean(measures.means), i, j)


def ordinary(m: int, lam: float) -> wt.measures.Gaussians:
    rng = np.random.default_rng(23)
    covs = [full_rank(rng, m, 1e3) for _ in range(5)]
    return gaussians(rng, np.array([*covs, near(rng, covs[0], 1e-9)]), lam)


def flat(m: int, lam: float) -> wt.measures.Gaussians:
    rng = np.random.default_rng(24)
    covs = [low_rank(rng, m, rank) for rank in range(m + 1)]
    return gaussians(rng, np.array([*covs, covs[-2] * (1 + 1e-12)]), lam)


def cost_of(found: wt.transport.Coupling, measures: wt.measures.Gaussians, i: int, j: int) -> tuple[float, float]:
    """E‖X − Y‖² under the plan, and its value for independent X and Y."""
    apart = float(((measures.means[i] - measures.means[j]) ** 2).sum())
    largest = apart + measures.lam * float(np.trace(measures.covs[i]) + np.trace(measures.covs[j]))
    return largest - 2 * float(np.trace(found.plan)), largest


@pytest.mark.repeated(8)
@pytest.mark.parametrize("make", [ordinary, flat])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("lam", [0.0, 0.3, 4.0])
def test_plan_makes_a_positive_semidefinite_joint_covariance(make: Maker, m: int, lam: float) -> None:
    measures = make(m, lam)
    for i in range(measures.n):
        for j in range(measures.n):
            plan = couple(measures, i, j).plan
            joint = np.block([[lam * measures.covs[i], plan], [plan.T, lam * measures.covs[j]]])
            assert np.linalg.eigvalsh(joint)[0] >= -1e-14 * np.trace(joint)


@pytest.mark.repeated(8)
@pytest.mark.parametrize(("make", "accuracy"), [(ordinary, 1e-12), (flat, 1e-7)])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("lam", [0.0, 0.3, 4.0])
def test_cost_of_the_plan_is_the_squared_distance(make: Maker, accuracy: float, m: int, lam: float) -> None:
    measures = make(m, lam)
    for i in range(measures.n):
        for j in range(measures.n):
            found = couple(measures, i, j)
            cost, largest = cost_of(found, measures, i, j)
            assert abs(cost - found.value**2) <= accuracy * largest
            assert abs(found.gap) <= accuracy
            assert found.status is wt.transport.Status.OPTIMAL


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 5])
@pytest.mark.parametrize("lam", [0.0, 0.3, 4.0])
def test_distance_of_gaussians_is_that_of_means_and_covariances(m: int, lam: float) -> None:
    measures = ordinary(m, lam)
    found = wt.Bures().metric(measures, wt.spaces.Euclidean(measures.means)).dense()
    for i in range(measures.n):
        for j in range(i):
            apart = ((measures.means[i] - measures.means[j]) ** 2).sum()
            expected = np.sqrt(apart + lam * bures(measures.covs[i], measures.covs[j]) ** 2)
            assert found[i, j] == pytest.approx(expected, rel=1e-11)
            assert couple(measures, i, j).value == found[i, j] == found[j, i]


def test_measures_of_another_kind_are_refused() -> None:
    diracs = wt.Mean(wt.Truncation(1.0))(wt.Space.from_points([[0.0], [1.0]]))
    with pytest.raises(TypeError, match="Bures compares Gaussians measures"):
        wt.Bures().metric(diracs, wt.spaces.Euclidean(np.zeros((2, 1))))


def family(rng: np.random.Generator, n: int, m: int) -> tuple[Floats, Floats]:
    return rng.normal(size=(n, m)), np.array([full_rank(rng, m, 1e3) for _ in range(n)])


@pytest.mark.parametrize("m", [1, 2, 3, 6, 12])
def test_gaussians_agree_with_the_formula_and_with_pot(m: int) -> None:
    rng = np.random.default_rng(30)
    (x, A), (y, B) = family(rng, 5, m), family(rng, 4, m)
    found = wt.transport.gaussian_wasserstein(x, A, y, B)
    for i in range(5):
        for j in range(4):
            assert found[i, j] == pytest.approx(
                np.hypot(np.linalg.norm(x[i] - y[j]), dcov_squared(A[i], B[j]) ** 0.5), rel=1e-8
            )
            assert found[i, j] == pytest.approx(
                ot.gaussian.bures_wasserstein_distance(x[i], y[j], A[i], B[j]), rel=1e-8
            )


@pytest.mark.parametrize("m", [1, 2, 3, 6])
def test_one_family_is_the_upper_triangle_of_two(m: int) -> None:
    rng = np.random.default_rng(31)
    x, A = family(rng, 7, m)
    one, two = wt.transport.gaussian_wasserstein(x, A), wt.transport.gaussian_wasserstein(x, A, x, A)
    assert (np.diagonal(two) == 0).all()
    np.testing.assert_allclose(two, squareform(one), rtol=0, atol=1e-12)
    np.testing.assert_allclose(wt.bures_pairs(A, A), squareform(wt.bures_pairs(A)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 3, 6])
def test_bures_distances_are_those_of_centred_gaussians(m: int) -> None:
    rng = np.random.default_rng(32)
    x, A = family(rng, 6, m)
    assert (wt.transport.gaussian_wasserstein(None, A) == wt.bures_pairs(A)).all()
    assert (wt.transport.gaussian_wasserstein(0 * x, A) == wt.bures_pairs(A)).all()
    np.testing.assert_allclose(
        wt.transport.gaussian_wasserstein(x, A) ** 2, pdist(x, "sqeuclidean") + wt.bures_pairs(A) ** 2, rtol=1e-12
    )


@pytest.mark.parametrize("m", [1, 2, 4])
def test_translations_are_euclidean_distances(m: int) -> None:
    rng = np.random.default_rng(33)
    x = rng.normal(size=(8, m))
    A = full_rank(rng, m, 10.0)
    np.testing.assert_allclose(wt.transport.gaussian_wasserstein(x, np.array([A] * 8)), pdist(x), rtol=1e-14)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_diagonals_stand_for_diagonal_matrices(m: int) -> None:
    rng = np.random.default_rng(35)
    x, a = rng.normal(size=(6, m)), rng.random((6, m))
    a[0] = 0.0
    A = a[:, :, None] * np.eye(m)
    np.testing.assert_allclose(
        wt.transport.gaussian_wasserstein(x, a), wt.transport.gaussian_wasserstein(x, A), rtol=1e-11
    )
    np.testing.assert_allclose(
        wt.transport.gaussian_wasserstein(x, a, x, A), wt.transport.gaussian_wasserstein(x, A, x, A), rtol=1e-11
    )
    np.testing.assert_allclose(
        wt.transport.gaussian_wasserstein(x, a, x, a), wt.transport.gaussian_wasserstein(x, A, x, A), rtol=1e-11
    )


@pytest.mark.parametrize(("m", "n"), [(2, 3000), (8, 150), (40, 20)])
def test_rectangles_do_not_depend_on_the_number_of_threads(m: int, n: int) -> None:
    factors = np.random.default_rng(36).normal(size=(n, m, m + 1))
    covs = factors @ factors.transpose(0, 2, 1)
    one, two = (wt.bures_pairs(covs, covs[: n // 2], n_jobs=k) for k in (1, 3))
    assert one.shape == (n, n // 2)
    assert (one == two).all()
    assert (np.diagonal(one) == 0).all()


@pytest.mark.repeated(4)
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 12])
def test_sizes_may_differ_by_hundreds_of_orders(m: int) -> None:
    rng = np.random.default_rng(37)
    covs = np.array([scale * full_rank(rng, m, 10.0) for scale in (1e-300, 1e-200, 1e-150, 1.0, 1e-300, 1e-150)])
    found = squareform(wt.bures_pairs(covs))
    for i in range(6):
        for j in range(i):
            assert found[i, j] == pytest.approx(bures(covs[i], covs[j]), rel=1e-9, abs=0)


EYES = [np.eye(2)] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 2)), EYES), "with the same n and m"),
        ((np.zeros(3), EYES), "means must be a 2-D array"),
        ((None, np.eye(2)), r"covs must be a stack of square matrices, shape \(n, m, m\), got shape \(2, 2\)"),
        ((np.zeros((3, 2)), -np.ones((3, 2))), "covs as variances must not be negative"),
        (([[0.0, np.inf]], [np.eye(2)]), "means must be finite"),
        ((None, EYES, np.zeros((3, 2))), "means_b needs covs_b: pass both"),
        ((np.zeros((3, 2)), EYES, None, EYES), "means and means_b must both be given"),
        ((None, EYES, None, [np.eye(3)]), "both families must have the same dimension, got 2 and 3"),
        ((None, EYES, None, [-np.eye(2)]), "covs_b must be positive semidefinite"),
        ((np.zeros((3, 2)), EYES, np.zeros((2, 2)), EYES), "means_b and covs_b must have shapes"),
    ],
)
def test_wrong_gaussians_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.transport.gaussian_wasserstein(*arguments)


@pytest.mark.parametrize("rank", [1, 2, 3, 7])
def test_the_closed_form_in_space_is_the_nuclear_norm(rank: int, rng: np.random.Generator) -> None:
    def packed(a: NDArray[Any]) -> NDArray[Any]:
        return np.array([*a[np.triu_indices(3)], np.sqrt(max(np.linalg.det(a), 0.0))])

    for _ in range(200):
        one, other = rng.normal(size=(3, rank)), rng.normal(size=(3, 7)) * 10.0 ** rng.uniform(-2, 2, (3, 1))
        a, b = one @ one.T, other @ other.T
        expected = np.trace(a) + np.trace(b) - 2 * np.linalg.norm(one.T @ other, "nuc")
        size = np.trace(a) + np.trace(b)
        tolerance = 1e-13 if rank >= 3 else 1e-7  # of a singular matrix, roots of its rounded determinants
        assert abs(gap_space(packed(a), packed(b)) - expected) <= tolerance * size
        assert gap_space(packed(b), packed(b)) == 0.0
    line, zero = packed(np.diag([4.0, 0.0, 0.0])), np.zeros(7)
    assert gap_space(line, zero) == 4.0
    assert gap_space(line, packed(np.diag([1.0, 0.0, 0.0]))) == 1.0
