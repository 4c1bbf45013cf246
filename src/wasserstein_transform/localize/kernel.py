"""Kernel localization and its most important case, local truncation."""

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

_COUNTED = 1 << 18  # distances that are counted to know how large neighborhoods are
_SOME = 1 << 14  # points that are counted around each of a few, if there are more
_BLOCK = 2**17  # distances that are weighed together


@dataclass(frozen=True)
class Kernel(Inductive):
    """Kernel localization: m(x)(dy) ∝ profile(d(x,y)²/ε²) α(dy).

    Parameters
    ----------
    eps : float
        The bandwidth ε.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable
        Weight as a function of t = d²/ε²; the gaussian is exp(−t/2). A callable takes and gives an array.
    cut : float, optional
        Distance beyond which the weight is 0, in units of ε. The profile's own reach by default: 1 for the compact
        ones; the gaussian and callables reach everywhere.

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
        """Distance beyond which the kernel is 0."""
        own = np.inf if callable(self.profile) else PROFILES[self.profile].reach
        return self.eps * (own if self.cut is None else min(own, self.cut))

    def n_seen(self, space: Space) -> float | None:
        """Counted around a few points, once for a space."""
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
        if isinstance(metric, Euclidean) and isinstance(metric.places, np.ndarray):  # no device needs the others
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
        """Some rows at a time, twice: masses are counted before there is room for them."""
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
        """Masses that each row of distances sees of the points of the space."""
        masses = relative(space.weights) * self._values(distances)
        if np.isfinite(self.reach):
            masses[distances * distances > closed(self.reach)] = 0.0
        return masses

    def _values(self, distances: Floats) -> Floats:
        t = distances / self.eps
        return evaluate(self.profile, np.multiply(t, t, out=t))


def _rational(t: Floats) -> Floats:
    """A profile that reaches everywhere, as an example of one's own."""
    return np.asarray(1 / (1 + t))


def relative(weights: Floats) -> Floats:
    """Weights in units of the largest: uniform ones become exactly 1, so that sums of them tie exactly."""
    return cast(Floats, weights / weights.max())


class Truncation(Kernel):
    """Local truncation: m(x) = α restricted to the closed ε-ball of x, normalized (LT-WT).

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
