"""Records of data sets: points, labels, and the true curve."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from .. import _check as check
from .._shown import Brief
from .._types import Floats, Ints

_FEW = 200  # up to this number of vertices, distances to all edges are computed


class Labeled(NamedTuple):
    """Points with labels; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The points.
    labels : array of int, shape (n,)
        The part that each point belongs to.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points, labels = wt.datasets.t_junction()
    >>> points.shape, np.bincount(labels)
    ((401, 2), array([200, 201]))
    """

    points: Floats
    labels: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Brief):
    """A curve in the plane, as one or more fine polygons.

    Attributes
    ----------
    pieces : tuple of arrays of shape (k, 2)
        The vertices of each connected piece, in order along the curve.

    Notes
    -----
    `distance` takes O(n log k) for n points and a piece of more than 200 vertices.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.datasets.circles(0).curve.distance([[0.0, 0.0], [3.0, 0.0]]).round(4)
    array([1. , 1.2])
    """

    pieces: tuple[Floats, ...]

    def __post_init__(self) -> None:
        if len(self.pieces) == 0:
            raise ValueError("pieces must hold at least one polygon, got none")
        object.__setattr__(self, "pieces", tuple(check.points(piece, "each piece") for piece in self.pieces))

    @property
    def vertices(self) -> Floats:
        """All vertices, piece by piece, shape (total, 2)."""
        return np.concatenate(self.pieces)

    def distance(self, points: ArrayLike) -> Floats:
        """Compute the distance of each point (n, 2) to the curve, shape (n,).

        It is exact for pieces of up to 200 vertices; for others only the edges at the nearest vertex are used.
        """
        places = check.points(points)
        return np.asarray(np.min([_to_polygon(piece, places) for piece in self.pieces], axis=0))

    def coverage(self, points: ArrayLike, within: float) -> float:
        """Compute the share of the curve, by length, that has a point within the radius `within`; 0 to 1."""
        tree, radius = cKDTree(check.points(points)), check.tolerance(within, "within")
        near = [tree.query(piece)[0] <= radius for piece in self.pieces]
        lengths = [np.linalg.norm(np.diff(piece, axis=0), axis=1) for piece in self.pieces]
        covered = sum(float(((a[:-1] & a[1:]) * length).sum()) for a, length in zip(near, lengths, strict=True))
        return covered / float(sum(length.sum() for length in lengths))


def _to_polygon(piece: Floats, points: Floats) -> Floats:
    if len(piece) == 1:
        return np.asarray(np.linalg.norm(points - piece, axis=1))
    if len(piece) <= _FEW:
        return np.asarray(np.min([_to_segments(points, a, b) for a, b in pairwise(piece)], axis=0))
    nearest = cKDTree(piece).query(points)[1]
    before, after = np.maximum(nearest - 1, 0), np.minimum(nearest + 1, len(piece) - 1)
    to_before = _to_segments(points, piece[before], piece[nearest])
    return np.minimum(to_before, _to_segments(points, piece[nearest], piece[after]))


def _to_segments(points: Floats, start: Floats, stop: Floats) -> Floats:
    """Distance of the i-th point to the i-th segment, or of all points to one segment."""
    along = stop - start
    length = np.maximum((along**2).sum(axis=-1), np.finfo(float).tiny)
    share = np.clip(((points - start) * along).sum(axis=-1) / length, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[..., None] * along, axis=-1))


class Noisy(NamedTuple):
    """Points near a curve, with labels and the curve; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The points.
    labels : array of int, shape (n,)
        The piece of the curve that each point was drawn from; −1 for outliers.
    curve : Curve
        The true curve.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, labels, curve = wt.datasets.circles(0, noise=0.0)
    >>> len(curve.pieces), bool(curve.distance(points).max() < 1e-5)
    (2, True)
    """

    points: Floats
    labels: Ints
    curve: Curve
