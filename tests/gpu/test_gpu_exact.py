"""Exact transport on a device: the distances of the CPU, each with its certificate."""

from __future__ import annotations

import numpy as np
import ot
import pytest
from gpu.calling import CPU, Cuda

import wasserstein_transform as wt
from wasserstein_transform.compute.records import CsrMeasures
from wasserstein_transform.cuda import exact as batch
from wasserstein_transform.engine import Cancelled

GAP = 1e-12  # of the largest cost, as on the CPU


@pytest.fixture(autouse=True)
def _however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MIN_PAIRS", 1)


def measures(rng: np.random.Generator, n_points: int, sizes: list[int], spread: float | None = 0.0) -> CsrMeasures:
    """Measures of these sizes on points drawn at random; masses are counts, or span e^±spread."""
    points = [np.sort(rng.choice(n_points, size, replace=False)) for size in sizes]
    n = sum(sizes)
    masses = rng.integers(1, 4, n).astype(float) if spread is None else np.exp(rng.uniform(-spread, spread, n))
    indptr = np.append(0, np.cumsum(sizes))
    return CsrMeasures(indptr, np.concatenate(points), masses, np.add.reduceat(masses, indptr[:-1]))


def check_among(
    cuda: Cuda, ground: tuple[wt.spaces.Metric, float], rows: CsrMeasures, most_left: int = 0
) -> np.ndarray:
    """All pairs as on the CPU, with at most so many of them solved there."""
    engine = wt.Engine(1, device=cuda)
    found = batch.exact_among(*ground, rows, engine, device=cuda.device)
    assert found is not NotImplemented
    values, report = found
    expected, there = CPU.exact_among(*ground, rows, engine)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12 * expected.max(), strict=True)
    assert (values == values.T).all()
    assert report.gap <= GAP
    assert report.n_fallbacks <= most_left
    assert report.n_problems == there.n_problems
    return values


@pytest.mark.repeated(1)
@pytest.mark.parametrize("p", [1.0, pytest.param(1.5, marks=pytest.mark.slow), 2.0])
def test_ragged_measures_that_overlap(p: float, cuda: Cuda, rng: np.random.Generator) -> None:
    ground = wt.spaces.Euclidean(rng.normal(size=(40, 2))), p
    sizes = [1, 2, 3, 5, 9, 16, 17, 24, 31, 32]
    for spread in (0.0, 2.0, None):
        check_among(cuda, ground, measures(rng, 40, sizes, spread))


def test_against_another_library(cuda: Cuda, rng: np.random.Generator) -> None:
    points = rng.normal(size=(60, 2))
    rows = measures(rng, 60, [20, 25, 30], 1.0)
    values = check_among(cuda, (wt.spaces.Euclidean(points), 2.0), rows)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        (a, x), (b, y) = ((rows.masses[part] / rows.totals[k], rows.indices[part]) for k, part in _rows(rows, i, j))
        assert values[i, j] ** 2 == pytest.approx(ot.emd2(a, b, ot.dist(points[x], points[y])), rel=1e-12)


def _rows(rows: CsrMeasures, *which: int) -> list[tuple[int, slice]]:
    return [(k, slice(rows.indptr[k], rows.indptr[k + 1])) for k in which]


def test_ties_everywhere(cuda: Cuda, rng: np.random.Generator) -> None:
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), -1).reshape(-1, 2)
    ground = wt.spaces.Euclidean(np.repeat(grid, 2, axis=0)), 1.0
    check_among(cuda, ground, measures(rng, 128, [12, 12, 24, 24, 24, 30, 32, 32], 0.0))
    check_among(cuda, ground, measures(rng, 128, [12, 12, 24, 24, 24, 30, 32, 32], None))


def test_masses_of_all_sizes(cuda: Cuda, rng: np.random.Generator) -> None:
    ground = wt.spaces.Euclidean(rng.normal(size=(60, 2))), 1.0
    check_among(cuda, ground, measures(rng, 60, [8, 16, 24, 30, 32], 18.0))


