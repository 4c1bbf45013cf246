"""The functions ψ, Φ, Υ and Ψ of the truncation theorems."""

from __future__ import annotations

from math import pi
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaln

from .. import _check as check


class Exponents(NamedTuple):
    """Λ for each of the two pairs of radii that the proofs use: (ε, ε + η) and (ε, D)."""

    near: float
    far: float


Lambda: TypeAlias = float | Exponents
"""One Λ, as in the theorems, or one for each pair of radii."""


def psi(t: float, Lambda: Lambda, D: float) -> float:
    """ψ(t) = min(1, (t/D)^Λ): no t-ball weighs less, D above the diameter.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.psi(0.5, Lambda=2, D=1)
    0.25
    """
    t, D, far = check.tolerance(t, "t"), check.positive(D, "D"), _exponents(Lambda).far
    return _power(t / D, far) if t < D else 1.0


def phi(t: float, Lambda: Lambda, eps: float) -> float:
    """(1 + t/ε)^Λ − 1: by how much a ball grows from ε to ε + t, at most. In the paper a term of Φ without a name.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.phi(1.0, Lambda=2, eps=1.0)
    3.0
    """
    t, eps = check.tolerance(t, "t"), check.eps(eps)
    return _power(1 + t / eps, _exponents(Lambda).near) - 1


def Phi(t: float, Lambda: Lambda, D: float, eps: float) -> float:
    """Φ(t) = t/ψ(ε) + (1 + t/ε)^Λ − 1, of the theorem on local truncations.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.Phi(1.0, Lambda=2, D=2.0, eps=1.0)
    7.0
    """
    return over(check.tolerance(t, "t"), psi(eps, Lambda, D)) + phi(t, Lambda, eps)


def Upsilon(t: float, Lambda: Lambda, eps: float) -> float:
    """Υ(t) = (1 + t/ε)^Λ − 1 + t: by how much the masses of a ball differ, at most.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.Upsilon(1.0, Lambda=2, eps=1.0)
    4.0
    """
    return phi(t, Lambda, eps) + float(t)


def Psi(t: float, Lambda: Lambda, D: float, eps: float, c: float = 0.0, A: float = 0.0, m: int = 1) -> float:
    """Ψ(t) of the theorem on GT: ε^m·ν_m·c·A/ψ(ε)·t + ε²/ψ(ε)²·Υ(√t) + 2ε(1 + 2ε)·Φ(√t).

    ν_m is the volume of the unit ball; α ≤ c·volume, and A is a constant that the paper does not give. By default the
    first term is left out.

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
    """Infinity where floats end: the theorems are true there, and say nothing."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float64(base) ** exponent)


def over(value: float, share: float) -> float:
    """value/share, where a share may be too small for floats."""
    if value == 0:
        return 0.0
    with np.errstate(over="ignore"):
        return float(np.float64(value) / share) if share > 0 else float("inf")


def times(constant: float, value: float) -> float:
    """constant·value; nothing of infinitely much is nothing."""
    return constant * value if value > 0 else 0.0
