"""The two trivial localizations: the whole space, and the point itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .._types import Floats
from ..engine import Engine, current
from ..measures import Discrete
from ..measures.discrete import discrete, memory_of
from ..spaces import Space, check_space
from .base import Inductive


@dataclass(frozen=True)
class Whole(Inductive):
    """The whole space: m(x) = α for every x, so that the transform makes all distances 0.

    Notes
    -----
    Memory O(n²): every measure is stored.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Transform(wt.Whole(), wt.Exact(p=1))(wt.Space.from_points([[0.0], [1.0]])).metric.dense()
    array([[0., 0.],
           [0., 0.]])
    """

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [cls()]

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        memory_of(space.n**2, current(engine))
        return _copies(space, space.n)

    def moments(self, space: Space, engine: Engine, first: int = 0) -> Discrete:
        memory_of((space.n - first) * space.n, engine)
        return _copies(space, space.n - first)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        return _copies(space, len(distances))


@dataclass(frozen=True)
class Identity(Inductive):
    """The point itself: m(x) = δ_x, so that the transform changes no distance.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Transform(wt.Identity(), wt.Exact(p=1))(wt.Space.from_points([[0.0], [2.0]])).metric.dense()
    array([[0., 2.],
           [2., 0.]])
    """

    def n_seen(self, space: Space) -> float | None:
        return 1.0

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [cls()]

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        return self._diracs(space, 0)

    def moments(self, space: Space, engine: Engine, first: int = 0) -> Discrete:
        return self._diracs(space, first)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        """Mark all new points as massless: their Dirac is not on a point of the space."""
        n = len(distances)
        none = np.zeros(0)
        return discrete(np.zeros(n + 1, np.intp), none.astype(np.intp), none, np.zeros(n, np.intp), space.n)

    def _diracs(self, space: Space, first: int) -> Discrete:
        n = space.n - first
        return discrete(np.arange(n + 1), np.arange(first, space.n), np.ones(n), np.zeros(n, np.intp), space.n)


def _copies(space: Space, n: int) -> Discrete:
    indptr = np.arange(n + 1) * space.n
    indices = np.tile(np.arange(space.n), n)
    return discrete(indptr, indices, np.tile(space.weights, n), np.zeros(n, np.intp), space.n)
