"""Estimate the time of exact transport, and warn before a long run."""

from __future__ import annotations

import math

from .._types import Ints
from .._warn import warn
from ..engine import Engine

LONG = 30.0  # seconds; longer runs get a warning
_ENTRY = 3e-8  # seconds per entry of a cost matrix, to within a factor of two or three
_SIDE = 1000.0  # for problems with more masses per side, the time per entry grows with their number


class CostWarning(UserWarning):
    """Warns that neighborhoods or measures are so large that the run will take more than about 30 seconds.

    It is a UserWarning and is given before the run starts.

    Examples
    --------
    Turn the warning into an error, to stop before a long run:

    >>> import warnings, wasserstein_transform as wt
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", wt.CostWarning)
    ...     wt.iterate(wt.mean_shift(1.0), wt.Space.from_points([[0.0], [1.0], [5.0]]), n_iter=1)
    <Trajectory of 3 points: did 1 iteration as asked; the last movement was 0.5 eps>
    """


def seconds_of(n_problems: int, n_entries: float) -> float:
    """Estimate the seconds that one core needs for problems whose cost matrices have `n_entries` entries in total."""
    return _ENTRY * n_entries * max(1.0, _side(n_problems, n_entries) / _SIDE)


def warn_of_problems(n_problems: int, n_entries: float, engine: Engine) -> None:
    """Warn if problems whose cost matrices have `n_entries` entries in total take long."""
    seconds = seconds_of(n_problems, n_entries) / min(engine.n_threads, max(n_problems, 1))
    if seconds >= LONG:
        warn(
            f"{problems_in_words(n_problems, n_entries)} will take about {in_words(seconds)}; measures on fewer points "
            "or fewer pairs are faster; wt.using(progress=wt.bar()) shows the progress",
            CostWarning,
        )


def n_entries_among(sizes: Ints) -> float:
    """Total number of entries of the cost matrices of all pairs of measures with these numbers of points."""
    squares = sizes.astype(float) ** 2
    return float((sizes.sum(dtype=float) ** 2 - squares.sum()) / 2)


def problems_in_words(n_problems: int, n_entries: float) -> str:
    """The number and the size of the problems, in words."""
    side = _side(n_problems, n_entries)
    return f"{n_problems:,} transport problem{'s' * (n_problems != 1)} of about {side:,.0f} × {side:,.0f} masses"


def in_words(seconds: float) -> str:
    """A duration in the largest unit that fits."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _side(n_problems: int, n_entries: float) -> float:
    return math.sqrt(n_entries / max(n_problems, 1))
