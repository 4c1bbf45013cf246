"""The rows of the paper's table of accelerations, as processes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median_low

from ..engine import Engine
from ..localize import CachedNeighbors, Gaussian, Truncation
from ..spaces import Space
from ..transforms import Process, Transform, iterate
from ..transport import Bures, Transport
from .cost import timed


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
PAPER_FULL = 48.7
"""The paper's seconds for one iteration with the full matrix."""


def accelerated(eps: float, lam: float, once: bool = False, transport: Transport | None = None) -> Process:
    """The Gaussian Transform, testing each pair twice or once, by default with lazy distances."""
    plain, transport = Truncation(eps), transport or Bures()
    base = CachedNeighbors(plain) if once else plain
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
