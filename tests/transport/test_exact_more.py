"""Exact transport where it is hardest: ties, false promises, scales far apart, faint masses, rounding of the totals."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import ot
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from reference.bottleneck import w_infinity
from reference.transport import exact_cost, of_any_total
from scipy.spatial.distance import cdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.measures import make_discrete

Floats = NDArray[np.float64]
ORDERS = [1.0, 1.5, 2.0, 3.0, 10.0, 50.0, 149.0]


def truth(a: Floats, b: Floats, distances: Floats, p: float) -> float:
    """W_p of rational numbers: every float is taken for what it is, the root alone is rounded."""
    rows, cols = np.flatnonzero(a), np.flatnonzero(b)
    block = distances[np.ix_(rows, cols)]
    if p == np.inf:
        return w_infinity(a[rows], b[cols], block)
    powers = np.array([[Fraction(d) ** int(p) for d in row] for row in block.tolist()], dtype=object)
    return root(exact_cost(a[rows], b[cols], powers), p)


def root(cost: Fraction, p: float) -> float:
    with mpmath.workdps(40):
        return float((mpmath.mpf(cost.numerator) / cost.denominator) ** (1 / mpmath.mpf(p)))


def monotone(x: Floats, y: Floats, masses: Floats, p: float) -> float:
    """W_p on the line between equal masses at x and at y, both rising."""
    with mpmath.workdps(40):
        moves = [m * mpmath.mpf(abs(Fraction(s) - Fraction(t))) ** p for m, s, t in zip(masses, x, y, strict=True)]
        return float((sum(moves) / mpmath.mpf(masses.sum())) ** (1 / mpmath.mpf(p)))


def two(masses: Floats, others: Floats) -> Floats:
    """Two measures, on the first points and on the others."""
    both = np.zeros((2, len(masses) + len(others)))
    both[0, : len(masses)] = masses
    both[1, len(masses) :] = others
    return both


def couple(measures: Floats, metric: wt.spaces.Metric, p: float) -> wt.transport.Coupling:
    return wt.Exact(p).coupling(of_any_total(measures), metric, 0, 1)


@st.composite
def tied(draw: st.DrawFn) -> tuple[Floats, Floats, bool]:
    """Three measures over whole distances with many ties, duplicates and broken triangles; perhaps a false promise."""
    size = draw(st.integers(2, 7))
    below = st.lists(st.integers(0, draw(st.sampled_from([1, 3, 30]))), min_size=size * size, max_size=size * size)
    upper = np.triu(np.reshape(draw(below), (size, size)), 1).astype(float)
    row = st.lists(st.integers(0, draw(st.sampled_from([1, 5, 2**40]))), min_size=size, max_size=size).filter(any)
    return np.array([draw(row), draw(row), draw(row)], float), upper + upper.T, draw(st.booleans())


@pytest.mark.slow
@settings(max_examples=400, deadline=None, derandomize=True)
@given(tied(), st.sampled_from([1.0, 2.0, 3.0, 10.0, 50.0, 149.0, np.inf]))
def test_ties_duplicates_and_false_promises_give_the_rational_value(
    problem: tuple[Floats, Floats, bool], p: float
) -> None:
    masses, distances, promised = problem
    found = wt.wasserstein_pairs(of_any_total(masses), wt.spaces.Dense(distances, triangle=promised), p, n_jobs=1)
    expected = [truth(masses[i], masses[j], distances, p) for i, j in ((0, 1), (0, 2), (1, 2))]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * distances.max())
    assert found.gap <= 1e-12


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("shift", [1e-13, 1e-9, 1e-6, 1e-3, 1.0, 1e3])
def test_shifts_far_smaller_and_far_larger_than_the_width_are_exact(p: float, shift: float) -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(40))
    y = np.sort(x + shift * (1 + rng.random(40)))
    masses = rng.integers(1, 5, 40).astype(np.float64)
    equal = np.ones(40)
    points = np.concatenate([x, y])[:, None]
    found = wt.wasserstein_pairs(of_any_total(two(equal, equal)), points, p, n_jobs=1)
    np.testing.assert_allclose(found, [monotone(x, y, equal, p)], rtol=1e-9)
    rigid = np.concatenate([x, x + shift])[:, None]
    found = wt.wasserstein_pairs(of_any_total(two(masses, masses)), rigid, p, n_jobs=1)
    np.testing.assert_allclose(found, [monotone(x, x + shift, masses, p)], rtol=1e-9)


@pytest.mark.parametrize("dimension", [1, 2, 16, 17, 50])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
def test_faint_masses_and_extreme_totals_agree_with_pot(dimension: int, p: float) -> None:
    rng = np.random.default_rng(dimension)
    points = rng.normal(size=(40, dimension))
    shares = 10.0 ** rng.uniform(-15, 0, (8, 40)) * (rng.random((8, 40)) < 0.8)
    shares[:, 0] += 0.1
    distances = cdist(points, points)
    found = wt.wasserstein_pairs(of_any_total(shares * 10.0 ** rng.uniform(-200, 200, (8, 1))), points, p)
    shares /= shares.sum(axis=1, keepdims=True)
    expected = [
        float(ot.emd2(shares[i], shares[j], distances**p)) ** (1 / p)
        for i, j in zip(*np.triu_indices(8, 1), strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("p", [*ORDERS, np.inf])
def test_symmetry_triangle_scaling_and_translation(p: float) -> None:
    rng = np.random.default_rng(3)
    points, masses = rng.integers(-500, 500, (50, 2)) / 64.0, rng.random((9, 50)) * (rng.random((9, 50)) < 0.5)
    square = squareform(np.asarray(wt.wasserstein_pairs(of_any_total(masses), points, p)))
    rectangle = np.asarray(wt.wasserstein_cross(of_any_total(masses), of_any_total(masses), points, p))
    np.testing.assert_allclose(rectangle, square, rtol=1e-9)
    np.testing.assert_allclose(rectangle.T, square, rtol=1e-9)
    through = (square[:, :, None] + square[None]).min(axis=1)
    assert (square <= through + 1e-12 * square.max()).all()
    scaled = wt.wasserstein_pairs(of_any_total(masses), 4.0 * points, p)
    np.testing.assert_array_equal(squareform(np.asarray(scaled)), 4.0 * square)
    moved = wt.wasserstein_pairs(of_any_total(masses), points + 2.0**20, p)  # differences of such points are exact
    np.testing.assert_array_equal(squareform(np.asarray(moved)), square)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, 10.0])
def test_coupling_is_feasible_and_has_the_value_of_the_batch(p: float) -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(size=(60, 3))
    metric = wt.spaces.Euclidean(points)
    for scale in (1e-12, 1e-6, 1.0):
        masses = rng.random((2, 60)) * np.where(rng.random((2, 60)) < 0.3, scale, 1.0)
        found = couple(masses, metric, p)
        assert found.value == pytest.approx(wt.wasserstein_pairs(of_any_total(masses), points, p).values[0], rel=1e-9)
        shares = masses / masses.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.plan.sum(axis=1), shares[0], atol=1e-15)
        np.testing.assert_allclose(found.plan.sum(axis=0), shares[1], atol=1e-15)
        costs = metric.dense() ** p
        assert found.potentials is not None
        u, v = found.potentials
        assert (u[:, None] + v <= costs + 1e-12 * costs.max()).all()
        assert u @ shares[0] + v @ shares[1] == pytest.approx(found.value**p, abs=1e-12 * costs.max())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::wasserstein_transform.transforms.MasslessWarning")
@pytest.mark.parametrize("seed", range(12))
def test_the_light_cone_is_exact_on_lattices_whose_distances_lie_on_its_edge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    step, p = rng.choice([0.1, 0.3, 1.0]), (1.0, 2.0, np.inf)[seed % 3]
    points, weights = rng.integers(0, 6, (30, 2)) * step, rng.integers(0, 3, 30).astype(np.float64)
    weights[0] = 1.0
    space = wt.Space.from_points(points, weights) if seed % 2 else wt.Space.from_points(points)
    transform, radius = wt.Transform(wt.Truncation(2 * step), wt.Exact(p)), float(rng.integers(1, 4) * step)
    near, full = wt.transforms.iterate_locally(transform, space, radius, 2), transform(transform(space))
    expected, everybody = full.metric.dense(), np.arange(30)
    known = near.metric.block(everybody, everybody)
    inside = expected <= radius * (1 - 1e-9)
    np.testing.assert_allclose(known[inside], expected[inside], atol=1e-11 * step)
    assert (np.abs(known - expected)[np.isfinite(known)] <= 1e-11 * step).all()


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_lazy_balls_are_closed_wherever_the_points_lie(offset: float) -> None:
    """A member at exactly the radius is one, however far from 0 the coordinates are."""
    rng = np.random.default_rng(5)
    space = wt.Space.from_points(rng.normal(size=(30, 1)) + offset)
    transform = wt.Transform(wt.Truncation(0.4), wt.Exact(1.0))
    distances = transform(space).metric.dense()
    for radius in rng.choice(distances[distances > 0], 30, replace=False):
        balls = wt.transforms.transform_lazily(transform, space).metric.balls(float(radius))
        np.testing.assert_array_equal(np.diff(balls.indptr), (distances <= radius * (1 + 1e-12)).sum(axis=1))


@pytest.mark.parametrize("p", [2.0, 10.0, 50.0, 149.0])
def test_masses_that_differ_by_a_factor_are_one_measure(p: float) -> None:
    """What rounding leaves over of the totals must not travel: W_p ≤ W_∞ = 0."""
    shares = np.array([[1 / 6, 2 / 6, 3 / 6], [1.0, 2.0, 3.0]])
    points = np.arange(3.0)[:, None]
    assert wt.wasserstein_pairs(of_any_total(shares), points, np.inf).values[0] == 0.0
    assert wt.wasserstein_pairs(of_any_total(shares), points, p).values[0] <= 1e-7


def test_a_faint_mass_far_away_does_not_spoil_the_others() -> None:
    """Half of W2² is made by a mass of 1e-12 at a distance of 1e6, the other half by moves of 0.1."""
    x, y = np.array([0.2, 0.23, 0.26, 1e6]), np.array([0.2, 0.05, 0.19])
    masses = two(np.array([3.0, 3.0, 3.0, 1e-12]), np.ones(3))
    points = np.concatenate([x, y])
    squares = np.array([[(Fraction(s) - Fraction(t)) ** 2 for t in y] for s in x], dtype=object)
    expected = root(exact_cost(masses[0, :4], masses[1, 4:], squares), 2.0)
    assert wt.wasserstein_pairs(of_any_total(masses), points[:, None], 2.0).values[0] == pytest.approx(
        expected, rel=1e-9
    )


def test_many_faint_masses_far_away_count_together() -> None:
    """1000 masses of 4e-16 are 4e-13 of the whole, far above rounding, and make half of W2²."""
    x, masses = np.append(0.0, np.full(1000, 1.6e6)), np.append(1.0, np.full(1000, 4e-16))
    both, points = two(masses, np.ones(1)), np.append(x, 0.9)[:, None]
    expected = np.sqrt(np.average((x - 0.9) ** 2, weights=masses))
    assert couple(both, wt.spaces.Euclidean(points), 2.0).value == pytest.approx(expected, rel=1e-9)
    assert wt.wasserstein_pairs(of_any_total(both), points, 2.0).values[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("total", [1e-200, 1e-160, 1e-100, 1e100, 1e155, 1e200, 1e300])
def test_one_problem_of_any_total_is_solved(total: float) -> None:
    costs = [[0.0, 2.0], [3.0, 1.0]]
    found = wt.wasserstein(total * np.array([1.0, 1.0]), total * np.array([0.5, 1.5]), costs)
    assert found.value / total == pytest.approx(2.0, rel=1e-12)
    np.testing.assert_allclose(found.plan / total, [[0.5, 0.5], [0.0, 1.0]], atol=1e-12)
    assert abs(found.gap) <= 1e-12


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_a_mass_that_is_a_trillionth_of_the_other_side_is_moved_whole(p: float) -> None:
    """Masses are cross-multiplied: a product beyond 2^53 is rounded, and what is left of two of them must not be."""
    measures, expected = np.array([[0.0, 65793], [1, 136902091000]]), 136902091001 ** (-1 / p)
    points = np.array([[0.0], [1.0]])
    for metric in (wt.spaces.Euclidean(points), wt.spaces.Dense(np.array([[0.0, 1.0], [1.0, 0.0]]))):
        assert wt.wasserstein_pairs(of_any_total(measures), metric, p)[0] == pytest.approx(expected, rel=1e-14)
    assert couple(measures, wt.spaces.Euclidean(points), p).value == pytest.approx(expected, rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_small_rests_of_large_counted_masses_are_exact(seed: int) -> None:
    """Counts near k·c, and k'·c on the other side, for the same c: nearly all of the mass stays."""
    rng = np.random.default_rng(seed)
    counts, factors = rng.integers(1, 2**16, 5), rng.integers(1, 2**16, (2, 1))
    masses = (counts * factors + rng.integers(0, 2, (2, 5))).astype(np.float64)
    upper = np.triu(rng.integers(1, 30, (5, 5)), 1).astype(np.float64)
    distances = upper + upper.T
    for p in (1.0, 2.0, 10.0, 149.0):
        found = wt.wasserstein_pairs(of_any_total(masses), wt.spaces.Dense(distances), p, n_jobs=1)
        assert found[0] == pytest.approx(truth(masses[0], masses[1], distances, p), rel=1e-9)


