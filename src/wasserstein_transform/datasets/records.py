"""What a data set is: points, the part each belongs to, and the truth they were drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats, Ints


class Labelled(NamedTuple):
    """Points and the part each belongs to."""

    points: Floats
    labels: Ints


@dataclass(frozen=True, eq=False)
class Curve:
    """Polygons fine enough to stand for a smooth curve.

    Attributes
    ----------
    pieces : tuple of arrays of shape (k, 2)
        The vertices of each connected piece, in order.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.circles(0).curve.distance([[0.0, 0.0], [3.0, 0.0]]).round(4)
    array([1. , 1.2])
    """

    pieces: tuple[Floats, ...]

    @property
    def vertices(self) -> Floats:
        """All vertices, piece after piece."""
        return np.concatenate(self.pieces)

    def distance(self, points: Floats) -> Floats:
        """Distance of each point to the curve: to the nearest vertex and the edges that meet there."""
        points = np.asarray(points, float)
        apart = [self._to_piece(piece, points) for piece in self.pieces]
        return np.asarray(np.min(apart, axis=0))

    def coverage(self, points: Floats, within: float) -> float:
        """Share of the vertices, which are evenly spread, that have one of the points within the radius."""
        return float(np.mean(cKDTree(points).query(self.vertices)[0] <= within))

    @staticmethod
    def _to_piece(piece: Floats, points: Floats) -> Floats:
        nearest = cKDTree(piece).query(points)[1]
        before, after = np.maximum(nearest - 1, 0), np.minimum(nearest + 1, len(piece) - 1)
        return np.minimum(
            _to_segments(points, piece[before], piece[nearest]), _to_segments(points, piece[nearest], piece[after])
        )


def _to_segments(points: Floats, start: Floats, stop: Floats) -> Floats:
    """Distance of the i-th point to the i-th segment."""
    along = stop - start
    length = np.maximum((along**2).sum(axis=1), np.finfo(float).tiny)
    share = np.clip(((points - start) * along).sum(axis=1) / length, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[:, None] * along, axis=1))


class Noisy(NamedTuple):
    """Points near a curve: which piece each was drawn from (−1 for outliers), and the curve itself."""

    points: Floats
    labels: Ints
    curve: Curve
