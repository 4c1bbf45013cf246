"""The public functions for measures over any metric, against POT, the matrix of `Exact`, and arithmetic by hand."""

from __future__ import annotations

import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.spatial.distance import cdist, pdist, squareform

import wasserstein_transform as wt


def some_measures(rng: np.random.Generator, n: int = 25, size: int = 40) -> NDArray[np.float64]:
    masses = rng.integers(1, 9, (n, size)) * (rng.random((n, size)) < 0.3)
    masses[np.arange(n), rng.integers(0, size, n)] += 1
    return masses * 1.0


def by_pot(a: NDArray[np.float64], b: NDArray[np.float64], distances: NDArray[np.float64], p: float) -> float:
    rows, cols = np.flatnonzero(a), np.flatnonzero(b)
    cost = distances[np.ix_(rows, cols)] ** p
    return float(ot.emd2(a[rows] / a.sum(), b[cols] / b.sum(), cost)) ** (1 / p)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("kind", ["points", "matrix", "asserted"])
def test_all_pairs_agree_with_pot(p: float, kind: str) -> None:
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(40, 3)), some_measures(rng)
    distances = cdist(points, points)
    metric = {"points": points, "matrix": distances, "asserted": wt.Dense(distances, triangle=True)}[kind]
    found = wt.wasserstein_pairs(csr_array(masses), metric, p)
    pairs = np.column_stack(np.triu_indices(len(masses), 1))
    expected = [by_pot(masses[i], masses[j], distances, p) for i, j in pairs]
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-12)
    assert len(found) == len(pairs) == found.report.n_problems
    assert 0 <= found.gap <= 1e-12
    assert found.gap == found.report.gap


def test_listed_pairs_come_in_the_order_of_the_list_with_repeats_swaps_and_selves() -> None:
    rng = np.random.default_rng(1)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng)
    masses[7] = 3 * masses[3]  # the same shares, another total
    square = squareform(np.asarray(wt.wasserstein_pairs(masses, points)))
    pairs = rng.integers(0, len(masses), (300, 2))
    pairs[:3] = [[4, 4], [3, 7], [7, 3]]
    found = wt.wasserstein_pairs(masses, points, pairs=pairs)
    np.testing.assert_allclose(found, square[pairs[:, 0], pairs[:, 1]], atol=1e-14)
    np.testing.assert_allclose(found.values[:3], 0, atol=1e-15)
    assert found.report.n_problems < len(pairs)  # each unordered pair once
    assert len(wt.wasserstein_pairs(masses, points, pairs=np.empty((0, 2), int))) == 0


def test_a_measure_may_be_given_as_a_list_of_indices_and_weights() -> None:
    rng = np.random.default_rng(2)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng)
    rows = [(np.flatnonzero(row), row[np.flatnonzero(row)]) for row in masses]
    shuffled = [(indices[::-1], weights[::-1]) for indices, weights in rows]
    as_matrix = np.asarray(wt.wasserstein_pairs(masses, points))
    np.testing.assert_array_equal(wt.wasserstein_pairs(rows, points), as_matrix)
    np.testing.assert_array_equal(wt.wasserstein_pairs(shuffled, points), as_matrix)
    twice = [([0, 0, 1], [1.0, 1.0, 2.0]), ([1], [1.0])]  # mass given twice adds up
    np.testing.assert_allclose(wt.wasserstein_pairs(twice, [[0.0], [1.0]]), [0.5])


def test_cross_is_the_rectangle_of_the_pairs() -> None:
    rng = np.random.default_rng(3)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng)
    square = squareform(np.asarray(wt.wasserstein_pairs(masses, points, p=2)))
    found = wt.wasserstein_cross(masses[:7], masses, points, p=2)
    np.testing.assert_allclose(found, square[:7], atol=1e-14)
    assert found.values.shape == (7, len(masses))


