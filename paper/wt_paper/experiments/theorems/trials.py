"""What statements are tried on: random clouds, smooth densities, and both sides of an inequality in many trials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from wasserstein_transform._types import Floats
from wasserstein_transform.spaces import Space

from ...theory import Mixture
from ..experiment import Choice
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


def on_the_line(unit: float = 1.0) -> Mixture:
    """Two normal densities of different width."""
    return Mixture(unit * np.array([[-1.0], [1.0]]), unit * np.array([0.7, 1.0]), np.array([0.45, 0.55]))


def in_the_plane(unit: float = 1.0) -> Mixture:
    """Three normal densities, so that no axis is special."""
    centers = np.array([[-1.0, 0.0], [0.6, 0.5], [0.2, -1.0]])
    return Mixture(unit * centers, unit * np.array([0.6, 0.8, 0.7]), np.array([0.4, 0.3, 0.3]))


@dataclass(frozen=True)
class Sides:
    """Left and right sides of an inequality in many trials."""

    left: Floats
    right: Floats

    @property
    def excess(self) -> float:
        """The largest left − right; negative if left is always smaller."""
        return float((self.left - self.right).max())

    @property
    def worst(self) -> float:
        """The largest left/right over trials with right > 0."""
        some = self.right > 0
        return float((self.left[some] / self.right[some]).max())

    @property
    def typical(self) -> float:
        """The median of left/right over trials with right > 0."""
        some = self.right > 0
        return float(np.median(self.left[some] / self.right[some]))

    def choice(self, name: str, rounding: float) -> Choice:
        """Whether left ≤ right up to rounding in all trials, with the worst ratio."""
        measured = f"{len(self.left)} trials: left/right at most {self.worst:.3g}, median {self.typical:.2g}"
        return Choice(name, self.excess <= rounding, measured)


def gather(parts: list[Sides]) -> Sides:
    """Concatenate the trials."""
    return Sides(np.concatenate([part.left for part in parts]), np.concatenate([part.right for part in parts]))


def agreement(name: str, errors: Floats, rounding: float) -> Choice:
    """The case that two quantities are equal up to rounding on all spaces."""
    return Choice(name, bool(errors.max() <= rounding), f"{len(errors)} spaces: at most {errors.max():.1e}")
