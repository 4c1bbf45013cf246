"""One small problem: in the thread of the caller, in memory that is used again, with the answers of a large one."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import single


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses with ties and zeros, and costs of either sign."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 40, 2)
    a, b = rng.integers(0, 5, n) + 1.0 * (np.arange(n) == 0), rng.integers(0, 5, m) + 1.0 * (np.arange(m) == 0)
    return a / a.sum(), b / b.sum(), rng.integers(-4, 9, (n, m)).astype(float)


@pytest.mark.parametrize(("side", "is_here"), [(20, True), (200, False)])
def test_small_problems_run_in_the_calling_thread(side: int, is_here: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    names, solve = [], single._solve

    def solve_and_note(*arguments: object) -> single.Solution:
        names.append(threading.current_thread())
        return solve(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(single, "_solve", solve_and_note)
    wt.wasserstein(None, None, np.random.default_rng(0).random((side, side)))
    assert (names == [threading.current_thread()]) == is_here


@pytest.mark.parametrize("side", [3, 200])
def test_a_cancelled_engine_solves_no_problem_of_any_size(side: int) -> None:
    engine = wt.Engine()
    engine.cancel()
    with pytest.raises(wt.engine.Cancelled):
        wt.wasserstein(None, None, np.zeros((side, side)), engine=engine)


def test_problems_in_used_memory_and_in_many_threads_have_the_same_bits() -> None:
    seeds = range(60)
    single._KEPT.clear()
    alone = []
    for seed in seeds:
        alone.append(wt.wasserstein(*problem(seed)))
        single._KEPT.clear()
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda seed: wt.wasserstein(*problem(seed % 60)), [*seeds, *reversed(seeds)]))
    for one, other in zip(alone * 2, together[:60] + together[:59:-1], strict=True):
        assert one.value == other.value
        np.testing.assert_array_equal(one.plan, other.plan)
        for mine, theirs in zip(one.potentials or (), other.potentials or (), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("a", "b"), [([1e300, 1e300], [1.0, 1.0]), ([1e-310, 0.0], [1e300, 1.0]), ([1.0, 2.0], [3.1, 0.0])]
)
def test_totals_that_differ_are_refused_at_any_scale(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError, match="a and b must have equal totals, got"):
        wt.wasserstein(a, b, np.ones((2, 2)))