def test_large_orders_find_a_move_that_is_short_beside_the_others() -> None:
    p = 149.0
    points, masses = np.array([[0.0], [0.5], [1.0]]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    found = wt.wasserstein_pairs(of_any_total(masses), points, p, n_jobs=1)
    assert (found[0], found.gap) == (0.5, 0.0)
    assert wt.wasserstein_cross(of_any_total(masses[:1]), of_any_total(masses[1:]), points, p, n_jobs=1)[0] == 0.5
    assert couple(masses, wt.spaces.Euclidean(points), p).value == 0.5
    diracs = wt.Exact(p).cross_diracs(np.array([[1.0, 0.5, 1e3]]), of_any_total(masses))
    np.testing.assert_allclose(diracs, [[0.5 ** (1 / p), 0.5 ** (1 / p) * 1e3]], rtol=1e-12)


@pytest.mark.parametrize("p", [150.0, 7e3, 1e300])
def test_orders_whose_powers_vanish_are_refused_but_on_a_line(p: float) -> None:
    points, masses = np.array([[0.0], [0.5], [1.0]]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    asked = (
        lambda: wt.Exact(p),
        lambda: wt.wasserstein_pairs(of_any_total(masses), points, p),
        lambda: wt.wasserstein_cross(of_any_total(masses), of_any_total(masses), points, p),
        lambda: wt.transforms.local_truncation(1.0, p=p),
    )
    for ask in asked:
        with pytest.raises(ValueError, match=rf"p must be less than 150 or infinity, got {p:g}".replace("+", r"\+")):
            ask()
    assert wt.transport.Line(p).metric(of_any_total(masses), wt.spaces.Euclidean(points)).matrix[0, 1] == 0.5


@pytest.mark.parametrize("seed", range(6))
def test_large_orders_and_extreme_units_give_the_rational_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masses = rng.integers(1, 4, (2, 5)).astype(np.float64)
    upper = np.triu(rng.integers(0, 30, (5, 5)), 1) * 2.0 ** rng.integers(0, 30, (5, 5))
    distances = np.triu(upper, 1) + np.triu(upper, 1).T
    for p, exponent in ((2.0, -700), (60.0, 700), (100.0, -1000), (149.0, 900), (149.0, 0)):
        metric, expected = wt.spaces.Dense(np.ldexp(distances, exponent)), truth(masses[0], masses[1], distances, p)
        found = wt.wasserstein_pairs(of_any_total(masses), metric, p, n_jobs=1)
        assert np.ldexp(found[0], -exponent) == pytest.approx(expected, rel=1e-9)


@pytest.mark.repeated(6)
@pytest.mark.parametrize("p", [1.0, 2.0, 149.0, np.inf])
@pytest.mark.parametrize("exponents", [(1021, 1021), (1022, -1074), (-1074, -1070), (-1074, 0)])
def test_masses_of_any_size_are_summed_and_compared(exponents: tuple[int, int], p: float) -> None:
    """Sums of the largest numbers overflow, products of the smallest vanish: measures do not care."""
    rng = np.random.default_rng(0)
    points, counts = rng.normal(size=(4, 1)), np.array([[1.0, 0.0, 2.0, 3.0], [2.0, 3.0, 1.0, 1.0]])
    masses, metric = np.ldexp(counts, np.array(exponents)[:, None]), wt.spaces.Euclidean(points)
    expected = wt.wasserstein_pairs(of_any_total(counts), points, p, n_jobs=1)[0]
    assert wt.wasserstein_pairs(of_any_total(masses), points, p, n_jobs=1)[0] == pytest.approx(expected, rel=1e-12)
    halves = np.tile(np.arange(4), 4), np.tile(masses, 2).ravel()  # each point is listed twice
    twice = make_discrete(np.array([0, 8, 16]), *halves, np.zeros(2, np.intp), 4)
    assert wt.wasserstein_pairs(twice, points, p, n_jobs=1)[0] == pytest.approx(expected, rel=1e-12)
    assert couple(masses, metric, p).value == pytest.approx(expected, rel=1e-12)
    assert couple(masses, metric, p).plan.sum() == pytest.approx(1.0, rel=1e-12)
    with np.errstate(over="ignore"):
        totals = masses.sum(axis=1)
    kept = masses > 0
    rows = wt.measures.Discrete(np.array([0, 3, 7]), np.nonzero(kept)[1], masses[kept], totals, np.zeros(2, bool), 4)
    assert wt.Exact(p).metric(rows, metric, wt.Engine(1)).matrix[0, 1] == pytest.approx(expected, rel=1e-12)
