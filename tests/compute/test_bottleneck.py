"""W_∞ against rational arithmetic, matchings, maximal flows, closed forms and the limit of W_p."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.bottleneck import w_infinity
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching, maximum_flow
from scipy.spatial.distance import cdist

from wasserstein_transform.compute.exact.bottleneck_jit import (
    BottleneckWorkspace,
    bottleneck_workspace,
    certified,
    solve_bottleneck,
)
from wasserstein_transform.compute.exact.simplex_jit import INTERRUPTED, OPTIMAL, STALLED
from wasserstein_transform.compute.exact.simplex_tree_jit import SimplexWorkspace, simplex_workspace

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """One problem: masses that need not total 1, and the distances between their points."""

    a: Floats
    b: Floats
    distances: Floats


class Posed(NamedTuple):
    """A problem as the kernel sees it."""

    shape: tuple[int, int]
    a: Floats
    b: Floats
    cost: Floats
    work: SimplexWorkspace
    scratch: BottleneckWorkspace
    total: float

    def solve(self) -> tuple[float, int]:
        return solve_bottleneck(*self.shape, self.a, self.b, self.cost, self.work, self.scratch)

    def certifies(self, value: float) -> bool:
        return certified(*self.shape, value, self.cost, self.work, self.scratch)

    @property
    def distances(self) -> Floats:
        return self.cost.reshape(self.shape[::-1]).T

    @property
    def plan(self) -> Floats:
        """The plan as a matrix that writes through to the kernel's."""
        na, nb = self.shape
        return self.scratch.flow.amount[: na * nb].reshape(nb, na).T

    @property
    def violator(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        na, nb = self.shape
        marks = self.scratch.violator[: na + nb] != 0
        return marks[:na], marks[na:]


def posed(pair: Pair, cap: int = 0, stop: bool = False) -> Posed:
    """Masses cross-multiplied by the other total, as a batch poses them."""
    na, nb = pair.distances.shape
    work, scratch = (
        simplex_workspace(max(na, nb, cap), np.array([stop], np.uint8)),
        bottleneck_workspace(max(na, nb, cap)),
    )
    return pose_again(pair, work, scratch)


def pose_again(pair: Pair, work: SimplexWorkspace, scratch: BottleneckWorkspace) -> Posed:
    na, nb = pair.distances.shape
    work.supply[:na], work.demand[:nb] = pair.a * pair.b.sum(), pair.b * pair.a.sum()
    work.cost_start[:nb] = np.arange(nb) * na
    cost = np.ascontiguousarray(pair.distances.T, float).ravel()
    return Posed((na, nb), pair.a * 1.0, pair.b * 1.0, cost, work, scratch, float(pair.a.sum() * pair.b.sum()))


def solved(pair: Pair) -> float:
    """The value, certified."""
    problem = posed(pair)
    value, status = problem.solve()
    assert status == OPTIMAL
    assert problem.certifies(value)
    return value


def whole(rng: np.random.Generator, largest: int) -> Pair:
    """Few different masses and distances: ties everywhere."""
    na, nb = rng.integers(1, largest + 1, 2)
    return Pair(rng.integers(1, 6, na) * 1.0, rng.integers(1, 6, nb) * 1.0, rng.integers(0, 7, (na, nb)) * 1.0)


def planar(rng: np.random.Generator, largest: int) -> Pair:
    """Points in the plane, no ties."""
    na, nb = rng.integers(1, largest + 1, 2)
    return Pair(
        rng.exponential(size=na), rng.exponential(size=nb), cdist(rng.normal(size=(na, 2)), rng.normal(size=(nb, 2)))
    )


def faint(rng: np.random.Generator, largest: int) -> Pair:
    """Whole masses from 1 to 10¹¹ with one total below 10¹², so that a single one of them is real."""
    na, nb = rng.integers(1, largest, 2)
    a, b = (np.floor(10.0 ** rng.choice([0, 0.5, 6, 10.5, 11], n)) for n in (na, nb))
    if a.sum() < b.sum():
        a = np.append(a, b.sum() - a.sum())
    elif b.sum() < a.sum():
        b = np.append(b, a.sum() - b.sum())
    return Pair(a, b, rng.integers(0, 7, (len(a), len(b))) * 1.0)


def clusters(rng: np.random.Generator, largest: int) -> Pair:
    """Groups of points far apart, each with as much mass on both sides up to rounding."""
    n, groups = int(rng.integers(2, largest + 1)), 3
    label = np.append(np.arange(groups), rng.integers(0, groups, n))
    a = rng.random(len(label))
    b = np.array([a[label == g].sum() for g in range(groups)])
    split = np.concatenate([mass * rng.dirichlet(np.ones(3)) for mass in b])
    places = 100.0 * label + rng.random(len(label)), 100.0 * np.repeat(np.arange(groups), 3) + rng.random(3 * groups)
    return Pair(a, split, np.abs(places[0][:, None] - places[1]))


KINDS = {make.__name__: make for make in (whole, planar, faint, clusters)}


@pytest.mark.parametrize("kind", ["whole", "planar", "faint"])
def test_small_problems_agree_with_rational_arithmetic(kind: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        pair = KINDS[kind](rng, 7)
        assert solved(pair) == w_infinity(*pair), pair


def matched(distances: Floats) -> float:
    """The least threshold with a perfect matching."""

    def perfect(t: float) -> bool:
        match = maximum_bipartite_matching(csr_array(distances <= t), perm_type="column")
        return bool((match >= 0).all())

    return least(perfect, distances)


def carried(a: NDArray[np.int32], b: NDArray[np.int32], distances: Floats) -> float:
    """The least threshold with a flow of all mass, for whole masses of equal totals."""
    na, nb = distances.shape
    graph = np.zeros((na + nb + 2, na + nb + 2), np.int32)
    graph[-2, :na], graph[na : na + nb, -1] = a, b

    def complete(t: float) -> bool:
        graph[:na, na : na + nb] = (distances <= t) * a.sum()
        return bool(maximum_flow(csr_array(graph), na + nb, na + nb + 1).flow_value == a.sum())

    return least(complete, distances)


def least(holds: object, distances: Floats) -> float:
    """The least distance from which on a statement holds, by bisection."""
    assert callable(holds)
    values = np.unique(distances)
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(values[middle]) else (middle + 1, high)
    return float(values[low])


def ones(distances: Floats) -> Pair:
    return Pair(np.ones(len(distances)), np.ones(len(distances)), distances)


@pytest.mark.parametrize("kind", ["plane", "grid", "line", "table"])
def test_a_large_assignment_agrees_with_thresholded_matchings(kind: str) -> None:
    rng = np.random.default_rng(3)
    distances = {
        "plane": cdist(rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 0.5),
        "grid": cdist(rng.integers(0, 15, (300, 2)), rng.integers(0, 15, (300, 2)), "cityblock"),
        "line": cdist(rng.random((300, 1)), rng.random((300, 1)) ** 2),
        "table": rng.random((300, 300)),
    }[kind]
    assert solved(ones(distances)) == matched(distances)


@pytest.mark.parametrize("shape", [(150, 150), (40, 200), (200, 40)])
def test_large_unequal_masses_agree_with_thresholded_flows(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.multinomial(10**6, rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n).astype(np.int32) for n in shape)
    distances = cdist(rng.normal(size=(shape[0], 2)), rng.normal(size=(shape[1], 2)) + 0.5)
    assert solved(Pair(a * 1.0, b * 1.0, distances)) == carried(a, b, distances)


def on_a_line(x: Floats, a: Floats, y: Floats, b: Floats) -> float:
    """The largest distance of the monotone plan, for whole masses of equal totals and sorted points."""
    levels = np.union1d(np.cumsum(a), np.cumsum(b))
    return float(np.abs(x[np.searchsorted(np.cumsum(a), levels)] - y[np.searchsorted(np.cumsum(b), levels)]).max())


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_on_a_line_the_monotone_plan_is_best(n: int) -> None:
    """Masses that lean to opposite ends: all of them must move, and t rises in many steps."""
    rng = np.random.default_rng(5)
    x, y = np.sort(rng.random((2, n)), axis=1)
    a, b = np.arange(1.0, n + 1), np.arange(n, 0.0, -1)
    mixed, order = rng.permutation(n), rng.permutation(n)
    pair = Pair(a[mixed], b[order], np.abs(x[mixed, None] - y[order]))
    assert solved(pair) == on_a_line(x, a, y, b)


def test_a_translated_measure_is_as_far_as_the_translation() -> None:
    rng = np.random.default_rng(6)
    points, masses, order = rng.integers(0, 1000, (1000, 2)) * 1.0, rng.random(1000), rng.permutation(1000)
    moved = points + np.array([300.0, 400.0])
    assert solved(Pair(masses, masses[order], cdist(points, moved[order]))) == 500.0


def test_equal_measures_have_distance_zero() -> None:
    rng = np.random.default_rng(8)
    masses, points = rng.random(50), rng.normal(size=(50, 3))
    assert solved(Pair(masses, 3.0 * masses, cdist(points, points))) == 0.0


@pytest.mark.parametrize("n", [10, 100, 300])
@pytest.mark.parametrize("growth", [1.0, 1e100])
def test_a_chain_in_which_each_mass_pushes_the_next_one_on(n: int, growth: float) -> None:
    """Each sink has a source next to it but the first, and every threshold moves the lack to the next sink only."""
    steps = np.linspace(1.0, 2.0, n) if growth == 1.0 else np.geomspace(1.0, growth, n)
    distances = np.full((n + 1, n + 1), 1e200)
    distances[np.arange(n), np.arange(1, n + 1)] = 0.1
    distances[np.arange(1, n + 1), np.arange(1, n + 1)] = steps
    distances[0, 0] = 0.1
    distances[n, n] = 0.1
    assert solved(ones(distances)) == matched(distances) == steps[-2]


def around(distances: Floats, value: float) -> Floats:
    """Distances with only two thresholds to try, the value and the next smaller one."""
    return np.where(distances < value, 0.0, np.where(distances > value, 2.0 * value, value))


def overlapping_balls(seed: int) -> Pair:
    """Equal shares of the points in two balls, which have many in common."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(80, 2))
    distances = cdist(points, points)
    inside = distances[:2] <= rng.uniform(0.3, 1.5)
    a, b = (np.full(ball.sum(), 1.0 / ball.sum()) for ball in inside)
    return Pair(a, b, distances[np.ix_(*inside)])


@pytest.mark.parametrize("seed", [5170, 10384, 10586, 17696, 23171, 28150, 30552, 48970])
def test_equal_shares_that_are_rounded_are_certified(seed: int) -> None:
    """Shares 1/n are rounded, and what groups of them lack is about as much: close to the limit of the certificate."""
    pair = overlapping_balls(seed)
    found = solved(pair)
    assert found == w_infinity(pair.a, pair.b, around(pair.distances, found))


@pytest.mark.parametrize("n", [1, 100, 998])
def test_a_mass_of_1e_12_is_served(n: int) -> None:
    """Two faint sources share one faint sink; only the bulk, far away, has something for the second."""
    spread = np.full(n, 1.0 / n)
    a, b = np.concatenate([spread, [1e-12, 1e-12]]), np.concatenate([spread + 1e-12 / n, [1e-12]])
    x, y = np.append(np.zeros(n), [9.0, 10.0]), np.append(np.zeros(n), 10.0)
    assert solved(Pair(a, b, np.abs(x[:, None] - y))) == 9.0


@pytest.mark.parametrize("shape", [(2, 1), (1, 2), (20, 30)])
def test_faint_points_count_by_where_they_are_however_faint(shape: tuple[int, int]) -> None:
    """One point a side has nearly all mass: W_∞ is the Hausdorff distance, or what the bulk or faint groups need."""
    rng = np.random.default_rng(20)
    for _ in range(20):
        a, b = (np.append(1.0, np.full(n - 1, 1e-30)) for n in shape)
        distances = rng.random(shape)
        nearest = [distances.min(axis=axis).max() for axis in (0, 1)]
        found = solved(Pair(a, b, distances))
        assert found == w_infinity(a, b, around(distances, found))
        assert found >= max(distances[0, 0], *nearest)


def test_points_without_mass_do_not_count() -> None:
    rng = np.random.default_rng(21)
    for _ in range(50):
        a, b, distances = planar(rng, 20)
        wide = np.full((len(a) + 2, len(b) + 2), 1e3)
        wide[1:-1, 1:-1] = distances
        wide[0, :3] = wide[:3, 0] = 0.0
        assert solved(Pair(np.pad(a, 1), np.pad(b, 1), wide)) == solved(Pair(a, b, distances))


def test_rounding_does_not_send_mass_across_a_gap() -> None:
    assert 0.1 + 0.2 != 0.3
    near, far = 1.0, 100.0
    pair = Pair(np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.7]), np.array([[near, far], [near, far], [far, near]]))
    assert w_infinity(*pair) == far
    assert solved(pair) == near


def test_rounding_does_not_send_mass_between_clusters() -> None:
    rng = np.random.default_rng(9)
    for largest in (5, 20, 100, 300):
        for _ in range(30):
            assert solved(clusters(rng, largest)) <= 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_plan_is_feasible_and_no_longer_than_the_value(kind: str) -> None:
    rng = np.random.default_rng(10)
    for _ in range(100):
        pair = KINDS[kind](rng, 30)
        problem = posed(pair)
        value, _ = problem.solve()
        found = problem.plan / problem.total
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), pair.a / pair.a.sum(), rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.sum(axis=0), pair.b / pair.b.sum(), rtol=0, atol=1e-13)
        assert pair.distances[found > 0].max() == value


@pytest.mark.parametrize("kind", KINDS)
def test_violator_has_more_mass_than_all_that_is_nearer(kind: str) -> None:
    rng = np.random.default_rng(11)
    kinds = set()
    for _ in range(100):
        pair = KINDS[kind](rng, 30)
        problem = posed(pair)
        value, _ = problem.solve()
        sources, sinks = problem.violator
        assert sources.any() != sinks.any()
        kinds.add("many sinks" if sinks.sum() > 1 else "one sink" if sinks.any() else "one source")
        near = pair.distances < value
        a, b = exact_shares(pair.a), exact_shares(pair.b)
        others = near[sources].any(axis=0), near[:, sinks].any(axis=1)
        assert a[sources].sum() + b[sinks].sum() > b[others[0]].sum() + a[others[1]].sum()
    assert kinds == {"one source", "one sink", "many sinks"}  # no way to the value goes unseen


def exact_shares(masses: Floats) -> NDArray[np.object_]:
    exact = np.array([Fraction(mass) for mass in masses])
    return np.asarray(exact / exact.sum())


@pytest.mark.parametrize("kind", KINDS)
def test_both_directions_have_one_value(kind: str) -> None:
    rng = np.random.default_rng(12)
    for _ in range(100):
        a, b, distances = KINDS[kind](rng, 30)
        assert solved(Pair(a, b, distances)) == solved(Pair(b, a, distances.T))


@pytest.mark.parametrize("factor", [1e-150, 1e-100, 1e100, 1e150])
def test_only_the_shares_of_the_masses_matter(factor: float) -> None:
    rng = np.random.default_rng(13)
    for _ in range(50):
        a, b, distances = planar(rng, 30)
        assert solved(Pair(factor * a, b, distances)) == solved(Pair(a, b, distances))


@pytest.mark.parametrize("power", [-1020, -500, 500, 1020])
def test_value_scales_with_the_distances(power: int) -> None:
    rng = np.random.default_rng(14)
    for _ in range(50):
        a, b, distances = planar(rng, 30)
        assert solved(Pair(a, b, np.ldexp(distances, power))) == np.ldexp(solved(Pair(a, b, distances)), power)


def test_what_the_workspace_held_before_does_not_matter() -> None:
    rng = np.random.default_rng(16)
    work, scratch = simplex_workspace(40, np.zeros(1, np.uint8)), bottleneck_workspace(40)
    for array in (*work[:-4], *work.peeling, *work.candidates, *work.excess, *scratch.flow, *scratch[1:]):
        array[:] = 77
    for _ in range(200):
        pair = KINDS[rng.choice(list(KINDS))](rng, 25)
        problem = pose_again(pair, work, scratch)
        value, status = problem.solve()
        assert status == OPTIMAL
        assert value == solved(pair)
        assert problem.certifies(value)


def test_costs_may_lie_anywhere_in_a_shared_table() -> None:
    rng = np.random.default_rng(17)
    for _ in range(50):
        pair = planar(rng, 20)
        na, nb = pair.distances.shape
        problem = posed(pair)
        problem.work.cost_start[:nb] = rng.permutation(2 * nb)[:nb] * na
        table = np.full(2 * nb * na, -1.0)
        for j in range(nb):
            table[problem.work.cost_start[j] :][:na] = pair.distances[:, j]
        elsewhere = problem._replace(cost=table)
        value, _ = elsewhere.solve()
        assert value == solved(pair)
        assert elsewhere.certifies(value)


def leaning(n: int) -> Pair:
    """A problem that cannot be solved at the first look."""
    x = np.linspace(0, 1, n)
    return Pair(np.arange(1.0, n + 1), np.arange(n, 0.0, -1), np.abs(x[:, None] - x))


def test_a_raised_flag_interrupts() -> None:
    assert posed(leaning(30), stop=True).solve()[1] == INTERRUPTED


@pytest.mark.parametrize("reach", [0.2, -1.0])
@pytest.mark.parametrize("cost", [np.nan, np.inf])
def test_nothing_comes_over_costs_that_are_no_finite_numbers(cost: float, reach: float) -> None:
    pair = leaning(30)
    pair.distances[pair.distances > reach] = cost
    assert posed(pair).solve()[1] == STALLED


def test_costs_that_are_no_finite_numbers_may_stand_where_nothing_goes() -> None:
    pair = leaning(30)
    value = solved(pair)
    pair.distances[pair.distances > value] = np.inf
    assert solved(pair) == value


@pytest.fixture(params=["whole", "planar", "faint", "leaning"])
def proved(request: pytest.FixtureRequest) -> tuple[Posed, float]:
    """A solved problem of several points a side, and its value."""
    rng = np.random.default_rng(18)
    pairs = [leaning(30)] if request.param == "leaning" else [KINDS[request.param](rng, 20) for _ in range(20)]
    pair = next(pair for pair in pairs if min(pair.distances.shape) >= 5)
    problem = posed(pair)
    value, status = problem.solve()
    assert status == OPTIMAL
    assert 0 < value < pair.distances.max()
    assert problem.certifies(value)
    return problem, value


def test_certificate_refuses_another_value(proved: tuple[Posed, float]) -> None:
    problem, value = proved
    for other in (np.nextafter(value, 0), np.nextafter(value, 9), 0.5 * value, 2.0 * value, 0.0, np.inf, np.nan):
        assert not problem.certifies(other), other
    assert problem.certifies(value)


def test_certificate_refuses_a_plan_with_other_masses(proved: tuple[Posed, float]) -> None:
    problem, value = proved
    i, j = np.argwhere(problem.plan > 1e-11 * problem.total)[0]
    mass = problem.plan[i, j]
    for other in (mass + 1e-11 * problem.total, mass - 1e-11 * problem.total, 0.0, -mass, np.nan, np.inf):
        problem.plan[i, j] = other
        assert not problem.certifies(value), other
    problem.plan[i, j] = mass
    assert problem.certifies(value)


def test_certificate_refuses_a_plan_that_goes_too_far(proved: tuple[Posed, float]) -> None:
    """The whole of one arc goes to another place: even where masses still fit, the arc is too long."""
    problem, value = proved
    na, nb = problem.shape
    i, j = np.argwhere(problem.distances > value)[0]
    k, l = problem.plan[i].argmax(), problem.plan[:, j].argmax()
    mass = 1e-3 * min(problem.plan[i, k], problem.plan[l, j])
    for where, sign in (((i, k), -1), ((i, j), 1), ((l, j), -1), ((l, k), 1)):
        problem.plan[where] += sign * mass
    np.testing.assert_allclose(problem.plan.sum(axis=1), problem.work.supply[:na], rtol=1e-12)
    np.testing.assert_allclose(problem.plan.sum(axis=0), problem.work.demand[:nb], rtol=1e-12)
    assert not problem.certifies(value)


def test_certificate_refuses_a_plan_that_is_right_on_one_side_only() -> None:
    problem = posed(ones(np.full((2, 2), 3.0)))
    problem.solve()
    for wrong in ([[2.0, 2.0], [0.0, 0.0]], [[2.0, 0.0], [2.0, 0.0]]):
        problem.plan[:] = wrong
        assert not problem.certifies(3.0)


@pytest.mark.parametrize("factor", [1 - 1e-9, 1 + 1e-9, 0.0, 2.0, np.nan])
def test_masses_of_different_totals_are_not_certified(factor: float) -> None:
    problem = posed(leaning(30))
    problem.work.supply[:30] *= factor
    value, _ = problem.solve()
    assert not problem.certifies(value)


def test_certificate_refuses_negative_flow_that_keeps_the_masses() -> None:
    problem = posed(ones(np.full((2, 2), 3.0)))
    problem.solve()
    for circling, fine in ((0.0, True), (0.5, True), (2.0, True), (2.5, False), (-0.5, False)):
        problem.plan[:] = [[2.0 - circling, circling], [circling, 2.0 - circling]]
        assert problem.certifies(3.0) == fine


def test_certificate_accepts_violators_and_no_other_sets(proved: tuple[Posed, float]) -> None:
    problem, value = proved
    na, nb = problem.shape
    near, supply, demand = problem.distances < value, problem.work.supply[:na], problem.work.demand[:nb]
    marks = problem.scratch.violator
    marks[:] = 0
    assert not problem.certifies(value)
    rng = np.random.default_rng(19)
    for side in rng.integers(0, 2, 400):
        sources, sinks = (rng.random(na) < rng.random()) & (side == 0), (rng.random(nb) < rng.random()) & (side == 1)
        marks[:na], marks[na : na + nb] = sources, sinks
        surplus = supply[sources].sum() - demand[near[sources].any(axis=0)].sum()
        surplus += demand[sinks].sum() - supply[near[:, sinks].any(axis=1)].sum()
        assert problem.certifies(value) == (surplus > 1e-13 * problem.total)
