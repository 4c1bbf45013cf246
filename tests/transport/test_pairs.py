"""The public functions for measures over any metric, against POT, the matrix of `Exact`, and arithmetic by hand."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from reference.transport import of_any_total
from scipy.sparse import coo_array, csr_array
from scipy.spatial.distance import cdist, pdist, squareform

import wasserstein_transform as wt


def some_measures(rng: np.random.Generator, n: int = 25, size: int = 40) -> NDArray[np.float64]:
    masses = rng.integers(1, 9, (n, size)) * (rng.random((n, size)) < 0.3)
    masses[np.arange(n), rng.integers(0, size, n)] += 1
    return masses / masses.sum(axis=1, keepdims=True)


def by_pot(a: NDArray[np.float64], b: NDArray[np.float64], distances: NDArray[np.float64], p: float) -> float:
    rows, cols = np.flatnonzero(a), np.flatnonzero(b)
    cost = distances[np.ix_(rows, cols)] ** p
    return float(ot.emd2(a[rows] / a.sum(), b[cols] / b.sum(), cost)) ** (1 / p)


@pytest.mark.repeated(4)
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("kind", ["points", "matrix", "asserted"])
def test_all_pairs_agree_with_pot(p: float, kind: str) -> None:
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(40, 3)), some_measures(rng)
    distances = cdist(points, points)
    metric = {"points": points, "matrix": distances, "asserted": wt.spaces.Dense(distances, triangle=True)}[kind]
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
    masses[7] = masses[3]
    square = squareform(np.asarray(wt.wasserstein_pairs(masses, points)))
    pairs = rng.integers(0, len(masses), (300, 2))
    pairs[:3] = [[4, 4], [3, 7], [7, 3]]
    found = wt.wasserstein_pairs(masses, points, pairs=pairs)
    np.testing.assert_allclose(found, square[pairs[:, 0], pairs[:, 1]], atol=1e-14)
    np.testing.assert_allclose(found.values[:3], 0, atol=1e-15)
    assert found.report.n_problems < len(pairs)  # each unordered pair once
    assert len(wt.wasserstein_pairs(masses, points, pairs=np.empty((0, 2), int))) == 0


def test_measures_may_be_given_as_a_sparse_matrix_in_any_order() -> None:
    rng = np.random.default_rng(2)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng)
    rows = csr_array(masses)
    backwards = np.concatenate([np.arange(end - 1, start - 1, -1) for start, end in pairwise(rows.indptr)])
    shuffled = csr_array((rows.data[backwards], rows.indices[backwards], rows.indptr), shape=rows.shape)
    as_matrix = np.asarray(wt.wasserstein_pairs(masses, points))
    np.testing.assert_array_equal(wt.wasserstein_pairs(rows, points), as_matrix)
    np.testing.assert_array_equal(wt.wasserstein_pairs(shuffled, points), as_matrix)
    twice = csr_array(([1.0, 1.0, 2.0, 4.0], [0, 0, 1, 1], [0, 3, 4]), shape=(2, 2))  # mass given twice adds up
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
    lengths = wt.spaces.Graph.of(graph, weight="length")
    np.testing.assert_array_equal(wt.wasserstein_pairs(np.eye(3), lengths), [2.0, 3.0, 1.0])
    with pytest.raises(ValueError, match="lengths or strengths"):
        wt.wasserstein_pairs(np.eye(3), graph)


def test_parallel_edges_count_as_the_shortest_and_loops_not_at_all() -> None:
    rows, cols = np.array([0, 1, 0, 1, 1]), np.array([1, 0, 1, 0, 1])
    two = coo_array((np.array([5.0, 5.0, 3.0, 3.0, 7.0]), (rows, cols)), shape=(2, 2))
    np.testing.assert_array_equal(wt.wasserstein_pairs(np.eye(2), two), [3.0])


@pytest.mark.slow
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_threads_do_not_change_a_bit(p: float) -> None:
    rng = np.random.default_rng(5)
    points, masses = rng.normal(size=(100, 2)), some_measures(rng, 80, 100)
    results = [np.asarray(wt.wasserstein_pairs(masses, points, p, n_jobs=k)) for k in (1, 2, 3)]
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    pairs = rng.integers(0, 80, (2000, 2))
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
    asserted = wt.wasserstein_pairs(masses, wt.spaces.Dense(squares, triangle=True))  # a false promise
    assert np.asarray(asserted)[0] == 1.0  # the certificate is that of the whole problem
    assert asserted.report.n_fallbacks == 1
    assert asserted.gap <= 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_cancelled_problems_have_the_value_of_the_whole_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (60, 2)) * 1.0  # ties everywhere, and places that coincide
    masses = np.maximum(some_measures(rng, 30, 60), 0.0) * rng.choice([1.0, 1e-12, 0.3], (30, 60))
    distances = cdist(points, points, "cityblock")
    near = wt.wasserstein_pairs(of_any_total(masses), wt.spaces.Dense(distances, triangle=True))
    whole = wt.wasserstein_pairs(of_any_total(masses), wt.spaces.Dense(distances))
    np.testing.assert_allclose(near, whole, atol=1e-12 * distances.max())
    assert near.report.n_fallbacks == whole.report.n_fallbacks == 0
    assert max(near.gap, whole.gap) <= 1e-12


LINE = np.array([[0.0], [1.0]])  # two points


@pytest.mark.parametrize(
    ("measures", "metric", "message"),
    [
        (np.eye(3), np.zeros((2, 2)), "must have 2 columns, one per point of the metric, got 3"),
        (-np.eye(2), LINE, "must not be negative"),
        (np.array([[1.0, 0.0], [0.0, 0.0]]), LINE, "measures number 1 has none"),
        (np.array([[1.0, np.nan]]), LINE, "must be finite"),
        ([1.0, 2.0], LINE, r"one measure per row, got shape \(2,\)"),
        (3, LINE, r"one measure per row, got shape \(\)"),
        ([([0, 1], [1.0, 1.0])], LINE, "clouds with points of their own need a metric by its name"),
        ([([0, 1], [1.0, 1.0]), ([0], [2.0])], LINE, "a matrix with one measure per row, must be numbers"),
        (np.zeros((0, 2)), LINE, "at least one measure"),
        (np.eye(2), np.array([[0.0, 1.0], [2.0, 0.0]]), "must be symmetric"),
        (np.eye(2), csr_array((2, 2)), "must be connected, got 2 pieces"),
        (np.eye(2), csr_array(np.array([[0.0, -1.0], [-1.0, 0.0]])), "must not be negative"),
        (np.eye(2), csr_array(np.ones((2, 3))), "must be square"),
    ],
)
def test_bad_measures_and_metrics_are_refused(measures: object, metric: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.wasserstein_pairs(measures, metric)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [([[0, 9]], "from 0 to 1, got 0 to 9"), ([0, 1], "k × 2"), ([[0.0, 1.0]], "integers"), ([[0, -1]], "got -1")],
)
def test_bad_pairs_are_refused(pairs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.wasserstein_pairs(np.eye(2), LINE, pairs=pairs)  # type: ignore[arg-type]


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


def test_the_distance_of_diracs_is_that_of_their_points() -> None:
    points = np.random.default_rng(8).normal(size=(20, 4))
    for p in (1.0, 2.0, 5.0):
        np.testing.assert_allclose(wt.wasserstein_pairs(np.eye(20), points, p), pdist(points), rtol=1e-14)


def test_measures_as_nested_lists_frames_and_arrays_are_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    rows, points = [[1, 1], [0, 2]], [[0.0], [1.0]]
    for measures in (rows, np.array(rows), tuple(map(tuple, rows)), pandas.DataFrame(rows, columns=["a", "b"])):
        np.testing.assert_array_equal(wt.wasserstein_pairs(measures, points), [0.5])


def test_rounding_on_the_diagonal_does_not_make_points_of_distances() -> None:
    points = np.random.default_rng(9).normal(size=(5, 2))
    distances = cdist(points, points)
    rough = distances + np.diag([1e-16, 0, -1e-17, 0, 0])
    masses = np.random.default_rng(10).dirichlet(np.ones(5), 4)
    np.testing.assert_allclose(wt.wasserstein_pairs(masses, rough), wt.wasserstein_pairs(masses, distances), rtol=1e-12)


def test_what_may_be_distances_or_points_is_refused() -> None:
    with pytest.raises(ValueError, match="if it is points, pass wt"):
        wt.wasserstein_pairs(np.eye(2), [[0.0, 1.0], [2.0, 0.0]])
    assert np.asarray(wt.wasserstein_pairs(np.eye(2), wt.spaces.Euclidean([[0.0, 1.0], [2.0, 0.0]])))[0] == np.sqrt(5)
    for wrong in ("euclidean", np.array([1.0, 2.0, 3.0])):
        with pytest.raises((TypeError, ValueError), match="metric must be"):
            wt.wasserstein_pairs(np.eye(3), wrong)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_a_stored_metric_is_checked_too(bad: float) -> None:
    distances = np.ones((3, 3)) - np.eye(3)
    distances[0, 2] = distances[2, 0] = bad
    with pytest.raises(ValueError, match="metric must"):
        wt.wasserstein_pairs(np.eye(3), wt.spaces.Dense(distances))


def test_infinite_costs_end_with_an_error() -> None:
    """No door lets them in; the kernel itself must neither hang nor answer."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        distances = cdist(rng.random((12, 2)), rng.random((12, 2)))
        distances = np.where(distances + distances.T > 1.2, np.inf, distances + distances.T)
        np.fill_diagonal(distances, 0)
        space = wt.Space(wt.spaces.Dense(distances), np.full(12, 1 / 12), None)
        measures = wt.localize.Given(np.full((12, 12), 1 / 12))(space).take(np.array([0, 0]))
        one = wt.measures.Discrete(
            measures.indptr, measures.indices, rng.random(24), measures.totals, measures.massless, 12
        )
        if np.isinf(distances).any():
            with pytest.raises((RuntimeError, ValueError, RuntimeWarning)):
                wt.Exact(1.0).metric(one, space.metric)


