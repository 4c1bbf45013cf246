"""A made-up town: fixes of a receiver along its streets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from .noisy import Seed
from .records import Curve

_FINE = 400  # vertices of a street


class Tracks(NamedTuple):
    """Fixes, the trip each belongs to (in the order they were taken), and the streets."""

    points: Floats
    trips: Ints
    curve: Curve


def streets(rng: Seed = None, *, n_trips: int = 60, noise: float = 6.0, every: float = 25.0) -> Tracks:
    """Trips along the streets of a town of 1200 m by 900 m: avenues that bend, cross streets, a ring road.

    A trip drives all of a street or part of it, one way or the other, and takes a fix every so many meters.

    Parameters
    ----------
    rng : numpy Generator or seed
    n_trips : int
    noise : float
        Standard deviation of a fix, in meters, along each axis.
    every : float
        Meters between fixes.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, trips, curve = wt.datasets.streets(0)
    >>> len(curve.pieces), int(trips.max()) + 1
    (8, 60)
    """
    n_trips, noise = check.count(n_trips, "n_trips", 1), check.tolerance(noise, "noise")
    every, rng = check.positive(every, "every"), np.random.default_rng(rng)
    town = _town()
    drives = [_drive(town[int(rng.integers(len(town)))], every, rng) for _ in range(n_trips)]
    trips = np.repeat(np.arange(n_trips), [len(drive) for drive in drives])
    points = np.concatenate(drives)
    return Tracks(points + rng.normal(scale=noise, size=points.shape), trips, Curve(tuple(town)))


def _town() -> list[Floats]:
    x, y, turn = np.linspace(0, 1200, _FINE), np.linspace(0, 900, _FINE), np.linspace(0, 2 * np.pi, _FINE)
    avenues = [np.column_stack([x, height + 40 * np.sin(x / 250 + height)]) for height in (150.0, 420.0, 760.0)]
    across = [np.column_stack([place + 30 * np.sin(y / 200 + place), y]) for place in (180.0, 560.0, 1000.0)]
    diagonal = np.column_stack([x, 60 + 0.62 * x])
    ring = np.column_stack([790 + 130 * np.cos(turn), 290 + 100 * np.sin(turn)])
    return [*avenues, *across, diagonal, ring]


def _drive(street: Floats, every: float, rng: np.random.Generator) -> Floats:
    """Places along a stretch of at least half of a street."""
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(street, axis=0), axis=1)))
    whole = lengths[-1]
    start = rng.uniform(0, 0.5) * whole
    stop = start + rng.uniform(0.5, 1.0) * (whole - start)
    at = np.arange(start + rng.uniform(0, every), stop, every)
    at = at[::-1] if rng.random() < 0.5 else at
    return np.column_stack([np.interp(at, lengths, column) for column in street.T])