def test_equal_measures_are_solved_once() -> None:
    rng = np.random.default_rng(4)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng, 6)
    many = np.repeat(masses, 5, axis=0)
    found = wt.wasserstein_pairs(many, points)
    assert found.report.n_problems == 15
    once = squareform(np.asarray(wt.wasserstein_pairs(masses, points)))
    np.testing.assert_array_equal(squareform(np.asarray(found)), np.repeat(np.repeat(once, 5, 0), 5, 1))


def test_a_graph_gives_its_shortest_paths() -> None:
    ring = coo_array((np.ones(12), (np.r_[0:6, 1:6, 0], np.r_[1:6, 0, 0:6])), shape=(6, 6))
    found = wt.wasserstein_pairs(np.eye(6), ring)
    steps = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    np.testing.assert_array_equal(found, squareform(np.minimum(steps, 6 - steps)))


def test_a_networkx_graph_is_read_in_its_own_order_with_its_weights() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_edge("c", "a", weight=2.0)
    graph.add_edge("a", "b")
    graph.add_edge("b", "b", weight=5.0)
    np.testing.assert_array_equal(wt.wasserstein_pairs(np.eye(3), graph), [2.0, 3.0, 1.0])


def test_parallel_edges_count_as_the_shortest_and_loops_not_at_all() -> None:
    rows, cols = np.array([0, 1, 0, 1, 1]), np.array([1, 0, 1, 0, 1])
    two = coo_array((np.array([5.0, 5.0, 3.0, 3.0, 7.0]), (rows, cols)), shape=(2, 2))
    np.testing.assert_array_equal(wt.wasserstein_pairs(np.eye(2), two), [3.0])


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_threads_do_not_change_a_bit(p: float) -> None:
    rng = np.random.default_rng(5)
    points, masses = rng.normal(size=(200, 2)), some_measures(rng, 120, 200)
    results = [np.asarray(wt.wasserstein_pairs(masses, points, p, n_jobs=k)) for k in (1, 2, 3)]
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    pairs = rng.integers(0, 120, (4000, 2))
    listed = [np.asarray(wt.wasserstein_pairs(masses, points, p, pairs, n_jobs=k)) for k in (1, 3)]
    np.testing.assert_array_equal(listed[1], listed[0])


def test_one_problem_agrees_with_pot_in_value_plan_and_prices() -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        a, b = rng.random(rng.integers(1, 12)), rng.random(rng.integers(1, 12))
        a[rng.random(len(a)) < 0.2] = 0
        a[0] += 0.1
        b *= a.sum() / b.sum()
        cost = rng.normal(size=(len(a), len(b)))
        found = wt.wasserstein(a, b, cost)
        assert found.value == pytest.approx(float(ot.emd2(a, b, cost)), abs=1e-12)
        np.testing.assert_allclose(found.plan.sum(axis=1), a, atol=1e-14)
        np.testing.assert_allclose(found.plan.sum(axis=0), b, atol=1e-14)
        assert found.potentials is not None
        u, v = found.potentials
        assert (u[:, None] + v <= cost + 1e-14).all()
        assert u @ a + v @ b == pytest.approx(found.value, abs=1e-12)
        assert (found.plan * cost).sum() == pytest.approx(found.value, abs=1e-12)
        assert found.gap <= 1e-12


def test_one_problem_without_masses_is_uniform() -> None:
    assert wt.wasserstein(None, None, [[1.0, 0.0], [0.0, 1.0]]).value == 0.0
    assert wt.wasserstein(None, [0.25, 0.75], [[1.0, 0.0]]).value == 0.25


