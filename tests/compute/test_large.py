"""Large problems: few candidates at a time and potentials of a sample, against POT, assignments and closed forms."""

from __future__ import annotations

import networkx as nx
import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from reference.transport import of_any_total
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.compute.exact.simplex_jit import (
    INTERRUPTED,
    MAX_CANDIDATES_OF_LARGE,
    MIN_NODES_OF_LARGE,
    OPTIMAL,
    optimize,
    plan_cost,
    solve,
)
from wasserstein_transform.compute.exact.simplex_tree_jit import (
    UNKNOWN_POTENTIAL,
    initialize_tree,
    peel,
    simplex_workspace,
)
from wasserstein_transform.compute.exact.single import MIN_POINTS_TO_SAMPLE, warm_potentials

Floats = NDArray[np.float64]


def in_the_plane(rng: np.random.Generator, na: int, nb: int) -> Floats:
    return cdist(rng.normal(size=(na, 2)), rng.normal(size=(nb, 2)) + 1, "sqeuclidean")


def at_random(rng: np.random.Generator, na: int, nb: int) -> Floats:
    return rng.random((na, nb))


def on_a_grid(rng: np.random.Generator, na: int, nb: int) -> Floats:
    """Few different costs: ties everywhere."""
    return cdist(rng.integers(0, 6, (na, 2)), rng.integers(0, 6, (nb, 2)), "cityblock")


def below_zero(rng: np.random.Generator, na: int, nb: int) -> Floats:
    return rng.normal(size=(na, nb)) - 3.0


COSTS = pytest.mark.parametrize("draw", [in_the_plane, at_random, on_a_grid, below_zero])


@COSTS
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("shape", [(90, 110), (3, 200), (300, 20), (1, 160)])
def test_costs_are_those_of_pot(draw, whole: bool, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(shape))
    a, b = (rng.integers(1, 5, n) * 1.0 if whole else rng.exponential(size=n) for n in shape)
    a, b = a / a.sum(), b / b.sum()
    costs = draw(rng, *shape)
    assert sum(shape) >= MIN_NODES_OF_LARGE
    found = wt.wasserstein(a, b, costs)
    top = np.abs(costs).max()
    assert abs(found.value - ot.emd2(a, b, costs, numItermax=10**7)) <= 1e-12 * top
    u, v = found.potentials
    assert (u[:, None] + v <= costs + 1e-13 * top).all()
    assert abs(found.value - (a @ u + b @ v)) <= 1e-12 * top
    np.testing.assert_allclose(found.plan.sum(axis=1), a, atol=1e-15)
    np.testing.assert_allclose(found.plan.sum(axis=0), b, atol=1e-15)


@pytest.mark.slow
@COSTS
def test_few_candidates_end_where_all_of_them_do(draw) -> None:
    """The same kernel from the same start, below and above the size at which it is chosen."""
    rng = np.random.default_rng(5)
    for na, nb in ((2, 3), (17, 9), (40, 40)):
        costs = draw(rng, na, nb)
        costs -= costs.min()
        top, table = costs.max(), np.ascontiguousarray(costs.T).ravel()
        values = []
        for large in (False, True):
            work = simplex_workspace(max(na, nb), np.zeros(1, np.uint8))
            work.supply[:na], work.demand[:nb], work.cost_start[:nb] = nb, na, np.arange(nb) * na
            work.potential[:na] = UNKNOWN_POTENTIAL
            if not large:
                values.append(solve(na, nb, top, top, False, table, work)[0])
                continue
            root = peel(na, nb, 0.0, table, work)
            initialize_tree(na, nb, root, table, work)
            status, bound = optimize(na, nb, root, MAX_CANDIDATES_OF_LARGE, 1e-14 * top, table, work)
            values += [plan_cost(na, nb, root, table, work), bound]
            assert status == OPTIMAL
        np.testing.assert_allclose(values, values[0], rtol=0, atol=1e-12 * top * na * nb)


