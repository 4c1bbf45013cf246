"""Kernel localization: weights as a function of t = d²/ε², local truncation as its flat case, and cached neighbors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..compute import HasMoments
from ..compute.neighbors.moments import neighborhoods
from ..compute.neighbors.moments_jit import PROFILES
from ..cuda import on
from ..engine import Engine, current
from ..measures import Discrete, check_mass, make_discrete, reserve_masses
from ..spaces import Dense, Euclidean, Space, check_space, closed
from .localization import Inductive

_COUNTED_DISTANCES = 1 << 18  # distances computed to estimate the size of neighborhoods
_MAX_COUNTED_POINTS = 1 << 14  # largest sample of points that are counted around each center
_BLOCK_DISTANCES = 2**17  # distances turned into masses at a time


ProfileLike: TypeAlias = str | Callable[[Floats], Floats]


def evaluate(profile: ProfileLike, t: Floats) -> Floats:
    """Weights at t = d²/ε²; those of a callable are checked."""
    if not callable(profile):
        return cast(Floats, PROFILES[profile].formula(t))
    values = np.asarray(profile(t), dtype=np.float64)
    if values.shape != t.shape or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            "a profile must turn an array of d²/ε² into finite weights ≥ 0 of the same shape; "
            f"for shape {t.shape} it returned shape {values.shape}, from {np.min(values)} to {np.max(values)}"
        )
    return values


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
        if not callable(self.profile):
            check.choice(self.profile, "profile (if it is no function of d²/ε²)", PROFILES)
        if self.cut is not None:
            check.positive(self.cut, "cut")

    @property
    def scale(self) -> float:
        return float(self.eps)

    @property
    def reach(self) -> float:
        """The distance beyond which the kernel is 0, in the unit of the distances."""
        of_profile = np.inf if callable(self.profile) else PROFILES[self.profile].reach
        return self.eps * (of_profile if self.cut is None else min(of_profile, self.cut))

    def n_seen(self, space: Space) -> float | None:
        """Count the neighbors of a few points; the result is cached per space."""
        if not np.isfinite(self.reach):
            return float(space.n)
        metric, coordinates = space.metric, space.metric.coordinates
        if coordinates is None and not isinstance(metric, Dense):
            return None
        counts = metric.derived.counts
        if self.reach not in counts:
            n, n_sampled = metric.n, min(metric.n, _MAX_COUNTED_POINTS)
            some = np.linspace(0, n - 1, int(np.clip(_COUNTED_DISTANCES / n_sampled, 1, 64))).astype(np.intp)
            sample = np.arange(n) if n_sampled == n else np.random.default_rng(0).integers(n, size=n_sampled)
            block = (metric if coordinates is None else Euclidean(coordinates)).block(some, sample)
            counts[self.reach] = max(1.0, np.count_nonzero(block * block <= closed(self.reach)) / block.size * n)
        return counts[self.reach]

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        engine = current(engine)
        if not np.isfinite(self.reach):
            reserve_masses(space.n**2, engine)
            measures = self._weigh_all(space.metric.dense(engine), space, np.arange(space.n))
        else:
            balls = space.metric.balls(self.reach, engine)
            masses = divide_by_largest(space.weights)[balls.indices]
            masses *= self._values(balls.distances)
            measures = make_discrete(balls.indptr, balls.indices, masses, np.arange(space.n), space.n)
        check_mass(np.where(measures.massless, 0.0, 1.0), space.weights)
        return measures

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        if callable(self.profile):
            return super().moments(space, engine, first)
        metric, code = space.metric, PROFILES[self.profile].code
        metric.check_reach(self.reach)
        if not np.isfinite(self.reach):
            metric.check_whole("a kernel without end")
        return on(engine, neighborhoods)(metric, space.weights, code, float(self.eps), self.reach, engine, first)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        return self._weigh_all(distances, space, np.zeros(len(distances), np.intp))

    def _weigh_all(self, distances: Floats, space: Space, alone: Ints) -> Discrete:
        """The measures of rows of distances, weighed block by block."""
        n_rows = max(1, _BLOCK_DISTANCES // space.n)
        counts, indices, masses = [np.zeros(1, np.intp)], [], []
        for start in range(0, len(distances), n_rows):
            weighed = self._weigh(distances[start : start + n_rows], space)
            rows, columns = np.nonzero(weighed)
            counts.append(np.bincount(rows, minlength=len(weighed)))
            indices.append(columns)
            masses.append(weighed[rows, columns])
        indptr = np.cumsum(np.concatenate(counts))
        return make_discrete(indptr, np.concatenate(indices), np.concatenate(masses), alone, space.n)

    def _weigh(self, distances: Floats, space: Space) -> Floats:
        """Masses of the points of the space, as weighted by each row of distances."""
        masses = divide_by_largest(space.weights) * self._values(distances)
        if np.isfinite(self.reach):
            masses[distances * distances > closed(self.reach)] = 0.0
        return masses

    def _values(self, distances: Floats) -> Floats:
        t = distances / self.eps
        return evaluate(self.profile, np.multiply(t, t, out=t))


def divide_by_largest(weights: Floats) -> Floats:
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

    def __repr__(self) -> str:
        return f"{type(self).__name__}(eps={self.eps!r})"


class CachedNeighbors(Truncation):
    """Local truncation that stores one bit per tested pair; it trades memory for fewer distance tests.

    The Gaussian Transform needs the neighbors of each point twice. In three and more dimensions, where distances are
    expensive, flat kernels store these bits on their own as long as the bits are few. In the plane, computing the
    distances again is faster.

    Parameters
    ----------
    eps : float
        The radius ε, in the unit of the distances.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Mean(wt.localize.CachedNeighbors(1.0))(space).points.ravel()
    array([0.5, 0.5, 5. ])
    """

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        return super().moments(space, engine, first).cached()
