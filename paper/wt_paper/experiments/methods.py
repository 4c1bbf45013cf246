"""The paper's methods by their names in its figures, and the rows of its table of accelerations, which are timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low
from typing import TypeVar

from wasserstein_transform.engine import Engine
from wasserstein_transform.localize import CachedNeighbors, Gaussian, Truncation
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import (
    Process,
    Transform,
    gaussian_transform,
    iterate,
    local_truncation,
    mean_shift,
)
from wasserstein_transform.transport import Bures, Transport

T = TypeVar("T")


PAPER_FULL = 48.7
"""The paper's seconds for one iteration with the full matrix."""


def method(name: str, eps: float, profile: str = "flat") -> Process:
    """The process of MS, LT-WT1, LT-WT2 or GT-λ."""
    family, _, number = name.partition("-")
    if family == "MS":
        return mean_shift(eps, profile)
    if family == "GT":
        return gaussian_transform(eps, float(number), profile)
    return local_truncation(eps, int(number.removeprefix("WT")))


@dataclass(frozen=True)
class Variant:
    """A row of the paper's table; `paper` has its seconds for iterations 1 to 5 (200 × 200 grid, C++, 48 cores)."""

    name: str
    about: str
    once: bool
    merges: bool
    paper: tuple[float, ...]


V1 = Variant("v1", "neighborhood mechanism", False, False, (20.2, 11.3, 9.0, 7.1, 6.7))
V2 = Variant("v2", "v1, each pair once", True, False, (14.8, 10.0, 7.4, 6.2, 6.3))
V3 = Variant("v3", "v1, points merged", False, True, (20.9, 9.4, 5.3, 2.8, 1.5))
V4 = Variant("v4", "v2, points merged", True, True, (14.7, 8.2, 4.1, 2.6, 1.4))
VARIANTS = (V1, V2, V3, V4)


def accelerated(eps: float, lam: float, once: bool = False, transport: Transport | None = None) -> Process:
    """The Gaussian Transform, testing each pair twice or once, by default with lazy distances."""
    plain, transport = Truncation(eps), transport or Bures()
    base = CachedNeighbors(eps) if once else plain
    return Process(
        Transform(Gaussian(plain, lam), transport),
        Transform(Gaussian(base, lam, move=True), transport),
    )


def time_steps(
    process: Process, space: Space, n_iter: int, merge: float | None, repeats: int, engine: Engine
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Median seconds of each iteration, including merging, and the number of points at its start."""
    state = iterate(process, space, n_iter=0, merge=merge, engine=engine).quotients[-1].space
    seconds, sizes = [], []
    for k in range(n_iter):
        sizes.append(state.n)
        step, start = process.at(k), state
        spent, walk = timed(
            lambda step=step, start=start: iterate(step, start, n_iter=1, merge=merge, engine=engine),  # type: ignore[misc]
            repeats,
            time.perf_counter,
        )
        seconds.append(median_low(spent))
        state = walk.quotients[-1].space
    return tuple(seconds), tuple(sizes)


def timed(work: Callable[[], T], repeats: int, clock: Callable[[], float]) -> tuple[list[float], T]:
    """Seconds of each run, and the result of the last."""
    seconds = []
    for _ in range(repeats):
        start = clock()
        result = work()
        seconds.append(clock() - start)
    return seconds, result
