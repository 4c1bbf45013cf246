"""Exact transport against rational arithmetic, POT, HiGHS and the assignment problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from reference.transport import exact_cost
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

import wasserstein_transform as wt
from wasserstein_transform.compute.exact.problems_jit import (
    CostRule,
    CostTables,
    WorkspaceSizes,
    begin_measure,
    cost_tables,
    load_problem,
)
from wasserstein_transform.compute.exact.simplex_jit import INTERRUPTED, OPTIMAL, solve
from wasserstein_transform.compute.exact.simplex_tree_jit import SimplexWorkspace, simplex_workspace
from wasserstein_transform.compute.exact.transport_jit import PlanArrays, solve_carefully, solve_row, transport
from wasserstein_transform.compute.metrics.geometry_jit import Table
from wasserstein_transform.measures import make_discrete

Floats = NDArray[np.float64]

ORDERS = (1.0, 1.5, 2.0, 3.0)
ACCURACY = 1e-12  # of the largest cost of a problem


class Pair(NamedTuple):
    """One problem: masses that need not total 1, and the distances between their points."""

    a: Floats
    b: Floats
    distances: Floats

    @property
    def top(self) -> float:
        """The largest distance, or 1 where all are 0."""
        return float(self.distances.max()) or 1.0

    @property
    def shares(self) -> tuple[Floats, Floats]:
        return self.a / self.a.sum(), self.b / self.b.sum()

    def costs(self, p: float) -> Floats:
        """d^p, as shares of the largest."""
        return np.asarray((self.distances / self.top) ** p)


@dataclass(frozen=True)
class Problems:
    """Measures on the points of one ground: row i of `masses` is measure i, and every pair of rows a problem."""

    distances: Floats
    masses: Floats

    @property
    def n(self) -> int:
        return len(self.masses)

    @cached_property
    def measures(self) -> wt.measures.Discrete:
        rows = csr_array(self.masses)
        return make_discrete(rows.indptr, rows.indices, rows.data, np.zeros(self.n, np.intp), len(self.distances))

    @cached_property
    def ground(self) -> wt.spaces.Metric:
        return wt.Space.from_distances(self.distances).metric

    @cached_property
    def pairs(self) -> dict[tuple[int, int], Pair]:
        return {(i, j): self.pair(i, j) for i in range(self.n) for j in range(i + 1, self.n)}

    def pair(self, i: int, j: int) -> Pair:
        a, b = np.flatnonzero(self.masses[i]), np.flatnonzero(self.masses[j])
        return Pair(self.masses[i, a], self.masses[j, b], self.distances[np.ix_(a, b)])


def supports(rng: np.random.Generator, n: int, size: int, largest: int) -> NDArray[np.bool_]:
    """Which points each of n measures sits on: 1 to `largest` of `size`."""
    ranks = rng.random((n, size)).argsort(axis=1).argsort(axis=1)
    return np.asarray(ranks < rng.integers(1, largest + 1, (n, 1)))


def symmetric(size: int, draw: Callable[[int], Floats]) -> Floats:
    return np.asarray(squareform(draw(size * (size - 1) // 2)))


def euclidean(rng: np.random.Generator, size: int, scale: float = 1.0) -> Floats:
    return np.asarray(squareform(pdist(scale * rng.normal(size=(size, 2)))))


def random(rng: np.random.Generator) -> Problems:
    return Problems(euclidean(rng, 40), supports(rng, 20, 40, 12) * rng.exponential(size=(20, 40)))


def equal_masses(rng: np.random.Generator) -> Problems:
    """Assignment problems and their multiples: every basis is degenerate."""
    return Problems(euclidean(rng, 40), supports(rng, 20, 40, 12) * 1.0)


def integer_ties(rng: np.random.Generator) -> Problems:
    """Few different costs, 0 among them off the diagonal, and few different masses."""
    distances = symmetric(30, lambda k: rng.integers(0, 4, k) * 1.0)
    return Problems(distances, supports(rng, 20, 30, 12) * rng.integers(1, 4, (20, 30)) * 1.0)


def integer_squares(rng: np.random.Generator) -> Problems:
    """Distances k²: their powers 1, 3/2, 2 and 3 are all whole numbers."""
    distances = symmetric(30, lambda k: rng.integers(1, 30, k) ** 2.0)
    return Problems(distances, supports(rng, 20, 30, 12) * rng.integers(1, 1000, (20, 30)) * 1.0)


def on_a_line(rng: np.random.Generator) -> Problems:
    """Whole numbers as points: for p = 1 there are many optimal plans."""
    points = np.arange(25.0)
    return Problems(np.abs(points[:, None] - points), supports(rng, 20, 25, 12) * rng.integers(1, 5, (20, 25)) * 1.0)


def one_cost(rng: np.random.Generator) -> Problems:
    """All costs equal but the zeros of the diagonal: total variation."""
    return Problems(1.0 - np.eye(16), supports(rng, 20, 16, 10) * rng.integers(1, 6, (20, 16)) * 1.0)


def broken_ties(rng: np.random.Generator) -> Problems:
    """Masses in tenths, which are no doubles, on a grid: sums that should tie differ by a rounding error."""
    points = rng.integers(0, 8, (30, 2))
    distances = np.abs(points[:, None] - points).sum(axis=2) * 1.0
    return Problems(distances, supports(rng, 20, 30, 12) * rng.integers(1, 4, (20, 30)) / 10)


def tiny_masses(rng: np.random.Generator) -> Problems:
    return Problems(euclidean(rng, 40), supports(rng, 20, 40, 12) * 10.0 ** rng.uniform(-12, 0, (20, 40)))


def tiny_distances(rng: np.random.Generator) -> Problems:
    return Problems(euclidean(rng, 40, 1e-12), supports(rng, 20, 40, 12) * rng.exponential(size=(20, 40)))


def huge_distances(rng: np.random.Generator) -> Problems:
    return Problems(euclidean(rng, 40, 1e12), supports(rng, 20, 40, 12) * rng.exponential(size=(20, 40)))


def mixed_distances(rng: np.random.Generator) -> Problems:
    """CostTables of twelve orders of magnitude in one problem, and no triangle inequality."""
    distances = symmetric(40, lambda k: 10.0 ** rng.uniform(-12, 0, k))
    return Problems(distances, supports(rng, 20, 40, 12) * rng.exponential(size=(20, 40)))


def overlapping(rng: np.random.Generator) -> Problems:
    """Nearly one support for all, with unequal masses: most mass may stay where it is."""
    return Problems(euclidean(rng, 12), (rng.random((20, 12)) < 0.9) * rng.integers(1, 20, (20, 12)) * 1.0)


def unequal_totals(rng: np.random.Generator) -> Problems:
    """Measures of total masses from 1e-12 to 1e12: only their shares matter."""
    totals = 10.0 ** rng.uniform(-12, 12, (20, 1))
    return Problems(euclidean(rng, 40), supports(rng, 20, 40, 12) * totals * rng.exponential(size=(20, 40)))


def singles(rng: np.random.Generator) -> Problems:
    """Diracs, and measures on two points: problems 1 × 1, 1 × 2, 2 × 2."""
    return Problems(euclidean(rng, 20), supports(rng, 20, 20, 2) * rng.exponential(size=(20, 20)))


FAMILIES = (
    random,
    equal_masses,
    integer_ties,
    integer_squares,
    on_a_line,
    one_cost,
    broken_ties,
    tiny_masses,
    tiny_distances,
    huge_distances,
    mixed_distances,
    overlapping,
    unequal_totals,
    singles,
)


@dataclass(frozen=True)
class Solved:
    """Problems with the distances the library found; `cost` is W_p^p as a share of the largest cost of the pair."""

    problems: Problems
    p: float
    result: wt.spaces.Dense

    def cost(self, i: int, j: int) -> float:
        return float((self.result.matrix[i, j] / self.problems.pairs[i, j].top) ** self.p)


def assert_same_costs(one: Solved, other: Solved) -> None:
    for pair in one.problems.pairs:
        assert abs(one.cost(*pair) - other.cost(*pair)) <= ACCURACY, pair


def solve_all(problems: Problems, p: float, n_jobs: int = -1) -> wt.spaces.Dense:
    return wt.Exact(p).metric(problems.measures, problems.ground, wt.Engine(n_jobs))


def seeded(family: Callable[[np.random.Generator], Problems]) -> Problems:
    return family(np.random.default_rng(20240 + FAMILIES.index(family)))


FAMILIES_AND_ORDERS = [
    pytest.param((family, p), marks=() if i % len(ORDERS) == j else pytest.mark.slow)
    for i, family in enumerate(FAMILIES)
    for j, p in enumerate(ORDERS)
]


@pytest.fixture(scope="module", params=FAMILIES_AND_ORDERS, ids=lambda case: f"{case[0].__name__}-p={case[1]:g}")
def solved(request: pytest.FixtureRequest) -> Solved:
    family, p = request.param
    problems = seeded(family)
    return Solved(problems, p, solve_all(problems, p))


EVERY = pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 4], ids="every {}".format)


@EVERY
def test_all_pairs_agree_with_rational_arithmetic(solved: Solved, every: int) -> None:
    for (i, j), pair in list(solved.problems.pairs.items())[::every]:
        exact = exact_cost(pair.a, pair.b, pair.costs(solved.p))
        assert abs(solved.cost(i, j) - float(exact)) <= ACCURACY, (i, j)


def test_all_pairs_agree_with_pot(solved: Solved) -> None:
    for (i, j), pair in solved.problems.pairs.items():
        other = ot.emd2(*pair.shares, pair.costs(solved.p))
        assert abs(solved.cost(i, j) - other) <= max(1e-9 * other, ACCURACY), (i, j)


def test_every_pair_is_certified(solved: Solved) -> None:
    assert 0.0 <= solved.result.gap <= ACCURACY


def test_distances_are_finite_symmetric_and_zero_on_the_diagonal(solved: Solved) -> None:
    matrix = solved.result.matrix
    assert np.isfinite(matrix).all()
    assert (matrix >= 0).all()
    assert (matrix == matrix.T).all()
    assert not matrix.diagonal().any()


def test_swapping_the_two_sides_changes_nothing(solved: Solved) -> None:
    measures, ground = solved.problems.measures, solved.problems.ground
    both = wt.Exact(solved.p).cross(measures, measures, ground)
    assert_same_costs(solved, replace(solved, result=wt.spaces.Dense(both)))
    assert_same_costs(solved, replace(solved, result=wt.spaces.Dense(both.T)))


class Posed(NamedTuple):
    """A problem in a workspace: `solve` is asked for it directly."""

    sizes: tuple[int, int]
    unit: float  # of its total mass and largest cost
    top: float
    cost: np.ndarray
    work: SimplexWorkspace

    def solve(self, safe: bool) -> tuple[float, float, int]:
        value, gap, status, _ = solve(*self.sizes, self.top, self.top, safe, self.cost, self.work)
        return value / self.unit, gap / self.unit, status


def room_for(problems: Problems) -> CostTables:
    size = len(problems.distances)
    scratch = cost_tables(WorkspaceSizes(size, size, size, size, False, size))
    begin_measure(scratch)
    return scratch


def posed(problems: Problems, p: float, i: int, j: int, stop: bool = False) -> Posed:
    rows, scratch = problems.measures.rows, room_for(problems)
    work = simplex_workspace(len(problems.distances), np.array([stop], np.uint8))
    rule = CostRule(p, 1.0 / problems.distances.max(), False)
    top, _, shared = load_problem(rows, i, rows, j, Table(problems.distances), rule, scratch, work)
    sizes = int(np.diff(rows.indptr)[i]), int(np.diff(rows.indptr)[j])
    unit = rows.totals[i] * rows.totals[j] * (top or 1.0)
    return Posed(sizes, unit, top, scratch.shared if shared else scratch.single, work)


@pytest.mark.repeated(3)
@EVERY
def test_the_safe_path_gives_the_same_values(solved: Solved, every: int) -> None:
    for i, j in list(solved.problems.pairs)[::every]:
        problem = posed(solved.problems, solved.p, i, j)
        problem.work.potential[:] = np.nan  # a cold start: what the workspace held before must not matter
        value, gap, status = problem.solve(safe=True)
        assert status == OPTIMAL
        assert abs(gap) <= ACCURACY
        assert abs(value - solved.cost(i, j)) <= ACCURACY, (i, j)


@EVERY
def test_a_warm_start_from_any_potentials_gives_the_same_values(solved: Solved, every: int) -> None:
    rng = np.random.default_rng(5)
    for i, j in list(solved.problems.pairs)[::every]:
        problem = posed(solved.problems, solved.p, i, j)
        problem.work.potential[:] = rng.normal(size=len(problem.work.potential))
        value, gap, status = problem.solve(safe=False)
        assert status == OPTIMAL
        assert abs(gap) <= ACCURACY
        assert abs(value - solved.cost(i, j)) <= ACCURACY, (i, j)


SOME_PAIRS = [(0, 1), (3, 2), (7, 19), (18, 4), (5, 11), (12, 6), (9, 8), (13, 17), (16, 10), (14, 15)]
SomeCouplings = list[tuple[Pair, wt.transport.Coupling]]


@pytest.fixture(scope="module")
def couplings(solved: Solved) -> SomeCouplings:
    exact, problems = wt.Exact(solved.p), solved.problems
    return [(problems.pair(i, j), exact.coupling(problems.measures, problems.ground, i, j)) for i, j in SOME_PAIRS]


def test_plan_has_the_masses_of_both_measures(couplings: SomeCouplings) -> None:
    for pair, found in couplings:
        a, b = pair.shares
        assert (found.plan >= 0).all()
        np.testing.assert_allclose(found.plan.sum(axis=1), a, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.plan.sum(axis=0), b, rtol=0, atol=1e-14)


def test_plan_names_the_points_it_moves_mass_between(solved: Solved, couplings: SomeCouplings) -> None:
    for (i, j), (_, found) in zip(SOME_PAIRS, couplings, strict=True):
        np.testing.assert_array_equal(found.sources, np.flatnonzero(solved.problems.masses[i]))
        np.testing.assert_array_equal(found.targets, np.flatnonzero(solved.problems.masses[j]))


def test_cost_of_the_plan_is_the_distance(solved: Solved, couplings: SomeCouplings) -> None:
    for pair, found in couplings:
        cost = (found.plan * pair.costs(solved.p)).sum()
        assert abs(cost - (found.value / pair.top) ** solved.p) <= ACCURACY


def test_coupling_has_the_value_of_the_metric(solved: Solved, couplings: SomeCouplings) -> None:
    for (i, j), (pair, found) in zip(SOME_PAIRS, couplings, strict=True):
        cost = solved.cost(min(i, j), max(i, j))
        assert abs((found.value / pair.top) ** solved.p - cost) <= ACCURACY


def test_potentials_are_feasible_and_worth_the_cost(solved: Solved, couplings: SomeCouplings) -> None:
    for pair, found in couplings:
        assert found.potentials is not None
        u, v = (side / pair.top**solved.p for side in found.potentials)
        a, b = pair.shares
        assert (u[:, None] + v - pair.costs(solved.p)).max() <= 1e-14
        assert abs(u @ a + v @ b - (found.value / pair.top) ** solved.p) <= ACCURACY


def test_coupling_is_certified(couplings: SomeCouplings) -> None:
    for _, found in couplings:
        assert found.status is wt.transport.Status.OPTIMAL
        assert abs(found.gap) <= ACCURACY


@pytest.mark.parametrize("p", ORDERS)
def test_coupling_of_equal_measures_has_distance_exactly_zero(p: float) -> None:
    rng = np.random.default_rng(9)
    points = rng.integers(0, 8, (100, 2))
    masses = supports(rng, 20, 100, 100) * rng.integers(1, 4, (20, 100)) / 10
    problems = Problems(np.abs(points[:, None] - points).sum(axis=2) * 1.0, np.vstack([masses, masses]))
    for i in range(20):
        for j in (i, i + 20):
            found = wt.Exact(p).coupling(problems.measures, problems.ground, i, j)
            assert found.value == 0.0
            np.testing.assert_allclose(found.plan.sum(axis=1), problems.pair(i, j).shares[0], rtol=0, atol=1e-14)
            np.testing.assert_allclose(found.plan.sum(axis=0), problems.pair(i, j).shares[1], rtol=0, atol=1e-14)


def test_equal_measures_have_distance_exactly_zero(solved: Solved) -> None:
    twice = Problems(solved.problems.distances, np.vstack([solved.problems.masses, solved.problems.masses]))
    matrix = solve_all(twice, solved.p).matrix
    n = solved.problems.n
    assert not matrix[:n, n:].diagonal().any()
    np.testing.assert_array_equal(matrix[:n, :n], matrix[n:, :n])


def test_result_does_not_depend_on_the_order_of_the_measures(solved: Solved) -> None:
    order = np.random.default_rng(8).permutation(solved.problems.n)
    mixed = solve_all(replace(solved.problems, masses=solved.problems.masses[order]), solved.p)
    assert_same_costs(solved, replace(solved, result=mixed.take(order.argsort())))


@pytest.mark.repeated(1)
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_thousands_of_whole_number_problems_agree_with_rational_arithmetic(p: float) -> None:
    rng = np.random.default_rng(17)
    distances = symmetric(24, lambda k: rng.integers(0, 9, k) * 1.0)
    problems = Problems(distances, supports(rng, 65, 24, 7) * rng.integers(1, 7, (65, 24)) * 1.0)
    solved = Solved(problems, p, solve_all(problems, p))
    for (i, j), pair in problems.pairs.items():
        exact = exact_cost(pair.a.astype(int), pair.b.astype(int), pair.distances.astype(int) ** int(p))
        largest = float(pair.distances.max() ** p)
        assert abs(float(solved.result.matrix[i, j]) ** p - float(exact)) <= ACCURACY * largest, (i, j)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_large_problems_with_ties_everywhere_agree_with_the_assignment_problem(p: float) -> None:
    """Unit masses on a grid of whole numbers: the optimum is a permutation, its cost a whole number."""
    rng = np.random.default_rng(3)
    points = rng.integers(0, 20, (500, 2))
    distances = np.abs(points[:, None] - points).sum(axis=2) * 1.0
    side = np.repeat([[True, False], [False, True]], 250, axis=1)
    found = solve_all(Problems(distances, side * 1.0), p)
    cost = distances[:250, 250:] ** p
    optimum = cost[linear_sum_assignment(cost)].sum() / 250
    assert abs(found.matrix[0, 1] ** p - optimum) <= ACCURACY * cost.max()
    assert found.gap <= ACCURACY


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
def test_deep_trees_agree_with_the_monotone_plan(p: float) -> None:
    """On a line the optimal plan keeps the order, and its tree is one path through all points."""
    rng = np.random.default_rng(4)
    points = np.sort(rng.random(600))
    masses = np.stack([np.tile([1.0, 0.0], 300), np.tile([0.0, 1.0], 300)]) * rng.integers(1, 10**6, (2, 600))
    problems = Problems(np.abs(points[:, None] - points), masses)
    found = solve_all(problems, p)
    pair = problems.pair(0, 1)
    optimum = ot.emd2_1d(points[::2], points[1::2], *pair.shares, metric="minkowski", p=p)
    assert abs(found.matrix[0, 1] ** p - optimum) <= ACCURACY * pair.distances.max() ** p
    assert found.gap <= ACCURACY


def test_the_safe_path_solves_a_large_problem() -> None:
    rng = np.random.default_rng(6)
    problems = Problems(euclidean(rng, 120), (rng.random((2, 120)) < 0.6) * rng.integers(1, 9, (2, 120)) * 1.0)
    solved = Solved(problems, 2.0, solve_all(problems, 2.0))
    value, gap, status = posed(problems, 2.0, 0, 1).solve(safe=True)
    assert status == OPTIMAL
    assert abs(gap) <= ACCURACY
    assert abs(value - solved.cost(0, 1)) <= ACCURACY


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300])
def test_only_the_shares_of_the_masses_matter_however_small_or_large_their_total(factor: float) -> None:
    problems = seeded(random)
    one = Solved(problems, 1.0, solve_all(problems, 1.0))
    scaled = replace(problems, masses=factor * problems.masses)
    assert_same_costs(one, replace(one, result=solve_all(scaled, 1.0)))


def test_points_of_hardly_any_weight_have_distances_too() -> None:
    points = [[0.0], [1.0], [100.0], [101.0], [102.0]]
    space = wt.Space.from_points(points, weights=[1, 1, 1e-200, 1e-200, 1e-200])
    found = wt.Transform(wt.Truncation(1.2), wt.Exact(1.0))(space).metric.dense()
    np.testing.assert_allclose(found[2:, 2:], [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]], atol=1e-12)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_distances_scale_with_the_ground_however_small_or_large_it_is(factor: float, p: float) -> None:
    problems = seeded(integer_squares)
    one = Solved(problems, p, solve_all(problems, p))
    scaled = solve_all(replace(problems, distances=factor * problems.distances), p).matrix
    assert_same_costs(one, replace(one, result=wt.spaces.Dense(scaled / factor)))


def test_distances_below_the_normal_numbers_give_distances_too() -> None:
    problems = seeded(integer_squares)
    problems = replace(problems, distances=1e-315 * problems.distances)
    found = solve_all(problems, 1.0).matrix
    for (i, j), pair in problems.pairs.items():
        exact = float(exact_cost(pair.a, pair.b, pair.distances))
        assert abs(found[i, j] - exact) <= 1e-323, (i, j)  # two steps of such numbers


@pytest.mark.slow
def test_a_raised_flag_interrupts_every_kernel() -> None:
    problems = seeded(random)
    rows, scratch, table = problems.measures.rows, room_for(problems), Table(problems.distances)
    work = simplex_workspace(len(problems.distances), np.ones(1, np.uint8))
    for safe in (False, True):
        assert posed(problems, 1.0, 0, 1, stop=True).solve(safe)[2] == INTERRUPTED
    rule = CostRule(1.0, 1.0, False)
    assert transport(rows, 0, rows, 1, table, rule, scratch, work)[2] == INTERRUPTED
    out, report = np.full(problems.n, -1.0), np.zeros(2)
    everything = np.arange(1, problems.n)
    plans = PlanArrays(np.empty((0, 2), np.intp), np.empty((0, 2)), everything)
    row = rows, 0, rows, everything, everything - 2, 0, table, rule, plans, scratch, work, out, report
    assert solve_row(*row, 0) == 0
    assert not solve_carefully(*row, 0)
    assert (out == -1.0).all()
    assert scratch.state[1] == 0  # no point was met, no distance computed


def test_a_lowered_flag_lets_an_interrupted_workspace_go_on() -> None:
    problems = seeded(random)
    rows, scratch = problems.measures.rows, room_for(problems)
    work = simplex_workspace(len(problems.distances), np.ones(1, np.uint8))
    problem = rows, 0, rows, 1, Table(problems.distances), CostRule(1.0, 1.0, False), scratch, work
    transport(*problem)
    work.stop[0] = 0
    value, gap, status, *_ = transport(*problem)
    assert status == OPTIMAL
    assert abs(gap) <= ACCURACY
    assert abs(value - solve_all(problems, 1.0).matrix[0, 1]) <= ACCURACY * problems.pairs[0, 1].top


def test_measures_of_another_kind_are_refused() -> None:
    gaussians = wt.measures.Gaussians(np.zeros((2, 1)), np.ones((2, 1, 1)), 1.0, np.zeros(2, bool))
    with pytest.raises(TypeError, match="Exact compares Discrete"):
        wt.Exact().metric(gaussians, wt.spaces.Dense(np.zeros((2, 2))))
