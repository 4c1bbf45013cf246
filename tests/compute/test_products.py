"""Nearest neighbors among many columns, by matrix products: the same bits as by trees and by comparing all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors import nearest as nearby, products, products_jit

N, M = 300, 40


def normal(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(N, M))


def unit_rows() -> np.ndarray:
    return normal() / np.linalg.norm(normal(), axis=1, keepdims=True)


def duplicates() -> np.ndarray:
    return normal()[np.random.default_rng(1).integers(0, 12, N)]


def one_far() -> np.ndarray:
    X = normal()
    X[7] += 1e9
    return X


def tight_clusters() -> np.ndarray:
    return normal()[np.random.default_rng(1).integers(0, 3, N)] + 1e-7 * normal(2)


CLOUDS: dict[str, Callable[[], np.ndarray]] = {
    "normal": normal,
    "unit rows": unit_rows,
    "duplicates": duplicates,
    "many ties": lambda: np.random.default_rng(1).integers(0, 2, (N, M)).astype(float),
    "few integers": lambda: np.random.default_rng(1).integers(0, 2, (N, M)) * (np.arange(M) < 4.0),
    "huge offset": lambda: 1e6 + 1e-3 * normal(),
    "one far point": one_far,
    "one far beyond squares": lambda: np.vstack([normal(), np.full(M, 1e149)]),
    "rows of zeros": lambda: normal() * (np.arange(N) % 3 == 0)[:, None],
    "one place": lambda: np.ones((N, M)),
    "tight clusters": tight_clusters,
    "all scales": lambda: normal() * 10.0 ** np.linspace(-12, 12, N)[:, None],
    "columns of all scales": lambda: normal() * 10.0 ** np.linspace(-12, 12, M),
    "tiny": lambda: 1e-150 * normal(),
    "squares vanish": lambda: 1e-161 * normal(),
    "huge": lambda: 1e149 * normal(),
    "squares overflow": lambda: 1e160 * normal(),
    "from far to near": lambda: np.ascontiguousarray(np.sort(normal(), axis=0)[::-1]),
    "several blocks": lambda: np.random.default_rng(3).integers(0, 4, (2500, 12)).astype(float),
}
EVERY = pytest.mark.parametrize("make", CLOUDS.values(), ids=CLOUDS)


def smallest(distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k least of each row, of equal ones the first."""
    indices = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, indices, axis=1), indices


def others(metric: wt.spaces.Metric, k: int) -> tuple[np.ndarray, np.ndarray]:
    distances = metric.dense().copy()
    np.fill_diagonal(distances, np.nan)  # sorted last, after infinite ones
    return smallest(distances, k)


def by_tree(metric: wt.spaces.Metric, k: int, of: wt.spaces.Metric | None = None) -> tuple[np.ndarray, np.ndarray]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "_MIN_COLUMNS", np.inf)
        return metric.neighbors(k, of=of)