def test_equal_measures_and_nearly_equal_ones(cuda: Cuda, rng: np.random.Generator) -> None:
    one = measures(rng, 30, [12], 1.0)
    doubled = np.concatenate([one.masses, one.masses, 3 * one.masses, one.masses * (1 + 1e-15)])
    rows = CsrMeasures(12 * np.arange(5), np.tile(one.indices, 4), doubled, np.add.reduceat(doubled, 12 * np.arange(4)))
    for p in (1.0, 2.0):
        values = check_among(cuda, (wt.spaces.Euclidean(rng.normal(size=(30, 2))), p), rows)
        assert values[0, 1] == 0
        assert (values < 1e-7).all()


def test_points_at_one_place(cuda: Cuda, rng: np.random.Generator) -> None:
    for p in (1.0, 2.0):
        assert not check_among(cuda, (wt.spaces.Euclidean(np.ones((30, 2))), p), measures(rng, 30, [3, 8, 9])).any()


def _some_matrix(rng: np.random.Generator, n: int) -> wt.spaces.Dense:
    matrix = np.triu(rng.uniform(0.1, 9.0, (n, n)), 1)
    return wt.spaces.Dense(matrix + matrix.T)


def test_matrices_without_triangle_inequality(cuda: Cuda, rng: np.random.Generator) -> None:
    metric, rows = _some_matrix(rng, 40), measures(rng, 40, [5, 9, 16, 25, 30], 1.0)
    values = check_among(cuda, (metric, 1.0), rows)
    engine = wt.Engine(1, device=cuda)
    broken_promise = wt.spaces.Dense(metric.matrix, triangle=True)
    wrongly, report = cuda.exact_among(broken_promise, 1.0, rows, engine)
    assert report.n_fallbacks > 0
    np.testing.assert_allclose(wrongly, values, rtol=0, atol=1e-12 * values.max())


@pytest.mark.slow
def test_large_measures(cuda: Cuda, rng: np.random.Generator) -> None:
    """A warp with two points a thread, a block, and the CPU, in one list."""
    sizes = [1, 40, 60, 64, 100, 128, 140]
    rows = measures(rng, 150, sizes, None)
    ground = wt.spaces.Euclidean(rng.normal(size=(150, 2))), 1.0
    indptr, targets = np.array([0, 2, 4, 5, 5, 6, 7, 8]), np.array([3, 5, 3, 6, 2, 5, 4, 0])
    engine = wt.Engine(1, device=cuda)
    values, report = cuda.exact_listed(*ground, rows, rows, indptr, targets, engine)
    expected, _ = CPU.exact_listed(*ground, rows, rows, indptr, targets, engine)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12 * expected.max())
    assert report.n_problems == 8
    assert report.n_fallbacks == 0
    assert report.gap <= GAP


@pytest.fixture
def _not_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a problem was left to the CPU")

    monkeypatch.setattr(batch.on_cpu, "exact_listed", refuse)


@pytest.mark.usefixtures("_not_on_the_cpu")
@pytest.mark.parametrize("p", [2.0, 6.0])
def test_short_moves_between_wide_measures_keep_their_digits(p: float, cuda: Cuda, rng: np.random.Generator) -> None:
    """W_p far below the width of the measures: on a line the plan that keeps the order is optimal."""
    places = np.sort(rng.uniform(0, 1e3, 12))
    moved = places + rng.uniform(0, 1e-4, 12)
    masses = np.tile(rng.uniform(1, 2, 12), 2)
    rows = CsrMeasures(np.array([0, 12, 24]), np.arange(24), masses, np.full(2, masses[:12].sum()))
    ground = wt.spaces.Euclidean(np.column_stack([np.append(places, moved), np.zeros(24)])), p
    values, report = cuda.exact_among(*ground, rows, wt.Engine(1, device=cuda))
    expected = np.average((moved - places) ** p, weights=masses[:12]) ** (1 / p)
    assert values[0, 1] == pytest.approx(expected, rel=1e-12)
    assert report.n_fallbacks == 0


@pytest.mark.usefixtures("_not_on_the_cpu")
def test_other_points_at_the_same_places(cuda: Cuda, rng: np.random.Generator) -> None:
    """W_p is 0 between measures on copies of points; dear arcs that have to be used are found under the clip."""
    places = rng.normal(size=(8, 2))
    far = np.concatenate([places, places, places + 1e-9, 1e6 + places[:1]])
    indices = np.concatenate([np.arange(24), np.append(np.arange(23), 24)])
    indptr, masses = np.array([0, 8, 16, 24, 48]), np.ones(48)
    masses[-1] = 1e-9
    rows = CsrMeasures(indptr, indices, masses, np.add.reduceat(masses, indptr[:-1]))
    for p in (2.0, 6.0):
        ground = wt.spaces.Euclidean(far), p
        values, _ = cuda.exact_among(*ground, rows, wt.Engine(1, device=cuda))
        expected, _ = CPU.exact_among(*ground, rows, wt.Engine(1))
        assert values[0, 1] == 0
        np.testing.assert_allclose(values, expected, rtol=1e-9, atol=0)


