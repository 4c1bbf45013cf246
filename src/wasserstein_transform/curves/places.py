"""The input of denoising: distinct places, sorted, so that neither copies nor the order of rows matter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats, Ints


class Places(NamedTuple):
    """Distinct places, and the place of each row.

    Attributes
    ----------
    points : array of shape (k, m)
        Coordinates in units of `scale`, sorted.
    weights : array of shape (k,)
        Masses, with total 1.
    of : array of shape (n,)
        The place of each row.
    """

    points: Floats
    weights: Floats
    of: Ints


def distinct(points: Floats, weights: Floats) -> Places:
    """Return every distinct place once, with its total mass."""
    order = np.lexsort((weights, *points.T[::-1]))  # ties by weight, so that sums do not depend on the order of rows
    points, weights = points[order], weights[order]
    first = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    of = np.empty(len(points), np.intp)
    of[order] = np.cumsum(first) - 1
    return Places(points[first], np.add.reduceat(weights, np.flatnonzero(first)), of)


def check_scale(scale: ArrayLike | None, m: int) -> Floats:
    """Check the unit of length of each axis; None means 1."""
    if scale is None:
        return np.ones(m)
    lengths = check.floats(scale, "scale")
    if lengths.ndim == 0:
        raise ValueError(f"scale must hold one length for each of the {m} axes, got {scale!r}; eps is for all of them")
    if lengths.shape != (m,):
        raise ValueError(f"scale must hold one length for each of the {m} axes, got shape {lengths.shape}")
    if not (lengths > 0).all():
        raise ValueError(f"scale must be positive, got {lengths.min():g}; larger values widen neighborhoods")
    return lengths


def track_of(order: Any, n: int) -> Ints | None:
    """Return pairs (row, next row of the same trip), from the trips and times of the points."""
    if order is None or order is False:
        return None
    if isinstance(order, tuple) and len(order) != 2:
        raise ValueError(f"order must be the trips, or a tuple (trips, times), got a tuple of {len(order)}")
    trips, times = order if isinstance(order, tuple) else (order, None)
    trips = np.asarray(trips)
    if trips.shape != (n,):
        raise ValueError(
            f"order must hold the trip of each of the {n} points, shape ({n},), or be a tuple (trips, times), "
            f"got shape {trips.shape}"
        )
    if trips.dtype.kind == "f" and np.isnan(trips).any():
        raise ValueError(
            f"order must give the trip of each point, got nan at {np.isnan(trips).argmax()}; drop such points"
        )
    numbers = np.unique(trips, return_inverse=True)[1]
    when = np.arange(n, dtype=float) if times is None else check.floats(times, "times")
    if when.shape != (n,):
        raise ValueError(f"times must hold one number per point, shape ({n},), got shape {when.shape}")
    rows = np.lexsort((when, numbers))
    same = numbers[rows[1:]] == numbers[rows[:-1]]
    return np.column_stack([rows[:-1][same], rows[1:][same]])


def directions(places: Places, track: Ints, length: float) -> Floats:
    """Return the direction of the track at each place, as extra coordinates of the place.

    It is the mean of u uᵀ − I/m over the legs of the track at the place, where u is the unit vector of a leg: opposite
    directions are equal. Legs shorter than `length` count less, since noise turns them. Distances of these coordinates
    are Frobenius distances of the matrices: √2 for directions at right angles.
    """
    m = places.points.shape[1]
    ends = places.of[track]
    legs = places.points[ends[:, 1]] - places.points[ends[:, 0]]
    lengths = np.sqrt((legs**2).sum(axis=1))
    units = legs / np.where(lengths > 0, lengths, 1.0)[:, None]
    tensors = units[:, :, None] * units[:, None, :] - np.eye(m) / m
    tensors *= np.minimum(lengths / length, 1.0)[:, None, None]
    at, total, count = ends.ravel(), np.zeros((len(places.points), m, m)), np.zeros(len(places.points))
    np.add.at(total, at, np.repeat(tensors, 2, axis=0))
    np.add.at(count, at, 1.0)
    mean = total / np.maximum(count, 1.0)[:, None, None]
    row, column = np.triu_indices(m)
    return np.asarray(mean[:, row, column] * np.where(row == column, 1.0, np.sqrt(2.0)))
