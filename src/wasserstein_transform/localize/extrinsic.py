"""Extrinsic localizations: measures in R^m made from what a point sees of the coordinates."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats
from ..engine import Engine
from ..measures import Diracs, Discrete, Gaussians, Measures
from ..spaces import Space, check_space
from .base import Localization, Seen, check_mass


class Extrinsic(Localization):
    """A localization that composes a base localization with a map ψ into measures on R^m."""

    base: Localization

    @property
    def scale(self) -> float | None:
        return self.base.scale

    def __call__(self, space: Space, engine: Engine | None = None) -> Measures:
        check_space(space)
        return self.around(space, engine or Engine())

    @abstractmethod
    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Measures:
        """The measures of all points, or, given where the first `len(ahead)` of them move, of the others."""

    def see(self, space: Space, engine: Engine, first: int = 0) -> Seen:
        raise TypeError(f"{type(self).__name__} needs a base localization on the space itself, such as Truncation")

    def cross(self, distances: Floats, space: Space) -> Discrete:
        raise TypeError(f"{type(self).__name__} makes measures in R^m; new points need coordinates, not distances")


def _check_base(base: object, owner: str) -> None:
    if not isinstance(base, Localization) or isinstance(base, Extrinsic):
        raise TypeError(
            f"{owner} needs a base localization on the space itself (Truncation, Kernel, Given, Whole, Point), "
            f"got {base!r}"
        )


def _coordinates(space: Space, owner: str) -> Floats:
    if space.points is None:
        raise ValueError(
            f"{owner} needs coordinates, and this space has distances only; "
            "Space.from_distances(D, points=X) puts them beside the distances"
        )
    return space.points


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

    base: Localization

    def __post_init__(self) -> None:
        _check_base(self.base, "Mean")

    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Diracs:
        points = _coordinates(space, "Mean")
        first = 0 if ahead is None else len(ahead)
        mass, means = self.base.see(space, engine, first).means(points)
        return Diracs(means, check_mass(mass, space.weights[first:]))


@dataclass(frozen=True)
class Gaussian(Extrinsic):
    """ψ = N(centre, λΣ), Σ the covariance of what the point sees: the Gaussian Transform, as a localization.

    Parameters
    ----------
    base : Localization
    lam : float
        Weight λ ≥ 0 of the covariance.
    move : bool
        False: the centre is the point itself (the GT distance). True: the centre is the mean, and Σ is the
        covariance of the moved points in the same neighbourhood (a step of iterated GT, Alg. 3).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Gaussian(wt.Truncation(1.0), lam=1.0)(space).covs.ravel()
    array([0.25, 0.25, 0.  ])
    """

    base: Localization
    lam: float
    move: bool = False

    def __post_init__(self) -> None:
        _check_base(self.base, "Gaussian")
        check.lam(self.lam)

    def around(self, space: Space, engine: Engine, ahead: Floats | None = None) -> Gaussians:
        points = _coordinates(space, "Gaussian")
        first = 0 if ahead is None else len(ahead)
        seen = self.base.see(space, engine, first)
        centers = seen.means(points).values if self.move else points[first:]
        everywhere = centers if ahead is None else np.concatenate([ahead, centers])
        mass, covs = seen.covs(everywhere)
        return Gaussians(centers, covs, float(self.lam), check_mass(mass, space.weights[first:]))
