"""Clouds with points of their own, distances by name, spare mass, plans, nearest measures, against slow twins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import ot
import pytest
from numpy.typing import NDArray
from reference.transport import of_any_total, w_linprog, w_partial
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import wasserstein_transform as wt

Floats = NDArray[np.float64]

NAMES = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "hamming")
PERIOD = (2.0, np.inf)


def half_life(points: Floats) -> Floats:
    """The distance to the diagonal, as of persistence diagrams."""
    return np.abs(points[:, 1] - points[:, 0]) / 2


SPARES: dict[str, Any] = {
    "none": 0.0, "tiny": 1e-7, "small": 0.3, "one": 1.0, "large": 10.0, "huge": 1e6, "diagonal": half_life,
}  # fmt: skip


def draw_cloud(rng: np.random.Generator, kind: str, least: int = 0) -> tuple[Floats, Floats]:
    """Points and masses: with ties, of one weight, or over many orders of magnitude."""
    n = int(rng.integers(least, 7))
    if kind == "ties":
        return rng.integers(0, 4, (n, 2)) * 1.0, rng.integers(1, 4, n) * 1.0
    masses = np.ones(n) if kind == "equal" else rng.random(n) * 10.0 ** rng.integers(-3, 4, n)
    return rng.normal(size=(n, 2)), masses


@pytest.mark.parametrize("spare", SPARES.values(), ids=SPARES)
@pytest.mark.parametrize("kind", ["ties", "equal", "wide"])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, np.inf])
def test_spare_mass_agrees_with_rational_arithmetic(p: float, kind: str, spare: Any) -> None:
    """15 pairs in each of 84 cases, with empty clouds among them."""
    rng = np.random.default_rng(0)
    clouds, masses = zip(*(draw_cloud(rng, kind) for _ in range(6)), strict=True)
    found = wt.wasserstein_pairs(clouds, "chebyshev", p, weights=masses, spare=spare)
    costs = [spare(cloud) if callable(spare) else np.full(len(cloud), spare) for cloud in clouds]
    for value, (i, j) in zip(found, zip(*np.triu_indices(6, 1), strict=True), strict=True):
        distances = cdist(clouds[i], clouds[j], "chebyshev")
        expected = w_partial(masses[i], masses[j], distances, costs[i], costs[j], p)
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-13), (i, j)
    assert found.gap <= 1e-12


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("spare", [None, *SPARES.values()], ids=["balanced", *SPARES])
def test_plans_and_potentials_prove_the_distance(spare: Any, p: float) -> None:
    rng = np.random.default_rng(1)
    clouds, masses = zip(*(draw_cloud(rng, kind, 1) for kind in ("ties", "equal", "wide") * 2), strict=True)
    if spare is None:
        masses = tuple(mass / mass.sum() for mass in masses)
    found = wt.wasserstein_pairs(clouds, p=p, weights=masses, spare=spare, plans=True)
    plain = wt.wasserstein_pairs(clouds, p=p, weights=masses, spare=spare)
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)
    assert found.plans is not None
    for k, (i, j) in enumerate(zip(*np.triu_indices(6, 1), strict=True)):
        costs, plan, (u, v) = cdist(clouds[i], clouds[j]) ** p, found.plans[k], found.plans.potentials(k)
        rests = masses[i] - plan.sum(axis=1), masses[j] - plan.sum(axis=0)
        largest = costs.max() * max(masses[i].sum(), masses[j].sum())
        value, scale = found[k] ** p, max(found[k] ** p, largest)
        assert plan.nnz <= len(clouds[i]) + len(clouds[j]) - 1
        total, dual = (plan * costs).sum(), u @ masses[i] + v @ masses[j]
        if spare is None:
            np.testing.assert_allclose(np.concatenate(rests), 0.0, atol=1e-14)
        else:
            limits = [(spare(c) if callable(spare) else np.full(len(c), spare)) ** p for c in (clouds[i], clouds[j])]
            scale = max(scale, *(limit.max() for limit in limits))
            assert min(rest.min() for rest in rests) >= -1e-12 * scale
            total += rests[0] @ limits[0] + rests[1] @ limits[1]
            assert (u <= limits[0] + 1e-12 * scale).all()
            assert (v <= limits[1] + 1e-12 * scale).all()
        assert total == pytest.approx(value, rel=1e-9, abs=1e-11 * scale)
        assert dual == pytest.approx(value, rel=1e-9, abs=1e-11 * scale)
        assert (u[:, None] + v <= costs + 1e-12 * scale).all()


@pytest.mark.parametrize("name", NAMES)
def test_distances_by_name_are_those_of_scipy(name: str) -> None:
    rng = np.random.default_rng(2)
    for m in (1, 3, 40):
        points = rng.integers(1, 4, (30, m)) * 1.0
        metric = wt.spaces.PointMetric(points, name)
        np.testing.assert_allclose(metric.dense(), cdist(points, points, name), rtol=1e-14, atol=1e-15)
        np.testing.assert_array_equal(metric.take(np.array([3, 9])).dense()[0, 1], metric.dense()[3, 9])
    masses = rng.dirichlet(np.ones(30), 5)
    stored = wt.wasserstein_pairs(masses, wt.spaces.Dense(metric.dense()))
    np.testing.assert_allclose(wt.wasserstein_pairs(masses, metric), stored, rtol=1e-12)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cityblock", "chebyshev"])
def test_a_periodic_axis_has_the_shorter_way(name: str) -> None:
    points = np.random.default_rng(3).normal(scale=5.0, size=(20, 2))
    copies = [cdist(points, points + np.array([2.0 * k, 0.0]), name) for k in range(-20, 21)]
    found = wt.spaces.PointMetric(points, name, PERIOD).dense()
    np.testing.assert_allclose(found, np.min(copies, axis=0), atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_clouds_agree_with_a_linear_program(name: str) -> None:
    rng = np.random.default_rng(4)
    clouds = [rng.integers(1, 5, (rng.integers(1, 9), 3)) * 1.0 for _ in range(8)]
    found = wt.wasserstein_pairs(clouds, name)
    crossed = wt.wasserstein_cross(clouds[:3], clouds[3:], name)
    for value, (i, j) in zip(found, zip(*np.triu_indices(8, 1), strict=True), strict=True):
        uniform = np.ones(len(clouds[i])), np.ones(len(clouds[j]))
        assert value == pytest.approx(w_linprog(*uniform, cdist(clouds[i], clouds[j], name), 1.0), abs=1e-12)
        if i < 3 <= j:
            assert crossed[i, j - 3] == pytest.approx(value, abs=1e-14)


def test_clouds_that_share_points_are_measures_on_these() -> None:
    rng = np.random.default_rng(5)
    points = rng.normal(size=(12, 2))
    rows = [rng.integers(0, 12, 8) for _ in range(20)]
    counts = np.array([np.bincount(row, minlength=12) for row in rows]) * 1.0
    found = wt.wasserstein_pairs([points[row] for row in rows] + [points[rows[0]][::-1]])
    np.testing.assert_allclose(found.values[:19], wt.wasserstein_pairs(counts, points).values[:19], rtol=1e-13)
    assert found[19] == 0.0  # the last cloud has the points of the first
    assert found.report.n_problems == 20 * 19 / 2


def test_only_points_in_use_are_computed_with() -> None:
    rng = np.random.default_rng(6)
    points, masses = rng.normal(size=(5000, 40)), np.zeros((20, 5000))
    masses[:, ::100] = rng.dirichlet(np.ones(50), 20)
    few = wt.wasserstein_pairs(masses[:, ::100], points[::100])
    with wt.using(memory=20e6):  # 5000² distances are 200 MB
        np.testing.assert_allclose(wt.wasserstein_pairs(csr_array(masses), points), few, rtol=1e-14)


def test_the_threads_do_not_change_a_bit() -> None:
    rng = np.random.default_rng(7)
    clouds = [rng.normal(size=(rng.integers(1, 30), 2)) for _ in range(60)]
    for options in ({}, {"spare": half_life}, {"spare": 0.5, "plans": True}):
        one, two = (wt.wasserstein_pairs(clouds, n_jobs=k, **options) for k in (1, 2))  # type: ignore[arg-type]
        np.testing.assert_array_equal(one, two)
    assert one.plans is not None
    assert two.plans is not None
    assert all((a != b).nnz == 0 for a, b in zip(one.plans, two.plans, strict=True))


@pytest.mark.parametrize("spare", [None, 1.5])
@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_nearest_measures_are_the_first_of_the_row(p: float, spare: float | None) -> None:
    rng = np.random.default_rng(8)
    clouds = [rng.normal(size=(rng.integers(3, 12), 3)) + 3 * rng.normal(size=3) for _ in range(120)]
    full = wt.wasserstein_cross(clouds[:10], clouds[10:], p=p, spare=spare)
    near = wt.wasserstein_cross(clouds[:10], clouds[10:], p=p, spare=spare, nearest=4)
    order = np.argsort(full.values, axis=1, kind="stable")[:, :4]
    assert near.indices is not None
    np.testing.assert_allclose(near, np.take_along_axis(full.values, order, 1), rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(full.values, near.indices, 1), near, rtol=1e-12)
    assert near.report.n_problems <= full.report.n_problems / (4 if spare is None else 1)


def test_costs_from_one_side_to_another_may_be_any_rectangle() -> None:
    rng = np.random.default_rng(9)
    for n, m in ((5, 5), (7, 3)):
        costs, A, B = rng.random((n, m)), rng.dirichlet(np.ones(n), 9), rng.dirichlet(np.ones(m), 12)
        found = wt.wasserstein_cross(A, B, wt.transport.CostMatrix(costs), plans=True)
        expected = [[ot.emd2(a, b, costs) for b in B] for a in A]
        np.testing.assert_allclose(found, expected, atol=1e-13)
        np.testing.assert_allclose(wt.wasserstein_cross(A, B, wt.transport.CostMatrix(costs)), expected, atol=1e-13)
        assert found.plans is not None
        np.testing.assert_allclose(found.plans[8, 11].sum(axis=0), B[11], atol=1e-14)


def test_a_batch_of_costs_is_one_problem_after_the_other() -> None:
    rng = np.random.default_rng(10)
    costs, a, b = rng.exponential(size=(30, 6, 9)), rng.dirichlet(np.ones(6), 30), rng.dirichlet(np.ones(9), 30)
    a[3, :2] = 0.0
    a[3] /= a[3].sum()
    found = wt.transport.wasserstein_stack(costs, 3 * a, 3 * b)
    assert found.plans is not None
    for k in range(30):
        assert found[k] == pytest.approx(3 * ot.emd2(a[k], b[k], costs[k]), abs=1e-12)
        u, v = found.plans.potentials(k)
        used = a[k] > 0
        assert 3 * (u[used] @ a[k][used] + v @ b[k]) == pytest.approx(found[k], abs=1e-12)
        assert (u[used, None] + v <= costs[k][used] + 1e-12).all()
        np.testing.assert_allclose(found.plans[k].sum(axis=1), 3 * a[k], atol=1e-14)


def test_equal_masses_are_assigned() -> None:
    costs = np.random.default_rng(11).integers(0, 9, (20, 15, 15)) * 1.0
    found = wt.transport.wasserstein_stack(costs)
    assert found.plans is not None
    for k in range(20):
        rows, cols = linear_sum_assignment(costs[k])
        assigned = found.plans[k].indices
        assert sorted(assigned) == list(range(15))
        assert costs[k][rows, assigned].sum() == costs[k][rows, cols].sum()


def test_hard_problems_have_plans_too() -> None:
    """Short moves beside a point far away that keeps its mass: costs are small next to the largest one."""
    rng = np.random.default_rng(12)
    clouds = [np.concatenate([0.01 * rng.normal(size=(8, 2)), [[100.0, 0.0]]]) for _ in range(5)]
    found = wt.wasserstein_pairs(clouds, p=2, plans=True)
    assert found.plans is not None
    for k, (i, j) in enumerate(zip(*np.triu_indices(5, 1), strict=True)):
        squares = cdist(clouds[i], clouds[j], "sqeuclidean")
        rows, cols = linear_sum_assignment(squares)
        assert found[k] == pytest.approx(np.sqrt(squares[rows, cols].mean()), rel=1e-10)
        assert (found.plans[k] * squares).sum() == pytest.approx(squares[rows, cols].mean(), rel=1e-10)


def test_a_metric_that_breaks_its_promise_is_reported_once() -> None:
    rng = np.random.default_rng(13)
    points = rng.normal(size=(30, 3))
    masses = rng.dirichlet(np.ones(30), 12) * (rng.random((12, 30)) < 0.5)
    cosine = wt.spaces.Dense(wt.spaces.PointMetric(points, "cosine").dense(), triangle=True)
    with pytest.warns(UserWarning, match="marked triangle=True and breaks the triangle inequality"):
        found = wt.wasserstein_pairs(of_any_total(masses), cosine)
    right = wt.wasserstein_pairs(of_any_total(masses), wt.spaces.PointMetric(points, "cosine"))
    np.testing.assert_allclose(found, right, atol=1e-12)


TWO = [np.zeros((2, 2)), np.ones((3, 2))]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wt.wasserstein_pairs([]), "at least one cloud"),
        (lambda: wt.wasserstein_pairs([np.zeros((0, 2)), *TWO]), "number 0 has none; drop it, or give spare="),
        (lambda: wt.wasserstein_pairs([*TWO, np.zeros((2, 3))]), "number 2 has shape \\(2, 3\\)"),
        (
            lambda: wt.wasserstein_pairs([*TWO, np.full((1, 2), np.nan)]),
            "number 2 must be finite, got nan at \\[0, 0\\]",
        ),
        (lambda: wt.wasserstein_pairs(TWO, weights=[[1.0, 1.0]]), "one array per cloud, got 1 for 2"),
        (lambda: wt.wasserstein_pairs(TWO, weights=[[1.0, 1.0], [2.0]]), "number 1 must be 3 numbers"),
        (lambda: wt.wasserstein_pairs(TWO, weights=[[1.0, 1.0], [1.0] * 3]), "equal totals, got 2.0 and 3.0 .* spare="),
        (lambda: wt.wasserstein_pairs([[1.0, 1.0], [1.0, 2.0]], [[0.0], [1.0]]), "equal totals, got 2.0 and 3.0"),
        (lambda: wt.wasserstein_cross([[2.0]], [[5.0]], [[0.0]]), "equal totals, got 2.0 and 5.0"),
        (lambda: wt.wasserstein_pairs(TWO, "manhattan"), "must be one of 'euclidean'"),
        (lambda: wt.wasserstein_pairs(TWO, spare=-1.0), "spare must be a number ≥ 0"),
        (lambda: wt.wasserstein_pairs(TWO, spare=[1.0, 2.0]), "or 5 of them"),
        (lambda: wt.wasserstein_pairs(TWO, spare=np.nan), "spare must be finite"),
        (lambda: wt.wasserstein_pairs(TWO, p=np.inf, plans=True), "plans=True needs p < ∞"),
        (lambda: wt.wasserstein_pairs(np.eye(2), [[0.0], [1.0]], weights=[[1], [1]]), "weights= are for clouds"),
        (lambda: wt.wasserstein_pairs(np.eye(3), [[1.0, 2, 3]] * 3), "square but not 0 on the diagonal"),
        (lambda: wt.wasserstein_cross(TWO, TWO, nearest=3), "nearest must be at most 2, the number of measures in B"),
        (lambda: wt.transport.CostMatrix([[-1.0]]), "numbers ≥ 0"),
        (lambda: wt.transport.wasserstein_stack([[[1.0], [-1.0]]]), "numbers ≥ 0"),
        (lambda: wt.transport.wasserstein_stack([[1.0]]), "shape \\(k, n, m\\)"),
        (
            lambda: wt.transport.wasserstein_stack([[[1.0]]], [1.0], [2.0]),
            "equal totals, got 1.0 and 2.0 \\(number 0\\)",
        ),
        (lambda: wt.spaces.PointMetric([[0.0, 0.0]], "cosine").dense(), "point 0 is; drop it"),
        (lambda: wt.spaces.PointMetric([[1.0, 0.0]], "cosine", period=1.0), "has no period"),
        (lambda: wt.spaces.PointMetric([[1.0, 0.0]], period=[1.0, -1.0]), "period must hold 2 numbers > 0"),
    ],
)
def test_bad_clouds_and_costs_are_refused_in_one_line(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wt.wasserstein_pairs(TWO, lambda x, y: 0.0), "metric as a function must make a metric of the points"),
        (lambda: wt.wasserstein_pairs(TWO, len), "metric as a function must make a metric of the points"),
        (lambda: wt.wasserstein_pairs(np.eye(2), "cosine"), "pass the points themselves; clouds .* as a list"),
        (lambda: wt.wasserstein_pairs(np.eye(2), wt.transport.CostMatrix(np.eye(2))), "use wt.wasserstein_cross"),
        (lambda: wt.wasserstein_pairs(np.eye(2), [[0.0, 1.0], [1.0, 0.0]], spare=half_life), "needs points"),
    ],
)
def test_what_is_of_another_kind_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_a_function_may_make_the_metric() -> None:
    rng = np.random.default_rng(14)
    clouds = [rng.normal(size=(5, 2)) for _ in range(4)]
    found = wt.wasserstein_pairs(clouds, partial(wt.spaces.PointMetric, period=PERIOD))
    metric = wt.spaces.PointMetric(np.concatenate(clouds), period=PERIOD)
    rows = np.kron(np.eye(4), np.ones(5))
    np.testing.assert_allclose(found, wt.wasserstein_pairs(rows, metric), rtol=1e-14)
