"""The growth of balls: the Bishop–Gromov condition for finite spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import Tabled
from .._types import Floats
from ..engine import Engine
from ..spaces import Space, check_space, closed
from .functions import Exponents

OUTER = 1.01  # default of D, in diameters


@dataclass(frozen=True)
class Witness:
    """The point and the balls at which an exponent of `bishop_gromov` is attained.

    Attributes
    ----------
    exponent : float
        log(mass ratio)/log(radius ratio).
    point : int
        The index of the center.
    weighting : int
        0 for the weights of the space, 1 for beta.
    radii, masses : tuples of two floats
        The radii and the masses of the smaller and the larger ball.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> wt.theory.bishop_gromov(space, eps=1.0, eta=1.0).near
    Witness(exponent=1.0, point=1, weighting=0, radii=(1.0, 2.0), masses=(0.5, 1.0))
    """

    exponent: float
    point: int
    weighting: int
    radii: tuple[float, float]
    masses: tuple[float, float]


@dataclass(frozen=True)
class BishopGromov(Tabled):
    """The smallest exponents Λ that the proofs of the truncation theorems need. `bishop_gromov` returns it.

    Attributes
    ----------
    near : Witness
        The exponent for the radii (ε, ε + η).
    far : Witness
        The exponent for the radii (ε, D).
    eps, eta, D : float
        The radii, in the unit of the distances.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> found = wt.theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0)
    >>> found.Lambda, found.exponents.near, found.witness.point
    (1.0, 1.0, 1)
    """

    near: Witness
    far: Witness
    eps: float
    eta: float
    D: float

    @property
    def witness(self) -> Witness:
        """The point and the balls at which Λ is attained."""
        return max(self.near, self.far, key=lambda some: some.exponent)

    @property
    def Lambda(self) -> float:
        """One Λ for both pairs of radii, as in the theorems."""
        return self.witness.exponent

    @property
    def exponents(self) -> Exponents:
        """One Λ per pair of radii: the proofs also hold with these, with a smaller right side."""
        return Exponents(self.near.exponent, self.far.exponent)


def bishop_gromov(
    space: Space,
    eps: float,
    eta: float,
    beta: ArrayLike | None = None,
    D: float | None = None,
    engine: Engine | None = None,
) -> BishopGromov:
    """Compute the smallest Λ with α(B_r)/α(B_s) ≤ (r/s)^Λ for s = ε and r = ε + η or r = D, with witnesses.

    The condition in the paper is for all r ≥ s > 0. No finite space of two or more points satisfies it, since a ball
    jumps at a distance: the mass grows while the radius hardly changes. The proofs use only these two pairs of radii.

    Parameters
    ----------
    space : Space
        A space with n points, all of positive weight.
    eps : float
        The radius ε, in the unit of the distances.
    eta : float
        The growth η ≥ 0 of the radius.
    beta : array of shape (n,), optional
        A second weighting that the exponents must also satisfy. None: only the weights of the space.
    D : float, optional
        A number above the diameter. None: 1.01 diameters.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    BishopGromov

    Notes
    -----
    Time and memory O(n²): all distances are computed.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> found = wt.theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0)
    >>> found.Lambda, found.witness.point, found.witness.radii, found.witness.masses
    (1.0, 1, (1.0, 2.0), (0.5, 1.0))
    >>> round(found.far.exponent, 4)  # half of the mass at a radius of 1, all of it at 8
    0.3333
    """
    check_space(space)
    eps, eta = check.eps(eps), check.tolerance(eta, "eta")
    distances = space.metric.dense(engine)
    weightings = check_weightings(space, beta)
    D = above(D, float(distances.max()))
    squares = distances * distances
    inner, wider = ((squares <= closed(radius)).astype(float) for radius in (eps, eps + eta))
    masses, more = (np.array([near @ weights for weights in weightings]) for near in (inner, wider))
    whole = np.full_like(masses, 1.0)
    near = _attained(masses, more, (eps, eps + eta), float(np.log1p(eta / eps)))
    far = _attained(masses, whole, (eps, D), float(np.log(D / eps)))
    return BishopGromov(near, far, eps, eta, D)


def check_weightings(space: Space, beta: ArrayLike | None) -> list[Floats]:
    """The weights of the space and beta; all must be positive."""
    weightings = [space.weights] if beta is None else [space.weights, check.weights(beta, space.n)]
    for weights in weightings:
        if not weights.all():
            k = int(weights.argmin())
            raise ValueError(f"every point must have mass, point {k} has none; use space.take(np.flatnonzero(weights))")
    return weightings


def above(D: float | None, diameter: float) -> float:
    """Check that D is above the diameter; the default is 1.01 diameters."""
    if D is None:
        return OUTER * diameter or 1.0
    if check.positive(D, "D") <= diameter:
        raise ValueError(f"D must be above the diameter {diameter:g}, got {D:g}")
    return float(D)


def _attained(masses: Floats, more: Floats, radii: tuple[float, float], wider: float) -> Witness:
    """The largest exponent; `wider` is the logarithm of the ratio of the radii, and if it is ≤ 0 the exponent is 0."""
    logs = np.maximum(np.log(more / masses), 0.0)
    k = np.unravel_index(int(logs.argmax()), logs.shape)
    exponent = float(logs[k] / wider) if wider > 0 else 0.0
    return Witness(exponent, int(k[1]), int(k[0]), radii, (float(masses[k]), float(more[k])))
