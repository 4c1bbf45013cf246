"""What a job takes, known before it starts."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..engine.memory import available
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Process
from ..transforms.memory import plan_of

_SHARE = 0.5  # of what is free, where no limit is given
_ASKED = 1 << 12  # points that a plan is made for: it grows with their number
_FIXED = 2.0**25  # bytes that every job takes: chunks while they are read, tables of them
_BITS = 32.0  # bytes for each entry of a covariance that pairs tested once may take


def limit_of(engine: Engine) -> float:
    """Bytes that jobs may take."""
    return engine.memory if engine.memory is not None else _SHARE * available()


def bytes_of_point(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """What a point of a job takes: as it is read, as it was, as it will be, and what the step takes beside it."""
    space = _example(process, m)
    plan = plan_of(process, len(process.step) if isinstance(process.step, tuple | list) else 1, space, engine)
    state = plan.state / _ASKED
    has_covs = state > 8.0 * m
    read = 8.0 * (1 + m + has_covs * m * (m + 1) / 2 + 2 * weighted)
    bits = _BITS * m * m if has_covs and m > 2 else 0.0
    return read + 8.0 + 3 * state + plan.working / _ASKED + bits


def most_points(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """How many points a job may read."""
    return max(1.0, (limit_of(engine) - _FIXED) // bytes_of_point(process, m, weighted, engine))


def job_bytes(n: float, process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """What a job of so many points takes."""
    return _FIXED + n * bytes_of_point(process, m, weighted, engine)


def bits_allowed(n: int, m: int, lam: float | None, engine: Engine) -> float | None:
    """What a step may take beside its plan: for covariances, and in space for bits of pairs that are tested once."""
    return engine.memory if lam is None or m <= 2 else _BITS * m * m * n


def _example(process: Process, m: int) -> Space:
    """A space of a few points, as the dearest step sees it."""
    points: Floats = np.zeros((_ASKED, m))
    first = process.start or process.at(0)
    metric = first.transport.memory(_ASKED, m)[0] > 8.0 * _ASKED * m
    if metric:
        return Space(GaussianMetric(points, np.zeros((_ASKED, m, m)), 1.0), np.full(_ASKED, 1 / _ASKED), points)
    return Space(Euclidean(points), np.full(_ASKED, 1 / _ASKED), points)
