"""The common input of all candidates: distinct places in a fixed order, coordinates, neighbors, a unit of length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine, one_blas_thread
from ...spaces import Euclidean, Space
from ...transforms.scaling import Scaling

NEIGHBORS = 15
_TENTH = 10  # the neighbor whose distance is the unit of radii
_AXES = 8  # more axes are reduced: covariances of a few neighbors determine no more
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
    """

    space: Space
    points: Floats
    mass: Floats
    indices: Ints
    distances: Floats
    unit: float
    note: str

    @property
    def n(self) -> int:
        """Number of places."""
        return len(self.mass)

    @classmethod
    def of(cls, places: Space, engine: Engine) -> Ground:
        """Prepare at least two distinct places."""
        with one_blas_thread():
            points, note = _coordinates(places, engine)
        metric = Euclidean(points)
        distances, indices = metric.neighbors(min(NEIGHBORS, places.n - 1), engine=engine)
        tenth = distances[:, min(_TENTH, distances.shape[1]) - 1]
        mass = places.weights * (places.n / places.weights.sum())
        space = Space(metric, places.weights, points) if places.metric.is_euclidean else places
        return cls(space, points, mass, indices, distances, float(np.median(tenth)) or 1.0, note)


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


def _axes(kept: Floats) -> str:
    return "axis" if kept.shape[1] == 1 else f"{kept.shape[1]} axes"


def _leading(points: Floats, weights: Floats) -> int:
    """Return how many leading axes hold most of the variance, at most 8."""
    held = np.cumsum(np.average(points**2, axis=0, weights=weights))
    return min(_AXES, int(np.searchsorted(held, _VARIANCE * held[-1])) + 1)


def _principal(points: Floats, weights: Floats) -> Floats:
    centered = points - np.average(points, axis=0, weights=weights)
    _, axes = np.linalg.eigh(centered.T @ (centered * weights[:, None]))
    turned = centered @ axes[:, ::-1]
    return np.ascontiguousarray(turned[:, : _leading(turned, weights)])
