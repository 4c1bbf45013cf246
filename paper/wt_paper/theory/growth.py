"""The growth of balls: the Bishop–Gromov condition of finite spaces, and ψ, Φ, Υ and Ψ of its exponents."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from wasserstein_transform import _check as check
from wasserstein_transform._display import HtmlTable
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Space, check_space, closed

OUTER = 1.01  # default of D, in diameters


class Exponents(NamedTuple):
    """One exponent Λ for each of the two pairs of radii that the proofs use; a named tuple.

    Attributes
    ----------
    near : float
        Λ for the radii (ε, ε + η).
    far : float
        Λ for the radii (ε, D).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> result = theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0).exponents
    >>> result.near, round(result.far, 4)
    (1.0, 0.3333)
    >>> round(theory.Phi(1.0, result, D=8.0, eps=1.0), 6)
    3.0
    """

    near: float
    far: float


Lambda: TypeAlias = float | Exponents
"""One Λ, as in the theorems, or one per pair of radii."""


def psi(t: float, Lambda: Lambda, D: float) -> float:
    """Compute ψ(t) = min(1, (t/D)^Λ), a lower bound of the mass of every ball of radius t.

    Parameters
    ----------
    t : float
        A radius ≥ 0.
    Lambda : float or Exponents
        The exponent Λ of `bishop_gromov`.
    D : float
        A number above the diameter of the space.

    Returns
    -------
    float

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.psi(0.5, Lambda=2, D=1)
    0.25
    """
    t, D, far = check.tolerance(t, "t"), check.positive(D, "D"), _exponents(Lambda).far
    return _power(t / D, far) if t < D else 1.0


def phi(t: float, Lambda: Lambda, eps: float) -> float:
    """Compute (1 + t/ε)^Λ − 1, an upper bound of the relative growth of a ball from radius ε to ε + t.

    It is a term of Φ without a name in the paper.

    Parameters
    ----------
    t : float
        The growth of the radius, ≥ 0.
    Lambda : float or Exponents
        The exponent Λ of `bishop_gromov`.
    eps : float
        The radius ε.

    Returns
    -------
    float

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.phi(1.0, Lambda=2, eps=1.0)
    3.0
    """
    t, eps = check.tolerance(t, "t"), check.eps(eps)
    return _power(1 + t / eps, _exponents(Lambda).near) - 1


def Phi(t: float, Lambda: Lambda, D: float, eps: float) -> float:
    """Compute Φ(t) = t/ψ(ε) + (1 + t/ε)^Λ − 1 of the theorem on local truncations.

    Parameters
    ----------
    t : float
        A number ≥ 0; √W1(α, β) in the theorem.
    Lambda : float or Exponents
        The exponent Λ of `bishop_gromov`.
    D : float
        A number above the diameter of the space.
    eps : float
        The radius ε.

    Returns
    -------
    float

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.Phi(1.0, Lambda=2, D=2.0, eps=1.0)
    7.0
    """
    return over(check.tolerance(t, "t"), psi(eps, Lambda, D)) + phi(t, Lambda, eps)


def Upsilon(t: float, Lambda: Lambda, eps: float) -> float:
    """Compute Υ(t) = (1 + t/ε)^Λ − 1 + t, an upper bound of the difference of the masses of a ball.

    Parameters
    ----------
    t : float
        A number ≥ 0.
    Lambda : float or Exponents
        The exponent Λ of `bishop_gromov`.
    eps : float
        The radius ε.

    Returns
    -------
    float

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.Upsilon(1.0, Lambda=2, eps=1.0)
    4.0
    """
    return phi(t, Lambda, eps) + float(t)


def Psi(t: float, Lambda: Lambda, D: float, eps: float, c: float = 0.0, A: float = 0.0, m: int = 1) -> float:
    """Compute Ψ(t) of the theorem on GT: ε^m·ν_m·c·A/ψ(ε)·t + ε²/ψ(ε)²·Υ(√t) + 2ε(1 + 2ε)·Φ(√t).

    ν_m is the volume of the unit ball in R^m. By default the first term is left out.

    Parameters
    ----------
    t : float
        A number ≥ 0; W∞(α, β) in the theorem.
    Lambda : float or Exponents
        The exponent Λ of `bishop_gromov`.
    D : float
        A number above the diameter of the space.
    eps : float
        The radius ε.
    c : float, default 0.0
        A constant with α ≤ c·volume.
    A : float, default 0.0
        A constant that the paper does not give.
    m : int, default 1
        The dimension.

    Returns
    -------
    float

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.Psi(1.0, Lambda=2, D=2.0, eps=1.0)
    106.0
    >>> round(theory.Psi(1.0, Lambda=2, D=2.0, eps=1.0, c=1.0, A=1.0, m=2) - 106.0, 3)  # ν_2 = π
    12.566
    """
    m, eps = check.count(m, "m", 1), check.eps(eps)
    root, whole = float(np.sqrt(check.tolerance(t, "t"))), psi(eps, Lambda, D)
    volume = float(np.exp(m * np.log(eps * np.sqrt(pi)) - gammaln(m / 2 + 1)))
    moments = over(volume * check.tolerance(c, "c") * check.tolerance(A, "A") * t, whole)
    masses = over(over(eps**2 * Upsilon(root, Lambda, eps), whole), whole)
    return moments + masses + 2 * eps * (1 + 2 * eps) * Phi(root, Lambda, D, eps)


def _exponents(Lambda: Lambda) -> Exponents:
    near, far = Lambda if isinstance(Lambda, Exponents) else (Lambda, Lambda)
    return Exponents(check.tolerance(near, "Lambda"), check.tolerance(far, "Lambda"))


def _power(base: float, exponent: float) -> float:
    """A power that overflows to infinity, where the theorems hold trivially."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float64(base) ** exponent)


def over(value: float, share: float) -> float:
    """Compute value/share; infinity if share is 0 by underflow."""
    if value == 0:
        return 0.0
    with np.errstate(over="ignore"):
        return float(np.float64(value) / share) if share > 0 else float("inf")


def times(constant: float, value: float) -> float:
    """Compute constant·value, with ∞·0 = 0."""
    return constant * value if value > 0 else 0.0


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
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> theory.bishop_gromov(space, eps=1.0, eta=1.0).near
    Witness(exponent=1.0, point=1, weighting=0, radii=(1.0, 2.0), masses=(0.5, 1.0))
    """

    exponent: float
    point: int
    weighting: int
    radii: tuple[float, float]
    masses: tuple[float, float]


@dataclass(frozen=True)
class BishopGromov(HtmlTable):
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
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> result = theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0)
    >>> result.Lambda, result.exponents.near, result.witness.point
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
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> result = theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0)
    >>> result.Lambda, result.witness.point, result.witness.radii, result.witness.masses
    (1.0, 1, (1.0, 2.0), (0.5, 1.0))
    >>> round(result.far.exponent, 4)  # half of the mass at a radius of 1, all of it at 8
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
