"""Transport on a line against rational arithmetic, brute force, Exact and SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.transport import exact_cost
from scipy.sparse import csr_array
from scipy.stats import wasserstein_distance

import wasserstein_transform as wt
from wasserstein_transform.compute.exact.line_jit import Pieces, Sorted, add_up, fill_line_block, fill_line_square
from wasserstein_transform.measures import make_discrete
from wasserstein_transform.transport import Line

Floats = NDArray[np.float64]

ORDERS = (1.0, 1.5, 2.0, 3.0)
ALL_ORDERS = (*ORDERS, np.inf)
ACCURACY = 1e-12  # of the largest cost of a problem


@dataclass(frozen=True)
class Problems:
    """Measures on points of the line: row i of `masses` is measure i, and every pair of rows a problem."""

    points: Floats
    masses: Floats

    @property
    def n(self) -> int:
        return len(self.masses)

    @cached_property
    def measures(self) -> wt.measures.Discrete:
        rows = csr_array(self.masses)
        return make_discrete(rows.indptr, rows.indices, rows.data, np.zeros(self.n, np.intp), len(self.points))

    @cached_property
    def ground(self) -> wt.spaces.Euclidean:
        return wt.spaces.Euclidean(self.points[:, None])

    @property
    def pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.n), 2)

    def side(self, i: int) -> tuple[Floats, Floats]:
        """Points and masses of measure i."""
        at = np.flatnonzero(self.masses[i])
        return self.points[at], self.masses[i, at]

    def distances(self, i: int, j: int) -> Floats:
        return np.asarray(np.abs(self.side(i)[0][:, None] - self.side(j)[0]))

    def top(self, i: int, j: int) -> float:
        """The largest distance of a pair, or 1 where all are 0."""
        return float(self.distances(i, j).max()) or 1.0


def supports(rng: np.random.Generator, n: int, size: int, largest: int) -> NDArray[np.bool_]:
    """Which points each of n measures sits on: 1 to `largest` of `size`."""
    ranks = rng.random((n, size)).argsort(axis=1).argsort(axis=1)
    return np.asarray(ranks < rng.integers(1, largest + 1, (n, 1)))


def random(rng: np.random.Generator) -> Problems:
    return Problems(rng.normal(size=30), supports(rng, 12, 30, 10) * rng.exponential(size=(12, 30)))


def equal_masses(rng: np.random.Generator) -> Problems:
    return Problems(rng.normal(size=30), supports(rng, 12, 30, 10) * 1.0)


def integer_ties(rng: np.random.Generator) -> Problems:
    """Several points at one coordinate, and few different masses."""
    return Problems(rng.integers(0, 9, 30) * 1.0, supports(rng, 12, 30, 10) * rng.integers(1, 4, (12, 30)) * 1.0)


def broken_ties(rng: np.random.Generator) -> Problems:
    """Masses in tenths, which are no doubles: sums that should tie differ by a rounding error."""
    return Problems(rng.integers(0, 20, 30) * 1.0, supports(rng, 12, 30, 10) * rng.integers(1, 4, (12, 30)) / 10)


def tiny_masses(rng: np.random.Generator) -> Problems:
    return Problems(rng.normal(size=30), supports(rng, 12, 30, 10) * 10.0 ** rng.uniform(-12, 0, (12, 30)))


def unequal_totals(rng: np.random.Generator) -> Problems:
    totals = 10.0 ** rng.uniform(-12, 12, (12, 1))
    return Problems(rng.normal(size=30), supports(rng, 12, 30, 10) * totals * rng.exponential(size=(12, 30)))


def far_apart(rng: np.random.Generator) -> Problems:
    """Points of twelve orders of magnitude, on both sides of 0."""
    points = 10.0 ** rng.uniform(-6, 6, 30) * rng.choice([-1.0, 1.0], 30)
    return Problems(points, supports(rng, 12, 30, 10) * rng.exponential(size=(12, 30)))


def singles(rng: np.random.Generator) -> Problems:
    return Problems(rng.normal(size=20), supports(rng, 12, 20, 2) * rng.exponential(size=(12, 20)))


FAMILIES = (random, equal_masses, integer_ties, broken_ties, tiny_masses, unequal_totals, far_apart, singles)


def seeded(family: Callable[[np.random.Generator], Problems]) -> Problems:
    return family(np.random.default_rng(3010 + FAMILIES.index(family)))


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda family: family.__name__)
def problems(request: pytest.FixtureRequest) -> Problems:
    return seeded(request.param)


def of_families(orders: Sequence[float]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("problems", "p"),
        [
            pytest.param(family, p, marks=() if i % len(orders) == j else pytest.mark.slow)
            for i, family in enumerate(FAMILIES)
            for j, p in enumerate(orders)
        ],
        indirect=["problems"],
        ids=lambda value: getattr(value, "__name__", value),
    )


finite_orders = pytest.mark.parametrize("p", ORDERS)
all_orders = pytest.mark.parametrize("p", ALL_ORDERS)
families_in_finite_orders = of_families(ORDERS)
families_in_all_orders = of_families(ALL_ORDERS)


def solve_all(problems: Problems, p: float, engine: wt.Engine | None = None) -> Floats:
    return Line(p).metric(problems.measures, problems.ground, engine).matrix


def shares(masses: Floats) -> list[Fraction]:
    exact = [Fraction(mass) for mass in masses.tolist()]
    return [mass / sum(exact) for mass in exact]


Moves = list[tuple[Fraction, float]]


def moves_in_order(x: Floats, a: list[Fraction], y: Floats, b: list[Fraction]) -> Moves:
    """Masses and displacements of the plan that keeps the order, without any rounding of masses."""
    left = [[mass, place] for place, mass in sorted(zip(x.tolist(), a, strict=True))]
    right = [[mass, place] for place, mass in sorted(zip(y.tolist(), b, strict=True))]
    moves = []
    while left and right:
        mass = min(left[0][0], right[0][0])
        moves.append((mass, abs(left[0][1] - right[0][1])))
        for side in (left, right):
            side[0][0] -= mass
            if side[0][0] == 0:
                side.pop(0)
    assert not left
    assert not right
    return moves


@families_in_finite_orders
def test_all_pairs_agree_with_rational_arithmetic(problems: Problems, p: float) -> None:
    found = solve_all(problems, p)
    for i, j in problems.pairs:
        top = problems.top(i, j)
        exact = exact_cost(problems.side(i)[1], problems.side(j)[1], (problems.distances(i, j) / top) ** p)
        assert abs((found[i, j] / top) ** p - float(exact)) <= 1e-14, (i, j)


def test_order_one_agrees_with_scipy(problems: Problems) -> None:
    found = solve_all(problems, 1.0)
    for i, j in problems.pairs:
        (x, a), (y, b) = problems.side(i), problems.side(j)
        assert abs(found[i, j] - wasserstein_distance(x, y, a, b)) <= ACCURACY * problems.top(i, j), (i, j)


@pytest.mark.parametrize("family", [random, equal_masses, integer_ties, tiny_masses, unequal_totals, singles])
def test_infinite_order_is_the_largest_displacement_of_the_plan_that_keeps_the_order(
    family: Callable[[np.random.Generator], Problems],
) -> None:
    problems = seeded(family)
    found = solve_all(problems, np.inf)
    for i, j in problems.pairs:
        (x, a), (y, b) = problems.side(i), problems.side(j)
        assert found[i, j] == max(d for _, d in moves_in_order(x, shares(a), y, shares(b))), (i, j)


def test_ties_that_rounding_broke_move_nothing_far() -> None:
    problems = seeded(broken_ties)
    found = solve_all(problems, np.inf)
    steep = solve_all(problems, 30.0)
    for i, j in problems.pairs:
        (x, a), (y, b) = problems.side(i), problems.side(j)
        tenths = [[Fraction(round(10 * m)) for m in side] for side in (a, b)]
        moves = moves_in_order(x, [m / sum(tenths[0]) for m in tenths[0]], y, [m / sum(tenths[1]) for m in tenths[1]])
        assert found[i, j] == max(d for _, d in moves), (i, j)
        mean = float(sum(mass * Fraction(d) ** 30 for mass, d in moves))
        np.testing.assert_allclose(steep[i, j], mean ** (1 / 30), rtol=1e-12)


@pytest.mark.repeated(8)
@all_orders
def test_a_thousand_ties_broken_by_rounding_stay_ties(p: float) -> None:
    """Measure 1 is measure 0, one step to the right, with each mass of 0.3 in two pieces, 0.1 and 0.2."""
    rng = np.random.default_rng(1)
    points = np.arange(1001.0)
    whole = 0.3 * rng.integers(1, 9, 1000)
    first, second = np.append(whole, 0.0), np.append(0.0, whole)
    split = Problems(
        np.concatenate([points, points]),
        np.stack([np.append(first, np.zeros(1001)), np.append(second * 0.1 / 0.3, second * 0.2 / 0.3)]),
    )
    np.testing.assert_allclose(solve_all(split, p)[0, 1], 1.0, rtol=1e-14)


@families_in_all_orders
def test_matrix_is_symmetric_and_zero_on_the_diagonal(problems: Problems, p: float) -> None:
    found = Line(p).metric(problems.measures, problems.ground)
    assert np.isfinite(found.matrix).all()
    assert (found.matrix >= 0).all()
    np.testing.assert_array_equal(found.matrix, found.matrix.T)
    assert not found.matrix.diagonal().any()
    assert found.triangle
    assert found.gap == 0.0


@families_in_all_orders
def test_swapping_the_two_sides_changes_no_bit(problems: Problems, p: float) -> None:
    both = Line(p).cross(problems.measures, problems.measures, problems.ground)
    np.testing.assert_array_equal(both, both.T)
    np.testing.assert_array_equal(both, solve_all(problems, p))


@families_in_all_orders
def test_the_rectangle_has_the_bits_of_the_matrix(problems: Problems, p: float) -> None:
    new = problems.measures.take(np.array([7, 2, 2]))
    found = Line(p).cross(new, problems.measures, problems.ground, wt.Engine(2))
    np.testing.assert_array_equal(found, solve_all(problems, p)[[7, 2, 2]])


@pytest.mark.repeated(8)
@all_orders
@pytest.mark.parametrize("factor", [1.0, 3.0, 0.1])
def test_measures_that_differ_by_a_factor_are_one(problems: Problems, p: float, factor: float) -> None:
    both = replace(problems, masses=np.vstack([problems.masses, factor * problems.masses]))
    found = solve_all(both, p)
    assert not found[: problems.n, problems.n :].diagonal().any()


@pytest.mark.repeated(8)
@all_orders
def test_mass_split_among_points_of_one_place_is_one_mass(p: float) -> None:
    problems = Problems(
        np.array([5.0, 0, 1, 1, 0, 5]), np.array([[0.3, 0.3, 0.3, 0, 0, 0], [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]])
    )
    assert solve_all(problems, p)[0, 1] == 0.0


@pytest.mark.repeated(8)
@all_orders
def test_order_of_the_points_changes_no_bit(p: float) -> None:
    problems = seeded(random)
    order = np.random.default_rng(2).permutation(len(problems.points))
    mixed = Problems(problems.points[order], problems.masses[:, order])
    np.testing.assert_array_equal(solve_all(mixed, p), solve_all(problems, p))


@pytest.mark.repeated(8)
@all_orders
@pytest.mark.parametrize("shift", [0.75, -1e6])
def test_distance_of_a_translate_is_the_shift(problems: Problems, p: float, shift: float) -> None:
    points = np.concatenate([problems.points, problems.points + shift])
    masses, nothing = problems.masses, np.zeros_like(problems.masses)
    found = solve_all(Problems(points, np.block([[masses, nothing], [nothing, masses]])), p)
    step = found[: problems.n, problems.n :].diagonal()
    np.testing.assert_allclose(step, abs(shift), rtol=1e-14, atol=1e-15 * np.abs(points).max())


@pytest.mark.repeated(8)
@all_orders
@pytest.mark.parametrize("factor", [1e-140, 1e140])
def test_distances_scale_with_the_points_however_small_or_large_they_are(p: float, factor: float) -> None:
    problems = seeded(random)
    scaled = replace(problems, points=factor * problems.points)
    np.testing.assert_allclose(solve_all(scaled, p) / factor, solve_all(problems, p), rtol=1e-13)


@pytest.mark.parametrize("mass", [1e-12, 1e-14])
def test_a_small_mass_far_out_counts(mass: float) -> None:
    problems = Problems(np.array([-8.0, 0.0, 1.0, 9.0]), np.array([[0, 1, 1, 0], [mass, 1, 1, 0], [0, 1, 1, mass]]))
    np.testing.assert_array_equal(solve_all(problems, np.inf)[0], [0, 8, 8])
    np.testing.assert_allclose(solve_all(problems, 1.0)[0, 1:], [4.25 * mass, 4.25 * mass], rtol=0.1)


@pytest.mark.repeated(8)
@all_orders
@pytest.mark.parametrize("mass", [1e-16, 1e-100])
def test_a_mass_counts_on_either_end_however_small_it_is(p: float, mass: float) -> None:
    problems = Problems(np.array([-8.0, 0.0, 9.0]), np.array([[0, 1, 0], [mass, 1, 0], [0, 1, mass]]))
    expected = np.array([8.0, 9.0]) * (1.0 if p == np.inf else mass ** (1 / p))
    np.testing.assert_allclose(solve_all(problems, p)[0, 1:], expected, rtol=1e-14)


@pytest.mark.repeated(8)
@all_orders
def test_faint_masses_count_together(p: float) -> None:
    """A hundred masses, each within rounding, at distance 3 and more from all others."""
    points = np.append(0.0, np.linspace(3.0, 4.0, 100))
    masses = np.array([np.append(1.0, np.zeros(100)), np.append(1.0, np.full(100, 1e-15))])
    found = solve_all(Problems(points, masses), p)[0, 1]
    moved = 1.0 if p == np.inf else 1e-13 ** (1 / p)
    assert 2.8 * moved <= found <= 4.0 * moved


@pytest.mark.repeated(8)
@all_orders
def test_diracs_keep_the_distances_of_their_points(p: float) -> None:
    points = np.random.default_rng(3).normal(size=20)
    masses = np.diag(np.random.default_rng(4).exponential(size=20))
    np.testing.assert_allclose(solve_all(Problems(points, masses), p), np.abs(points[:, None] - points), rtol=1e-15)


@pytest.mark.repeated(8)
@all_orders
def test_a_single_measure_and_a_single_point(p: float) -> None:
    assert solve_all(Problems(np.zeros(1), np.ones((1, 1))), p).tolist() == [[0.0]]
    assert solve_all(Problems(np.zeros(3), np.array([[1.0, 2, 3], [4, 0, 0]])), p).tolist() == [[0, 0], [0, 0]]


SOME_PAIRS = [(0, 1), (3, 2), (7, 11), (10, 4), (5, 6), (9, 8), (2, 2)]


@families_in_all_orders
def test_plan_keeps_the_order_and_has_the_masses_of_both_measures(problems: Problems, p: float) -> None:
    for i, j in SOME_PAIRS:
        found = Line(p).coupling(problems.measures, problems.ground, i, j)
        np.testing.assert_array_equal(found.sources, np.flatnonzero(problems.masses[i]))
        np.testing.assert_array_equal(found.targets, np.flatnonzero(problems.masses[j]))
        (x, a), (y, b) = problems.side(i), problems.side(j)
        assert (found.plan >= 0).all()
        np.testing.assert_allclose(found.plan.sum(axis=1), a / a.sum(), rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.plan.sum(axis=0), b / b.sum(), rtol=0, atol=1e-14)
        from_x, to_y = (places[at] for places, at in zip((x, y), np.nonzero(found.plan), strict=True))
        assert not ((from_x[:, None] < from_x) & (to_y[:, None] > to_y)).any()


@families_in_all_orders
def test_coupling_has_the_value_of_the_metric(problems: Problems, p: float) -> None:
    matrix = solve_all(problems, p)
    for i, j in SOME_PAIRS:
        found = Line(p).coupling(problems.measures, problems.ground, i, j)
        assert found.value == matrix[i, j]
        assert found.status is wt.transport.Status.OPTIMAL
        assert abs(found.gap) <= ACCURACY


@families_in_finite_orders
def test_potentials_are_feasible_and_worth_the_cost(problems: Problems, p: float) -> None:
    for i, j in SOME_PAIRS:
        found, top = Line(p).coupling(problems.measures, problems.ground, i, j), problems.top(i, j)
        assert found.potentials is not None
        u, v = (side / top**p for side in found.potentials)
        costs = (problems.distances(i, j) / top) ** p
        (_, a), (_, b) = problems.side(i), problems.side(j)
        value = (found.value / top) ** p
        assert (u[:, None] + v - costs).max() <= 1e-14
        assert abs(u @ a / a.sum() + v @ b / b.sum() - value) <= ACCURACY
        assert abs((found.plan * costs).sum() - value) <= ACCURACY


def test_plan_of_infinite_order_moves_nothing_farther_than_the_distance(problems: Problems) -> None:
    for i, j in problems.pairs:
        found = Line(np.inf).coupling(problems.measures, problems.ground, i, j)
        assert found.potentials is None
        assert problems.distances(i, j)[found.plan > 0].max() == found.value


def test_potentials_beyond_all_numbers_are_left_out() -> None:
    problems = Problems(np.array([0.0, 1e140]), np.eye(2))
    found = Line(3.0).coupling(problems.measures, problems.ground, 0, 1)
    assert found.value == 1e140
    assert found.potentials is None


@pytest.mark.repeated(8)
@finite_orders
def test_a_transform_on_a_line_is_that_of_exact_transport(p: float) -> None:
    points = np.random.default_rng(6).normal(size=(40, 1))
    space = wt.Space.from_points(points, weights=np.random.default_rng(7).integers(1, 5, 40))
    found, other = (wt.Transform(wt.Truncation(0.5), transport)(space).metric for transport in (Line(p), wt.Exact(p)))
    np.testing.assert_allclose(found.dense(), other.dense(), rtol=1e-9, atol=ACCURACY ** (1 / p))


def test_totals_are_exact_to_the_last_digit() -> None:
    masses = 10.0 ** np.random.default_rng(8).uniform(-12, 0, 2000)
    totals = np.zeros((1, 2))
    add_up(np.array([0, 2000]), masses, totals)
    exact = sum(Fraction(mass) for mass in masses.tolist())
    assert totals[0, 0] == float(exact)
    assert abs(sum(map(Fraction, totals[0].tolist())) - exact) <= exact * Fraction(2) ** -100


def test_a_raised_flag_interrupts_every_kernel() -> None:
    measures = Sorted(np.array([0, 1, 2]), np.array([0.0, 1.0]), np.ones(2), np.array([[1.0, 0.0], [1.0, 0.0]]))
    pieces = Pieces(np.zeros(2, np.intp), np.zeros(2, np.intp), np.zeros(2))
    out, stop = np.full((2, 2), -1.0), np.ones(1, np.uint8)
    fill_line_block(measures, measures, 1.0, 0, 2, out, pieces, stop)
    assert (out == -1.0).all()
    fill_line_square(measures, 1.0, 0, 2, out, out, pieces, stop)
    assert (out[~np.eye(2, dtype=bool)] == -1.0).all()


@pytest.mark.parametrize("p", [0.5, -np.inf, np.nan, "1", True, None])
def test_an_order_that_is_no_number_of_at_least_one_is_refused(p: object) -> None:
    with pytest.raises(ValueError, match="p must"):
        Line(p)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ground", "error", "said"),
    [
        (wt.spaces.Euclidean(np.zeros((30, 2))), ValueError, "30, 2"),
        (wt.spaces.Dense(np.zeros((30, 30))), TypeError, "got Dense"),
    ],
)
def test_other_spaces_are_refused(ground: wt.spaces.Metric, error: type[Exception], said: str) -> None:
    measures = seeded(random).measures
    for ask in (
        lambda: Line().metric(measures, ground),
        lambda: Line().cross(measures, measures, ground),
        lambda: Line().coupling(measures, ground, 0, 1),
    ):
        with pytest.raises(error, match=said):
            ask()


def test_measures_of_another_kind_are_refused() -> None:
    gaussians = wt.measures.Gaussians(np.zeros((2, 1)), np.ones((2, 1, 1)), 1.0, np.zeros(2, bool))
    with pytest.raises(TypeError, match="Line compares Discrete"):
        Line().metric(gaussians, wt.spaces.Euclidean(np.zeros((2, 1))))


def test_a_pair_that_is_not_there_is_refused() -> None:
    problems = seeded(random)
    with pytest.raises(IndexError, match="0 and 12"):
        Line().coupling(problems.measures, problems.ground, 0, 12)


def test_distances_that_do_not_fit_into_memory_are_refused() -> None:
    problems = seeded(random)
    with pytest.raises(MemoryError, match="distances of 12 measures on a line needs"):
        solve_all(problems, 1.0, wt.Engine(memory=1000))
    with pytest.raises(MemoryError, match="distances of 12 to 12 measures on a line needs"):
        Line().cross(problems.measures, problems.measures, problems.ground, wt.Engine(memory=1000))
