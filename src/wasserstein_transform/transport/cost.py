"""What exact transport will cost, said before it starts if that is much."""

from __future__ import annotations

import math

from .._types import Ints
from .._warn import warn
from ..engine import Engine

LONG = 30.0  # seconds that nobody needs to be warned of
_ENTRY = 3e-8  # seconds for an entry of the costs of a problem, within a factor of two or three
_SIDE = 1000.0  # masses on a side, from which on that grows with them


class CostWarning(UserWarning):
    """The neighborhoods, or the measures, are so large that the work will take long."""


def seconds_of(n_problems: int, n_entries: float) -> float:
    """How long one core takes for problems whose cost matrices have so many entries together, about."""
    return _ENTRY * n_entries * max(1.0, _side(n_problems, n_entries) / _SIDE)


def warn_of_problems(n_problems: int, n_entries: float, engine: Engine) -> None:
    """One warning if problems whose cost matrices have so many entries together take long."""
    seconds = seconds_of(n_problems, n_entries) / min(engine.n_threads, max(n_problems, 1))
    if seconds >= LONG:
        warn(
            f"{problems_in_words(n_problems, n_entries)} will take about {in_words(seconds)}; measures on fewer points "
            "or fewer pairs are faster; wt.using(progress=wt.bar()) shows how far it is",
            CostWarning,
        )


def n_entries_among(sizes: Ints) -> float:
    """Entries of the cost matrices of all pairs of measures on so many points."""
    squares = sizes.astype(float) ** 2
    return float((sizes.sum(dtype=float) ** 2 - squares.sum()) / 2)


def problems_in_words(n_problems: int, n_entries: float) -> str:
    """How many problems of which size."""
    side = _side(n_problems, n_entries)
    return f"{n_problems:,} transport problem{'s' * (n_problems != 1)} of about {side:,.0f} × {side:,.0f} masses"


def in_words(seconds: float) -> str:
    """The largest unit of which there are some."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _side(n_problems: int, n_entries: float) -> float:
    return math.sqrt(n_entries / max(n_problems, 1))
