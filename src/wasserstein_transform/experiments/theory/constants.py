"""The constants of the stability theorems: of kernels, of balls, and the functions made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...localize import Kernel


@dataclass(frozen=True)
class SmoothKernel:
    """A positive kernel K(x, y) = profile(d²/ε²) that falls from 1, and its Lipschitz constants.

    Attributes
    ----------
    name : str
    profile : callable
    per_square : float
        Lipschitz constant of the profile.
    per_distance : float
        Lipschitz constant of d ↦ profile(d²), the kernel with ε = 1.
    per_matrix : float
        Lipschitz constant of z ↦ zzᵀ profile(‖z‖²) in the Frobenius norm: √2·sup r·profile(r²), reached across z; along
        z the derivative 2r·profile(r²) + 2r³·profile'(r²) of these two kernels is smaller.
    """

    name: str
    profile: Callable[[Floats], Floats]
    per_square: float
    per_distance: float
    per_matrix: float

    def localize(self, eps: float) -> Kernel:
        """The kernel localization."""
        return Kernel(self.profile, eps)

    def least(self, eps: float, diameter: float) -> float:
        """N: the smallest value on a space of that diameter. The largest, M, is 1."""
        return float(self.profile(np.array([(diameter / eps) ** 2]))[0])

    def localized(self, eps: float, diameter: float) -> float:
        """(2L·diam + M)/N: how much farther apart localizing brings two measures, at most."""
        return (2 * self.per_distance / eps * diameter + 1) / self.least(eps, diameter)

    def continued(self, eps: float, diameter: float) -> float:
        """L(M + N)·diam/N²: how much longer the new metric is than the old one, at most."""
        least = self.least(eps, diameter)
        return self.per_distance / eps * (1 + least) * diameter / least**2

    def shifted(self, eps: float, diameter: float) -> float:
        """(2C·D + M)/N with C = 2LD/ε², L of the profile: the same for means."""
        steep = 2 * self.per_square * diameter / eps**2
        return (2 * steep * diameter + 1) / self.least(eps, diameter)

    def covariant(self, eps: float, diameter: float) -> float:
        """The same for covariances, the three terms of the paper's proof with its A_K made explicit."""
        least = self.least(eps, diameter)
        moments = eps * self.per_matrix / least
        totals = 2 * self.per_square * diameter**3 / (eps**2 * least)
        return moments + totals + 2 * diameter * self.shifted(eps, diameter)


def _bell(t: Floats) -> Floats:
    return np.asarray(np.exp(-t / 2))


def _rational(t: Floats) -> Floats:
    return np.asarray((1 + t) ** -2)


KERNELS = (
    SmoothKernel("gaussian kernel", _bell, 0.5, float(np.exp(-0.5)), float(np.sqrt(2) * np.exp(-0.5))),
    SmoothKernel(
        "kernel 1/(1 + t)²",
        _rational,
        2.0,
        float(4 * np.sqrt(0.2) / 1.2**3),
        float(np.sqrt(2 / 3) / (4 / 3) ** 2),
    ),
)


@dataclass(frozen=True)
class Growth:
    """How fast balls grow beyond ε: the least exponents Λ that the proof of the truncation theorem needs.

    The Bishop–Gromov condition asks for α(B_r)/α(B_s) ≤ (r/s)^Λ for all r ≥ s > 0, and no finite space has that: radii
    just below and at a distance are too near. The proof asks it of (ε, ε + η) and (ε, D) alone, at a single η.

    Attributes
    ----------
    near, far : float
        Exponents for the two pairs of radii; the theorem has the larger for both.
    eps, outer : float
        ε and D.
    """

    near: float
    far: float
    eps: float
    outer: float

    def common(self) -> Growth:
        """One Λ for both pairs of radii, as in the theorem."""
        larger = max(self.near, self.far)
        return Growth(larger, larger, self.eps, self.outer)

    def psi(self) -> float:
        """ψ(ε) = min(1, (ε/D)^Λ): no ε-ball weighs less."""
        return float(min(1.0, (self.eps / self.outer) ** self.far))

    def phi(self, t: float) -> float:
        """Φ(t) = t/ψ(ε) + (1 + t/ε)^Λ − 1."""
        return float(t / self.psi() + (1 + t / self.eps) ** self.near - 1)

    def upsilon(self, t: float) -> float:
        """(1 + t/ε)^Λ − 1 + t."""
        return float((1 + t / self.eps) ** self.near - 1 + t)


def growth(D: Floats, weightings: tuple[Floats, ...], eps: float, eta: float, outer: float) -> Growth:
    """Of the balls around all points, under all weightings; `outer` is above the diameter."""
    inner, wider = ((radius >= D).astype(float) for radius in (eps, eps + eta))
    masses = np.array([inner @ weights for weights in weightings])
    more = np.array([wider @ weights for weights in weightings])
    near = np.log(more / masses).max() / np.log1p(eta / eps)
    far = -np.log(masses.min()) / np.log(outer / eps)
    return Growth(max(float(near), 0.0), max(float(far), 0.0), eps, outer)
