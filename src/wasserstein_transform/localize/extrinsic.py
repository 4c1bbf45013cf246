"""Extrinsic localizations: measures in R^m, made from the means and covariances of neighborhoods."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats
from ..compute import HasMoments
from ..compute.neighbors.moments import ridge_step
from ..cuda import on
from ..engine import Engine, current, stored_array, to_host
from ..measures import Diracs, Gaussians, Measures, check_mass
from ..spaces import Moments, Space, check_space
from .localization import Inductive, Intrinsic, Localization

_MIN_LENGTH = 1e-9  # of a mean of points of length 1 that has a direction


class Extrinsic(Localization):
    """Base class of localizations that map the measures of an intrinsic one (`base`) to measures in R^m.

    They need a space with coordinates. The map ψ of the paper is a Dirac at the mean (`Mean`), a Dirac at a partly
    moved point (`Ridge`) or a normal distribution (`Gaussian`).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> localize = wt.Mean(wt.Truncation(1.0))
    >>> isinstance(localize, wt.localize.Extrinsic), localize.base
    (True, Truncation(eps=1.0))
    >>> localize(wt.Space.from_points([[0.0], [1.0], [5.0]]))
    <Diracs: 3 measures in R^1>
    """

    base: Intrinsic

    def __post_init__(self) -> None:
        if not isinstance(self.base, Intrinsic):
            raise TypeError(
                f"{type(self).__name__} needs a base localization on the space itself, such as Truncation, Kernel, "
                f"Nearest or Given; got {check.shown(self.base)}"
            )

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

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None, moved_fitted: Floats | None = None) -> Measures:
        """Compute the measures of all points, or only of the points after the first `len(moved_fitted)`.

        `moved_fitted` holds the moved positions of the first points. The others are new points, and only an
        `Inductive` base gives measures to them.
        """

    def _look_around(self, space: Space, engine: Engine, first: int) -> tuple[Floats, HasMoments]:
        """The coordinates of all points, and the neighborhoods of those from `first` on."""
        check_space(space)
        points: Floats | None = stored_array(space, "points")
        if points is None:
            raise ValueError(
                f"{type(self).__name__} needs coordinates, but this space has only distances; "
                "pass both: Space.from_distances(D, points=X)"
            )
        return points, self.base.moments(space, engine, first)


def takes_new_points(localize: Localization) -> bool:
    """Return whether a localization gives measures to new points.

    Parameters
    ----------
    localize : Localization
        The localization; for an `Extrinsic` one its base decides.

    Returns
    -------
    bool

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.localize.extrinsic.takes_new_points(wt.Mean(wt.Truncation(1.0)))
    True
    >>> wt.localize.extrinsic.takes_new_points(wt.localize.Given([[0.5, 0.5], [0.5, 0.5]]))
    False
    """
    return isinstance(localize.base if isinstance(localize, Extrinsic) else localize, Inductive)


@dataclass(frozen=True)
class Mean(Extrinsic):
    """Dirac at the mean of the neighborhood: one step of mean shift, as a localization.

    Parameters
    ----------
    base : Intrinsic localization
        Gives the neighborhood measure of each point, such as Truncation(eps).
    on_sphere : bool, default False
        Whether the mean is divided by its length, for points of length 1, which stay on the sphere: the mean direction.
        A point whose neighborhood has the mean 0, and so no direction, stays where it is.

    Notes
    -----
    One pass over the pairs within reach of `base`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Mean(wt.Truncation(1.0))(space).points.ravel()
    array([0.5, 0.5, 5. ])
    >>> circle = wt.Space.from_points([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> wt.Mean(wt.Truncation(1.5), on_sphere=True)(circle).points.round(3)[0]
    array([0.707, 0.707])
    """

    base: Intrinsic
    on_sphere: bool = False
    makes = Diracs

    def __call__(self, space: Space, engine: Engine | None = None, moved_fitted: Floats | None = None) -> Diracs:
        first = 0 if moved_fitted is None else len(moved_fitted)
        points, moments = self._look_around(space, current(engine), first)
        mass, means = moments.means(points)
        moved = _directions(to_host(means), to_host(points)[first:]) if self.on_sphere else means
        return Diracs(moved, check_mass(mass, space.weights[first:]))


def _directions(means: Floats, points: Floats) -> Floats:
    """The means divided by their lengths; the point itself where the mean is 0 but for rounding."""
    lengths = np.linalg.norm(means, axis=1)[:, None]
    return np.where(lengths > _MIN_LENGTH, means / np.maximum(lengths, _MIN_LENGTH), points)


@dataclass(frozen=True)
class Ridge(Extrinsic):
    """Dirac at x + P(mean − x): a step toward the mean, only perpendicular to the `dim` leading axes.

    Points move to a curve (dim = 1) or a surface (dim = 2) without clumping along it. The axes are the eigenvectors of
    the covariance of the neighborhood, and P projects onto the minor ones. If the dim-th and the next eigenvalue are
    equal (to 1e-9 of the second moment around the point), their whole eigenspace counts as minor, since a choice of
    axes within it would depend on the coordinate system. A point whose neighbors all share one place moves there.

    Each step pulls a curve of radius R inward, by about ε²/6R for flat balls. A few steps with a small ε find a curve;
    many steps shorten it.

    Parameters
    ----------
    base : Intrinsic localization
        Gives the neighborhood measure of each point, such as Truncation(eps).
    dim : int, default 1
        Dimension of the ridge. 0 is mean shift. If `dim` is the number of coordinates or more, no point moves.

    Notes
    -----
    One pass over the pairs within reach, and n eigendecompositions of m × m matrices. Memory O(n m²).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0, 0.0], [1.0, 0.3], [2.0, 0.0], [3.0, 0.3]])
    >>> wt.Mean(wt.Truncation(2.0))(space).points[0].round(3)
    array([1. , 0.1])
    >>> wt.localize.Ridge(wt.Truncation(2.0), dim=1)(space).points[0].round(3)
    array([0. , 0.1])
    """

    base: Intrinsic
    dim: int = 1
    makes = Diracs

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "dim", check.count(self.dim, "dim", 0))

    def __call__(self, space: Space, engine: Engine | None = None, moved_fitted: Floats | None = None) -> Diracs:
        engine, first = current(engine), 0 if moved_fitted is None else len(moved_fitted)
        points, moments = self._look_around(space, engine, first)
        mass, moved = _move_across_ridge(moments, points, first, self.dim, engine)
        return Diracs(moved, check_mass(mass, space.weights[first:]))


@dataclass(frozen=True)
class Gaussian(Extrinsic):
    """Normal distribution N(center, λΣ) with the covariance Σ of the neighborhood: the Gaussian Transform.

    Parameters
    ----------
    base : Intrinsic localization
        Gives the neighborhood measure of each point, such as Truncation(eps).
    lam : float
        Weight λ ≥ 0 of the covariance. The stored covariances are not multiplied by it.
    move : bool, default False
        False: the center is the point itself (the GT distance). True: the center is the mean, and Σ is the
        covariance of the moved points in the same neighborhood (a step of iterated GT, Alg. 3).
    ridge : int, optional
        The center moves only perpendicular to this many leading axes, as in `Ridge`. Needs move=True. None: the center
        moves to the mean.

    Notes
    -----
    One pass over the pairs within reach, two with move=True. Memory O(n m²).

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
        super().__post_init__()
        check.tolerance(self.lam, "lam")
        if self.ridge is not None:
            object.__setattr__(self, "ridge", check.count(self.ridge, "ridge", 0))
            if not self.move:
                raise ValueError(f"ridge={self.ridge!r} needs centers that move: use move=True as well")

    def __call__(self, space: Space, engine: Engine | None = None, moved_fitted: Floats | None = None) -> Gaussians:
        engine, first = current(engine), 0 if moved_fitted is None else len(moved_fitted)
        points, moments = self._look_around(space, engine, first)
        centers = points[first:]
        if self.move:
            centers = _move_across_ridge(moments, points, first, self.ridge or 0, engine).values
        everywhere = centers if moved_fitted is None else np.concatenate([moved_fitted, centers])
        mass, covs = moments.covs(everywhere)
        return Gaussians(centers, covs, float(self.lam), check_mass(mass, space.weights[first:]))


def _move_across_ridge(moments: HasMoments, points: Floats, first: int, dim: int, engine: Engine) -> Moments:
    """Masses and new positions of the points from `first` on, which move only perpendicular to `dim` leading axes."""
    if dim == 0:
        return moments.means(points)
    moving = points[first:]
    if dim >= points.shape[1]:
        return Moments(moments.means(points).mass, moving.copy())
    mass, means, covs = moments.means_and_covs(points)
    return Moments(mass, on(engine, ridge_step)(moving, means, covs, dim, engine))
