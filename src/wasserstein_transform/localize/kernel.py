"""Kernel localization, and its flat case, local truncation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, current
from ..measures import Discrete
from ..measures.discrete import discrete, memory_of
from ..spaces import Dense, Euclidean, Metric, OnDisk, Space, check_space, closed
from .base import HasMoments, Inductive, check_mass
from .profiles import PROFILES, ProfileLike, check_profile, evaluate

_COUNTED = 1 << 18  # distances computed to estimate the size of neighborhoods
_SOME = 1 << 14  # largest sample of points that are counted around each center
_BLOCK = 2**17  # distances turned into masses at a time


@dataclass(frozen=True)
class Kernel(Inductive):
    """Kernel localization: m(x)(dy) ∝ profile(d(x,y)²/ε²) α(dy).

    Parameters
    ----------
    eps : float
        The bandwidth ε, in the unit of the distances.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable, default "gaussian"
        Weight as a function of t = d²/ε²; the gaussian is exp(−t/2). A callable takes an array of t and returns an
        array of weights ≥ 0 of the same shape.
    cut : float, optional
        Distance beyond which the weight is 0, in units of ε. None: 1 for flat, epanechnikov and triangle; no cut for
        the gaussian and callables.

    Notes
    -----
    With a finite reach, memory is O(pairs within reach). Without one, all n² distances are computed.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> wt.Kernel(2.0, "triangle")(space).matrix().toarray().round(3)
    array([[0.667, 0.333, 0.   ],
           [0.333, 0.667, 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    eps: float
    profile: ProfileLike = "gaussian"
    cut: float | None = None

    def __post_init__(self) -> None:
        check.eps(self.eps)
        check_profile(self.profile)
        if self.cut is not None:
            check.positive(self.cut, "cut")

    @property
    def scale(self) -> float:
        return float(self.eps)

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [*(cls(eps, profile) for profile in PROFILES), cls(eps, cut=2.0), cls(eps, _rational)]

    @property
    def reach(self) -> float:
        """The distance beyond which the kernel is 0, in the unit of the distances."""
        own = np.inf if callable(self.profile) else PROFILES[self.profile].reach
        return self.eps * (own if self.cut is None else min(own, self.cut))

    def n_seen(self, space: Space) -> float | None:
        """Count the neighbors of a few points; the result is cached per space."""
        if not np.isfinite(self.reach):
            return float(space.n)
        metric = space.metric if space.metric.places is None else Euclidean(space.metric.places)
        if not isinstance(metric, Euclidean | Dense | OnDisk):
            return None
        return space.metric.form.kept(f"points within {self.reach!r}", lambda: self._counted(metric))

    def _counted(self, metric: Metric) -> float:
        n, around = metric.n, min(metric.n, _SOME)
        some = np.linspace(0, n - 1, int(np.clip(_COUNTED / around, 1, 64))).astype(np.intp)
        seen = np.arange(n) if around == n else np.random.default_rng(0).integers(n, size=around)
        if isinstance(metric, Euclidean) and isinstance(metric.places, np.ndarray):  # the sample is all that is needed
            metric, n_some = metric.take(np.append(some, seen)), len(some)
            some, seen = np.arange(n_some), np.arange(n_some, metric.n)
        block = metric.block(some, seen)
        return max(1.0, np.count_nonzero(block * block <= closed(self.reach)) / block.size * n)

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        engine = current(engine)
        if not np.isfinite(self.reach):
            memory_of(space.n**2, engine)
            measures = self._weigh_all(space.metric.dense(engine), space, np.arange(space.n))
        else:
            balls = space.metric.balls(self.reach, engine)
            masses = relative(space.weights)[balls.indices]
            masses *= self._values(balls.distances)
            measures = discrete(balls.indptr, balls.indices, masses, np.arange(space.n), space.n)
        check_mass(np.where(measures.massless, 0.0, 1.0), space.weights)
        return measures

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        if callable(self.profile):
            return super().moments(space, engine, first)
        code = PROFILES[self.profile].code
        return space.metric.neighborhoods(space.weights, code, float(self.eps), self.reach, engine, first)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        return self._weigh_all(distances, space, np.zeros(len(distances), np.intp))

    def _weigh_all(self, distances: Floats, space: Space, alone: Ints) -> Discrete:
        """Compute masses block by block, in two passes: the first counts them, so that memory is allocated once."""
        blocks = [slice(k, k + max(1, _BLOCK // space.n)) for k in range(0, len(distances), max(1, _BLOCK // space.n))]
        counts = np.zeros(len(distances), np.intp)
        for rows in blocks:
            counts[rows] = np.count_nonzero(self._weigh(distances[rows], space), axis=1)
        indptr = np.append(0, np.cumsum(counts))
        indices, masses = np.empty(indptr[-1], np.intp), np.empty(indptr[-1])
        for rows in blocks:
            weighed = self._weigh(distances[rows], space)
            part = slice(indptr[rows.start], indptr[rows.start + len(weighed)])
            indices[part] = np.nonzero(weighed)[1]
            masses[part] = weighed[weighed > 0]
        return discrete(indptr, indices, masses, alone, space.n)

    def _weigh(self, distances: Floats, space: Space) -> Floats:
        """Masses of the points of the space, as weighted by each row of distances."""
        masses = relative(space.weights) * self._values(distances)
        if np.isfinite(self.reach):
            masses[distances * distances > closed(self.reach)] = 0.0
        return masses

    def _values(self, distances: Floats) -> Floats:
        t = distances / self.eps
        return evaluate(self.profile, np.multiply(t, t, out=t))


def _rational(t: Floats) -> Floats:
    """A callable profile without a cutoff, used in the shared tests."""
    return np.asarray(1 / (1 + t))


def relative(weights: Floats) -> Floats:
    """Divide weights by the largest: uniform weights become exactly 1, so that equal sums are equal to the bit."""
    return cast(Floats, weights / weights.max())


class Truncation(Kernel):
    """Local truncation: α restricted to the closed ε-ball around x, normalized (LT-WT of the paper).

    Parameters
    ----------
    eps : float
        The radius ε, in the unit of the distances.

    Notes
    -----
    Memory is O(pairs within ε).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    >>> wt.Truncation(1.0)(space).matrix().toarray().round(3)
    array([[0.5  , 0.5  , 0.   ],
           [0.333, 0.333, 0.333],
           [0.   , 0.5  , 0.5  ]])
    """

    def __init__(self, eps: float) -> None:
        super().__init__(eps, "flat")

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [cls(eps)]

    def __repr__(self) -> str:
        return f"Truncation(eps={self.eps!r})"