def assert_equal(found: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.fixture(params=[products._MIN_CANDIDATES, 32], ids=["", "little room"])
def candidates(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual room for candidates, and so little that many queries are compared with all points."""
    monkeypatch.setattr(products, "_MIN_CANDIDATES", request.param)


@pytest.mark.usefixtures("candidates")
@EVERY
@pytest.mark.parametrize("k", [1, 15])
def test_neighbors_are_the_smallest_of_all_distances(make: Callable[[], np.ndarray], k: int) -> None:
    metric = wt.spaces.Euclidean(make())
    found = metric.neighbors(k)
    assert_equal(found, others(metric, k))
    assert_equal(found, by_tree(metric, k))


@EVERY
def test_all_others_are_neighbors(make: Callable[[], np.ndarray]) -> None:
    metric = wt.spaces.Euclidean(make()[:N])
    assert_equal(metric.neighbors(metric.n - 1), others(metric, metric.n - 1))


@pytest.mark.usefixtures("candidates")
@EVERY
def test_neighbors_of_new_points_are_the_smallest_of_a_block(make: Callable[[], np.ndarray]) -> None:
    X = make()
    old, new = (wt.spaces.Euclidean(part) for part in (X[::2], np.concatenate([X[1::2], X[:20]])))
    both = old.concatenate(new)
    found = old.neighbors(5, of=new)
    assert_equal(found, smallest(both.block(np.arange(old.n, both.n), np.arange(old.n)), 5))
    assert_equal(found, by_tree(old, 5, new))
    assert_equal(old.neighbors(old.n, of=new), smallest(both.dense()[old.n :, : old.n], old.n))


@EVERY
def test_any_number_of_threads_gives_the_same_bits(make: Callable[[], np.ndarray]) -> None:
    metric = wt.spaces.Euclidean(make())
    assert_equal(*(metric.neighbors(6, engine=wt.Engine(n_jobs)) for n_jobs in (1, 2)))


def test_new_points_may_lie_anywhere() -> None:
    old = wt.spaces.Euclidean(normal())
    new = wt.spaces.Euclidean(np.vstack([1e9 + normal(1), 1e140 * normal(2), 1e170 * normal(3), normal(4)]))
    assert_equal(old.neighbors(3, of=new), by_tree(old, 3, new))
    assert len(old.neighbors(3, of=wt.spaces.Euclidean(np.empty((0, M)))).indices) == 0


def test_orders_of_summation_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products as wrong as the bound allows still leave the right candidates."""
    rng, right = np.random.default_rng(5), products.np.matmul
    bound = M * 2.0**-24

    class Wrong:
        def __getattr__(self, name: str) -> object:
            return getattr(np, name)

        @staticmethod
        def matmul(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
            exact = right(a.astype(np.float64), b.astype(np.float64))
            norms = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=0)
            out[:] = exact + bound * norms * rng.choice([-1.0, 1.0], exact.shape)

    metrics = [wt.spaces.Euclidean(unit_rows()), wt.spaces.Euclidean(np.round(normal()))]
    expected = [by_tree(metric, 7) for metric in metrics]
    monkeypatch.setattr(products, "np", Wrong())
    for metric, true in zip(metrics, expected, strict=True):
        assert_equal(metric.neighbors(7), true)


def test_errors_of_products_are_below_their_bound() -> None:
    for name, make in CLOUDS.items():
        X = make()[:100]
        center, scale, share, floor = products._bounds_of_error(X, X, wt.Engine())
        if not np.isfinite(floor):
            assert name == "squares overflow"
            continue
        small = ((X - center) * scale).astype(np.float32)
        halves = np.einsum("ia,ia->i", small, small, dtype=np.float64) / 2
        half = (halves.astype(np.float32)[None] - small @ small.T).astype(np.float64) + halves[:, None]
        true = (wt.spaces.Euclidean(X).dense() * scale) ** 2 / 2
        assert (np.abs(half - true) <= share * (halves[:, None] + halves) + floor).all(), name


def test_little_memory_is_an_error() -> None:
    with pytest.raises(MemoryError, match="the products of 300 points with 40 columns"):
        wt.spaces.Euclidean(normal()).neighbors(2, engine=wt.Engine(memory="100kB"))


def test_many_points_on_a_curve_are_searched_by_a_tree() -> None:
    rng = np.random.default_rng(0)
    phase, speed = rng.normal(size=(2, 24))
    curve = wt.spaces.Euclidean(np.cos(np.outer(rng.random(30_000), 6 * speed) + phase))
    blob = wt.spaces.Euclidean(rng.normal(size=(30_000, 24)))
    engine = wt.Engine()
    assert nearby._is_pruned(curve, 15, engine)
    assert not nearby._is_pruned(blob, 15, engine)
    assert_equal(curve.take(np.arange(9000)).neighbors(3), products.nearest(curve.points[:9000], None, 3, engine))
    assert not nearby._is_pruned(curve.take(np.arange(2000)), 15, engine)
    few = wt.spaces.Euclidean(curve.points[:20] + 1e-3)
    assert_equal(curve.neighbors(4, of=few), products.nearest(curve.points, few.points, 4, engine))


def test_a_full_list_of_candidates_keeps_the_near_ones() -> None:
    members, floors = np.arange(6), np.array([3, 1, 5, 1, 4, 0], np.float32)
    assert products_jit._drop_far(members, floors, 6, np.float32(3)) == 4
    assert members[:4].tolist() == [0, 1, 3, 5]
    assert floors[:4].tolist() == [3, 1, 1, 0]
