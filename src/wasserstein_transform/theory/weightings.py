"""Two weightings of one space, and the distances between their transforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import vstack

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from ..localize import Gaussian, Kernel
from ..measures import Discrete
from ..spaces import Euclidean, Space, check_space
from ..transforms import Transform
from ..transport import Bures, Exact, wasserstein_cross, wasserstein_pairs
from .inequality import Inequality

ROUNDING = 1e-12  # accuracy of exact transport, relative to the diameter
SINGULAR = 1e-7  # accuracy of Bures distances of covariances that may be singular


@dataclass(frozen=True, eq=False)
class Weightings:
    """One space with the weights α and with the weights β.

    Attributes
    ----------
    spaces : tuple of two Space
        The space with α, and with β.
    diameter : float
        The largest distance.
    engine : Engine
        Threads, device, memory limit and store.
    """

    spaces: tuple[Space, Space]
    diameter: float
    engine: Engine

    @classmethod
    def of(cls, space: Space, beta: ArrayLike, engine: Engine | None) -> Weightings:
        """Pair the weights of a space with other weights."""
        check_space(space)
        engine = current(engine)
        other = Space(space.metric, check.weights(beta, space.n), space.points)
        return cls((space, other), diameter(space, engine), engine)

    def apart(self, p: float) -> float:
        """W_p(α, β)."""
        alpha, beta = (space.weights[None] for space in self.spaces)
        return float(wasserstein_cross(alpha, beta, self.spaces[0], p, self.engine.n_jobs)[0, 0])

    def localized(self, base: Kernel) -> list[Discrete]:
        """The measures of all points, for both weightings."""
        return [base(space, self.engine) for space in self.spaces]

    def measures(self, rows: list[Discrete]) -> Floats:
        """W1 between the two measures of each point."""
        n = self.spaces[0].n
        both = vstack([some.matrix() for some in rows]).tocsr()
        pairs = np.arange(2 * n).reshape(2, n).T
        return wasserstein_pairs(both, self.spaces[0], 1, pairs, self.engine.n_jobs).values

    def metrics(self, rows: list[Discrete]) -> Floats:
        """The difference of the two transformed metrics (p = 1), for each pair."""
        ground = self.spaces[0].metric
        one, other = (Exact(1).metric(some, ground, self.engine).condensed(self.engine) for some in rows)
        return np.abs(one - other)

    def means(self, rows: list[Discrete]) -> Floats:
        """The distance between the two means of each point."""
        one, other = (some.means(coordinates(self.spaces[0])).values for some in rows)
        return np.asarray(np.linalg.norm(one - other, axis=1))

    def gaussians(self, base: Kernel, lam: float) -> Floats:
        """The difference of the two GT distances, for each pair."""
        step = Transform(Gaussian(base, lam), Bures())
        one, other = (step(space, self.engine).metric.condensed(self.engine) for space in self.spaces)
        return np.abs(one - other)

    def stated(
        self,
        statement: str,
        left: Floats,
        right: float,
        constants: Mapping[str, float],
        note: str = "",
        corollary: Inequality | None = None,
        rounding: float = ROUNDING,
    ) -> Inequality:
        """Make an inequality with a constant right side."""
        sides = left, np.full_like(left, right)
        return Inequality(statement, *sides, dict(constants), rounding * self.diameter, note, corollary)


def diameter(space: Space, engine: Engine) -> float:
    """The largest distance."""
    return float(space.metric.dense(engine).max())


def coordinates(space: Space) -> Floats:
    """The points of a space in R^m; raises an error for other spaces."""
    if space.points is None or not isinstance(space.metric, Euclidean):
        raise ValueError(
            "the theorem is for points of R^m with the Euclidean distance, but this space has other distances or no "
            "coordinates; use wt.Space.from_points(X)"
        )
    return space.points
