"""Positive Lipschitz kernels with the constants of the stability theorems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._types import Floats
from ..localize import Kernel
from .functions import over


@dataclass(frozen=True)
class SmoothKernel:
    """A positive kernel K(x, y) = profile(d²/ε²) that decreases from 1, with its Lipschitz constants.

    `wt.theory.BELL` is exp(−t/2) and `wt.theory.RATIONAL` is 1/(1 + t)².

    Attributes
    ----------
    name : str
        The name of the kernel.
    profile : callable
        The profile: takes an array of t = d²/ε² and returns weights of the same shape.
    per_square : float
        Lipschitz constant of the profile.
    per_distance : float
        Lipschitz constant of d ↦ profile(d²), the kernel with ε = 1.
    per_matrix : float
        Lipschitz constant of z ↦ zzᵀ profile(‖z‖²) in the Frobenius norm. For the two kernels above it is
        √2·sup r·profile(r²), attained across z; along z the derivative 2r·profile(r²) + 2r³·profile'(r²) is smaller.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> bell = wt.theory.BELL
    >>> round(bell.least(eps=1.0, diameter=2.0), 4)
    0.1353
    >>> round(bell.localized(eps=1.0, diameter=2.0), 2)  # (2L·diam + M)/N
    25.32
    """

    name: str
    profile: Callable[[Floats], Floats]
    per_square: float
    per_distance: float
    per_matrix: float

    def localize(self, eps: float) -> Kernel:
        """Make the kernel localization with bandwidth ε."""
        return Kernel(eps, self.profile)

    def least(self, eps: float, diameter: float) -> float:
        """Compute N, the smallest kernel value on a space of this diameter; 0 by underflow makes constants infinite."""
        return float(self.profile(np.array([(diameter / eps) ** 2]))[0])

    def localized(self, eps: float, diameter: float) -> float:
        """Compute (2L·diam + M)/N, an upper bound of W1(m_α(x), m_β(x))/W1(α, β); M is 1."""
        return over(2 * self.per_distance / eps * diameter + 1, self.least(eps, diameter))

    def continued(self, eps: float, diameter: float) -> float:
        """Compute L(M + N)·diam/N², an upper bound of the new metric divided by the old one; M is 1."""
        least = self.least(eps, diameter)
        return over(over(self.per_distance / eps * (1 + least) * diameter, least), least)

    def shifted(self, eps: float, diameter: float) -> float:
        """Compute (2C·D + M)/N, the same bound for means; C = 2LD/ε² with L of the profile, and M is 1."""
        steep = 2 * self.per_square * diameter / eps**2
        return over(2 * steep * diameter + 1, self.least(eps, diameter))

    def covariant(self, eps: float, diameter: float) -> float:
        """Compute the same bound for covariances: three terms as in the paper's proof, with an explicit A_K."""
        least = self.least(eps, diameter)
        moments = over(eps * self.per_matrix, least)
        totals = over(2 * self.per_square * diameter**3 / eps**2, least)
        return moments + totals + 2 * diameter * self.shifted(eps, diameter)


def _bell(t: Floats) -> Floats:
    return np.asarray(np.exp(-t / 2))


def _rational(t: Floats) -> Floats:
    return np.asarray((1 + t) ** -2)


BELL = SmoothKernel("gaussian kernel", _bell, 0.5, float(np.exp(-0.5)), float(np.sqrt(2) * np.exp(-0.5)))
"""The Gaussian kernel exp(−t/2), as a SmoothKernel."""
RATIONAL = SmoothKernel(
    "kernel 1/(1 + t)²", _rational, 2.0, float(4 * np.sqrt(0.2) / 1.2**3), float(np.sqrt(2 / 3) / (4 / 3) ** 2)
)
"""The kernel 1/(1 + t)², as a SmoothKernel."""
KERNELS = (BELL, RATIONAL)
"""The kernels with known constants: BELL and RATIONAL."""


def check_kernel(kernel: object) -> None:
    """Raise a TypeError if the argument is not a SmoothKernel."""
    if not isinstance(kernel, SmoothKernel):
        raise TypeError(
            f"a SmoothKernel is needed, got {kernel!r}; use wt.theory.BELL or wt.theory.RATIONAL, "
            "or SmoothKernel(name, profile, …) with your own profile and its Lipschitz constants"
        )