def test_a_directed_graph_is_used_without_directions() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 0, 5.0), (1, 2, 1.0), (2, 1, 1.0)])
    with pytest.warns(UserWarning, match="is directed and is used without directions"):
        assert wt.spaces.Graph.of(graph, weight="length").dense()[0].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="node"):
        wt.wasserstein_pairs(np.eye(1), networkx.Graph())


def test_distances_behave_like_the_array_of_their_values() -> None:
    found = wt.wasserstein_pairs(np.eye(3), [[0.0], [1.0], [3.0]])
    assert found[1] == 3.0
    assert list(found) == [1.0, 3.0, 2.0]
    np.testing.assert_array_equal(2 * found - 1, [1.0, 5.0, 3.0])
    np.testing.assert_array_equal(found < 2, [True, False, False])
    assert found.shape == (3,)
    assert re.match(r"<Distances \[.*\], shape \(3,\), 3 problems \(0 solved twice\), gap", repr(found))


def test_one_measure_against_many_is_the_row_of_many_against_many() -> None:
    rng = np.random.default_rng(11)
    points, masses = rng.normal(size=(40, 2)), some_measures(rng, 120)
    many = wt.wasserstein_cross(masses, masses, points)
    np.testing.assert_allclose(wt.wasserstein_cross(masses[:1], masses, points), many.values[:1], atol=1e-14)


def test_masses_that_agree_up_to_rounding_are_near_for_any_order() -> None:
    rng = np.random.default_rng(12)
    points = 10.0 ** rng.uniform(-99, -3, (12, 1))
    mass = rng.random(12)
    masses = np.stack([mass, mass * (1 + 1e-15 * rng.normal(size=12))])
    for p in (1.0, 2.0, 20.0, 100.0, 149.0):
        found = wt.wasserstein_pairs(masses, points, p)
        assert 0 <= np.asarray(found)[0] <= points.max()
        space = wt.Space.from_points(points)
        both = wt.localize.Given(np.repeat(masses / masses.sum(axis=1, keepdims=True), 6, axis=0))(space)
        assert 0 <= wt.Exact(p).coupling(both, space.metric, 0, 11).value <= points.max()
