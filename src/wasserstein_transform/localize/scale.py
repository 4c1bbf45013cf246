"""Choosing ε from the data."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Ints
from ..spaces import Space, quotient

_DISTANCES = 2e7  # distances looked at, about: seconds at most


class Scale(float):
    """A radius, and in `reason` why it was chosen. It is a number like any other."""

    reason: str

    def __new__(cls, eps: float, reason: str) -> Self:
        """The radius `eps`, chosen for the reason given."""
        self = super().__new__(cls, eps)
        self.reason = reason
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # what __new__ takes
        return float(self), self.reason

    @property
    def eps(self) -> float:
        """The radius as a plain number."""
        return float(self)

    def __repr__(self) -> str:
        return f"Scale(eps={float(self)!r}, reason={self.reason!r})"

    def __str__(self) -> str:
        return f"eps = {float(self):.4g}: {self.reason}"


def suggest_eps(X: ArrayLike | Space, sample_weight: ArrayLike | None = None) -> Scale:
    """A starting value for ε: the radius within which half of the mass sees at least 1/√n of the mass.

    n counts distinct places that carry mass, so that weight k is the same as k copies and weight 0 as no point.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> print(wt.suggest_eps(np.arange(100.0)[:, None]))
    eps = 5: half of the mass has at least 10 % of the mass (√100 of 100 places) within this distance
    """
    if isinstance(X, Space) and sample_weight is not None:
        raise ValueError("a Space carries its weights: make it with them instead of passing sample_weight")
    space = X if isinstance(X, Space) else Space.from_points(X, sample_weight)
    heavy = np.flatnonzero(space.weights > 0)
    places = quotient(space if len(heavy) == space.n else space.take(heavy)).space
    n = places.n
    if n == 1:
        return Scale(1.0, "all the mass is in one place, where every radius does the same")
    share = 1.0 / np.sqrt(n)
    rows = _sample(places, min(n, max(50, int(_DISTANCES / n))))
    radii = np.array([_radius_of_mass(places, int(row), share) for row in rows])
    seen = radii > 0
    if not seen.any():
        nearest = min(_nearest(places, int(row)) for row in rows)
        return Scale(nearest, "most of the mass is in single places; this is the smallest distance between two")
    eps = _weighted_median(radii[seen], places.weights[rows[seen]])
    whose = "the mass" if seen.all() else "the mass in places that hold less themselves"
    reason = f"half of {whose} has at least {100 * share:.2g} % of the mass (√{n} of {n} places) within this distance"
    return Scale(eps, reason)


def _sample(places: Space, count: int) -> Ints:
    """Places spread evenly over an order that does not depend on how the data came."""
    if count == places.n:
        return np.arange(count)
    keys = places.metric.dense().sum(axis=1)[None] if places.points is None else places.points.T
    spread = np.unique(np.linspace(0, places.n - 1, count).round().astype(np.intp))
    return np.asarray(np.lexsort(keys)[spread])


def _row(places: Space, row: int) -> Floats:
    return np.asarray(places.metric.block(np.array([row]), np.arange(places.n))[0])


def _radius_of_mass(places: Space, row: int, share: float) -> float:
    """The smallest radius whose closed ball around the place holds `share` of the mass."""
    distances = _row(places, row)
    order = np.argsort(distances, kind="stable")
    held = np.cumsum(places.weights[order])
    return float(distances[order[np.searchsorted(held, share * held[-1] * (1 - 1e-9))]])


def _nearest(places: Space, row: int) -> float:
    distances = _row(places, row)
    return float(np.min(distances[distances > 0], initial=np.inf))


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values, kind="stable")
    held = np.cumsum(weights[order]) / weights.sum()
    return float(values[order[np.searchsorted(held, 0.5 * (1 - 1e-9))]])
