"""One step of the Wasserstein Transform, sequences of steps, and the named transforms of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .. import _check as check
from .._archive import Part, archived, check_type
from .._check import warn
from .._types import Bools
from ..engine import Engine, current, stored_array
from ..localize import Gaussian, Kernel, Localization, Mean, Ridge, Truncation
from ..localize.kernel import ProfileLike
from ..spaces import Space, check_space
from ..transport import Bures, DiracDistance, Exact, Transport
from .estimates import warn_if_long


class MasslessWarning(UserWarning):
    """Warns that some points have no mass within ε, such as points of weight 0 far from all others: they do not move.

    Examples
    --------
    >>> import warnings, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [9.0]], weights=[1.0, 0.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     moved = wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=1).points
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    MasslessWarning: 1 of 2 points have no mass within eps and stay where they are; a larger eps reaches a neighbor
    """


def warn_massless(massless: Bools) -> None:
    """Give one warning for all points that see no mass."""
    warn_of_count(int(np.count_nonzero(massless)), len(massless))


def warn_of_count(count: int, n: int) -> None:
    """Give one warning if `count` of n points see no mass."""
    if count:
        warn(
            f"{count:,} of {n:,} points have no mass within eps and stay where they are; "
            "a larger eps reaches a neighbor",
            MasslessWarning,
        )


@dataclass(frozen=True)
class Transform(Part):
    """One step: localize every point to a measure, and use the transport distance of the measures as the new metric.

    Diracs and Gaussians also move the points, to the centers of the measures. Discrete measures change only the
    distances. It is the W_{L,p} of the paper.

    Parameters
    ----------
    localize : Localization
        Gives every point a measure, such as Truncation(eps).
    transport : Transport
        Compares the measures, such as Exact(p=1). It must accept the measures of `localize`.

    Notes
    -----
    For Exact transport up to n(n−1)/2 transport problems. For Diracs and Gaussians the new distances are computed on
    demand.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> step = wt.Transform(wt.Truncation(1.0), wt.Exact(p=1))
    >>> step(wt.Space.from_points([[0.0], [1.0], [2.0]])).metric.dense()[0]
    array([0. , 0.5, 1. ])
    """

    localize: Localization
    transport: Transport

    def __post_init__(self) -> None:
        if not isinstance(self.localize, Localization):
            raise TypeError(
                f"localize must be a Localization such as Truncation(eps), got {check.shown(self.localize)}"
            )
        if not isinstance(self.transport, Transport):
            raise TypeError(f"transport must be a Transport such as Exact(p=1), got {check.shown(self.transport)}")

    def __call__(self, space: Space, engine: Engine | None = None) -> Space:
        """Transform a space: new metric, same weights, moved points."""
        check_space(space)
        engine = current(engine)
        warn_if_long(self, 1, space, engine)
        moved, massless = self.step(space, engine)
        warn_massless(massless)
        return moved

    def step(self, space: Space, engine: Engine) -> tuple[Space, Bools]:
        """Transform a space without warnings; return it and the points that saw no mass."""
        measures = self.localize(space, engine)
        metric = self.transport.metric(measures, space.metric, engine)
        points = stored_array(space, "points") if measures.moved is None else measures.moved
        return Space(metric, space.weights, points), measures.massless


@archived
@dataclass(frozen=True)
class Process:
    """A sequence of transforms: an optional start, which makes the state at τ = 0, and one transform per iteration.

    Parameters
    ----------
    start : Transform or None
        The transform before the first iteration. None: the state at τ = 0 is the space itself.
    step : Transform or sequence of Transform
        One transform for all iterations, or one per iteration.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> gt = wt.transforms.Process(
    ...     start=wt.Transform(wt.Gaussian(wt.Truncation(0.2), lam=5.0), wt.Bures()),
    ...     step=wt.Transform(wt.Gaussian(wt.Truncation(0.2), lam=5.0, move=True), wt.Bures()),
    ... )
    >>> gt == wt.transforms.gaussian_transform(0.2, 5.0)
    True
    """

    start: Transform | None
    step: Transform | Sequence[Transform]

    def _check_archived(self) -> None:
        check_type(self.start, "start", Transform, type(None))
        for step in [self.step] if isinstance(self.step, Transform) else self.step:
            check_type(step, "step", Transform)

    def at(self, k: int) -> Transform:
        """Return the transform of iteration k, counted from 0."""
        if isinstance(self.step, Transform):
            return self.step
        if k >= len(self.step):
            raise ValueError(
                f"there are steps (a sequence of eps) for {len(self.step)} iterations, but iteration {k + 1} was "
                "requested; pass one eps per iteration, or a single eps for all"
            )
        return self.step[k]

    def steps(self, n_iter: int) -> list[Transform]:
        """Return the different transforms of `n_iter` iterations, the start first."""
        steps = [self.step] if isinstance(self.step, Transform) else [self.at(k) for k in range(n_iter)]
        return steps if self.start is None else [self.start, *steps]

    def is_steady(self, k: int, n_iter: int) -> bool:
        """Return whether all iterations from k to n_iter − 1 use the same transform."""
        return isinstance(self.step, Transform) or all(self.at(j) == self.at(k) for j in range(k + 1, n_iter))


def as_process(process: Process | Transform) -> Process:
    """Make a process from a transform; return a process unchanged."""
    if isinstance(process, Transform):
        return Process(None, process)
    if not isinstance(process, Process):
        raise TypeError(
            f"a Process or a Transform is needed, such as wt.transforms.mean_shift(eps), got {check.shown(process)}"
        )
    return process


Eps: TypeAlias = float | Sequence[float]


def mean_shift(eps: Eps, profile: ProfileLike = "flat", ridge: int | None = None) -> Process:
    """Make the mean shift process (MS): in each iteration, all points move to the mean of their neighborhood.

    Parameters
    ----------
    eps : float or sequence of float
        The radius ε, in the unit of the points, or one per iteration.
    profile : str or callable, default "flat"
        Kernel profile, as in `wt.Kernel`; "flat" averages over the ε-ball.
    ridge : int, optional
        Move only perpendicular to this many leading axes of the neighborhood (`Ridge`): 1 moves points to curves, 2 to
        surfaces. None: move to the mean.

    Returns
    -------
    Process

    Notes
    -----
    One pass over the pairs within reach per iteration.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=1).points.ravel()
    array([0.5, 0.5, 5. ])
    """
    bases = [_base(e, profile) for e in check.eps_sequence(eps)]
    return _process([Transform(Mean(base) if ridge is None else Ridge(base, ridge), DiracDistance()) for base in bases])


def local_truncation(eps: Eps, p: float = 1.0) -> Process:
    """Make the process LT-WTp: exact transport between ε-neighborhoods, in any metric space.

    Parameters
    ----------
    eps : float or sequence of float
        The radius ε, in the unit of the distances, or one per iteration.
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1 and < 150, or infinity.

    Returns
    -------
    Process

    Notes
    -----
    Up to n(n−1)/2 transport problems per iteration, and 8 n² bytes per state.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_distances([1.0, 2.0, 1.0])
    >>> wt.iterate(wt.transforms.local_truncation(1.0, p=1), space, n_iter=1).last.metric.dense()[0]
    array([0. , 0.5, 1. ])
    """
    return _process([Transform(Truncation(e), Exact(p)) for e in check.eps_sequence(eps)])


def kernel_transform(eps: Eps, profile: ProfileLike = "gaussian", p: float = 1.0, cut: float | None = None) -> Process:
    """Make the process KL-WTp: exact transport between measures weighted by a kernel profile of d²/ε².

    Parameters
    ----------
    eps : float or sequence of float
        The bandwidth ε, in the unit of the distances, or one per iteration.
    profile : str or callable, default "gaussian"
        Kernel profile, as in `wt.Kernel`.
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1 and < 150, or infinity.
    cut : float, optional
        Distance beyond which the weight is 0, in units of ε. None: the reach of the profile.

    Returns
    -------
    Process

    Notes
    -----
    Up to n(n−1)/2 transport problems per iteration. Without a cut, each gaussian measure has all n points.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    >>> walk = wt.iterate(wt.transforms.kernel_transform(1.0, "gaussian"), space, n_iter=1)
    >>> walk.last.metric.dense()[0].round(3)
    array([0.   , 0.496, 0.993])
    """
    return _process([Transform(Kernel(e, profile, cut), Exact(p)) for e in check.eps_sequence(eps)])


def gaussian_transform(eps: Eps, lam: float = 1.0, profile: ProfileLike = "flat", ridge: int | None = None) -> Process:
    """Make the Gaussian Transform process (GT): points with their neighborhood covariances, compared by W2 (Alg. 3).

    The start (τ = 0) is the GT distance between the unmoved points. Each iteration moves the points to the means of
    their GT balls.

    Parameters
    ----------
    eps : float or sequence of float
        The radius ε, in the unit of the points, or one per iteration; the start uses the first.
    lam : float, default 1.0
        Weight λ ≥ 0 of the covariances. 0 is mean shift.
    profile : str or callable, default "flat"
        Kernel profile, as in `wt.Kernel`.
    ridge : int, optional
        Move only perpendicular to this many leading axes of the neighborhood (`Ridge`): 1 moves points to curves, 2 to
        surfaces. None: move to the mean.

    Returns
    -------
    Process

    Notes
    -----
    Two passes over the pairs within reach per iteration. Memory O(n m²) per state.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.iterate(wt.transforms.gaussian_transform(1.0, lam=4.0), space, n_iter=0).last.metric.dense()[0].round(3)
    array([0.   , 1.   , 5.099])
    """
    bases = [_base(e, profile) for e in check.eps_sequence(eps)]
    start = Transform(Gaussian(bases[0], lam), Bures())
    return _process([Transform(Gaussian(base, lam, move=True, ridge=ridge), Bures()) for base in bases], start)


def _base(eps: float, profile: ProfileLike) -> Kernel:
    return Truncation(eps) if profile == "flat" else Kernel(eps, profile)


def _process(steps: list[Transform], start: Transform | None = None) -> Process:
    return Process(start, steps[0] if len(steps) == 1 else tuple(steps))
