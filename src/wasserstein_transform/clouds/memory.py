"""What a job takes, known before it starts."""

from __future__ import annotations

import numpy as np

from ..engine import Engine
from ..engine.memory import available
from ..localize import Ridge
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Process, Transform
from ..transforms.memory import plan_of

_SHARE = 0.5  # of what is free, where no limit is given
_ASKED = 1 << 14  # points, and twice as many, that plans are made for: they grow with the number
_FIXED = 2.0**25  # bytes that every job takes: chunks while they are read, tables of them
_OF_THREAD = 2.0**22  # bytes that the system's allocator keeps for each thread when arrays of tiles are freed
_BITS = 32.0  # bytes for each entry of a covariance that pairs tested once may take


def limit_of(engine: Engine) -> float:
    """Bytes that work may take that is done here, one piece at a time."""
    return engine.memory if engine.memory is not None else _SHARE * available()


def bytes_of_point(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """What a point of a job takes: as it is read, as it was, as it will be, and what the step takes beside it."""
    n_iter = 1 if isinstance(process.step, Transform) else len(process.step)
    few, many = (plan_of(process, n_iter, _example(process, n, m), engine) for n in (_ASKED, 2 * _ASKED))
    state, working = ((more - less) / _ASKED for more, less in zip(many, few, strict=True))
    has_covs = state > 8.0 * m
    read = 8.0 * (1 + m + has_covs * m * (m + 1) / 2 + 2 * weighted)
    bits = _BITS * m * m if has_covs and m > 2 else 0.0
    ridge = 16.0 * (m + m * m) if _has_ridge(process) else 0.0
    return read + 8.0 + 3 * state + working + bits + ridge


def _has_ridge(process: Process) -> bool:
    """Whether a step looks at covariances on the way to its means."""
    steps = [process.step] if isinstance(process.step, Transform) else process.step
    return any(isinstance(step.localize, Ridge) or getattr(step.localize, "ridge", None) for step in steps)


def most_points(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """How many points a job may read."""
    return max(1.0, (engine.share() - _fixed(engine)) // bytes_of_point(process, m, weighted, engine))


def job_bytes(n: float, process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """What a job of so many points takes."""
    return _fixed(engine) + n * bytes_of_point(process, m, weighted, engine)


def _fixed(engine: Engine) -> float:
    """What a job takes beside its points."""
    return _FIXED + _OF_THREAD * max(1, engine.n_threads // engine.n_at_once)


def bits_allowed(n: int, m: int, lam: float | None, engine: Engine) -> float | None:
    """What a step may take beside its plan: for covariances, and in space for bits of pairs that are tested once."""
    return engine.memory if lam is None or m <= 2 else _BITS * m * m * n


def _example(process: Process, n: int, m: int) -> Space:
    """A space of n points, as the steps see it."""
    first = process.start or process.at(0)
    points = np.zeros((n, m))
    weights = np.full(n, 1.0 / n)
    if first.transport.memory(n, m)[0] > 8.0 * n * m:
        return Space(GaussianMetric(points, np.zeros((n, m, m)), 1.0), weights, points)
    return Space(Euclidean(points), weights, points)
