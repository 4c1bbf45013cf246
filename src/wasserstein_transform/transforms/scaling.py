"""Coordinates for distances: classical multidimensional scaling, which new points can follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform

from .._shown import Brief
from .._types import Floats

_NOISE = 1e-12  # of the largest: eigenvalues below are rounding


@dataclass(frozen=True, eq=False, repr=False)
class Scaling(Brief):
    """Points in R^k whose Euclidean distances are as near to given ones as classical scaling brings them.

    Axes come by falling weight: the first k columns are the classical scaling in R^k.

    Attributes
    ----------
    points : array of shape (n, k)
        k is the number of positive eigenvalues.
    distortion : float
        √(Σ (‖x − y‖ − d)² / Σ d²) over all pairs, by their masses: 0 if the distances are those of points in some R^k.
    """

    points: Floats
    distortion: float
    _axes: Floats
    _weights: Floats
    _means: Floats

    @classmethod
    def of(cls, matrix: Floats, weights: Floats) -> Scaling:
        """The scaling of a matrix of distances; weight k of a point is the same as k copies.

        With centered squares B = −½ (I − 1wᵀ) D² (I − w1ᵀ) and the eigenvectors √w·B·√w u = λu, the coordinates are
        B·√w u/√λ: that needs no mass at a point itself, and so places new ones too (Gower's formula).
        """
        squares = -0.5 * matrix**2
        means = squares @ weights
        roots = np.sqrt(weights)
        centered = squares - means - means[:, None] + weights @ means
        values, vectors = eigh(roots[:, None] * centered * roots)
        k = max(1, int(np.count_nonzero(values > _NOISE * values[-1])))
        values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
        axes = roots[:, None] * vectors / np.sqrt(np.where(values > 0, values, np.inf))  # all in one place: λ = 0
        axes *= signs(centered[weights > 0] @ axes)
        points = centered @ axes
        return cls(points, _distortion(points, matrix, weights), axes, weights, means)

    def place(self, distances: Floats) -> Floats:
        """Where new points go, given by rows of distances to the others."""
        squares = -0.5 * distances**2
        own = squares @ self._weights
        return np.asarray((squares - self._means - own[:, None] + self._weights @ self._means) @ self._axes)


def signs(vectors: Floats) -> Floats:
    """1 or −1 for each column: the first entry of nearly the largest size (rounding must not choose) gets positive."""
    sizes = np.abs(vectors)
    first = (sizes > (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)
    found = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return np.where(found == 0, 1.0, found)


def _distortion(points: Floats, matrix: Floats, weights: Floats) -> float:
    total = float(weights @ matrix**2 @ weights)
    off = squareform(pdist(points)) - matrix
    return float(np.sqrt(weights @ off**2 @ weights / total)) if total > 0 else 0.0
