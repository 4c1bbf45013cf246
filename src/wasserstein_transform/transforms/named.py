"""The named transforms of the paper, as compositions of a localization and a transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .. import _check as check
from ..localize import Gaussian, Kernel, Mean, Ridge, Truncation
from ..localize.profiles import ProfileLike
from ..transport import Bures, DiracDistance, Exact
from .transform import Process, Transform

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
    >>> wt.iterate(wt.mean_shift(1.0), space, n_iter=1).points.ravel()
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
        Order of the Wasserstein distance, ≥ 1 or infinity.

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
    >>> wt.iterate(wt.local_truncation(1.0, p=1), space, n_iter=1).last.metric.dense()[0]
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
        Order of the Wasserstein distance, ≥ 1 or infinity.
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
    >>> walk = wt.iterate(wt.kernel_transform(1.0, "gaussian"), space, n_iter=1)
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
    >>> wt.iterate(wt.gaussian_transform(1.0, lam=4.0), space, n_iter=0).last.metric.dense()[0].round(3)
    array([0.   , 1.   , 5.099])
    """
    bases = [_base(e, profile) for e in check.eps_sequence(eps)]
    start = Transform(Gaussian(bases[0], lam), Bures())
    return _process([Transform(Gaussian(base, lam, move=True, ridge=ridge), Bures()) for base in bases], start)


def _base(eps: float, profile: ProfileLike) -> Kernel:
    return Truncation(eps) if profile == "flat" else Kernel(eps, profile)


def _process(steps: list[Transform], start: Transform | None = None) -> Process:
    return Process(start, steps[0] if len(steps) == 1 else tuple(steps))
