"""The instances the paper names, as compositions of parts."""

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
    """Mean shift (MS): all points move together to the mean of what they see.

    Parameters
    ----------
    eps : float or sequence of float
        Radius, or one for each iteration.
    profile : str or callable
        Kernel profile; "flat" is local truncation.
    ridge : int, optional
        Move off this many leading axes of the neighborhood only (`Ridge`): 1 brings points to curves, 2 to surfaces.

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
    """LT-WTp: exact transport between the neighborhoods, in any metric space.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_distances([1.0, 2.0, 1.0])
    >>> wt.iterate(wt.local_truncation(1.0, p=1), space, n_iter=1).last.metric.dense()[0]
    array([0. , 0.5, 1. ])
    """
    return _process([Transform(Truncation(e), Exact(p)) for e in check.eps_sequence(eps)])


def kernel_transform(eps: Eps, profile: ProfileLike = "gaussian", p: float = 1.0, cut: float | None = None) -> Process:
    """KL-WTp: exact transport between measures weighted by a kernel profile of d²/ε².

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
    """The Gaussian Transform (GT): neighborhood covariances compared by the Bures distance (Alg. 3).

    τ = 0 is the GT distance of the unmoved points; each step moves the points to the means of their GT balls. λ = 0 is
    mean shift. A sequence of eps gives one for each iteration; the start uses the first. With `ridge` each step moves
    the points off that many leading axes of their balls only: 1 brings them to curves, 2 to surfaces.

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
