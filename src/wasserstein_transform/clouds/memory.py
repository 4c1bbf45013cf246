"""Estimate the memory of a job before it starts."""

from __future__ import annotations

import numpy as np

from ..engine import Engine
from ..engine.memory import available
from ..localize import Ridge
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Process, Transform
from ..transforms.memory import plan_of

_SHARE = 0.5  # of the free memory, if no limit is given
_ASKED = 1 << 14  # plans are made for this many points and for twice as many: memory is linear in the number
_FIXED = 2.0**25  # bytes that every job takes: chunks while they are read, and their tables
_OF_THREAD = 2.0**22  # bytes that the system allocator keeps per thread after the arrays of tiles are freed
_BITS = 32.0  # bytes per covariance entry for the results of tests on pairs


def limit_of(engine: Engine) -> float:
    """Return the bytes that sequential work in this process may take."""
    return engine.memory if engine.memory is not None else _SHARE * available()


def bytes_of_point(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes per point of a job: as read, before and after the step, and the memory of the step."""
    n_iter = 1 if isinstance(process.step, Transform) else len(process.step)
    few, many = (plan_of(process, n_iter, _example(process, n, m), engine) for n in (_ASKED, 2 * _ASKED))
    state, working = ((more - less) / _ASKED for more, less in zip(many, few, strict=True))
    has_covs = state > 8.0 * m
    read = 8.0 * (1 + m + has_covs * m * (m + 1) / 2 + 2 * weighted)
    bits = _BITS * m * m if has_covs and m > 2 else 0.0
    ridge = 16.0 * (m + m * m) if _has_ridge(process) else 0.0
    return read + 8.0 + 3 * state + working + bits + ridge


def _has_ridge(process: Process) -> bool:
    """Tell whether a step computes covariances on the way to its means."""
    steps = [process.step] if isinstance(process.step, Transform) else process.step
    return any(isinstance(step.localize, Ridge) or getattr(step.localize, "ridge", None) for step in steps)


def most_points(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return how many points a job may read."""
    return max(1.0, (engine.share() - _fixed(engine)) // bytes_of_point(process, m, weighted, engine))


def job_bytes(n: float, process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes of a job of n points."""
    return _fixed(engine) + n * bytes_of_point(process, m, weighted, engine)


def _fixed(engine: Engine) -> float:
    """Return the bytes that a job takes regardless of its number of points; threads get at most half of the rest."""
    others = max(1, engine.n_threads // engine.n_at_once) - 1
    return _FIXED + min(_OF_THREAD * others, max(0.0, (engine.share() - _FIXED) / 2))


def bits_allowed(n: int, m: int, lam: float | None, engine: Engine) -> float | None:
    """Return the memory for tests of pairs in a step, besides its plan; only covariances in m > 2 need it."""
    return engine.memory if lam is None or m <= 2 else _BITS * m * m * n


def _example(process: Process, n: int, m: int) -> Space:
    """Return a space of n points in the form that steps take."""
    first = process.start or process.at(0)
    points = np.zeros((n, m))
    weights = np.full(n, 1.0 / n)
    if first.transport.memory(n, m)[0] > 8.0 * n * m:
        return Space(GaussianMetric(points, np.zeros((n, m, m)), 1.0), weights, points)
    return Space(Euclidean(points), weights, points)
