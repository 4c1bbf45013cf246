"""Extrinsic localizations: measures in R^m made from what a point sees of the coordinates."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from .. import _check as check
from .._elsewhere import where_it_lies
from .._types import Floats
from ..backends import backend_of
from ..engine import Engine, current
from ..measures import Diracs, Gaussians, Measures
from ..spaces import Moments, Space, check_space
from .base import HasMoments, Inductive, Intrinsic, Localization, check_mass
from .given import Given
from .kernel import Kernel, Truncation
from .trivial import Whole


class Extrinsic(Localization):
    """A localization that composes one on the space itself with a map ψ into measures on R^m."""

    base: Intrinsic

    @property
    def scale(self) -> float | None:
        return self.base.scale

    @property
    def reach(self) -> float:
        return self.base.reach

    @property
    def of_alpha(self) -> bool:
        return self.base.of_alpha

    def n_seen(self, space: Space) -> float | None:
        return self.base.n_seen(space)

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [cls(base) for base in _bases(n, eps)]  # type: ignore[call-arg]  # one that needs more says so

    def __call__(self, space: Space, engine: Engine | None = None) -> Measures:
        check_space(space)
        return self.around(space, current(engine))

    @abstractmethod
    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Measures:
        """The measures of all points, or, given where the first `len(ahead)` of them move, of the others.

        The others are new points: only an inductive base has measures for them.
        """

    def _moments(self, space: Space, engine: Engine, first: int) -> HasMoments:
        """What the points from `first` on see, through the base."""
        if first == 0:
            return self.base.moments(space, engine)
        assert isinstance(self.base, Inductive)  # `takes_new_points` was asked before
        return self.base.moments(space, engine, first)


def takes_new_points(localize: Localization) -> bool:
    """Whether a localization has measures for points that were not there."""
    return isinstance(localize.base if isinstance(localize, Extrinsic) else localize, Inductive)


def _check_base(base: object, owner: str) -> None:
    if not isinstance(base, Intrinsic):
        raise TypeError(
            f"{owner} needs a base localization on the space itself, such as Truncation, Kernel, Nearest or Given, "
            f"got {base!r}"
        )


def _bases(n: int, eps: float) -> list[Intrinsic]:
    return [Truncation(eps), Kernel(eps, "gaussian"), *Given.examples(n, eps)]


def _coordinates(space: Space, owner: str) -> Floats:
    points: Floats | None = where_it_lies(space, "points")
    if points is None:
        raise ValueError(
            f"{owner} needs coordinates, and this space has distances only; "
            "Space.from_distances(D, points=X) puts them beside the distances"
        )
    return points


@dataclass(frozen=True)
class Mean(Extrinsic):
    """ψ = Dirac at the mean: mean shift, as a localization.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Mean(wt.Truncation(1.0))(space).points.ravel()
    array([0.5, 0.5, 5. ])
    """

    base: Intrinsic
    makes = Diracs

    def __post_init__(self) -> None:
        _check_base(self.base, "Mean")

    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Diracs:
        points = _coordinates(space, "Mean")
        first = 0 if ahead is None else len(ahead)
        mass, means = self._moments(space, engine, first).means(points)
        return Diracs(means, check_mass(mass, space.weights[first:]))


@dataclass(frozen=True)
class Ridge(Extrinsic):
    """ψ = Dirac at x + P(mean − x), P the projection off the `dim` leading axes of what the point sees.

    Points come to a curve (dim = 1) or a surface (dim = 2) without clumping along it: they move along the minor axes of
    their neighborhood only. The axes are the eigenvectors of the covariance of what the point sees. Where the dim-th
    and the next eigenvalue agree (to 1e-9 of the second moment around the point) no subspace of that dimension leads,
    and their whole eigenspace counts as minor: any axes chosen within it would depend on the coordinates. So a point
    whose neighbors are all in one place moves there.

    Like every mean of a ball, a step pulls a curve of radius R inwards, by about ε²/6R for flat balls, and repeated
    steps go on doing so: a few steps with a small ε find a curve, many shorten it.

    Parameters
    ----------
    base : Intrinsic localization
    dim : int
        Dimension of the ridge. 0 is mean shift; with as many as coordinates nothing moves.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0, 0.0], [1.0, 0.3], [2.0, 0.0], [3.0, 0.3]])
    >>> wt.Mean(wt.Truncation(2.0))(space).points[0].round(3)
    array([1. , 0.1])
    >>> wt.Ridge(wt.Truncation(2.0), dim=1)(space).points[0].round(3)
    array([0. , 0.1])
    """

    base: Intrinsic
    dim: int = 1
    makes = Diracs

    def __post_init__(self) -> None:
        _check_base(self.base, "Ridge")
        check.count(self.dim, "dim", 0)

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [*super().examples(n, eps), cls(Truncation(eps), dim=0)]

    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Diracs:
        points = _coordinates(space, "Ridge")
        first = 0 if ahead is None else len(ahead)
        mass, moved = _moved(self._moments(space, engine, first), points, first, int(self.dim), engine)
        return Diracs(moved, check_mass(mass, space.weights[first:]))


@dataclass(frozen=True)
class Gaussian(Extrinsic):
    """ψ = N(center, λΣ), Σ the covariance of what the point sees: the Gaussian Transform, as a localization.

    Parameters
    ----------
    base : Intrinsic localization
    lam : float
        Weight λ ≥ 0 of the covariance.
    move : bool
        False: the center is the point itself (the GT distance). True: the center is the mean, and Σ is the
        covariance of the moved points in the same neighborhood (a step of iterated GT, Alg. 3).
    ridge : int, optional
        The center moves off this many leading axes only, as in `Ridge`; needs `move`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Gaussian(wt.Truncation(1.0), lam=1.0)(space).covs.ravel()
    array([0.25, 0.25, 0.  ])
    """

    base: Intrinsic
    lam: float
    move: bool = False
    ridge: int | None = None
    makes = Gaussians

    def __post_init__(self) -> None:
        _check_base(self.base, "Gaussian")
        check.lam(self.lam)
        if self.ridge is not None:
            check.count(self.ridge, "ridge", 0)
            if not self.move:
                raise ValueError(f"ridge={self.ridge!r} says how centers move, and they do not: use move=True as well")

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [
            cls(Truncation(eps), lam=2.0, move=True, ridge=1),
            cls(Truncation(eps), lam=2.0),
            cls(Truncation(eps), lam=2.0, move=True),
            cls(Kernel(eps, "epanechnikov"), lam=0.5, move=True),
            cls(Whole(), lam=1.0),
        ]

    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Gaussians:
        points = _coordinates(space, "Gaussian")
        first = 0 if ahead is None else len(ahead)
        seen = self._moments(space, engine, first)
        centers = points[first:]
        if self.move:
            centers = _moved(seen, points, first, int(self.ridge or 0), engine).values
        everywhere = centers if ahead is None else np.concatenate([ahead, centers])
        mass, covs = seen.covs(everywhere)
        return Gaussians(centers, covs, float(self.lam), check_mass(mass, space.weights[first:]))


def _moved(seen: HasMoments, points: Floats, first: int, dim: int, engine: Engine) -> Moments:
    """Mass seen by the points from `first` on, and where they move, off the `dim` leading axes of what they see."""
    if dim == 0:
        return seen.means(points)
    here = points[first:]
    if dim >= points.shape[1]:
        return Moments(seen.means(points).mass, here.copy())
    mass, means, covs = seen.means_and_covs(points)
    return Moments(mass, backend_of(engine).ridge_step(here, means, covs, dim, engine))
