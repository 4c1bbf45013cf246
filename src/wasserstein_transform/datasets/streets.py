"""GPS fixes along the streets of an invented town."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from .noisy import Seed
from .records import Curve

_FINE = 400  # number of vertices of a street


class Tracks(NamedTuple):
    """GPS fixes, the trip of each, and the true streets; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The fixes, in meters; those of a trip are in the order in which they were taken.
    trips : array of int, shape (n,)
        The trip of each fix.
    curve : Curve
        The streets, one piece each.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> tracks = wt.datasets.streets(0, n_trips=5, noise=0.0)
    >>> tracks.trips.max() + 1, bool(tracks.curve.distance(tracks.points).max() < 0.01)
    (np.int64(5), True)
    """

    points: Floats
    trips: Ints
    curve: Curve


def streets(rng: Seed = None, *, n_trips: int = 60, noise: float = 6.0, every: float = 25.0) -> Tracks:
    """Draw noisy GPS fixes of trips in a town of 1200 m by 900 m, with bent avenues, cross streets and a ring road.

    A trip follows part of one street, in either direction, and takes a fix at regular distances.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n_trips : int, default 60
        Number of trips.
    noise : float, default 6.0
        Standard deviation of a fix along each axis, in meters.
    every : float, default 25.0
        Distance between fixes, in meters.

    Returns
    -------
    Tracks
        Points, the trip of each, and the streets.

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
    """Positions along a random part of a street, at regular distances."""
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(street, axis=0), axis=1)))
    whole = lengths[-1]
    start = rng.uniform(0, 0.5) * whole
    stop = start + rng.uniform(0.5, 1.0) * (whole - start)
    at = np.arange(start + rng.uniform(0, every), stop, every)
    at = at[::-1] if rng.random() < 0.5 else at
    return np.column_stack([np.interp(at, lengths, column) for column in street.T])
