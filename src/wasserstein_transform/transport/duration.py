"""How long exact transport problems take: estimates, and the warning before a long run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._check import warn
from .._types import Ints
from ..compute.exact.batches import STEPS_PER_COST
from ..compute.exact.flows import flow_steps, flows_pay
from ..engine import Engine

MIN_LONG_SECONDS = 30.0  # longer runs get a warning
_ENTRY_SECONDS = 3e-8  # seconds per entry of a cost matrix, to within a factor of two or three
_MAX_LINEAR_SIDE = 1000.0  # for problems with more masses per side, the time per entry grows with their number


class CostWarning(UserWarning):
    """Warns that neighborhoods or measures are so large that the run will take more than about 30 seconds.

    It is a UserWarning and is given before the run starts.

    Examples
    --------
    Turn the warning into an error, to stop before a long run:

    >>> import warnings, wasserstein_transform as wt
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", wt.transforms.CostWarning)
    ...     wt.iterate(wt.transforms.mean_shift(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]]), n_iter=1)
    <Trajectory of 3 points: ran 1 iteration, as requested; the last movement was 0.5 eps>
    """


def estimate_seconds(n_problems: int, n_entries: float) -> float:
    """Estimate the seconds that one core needs for problems whose cost matrices have `n_entries` entries in total."""
    return _ENTRY_SECONDS * n_entries * max(1.0, _side(n_problems, n_entries) / _MAX_LINEAR_SIDE)


def warn_of_problems(n_problems: int, n_entries: float, engine: Engine, metric: Any = None, p: float = np.inf) -> None:
    """Warn if problems whose cost matrices have `n_entries` entries in total take long, also as flows on a graph."""
    seconds = estimate_seconds(n_problems, n_entries)
    if seconds < MIN_LONG_SECONDS:
        return
    if p == 1 and flows_pay(metric, STEPS_PER_COST * n_entries, n_problems, engine):
        seconds = _ENTRY_SECONDS / STEPS_PER_COST * flow_steps(metric) * n_problems
    seconds /= min(engine.n_threads, max(n_problems, 1))
    if seconds >= MIN_LONG_SECONDS:
        warn(
            f"{describe_problems(n_problems, n_entries)} will take about {describe_seconds(seconds)}; "
            "measures on fewer points or fewer pairs are faster",
            CostWarning,
        )


def count_entries(sizes: Ints) -> float:
    """Total number of entries of the cost matrices of all pairs of measures with these numbers of points."""
    squares = sizes.astype(float) ** 2
    return float((sizes.sum(dtype=float) ** 2 - squares.sum()) / 2)


def describe_problems(n_problems: int, n_entries: float) -> str:
    """The number and the size of the problems, in words."""
    side = _side(n_problems, n_entries)
    return f"{n_problems:,} transport problem{'s' * (n_problems != 1)} of about {side:,.0f} × {side:,.0f} masses"


def describe_seconds(seconds: float) -> str:
    """A duration in the largest unit that fits."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _side(n_problems: int, n_entries: float) -> float:
    return math.sqrt(n_entries / max(n_problems, 1))