def test_the_same_bits_however_pairs_are_asked_for(cuda: Cuda, rng: np.random.Generator) -> None:
    rows = measures(rng, 40, [3, 8, 15, 16, 20, 31], 1.0)
    ground, engine = (wt.spaces.Euclidean(rng.normal(size=(40, 2))), 1.0), wt.Engine(1, device=cuda)
    whole, _ = cuda.exact_among(*ground, rows, engine)
    first = CsrMeasures(rows.indptr[:3], rows.indices[:11], rows.masses[:11], rows.totals[:2])
    across, report = cuda.exact_between(*ground, first, rows, engine)
    np.testing.assert_array_equal(across, whole[:2])
    assert report.n_problems == 12
    indptr, targets = np.array([0, 1, 1, 4, 4, 5, 5]), np.array([4, 5, 0, 1, 3])
    some, _ = cuda.exact_listed(*ground, rows, rows, indptr, targets, engine)
    np.testing.assert_array_equal(some, whole[[0, 2, 2, 2, 4], targets])


def test_coordinates_of_any_size(cuda: Cuda, rng: np.random.Generator) -> None:
    points, rows = rng.normal(size=(40, 2)), measures(rng, 40, [10, 20, 30], 1.0)
    engine = wt.Engine(1, device=cuda)
    for p in (1.0, 1.5, 2.0):
        values, _ = cuda.exact_among(wt.spaces.Euclidean(points), p, rows, engine)
        for unit in (2.0**-300, 2.0**300):
            found, report = cuda.exact_among(wt.spaces.Euclidean(unit * points), p, rows, engine)
            np.testing.assert_allclose(found / unit, values, rtol=1e-14)
            assert report.n_fallbacks == 0


def test_lt_wt_as_a_whole(cuda: Cuda, rng: np.random.Generator) -> None:
    space = wt.Space.from_points(rng.normal(size=(40, 2)))
    flow = wt.transforms.local_truncation(1.0)
    here = wt.iterate(flow, space, n_iter=2)
    there = wt.iterate(flow, space, n_iter=2, engine=wt.Engine(device=cuda))
    expected = here.last.metric.dense()
    np.testing.assert_allclose(there.last.metric.dense(), expected, rtol=0, atol=1e-12 * expected.max())


def test_work_can_be_cancelled(cuda: Cuda, rng: np.random.Generator) -> None:
    engine = wt.Engine(1, device=cuda)
    engine.cancel()
    with pytest.raises(Cancelled):
        cuda.exact_among(_some_matrix(rng, 20), 1.0, measures(rng, 20, [3, 4, 5]), engine)


def test_small_work_stays_on_the_cpu(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, rows = _some_matrix(rng, 20), measures(rng, 20, [3, 4, 5])
    engine = wt.Engine(1, device=cuda)

    def run(p: float) -> object:
        return batch.exact_among(metric, p, rows, engine, device=cuda.device)

    assert run(1.0) is not NotImplemented
    assert run(np.inf) is NotImplemented
    monkeypatch.setattr(batch, "MIN_PAIRS", 4)
    assert run(1.0) is NotImplemented


@pytest.mark.slow
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_many_measures(p: float, m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    sizes = rng.integers(1, 129, 12).tolist()
    for spread in (0.0, 18.0, None):
        check_among(cuda, (wt.spaces.Euclidean(rng.normal(size=(200, m))), p), measures(rng, 200, sizes, spread))


@pytest.mark.slow
def test_gaussian_ground(cuda: Cuda, rng: np.random.Generator) -> None:
    half = rng.normal(size=(30, 2, 2))
    metric = wt.spaces.GaussianMetric(rng.normal(size=(30, 2)), half @ half.transpose(0, 2, 1), 0.7)
    check_among(cuda, (metric, 1.0), measures(rng, 30, [3, 8, 15, 16, 20, 29], 1.0))
