"""What all candidates start from: distinct places in a fixed order, coordinates, neighbors, a unit of length; noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Bools, Floats, Ints
from ..engine import Engine, one_blas_thread
from ..localize.scale import far_sums
from ..spaces import Euclidean, Space, nearest_among, quotient, within_span
from ..transforms.scaling import Scaling

NEIGHBORS = 15
_TENTH = 10  # the neighbor whose distance is the unit of radii
_AXES = 8  # more axes are reduced: covariances of a few neighbors determine no more
_WIDE_FROM = 4  # coordinates: from here on there are other views of them
_SOME_AXES = 5
_FEW_AXES = 3
_ALL_AXES = 64
_MATRICES = 7  # n × n matrices in memory during a scaling, including LAPACK's workspace
_VARIANCE = 0.95  # fraction that the reduced axes keep, if so few suffice


class Ground(NamedTuple):
    """Places with mass.

    Attributes
    ----------
    space : Space
        The places with the given metric.
    points : array of shape (n, m)
        Coordinates: those given, their principal axes, or the classical scaling of distances.
    mass : array of shape (n,)
        Masses in units of their mean: they sum to n.
    indices, distances : arrays of shape (n, k)
        The nearest other places by coordinates.
    unit : float
        The median distance to the tenth of them.
    note : str
        What was reduced, if anything.
    views : tuple of arrays of shape (n, ...)
        With four or more coordinates, other views of the places: their first five and three principal axes, and all.
    """

    space: Space
    points: Floats
    mass: Floats
    indices: Ints
    distances: Floats
    unit: float
    note: str
    views: tuple[Floats, ...] = ()

    @property
    def n(self) -> int:
        """Number of places."""
        return len(self.mass)

    @property
    def gaussian_points(self) -> Floats:
        """Coordinates for the Gaussian Transform: at most five principal ones if there are more than three."""
        return self.views[0] if self.views else self.points

    @property
    def all_points(self) -> Floats:
        """All coordinates."""
        return self.views[-1] if len(self.views) > 2 else self.points

    @classmethod
    def of(cls, places: Space, engine: Engine) -> Ground:
        """Prepare at least two distinct places."""
        with one_blas_thread():
            points, note = _coordinates(places, engine)
            views = _views(places, points)
        metric = Euclidean(points)
        distances, indices = near = metric.neighbors(min(NEIGHBORS, places.n - 1), engine=engine)
        metric.derived.neighbors = near
        tenth = distances[:, min(_TENTH, distances.shape[1]) - 1]
        mass = places.weights * (places.n / places.weights.sum())
        space = Space(metric, places.weights, points) if places.metric.is_euclidean else places
        return cls(space, points, mass, indices, distances, float(np.median(tenth)) or 1.0, note, views)


def _coordinates(places: Space, engine: Engine) -> tuple[Floats, str]:
    if places.points is None:
        need = f"the classical scaling of {places.n} places"
        engine.reserve(8.0 * _MATRICES * places.n**2, need, "use fewer points, or give coordinates")
        points, note = Scaling.of(places.metric.dense(engine), places.weights / places.weights.sum()).points, "scaling"
    else:
        points, note = places.points, ""
    if points.shape[1] <= _AXES and not note:
        return points, note
    kept = points[:, : _leading(points, places.weights)] if note else _principal(points, places.weights)
    if note:
        return kept, f"coordinates are the first {_axes(kept)} of the classical scaling of the distances"
    if kept.shape[1] == points.shape[1]:
        return points, ""
    return kept, f"{points.shape[1]} dimensions were reduced to their first principal {_axes(kept)}"


def _views(places: Space, points: Floats) -> tuple[Floats, ...]:
    """Return the first five and three principal axes, and all up to 64; nothing in up to three dimensions."""
    if points.shape[1] < _WIDE_FROM:
        return ()
    turned = _turned(points if places.points is None else places.points, places.weights)[:, :_ALL_AXES]
    kept = [_SOME_AXES, _FEW_AXES] + [turned.shape[1]] * (turned.shape[1] > points.shape[1])
    return tuple(np.ascontiguousarray(turned[:, :count]) for count in kept)


def _axes(kept: Floats) -> str:
    return "axis" if kept.shape[1] == 1 else f"{kept.shape[1]} axes"


def _leading(points: Floats, weights: Floats) -> int:
    """Return how many leading axes hold most of the variance, at most 8."""
    held = np.cumsum(np.average(points**2, axis=0, weights=weights))
    return min(_AXES, int(np.searchsorted(held, _VARIANCE * held[-1])) + 1)


def _principal(points: Floats, weights: Floats) -> Floats:
    turned = _turned(points, weights)
    return np.ascontiguousarray(turned[:, : _leading(turned, weights)])


def _turned(points: Floats, weights: Floats) -> Floats:
    """Return coordinates along the principal axes."""
    centered = points - np.average(points, axis=0, weights=weights)
    _, axes = np.linalg.eigh(centered.T @ (centered * weights[:, None]))
    return np.asarray(centered @ axes[:, ::-1])


LARGEST = {1: 10_000, 2: 10_000, 3: 2_000}
"""Number of places, by number of coordinates, above which only a sample is clustered."""
_WIDE = 2_000  # the same with more coordinates


class Places(NamedTuple):
    """At most `LARGEST` distinct places with mass, in an order that does not depend on the order of the rows.

    Attributes
    ----------
    space : Space
        The places, with coordinates in the dimension that all of them span.
    place : array of shape (n_rows,)
        The place of each row; the nearest place if the row is not in the sample or has no mass.
    rows : array of shape (n,)
        One row at each place.
    mass : array of shape (n,)
        Mass of the rows of each place; unlike that of the space, it counts the rows that are not in the sample.
    n_all : int
        Number of distinct places with mass before sampling.
    """

    space: Space
    place: Ints
    rows: Ints
    mass: Floats
    n_all: int

    @classmethod
    def of(cls, space: Space, engine: Engine) -> Places:
        """Return the places of a space."""
        if space.points is not None:
            n_bytes = space.n * (96.0 + 24.0 * space.points.shape[1])
            engine.reserve(n_bytes, f"the different places of {space.n} points", "cluster a part of them")
        heavy = np.flatnonzero(space.weights > 0)
        merged = quotient(space if len(heavy) == space.n else space.take(heavy), engine=engine)
        assert merged.leaders is not None
        keys = far_sums(merged.space, engine)[None] if merged.space.points is None else merged.space.points.T
        kept = np.argsort(keys[0], kind="stable")
        if (np.diff(keys[0][kept]) == 0).any():
            kept = np.lexsort(keys[::-1])
        sorted_places = within_span(merged.space.take(kept))
        largest = _WIDE if sorted_places.points is None else LARGEST.get(sorted_places.points.shape[1], _WIDE)
        if len(kept) > largest:
            sample = np.sort(np.random.default_rng(0).choice(len(kept), largest, replace=False))
            kept, sorted_places = kept[sample], sorted_places.take(sample)
        rows, rank = heavy[merged.leaders[kept]], np.full(merged.space.n, -1)
        rank[kept] = np.arange(len(kept))
        place = np.full(space.n, -1)
        place[heavy] = rank[merged.labels]
        left, position = np.flatnonzero(place < 0), np.empty(space.n, np.intp)
        position[rows] = np.arange(len(rows))
        place[left] = position[nearest_among(space.metric, left, rows, 1, engine).indices[:, 0]]
        mass = np.bincount(place, weights=space.weights, minlength=len(rows)).astype(np.float64)
        return cls(sorted_places, place, rows, mass, merged.space.n)


_SPREADS = 3.0  # standard deviations of log distances above the median of the cluster
_LEAST = np.log(1.7)  # and at least this much: even clusters have hardly any spread


def thin_places(ground: Ground, labels: Ints) -> Bools:
    """Return the places whose log distance to the tenth neighbor is far above the median of their cluster."""
    tenth = np.log(np.maximum(ground.distances[:, min(10, ground.distances.shape[1]) - 1], 1e-12 * ground.unit))
    thin = np.zeros(ground.n, bool)
    for c in range(int(labels.max()) + 1):
        own = labels == c
        middle, spread = _middle(tenth[own])
        thin[own] = tenth[own] > middle + max(_SPREADS * spread, _LEAST)
    return thin


def _middle(values: Floats) -> tuple[float, float]:
    """Return the median, and the standard deviation estimated from the lower half: noise is in the upper half."""
    middle = float(np.median(values))
    low = values[values <= middle]
    return middle, 1.4826 * float(np.median(middle - low))
