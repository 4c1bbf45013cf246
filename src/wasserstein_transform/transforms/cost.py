"""Estimate the time of a run, and warn before a long one."""

from __future__ import annotations

import numpy as np

from .._elsewhere import where_it_lies
from .._warn import warn
from ..backends import backend_of
from ..engine import Engine
from ..localize import Extrinsic, Localization
from ..measures import Gaussians
from ..spaces import Euclidean, Space, quotient
from ..transport import Transport
from ..transport.cost import LONG, CostWarning, in_words, problems_in_words

_PAIR = 4e-9, 4e-8  # seconds per pair within reach for means, and for covariances in the plane


def warn_of_cost(
    localize: Localization, transport: Transport, n_iter: int | None, space: Space, n_seen: float | None, engine: Engine
) -> None:
    """Warn if `n_iter` iterations take long, or a single one if their number is unknown (None)."""
    seconds = _of_all(localize, transport, n_iter, space, n_seen, engine)
    if n_seen is None or seconds < LONG:
        return
    open_end = n_iter is None
    warn(
        f"each neighborhood holds about {n_seen:.0f} of the {space.n} points, so that "
        f"{_named(localize, transport, space, n_seen)} will take about {in_words(seconds)}"
        f"{' per iteration' * open_end}; {_advice(localize)}; verbose=True or "
        "wt.using(progress=wt.bar()) shows the progress",
        CostWarning,
    )


def takes_long(localize: Localization, transport: Transport, n_iter: int | None, space: Space, engine: Engine) -> bool:
    """Whether `warn_of_cost` would warn."""
    return _of_all(localize, transport, n_iter, space, localize.n_seen(space), engine) >= LONG


def _of_all(
    localize: Localization, transport: Transport, n_iter: int | None, space: Space, n_seen: float | None, engine: Engine
) -> float:
    """Seconds for all iterations, or for one if their number is unknown; 0 if there is no estimate."""
    if n_seen is None:
        return 0.0
    seconds = max(n_iter or 0, 1) * _seconds(localize, transport, space, n_seen) / backend_of(engine).n_cores(engine)
    if seconds >= LONG:
        seconds *= _share_of_different(space, engine) ** (1 if isinstance(localize, Extrinsic) else 2)
    return seconds


def _seconds(localize: Localization, transport: Transport, space: Space, n_seen: float) -> float:
    """Estimated seconds of one step on one core."""
    if not isinstance(localize, Extrinsic):
        return transport.seconds(space.n, n_seen)
    points = where_it_lies(space, "points")
    m = 1 if points is None else points.shape[1]
    means, covs = _PAIR
    return space.n * n_seen * (covs * max(1, m - 1) ** 2 if localize.makes is Gaussians else means * m)


def _share_of_different(space: Space, engine: Engine) -> float:
    """Share of distinct points: duplicates have equal measures, which are compared once."""
    places = space.metric.places
    if places is None:
        return 1.0
    return quotient(Space(Euclidean(places), space.weights, None), engine=engine.quiet()).space.n / space.n


def _named(localize: Localization, transport: Transport, space: Space, n_seen: float) -> str:
    if isinstance(localize, Extrinsic):
        return "moving them"
    n_problems = space.n * (space.n - 1) // 2
    what = f"{type(transport).__name__.lower()} transport"
    return f"{what} ({problems_in_words(n_problems, n_problems * n_seen**2)} each time)"


def _advice(localize: Localization) -> str:
    if not np.isfinite(localize.reach):
        return "a localization with fewer neighbors is faster, such as a kernel with cut=3 or Nearest(k)"
    return f"is eps={localize.scale:g} in the unit of the data? wt.suggest_eps(X) gives a starting value"