def test_common_mass_cancels_only_where_the_triangle_inequality_holds() -> None:
    """On squared distances a plan through the common point is cheaper: 1 + 1 instead of 4."""
    squares = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    masses = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    assert np.asarray(wt.wasserstein_pairs(masses, squares))[0] == 1.0
    asserted = wt.wasserstein_pairs(masses, wt.Dense(squares, triangle=True))  # a false promise
    assert np.asarray(asserted)[0] == 1.0  # the certificate is that of the whole problem
    assert asserted.report.n_safe == 1
    assert asserted.gap <= 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_cancelled_problems_have_the_value_of_the_whole_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (60, 2)) * 1.0  # ties everywhere, and places that coincide
    masses = np.maximum(some_measures(rng, 30, 60), 0.0) * rng.choice([1.0, 1e-12, 0.3], (30, 60))
    distances = cdist(points, points, "cityblock")
    near = wt.wasserstein_pairs(masses, wt.Dense(distances, triangle=True))
    whole = wt.wasserstein_pairs(masses, wt.Dense(distances))
    np.testing.assert_allclose(near, whole, atol=1e-12 * distances.max())
    assert near.report.n_safe == whole.report.n_safe == 0
    assert max(near.gap, whole.gap) <= 1e-12


@pytest.mark.parametrize(
    ("measures", "metric", "message"),
    [
        (np.eye(3), np.zeros((2, 2)), "a column for each of the metric's 2 points, got 3"),
        (-np.eye(2), np.eye(2), "must not be negative"),
        (np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2), "measures number 1 has none"),
        (np.array([[1.0, np.nan]]), np.eye(2), "must be finite"),
        ([([0, 5], [1.0, 1.0])], np.eye(2), "whole numbers from 0 to 1"),
        ([([0.5], [1.0])], np.eye(2), "whole numbers from 0 to 1"),
        ([([0], [1.0, 2.0])], np.eye(2), r"indices of shape \(1,\) and weights of \(2,\)"),
        ([1.0, 2.0], np.eye(2), r"pairs \(indices, weights\)"),
        ([], np.eye(2), "at least one measure"),
        (np.eye(2), np.array([[0.0, 1.0], [2.0, 0.0]]), "must be symmetric"),
        (np.eye(2), csr_array((2, 2)), "must be connected, got 2 pieces"),
        (np.eye(2), csr_array(np.array([[0.0, -1.0], [-1.0, 0.0]])), "must not be negative"),
        (np.eye(2), csr_array(np.array([[0.0, 1.0], [2.0, 0.0]])), "must be undirected"),
        (np.eye(2), csr_array(np.ones((2, 3))), "must be square"),
    ],
)
def test_bad_measures_and_metrics_are_refused(measures: object, metric: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.wasserstein_pairs(measures, metric)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [([[0, 9]], "from 0 to 1, got 0 to 9"), ([0, 1], "k × 2"), ([[0.0, 1.0]], "whole numbers"), ([[0, -1]], "got -1")],
)
def test_bad_pairs_are_refused(pairs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.wasserstein_pairs(np.eye(2), np.eye(2), pairs=pairs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("a", "b", "cost", "message"),
    [
        ([1.0], [2.0], [[0.0]], "equal totals, got 1.0 and 2.0"),
        ([1.0, 1.0], [2.0], [[0.0]], "a must hold 1 masses"),
        ([-1.0], [1.0], [[0.0]], "masses ≥ 0"),
        ([0.0], [0.0], [[0.0]], "positive total"),
        ([1.0], [1.0], [[np.inf]], "must be finite"),
        ([1.0], [1.0], [1.0], "must be a matrix"),
    ],
)
def test_bad_single_problems_are_refused(a: object, b: object, cost: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.wasserstein(a, b, cost)  # type: ignore[arg-type]


def test_measures_of_no_known_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="list of \\(indices, weights\\), got int"):
        wt.wasserstein_pairs(3, np.eye(2))


def test_the_distance_of_diracs_is_that_of_their_points() -> None:
    points = np.random.default_rng(8).normal(size=(20, 4))
    for p in (1.0, 2.0, 5.0):
        np.testing.assert_allclose(wt.wasserstein_pairs(np.eye(20), points, p), pdist(points), rtol=1e-14)
