"""Classical multidimensional scaling, also for new points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform

from .._display import ShortRepr
from .._types import Floats

_MIN_EIGENVALUE = 1e-12  # eigenvalues below this share of the largest are rounding


@dataclass(frozen=True, eq=False, repr=False)
class Scaling(ShortRepr):
    """Points in R^k whose Euclidean distances approximate given distances, by classical scaling.

    The axes are sorted by eigenvalue, largest first: the first j columns are the classical scaling in R^j.

    Attributes
    ----------
    points : array of shape (n, k)
        The coordinates; k is the number of positive eigenvalues.
    distortion : float
        √(Σ (‖x − y‖ − d)² / Σ d²) over all pairs, weighted by mass: 0 if the distances are Euclidean.
    """

    points: Floats
    distortion: float
    _axes: Floats
    _weights: Floats
    _means: Floats

    @classmethod
    def of(cls, matrix: Floats, weights: Floats) -> Scaling:
        """Compute the scaling of a distance matrix; a point of weight k acts like k copies.

        With centered squares B = −½ (I − 1wᵀ) D² (I − w1ᵀ) and the eigenvectors √w·B·√w u = λu, the coordinates are
        B·√w u/√λ. A point needs no mass for this formula, so it also places new points (Gower's formula).
        """
        squares = -0.5 * matrix**2
        means = squares @ weights
        roots = np.sqrt(weights)
        centered = squares - means - means[:, None] + weights @ means
        values, vectors = eigh(roots[:, None] * centered * roots)
        k = max(1, int(np.count_nonzero(values > _MIN_EIGENVALUE * values[-1])))
        values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
        axes = roots[:, None] * vectors / np.sqrt(np.where(values > 0, values, np.inf))  # λ = 0 if all points coincide
        axes *= signs(centered[weights > 0] @ axes)
        points = centered @ axes
        off, total = squareform(pdist(points)) - matrix, float(weights @ matrix**2 @ weights)
        distortion = float(np.sqrt(weights @ off**2 @ weights / total)) if total > 0 else 0.0
        return cls(points, distortion, axes, weights, means)

    def place(self, distances: Floats) -> Floats:
        """Place new points, given their distances to the others, shape (n_new, n)."""
        squares = -0.5 * distances**2
        row_means = squares @ self._weights
        return np.asarray((squares - self._means - row_means[:, None] + self._weights @ self._means) @ self._axes)


def signs(vectors: Floats) -> Floats:
    """1 or −1 for each column, to make its first entry of (nearly) the largest size positive."""
    sizes = np.abs(vectors)
    first = (sizes > (1 - 1e-6) * sizes.max(axis=0)).argmax(axis=0)
    sign = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return np.where(sign == 0, 1.0, sign)