@pytest.mark.slow
def test_a_thousand_equal_masses_are_an_assignment() -> None:
    rng = np.random.default_rng(0)
    for costs in (
        in_the_plane(rng, MIN_POINTS_TO_SAMPLE, MIN_POINTS_TO_SAMPLE),
        at_random(rng, MIN_POINTS_TO_SAMPLE, MIN_POINTS_TO_SAMPLE),
    ):
        rows, columns = linear_sum_assignment(costs)
        assert abs(wt.wasserstein(None, None, costs).value - costs[rows, columns].mean()) <= 1e-13 * costs.max()


@pytest.mark.slow
def test_large_measures_on_points_and_on_a_line() -> None:
    rng = np.random.default_rng(1)
    n = MIN_POINTS_TO_SAMPLE + 40
    places = np.sort(rng.normal(size=2 * n)) ** 3
    measures = np.zeros((2, 2 * n))
    measures[0, 1::2], measures[1, ::2] = rng.integers(1, 9, (2, n))
    flat, points = places[:, None], np.column_stack([places, np.zeros(2 * n)])
    for p in (1.0, 2.0):
        exact = wt.transport.Line(p).coupling(of_any_total(measures), wt.spaces.Euclidean(flat), 0, 1).value
        found = wt.wasserstein_pairs(of_any_total(measures), points, p=p, pairs=[[0, 1], [1, 0]])
        np.testing.assert_allclose(np.asarray(found), exact, rtol=1e-11)
        assert found.gap <= 1e-12


@pytest.mark.slow
def test_large_measures_on_a_graph() -> None:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(50, 40))
    places = np.argwhere(np.ones((50, 40)))
    rng = np.random.default_rng(2)
    nodes = rng.permutation(2000)
    a, b = rng.integers(1, 9, (2, 1000)) * 1.0
    b *= a.sum() / b.sum()
    costs = cdist(places[nodes[:1000]], places[nodes[1000:]], "cityblock")
    rows = csr_array((np.r_[a, b], nodes, [0, 1000, 2000]), shape=(2, 2000))
    found = wt.wasserstein_pairs(rows, graph, pairs=[[0, 1]])
    assert abs(found[0] - ot.emd2(a / a.sum(), b / b.sum(), costs, numItermax=10**7)) <= 1e-12 * costs.max()


def test_a_sample_helps_where_costs_are_smooth_and_is_left_alone_elsewhere() -> None:
    rng = np.random.default_rng(3)
    n = MIN_POINTS_TO_SAMPLE
    a = np.full(n, 1 / n)
    never = np.zeros(1, np.uint8)
    for costs, smooth in ((in_the_plane(rng, n, n), True), (at_random(rng, n, n), False)):
        u = warm_potentials(a, a, lambda x, y, c=costs: c[np.ix_(x, y)], never)
        assert (u != UNKNOWN_POTENTIAL).all() == smooth
        assert (u == UNKNOWN_POTENTIAL).any() != smooth
        if smooth:  # what it proves is near what a plan costs
            value = wt.wasserstein(None, None, costs).value
            assert 0.9 * value <= a @ u + a @ (costs - u[:, None]).min(axis=0) <= value + 1e-12


def test_an_interrupted_problem_says_so() -> None:
    rng = np.random.default_rng(4)
    costs = in_the_plane(rng, 100, 100)
    work = simplex_workspace(100, np.zeros(1, np.uint8))
    work.supply[:], work.demand[:], work.cost_start[:] = 1.0, 1.0, np.arange(100) * 100
    work.potential[:100] = UNKNOWN_POTENTIAL
    table = np.ascontiguousarray(costs.T).ravel()
    root = peel(100, 100, 0.0, table, work)
    initialize_tree(100, 100, root, table, work)
    work.stop[0] = 1
    assert optimize(100, 100, root, MAX_CANDIDATES_OF_LARGE, 1e-14, table, work)[0] == INTERRUPTED
