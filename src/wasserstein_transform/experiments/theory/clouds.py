"""Random spaces on which statements are tested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from ..._types import Floats
from ...spaces import Space
from ..parameters import Theory


@dataclass(frozen=True)
class Cloud:
    """Points with two weightings and a radius.

    Attributes
    ----------
    points : array of shape (n, m)
    alpha, beta : arrays of shape (n,)
        Positive weights with sum 1; the two differ a little to completely.
    eps : float
        A quantile of the distances.
    diameter : float
    """

    points: Floats
    alpha: Floats
    beta: Floats
    eps: float
    diameter: float

    def space(self, weights: Floats | None = None) -> Space:
        """The points under one of the weightings, or with equal weights."""
        return Space.from_points(self.points, weights)


def clouds(parameters: Theory, stream: int) -> Iterator[Cloud]:
    """The random clouds of a statement; `stream` gives each statement its own random numbers."""
    rng = np.random.default_rng((parameters.seed, stream))
    for k in range(parameters.spaces):
        n = int(rng.integers(*parameters.sizes, endpoint=True))
        scale = np.exp(rng.uniform(*np.log(parameters.scales)))
        points = scale * rng.normal(size=(n, parameters.dims[k % len(parameters.dims)]))
        distances = pdist(points)
        alpha, other = rng.dirichlet(np.ones(n), size=2)
        share = 10 ** rng.uniform(np.log10(parameters.faintest), 0.0)
        eps = float(np.quantile(distances, rng.uniform(*parameters.quantiles)))
        yield Cloud(points, alpha, (1 - share) * alpha + share * other, eps, float(distances.max()))
