"""The functions ψ, Φ, Υ and Ψ of the truncation theorems."""

from __future__ import annotations

from math import pi
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaln

from .. import _check as check


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
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> found = wt.theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0).exponents
    >>> found.near, round(found.far, 4)
    (1.0, 0.3333)
    >>> round(wt.theory.Phi(1.0, found, D=8.0, eps=1.0), 6)
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
    >>> import wasserstein_transform as wt
    >>> wt.theory.psi(0.5, Lambda=2, D=1)
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
    >>> import wasserstein_transform as wt
    >>> wt.theory.phi(1.0, Lambda=2, eps=1.0)
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
    >>> import wasserstein_transform as wt
    >>> wt.theory.Phi(1.0, Lambda=2, D=2.0, eps=1.0)
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
    >>> import wasserstein_transform as wt
    >>> wt.theory.Upsilon(1.0, Lambda=2, eps=1.0)
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
    >>> import wasserstein_transform as wt
    >>> wt.theory.Psi(1.0, Lambda=2, D=2.0, eps=1.0)
    106.0
    >>> round(wt.theory.Psi(1.0, Lambda=2, D=2.0, eps=1.0, c=1.0, A=1.0, m=2) - 106.0, 3)  # ν_2 = π
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
