"""Smooth densities, their derivatives, and their moments over balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .. import _check as check
from .._types import Floats


class Jet(NamedTuple):
    """A density at a point, with its first three derivatives: shapes (), (m,), (m, m) and (m, m, m)."""

    value: Floats
    first: Floats
    second: Floats
    third: Floats


class Density(Protocol):
    """A positive smooth function on R^m."""

    def __call__(self, points: Floats) -> Floats:
        """Values at points of shape (…, m)."""

    def jet(self, point: Floats) -> Jet:
        """Value and derivatives at a point of shape (m,)."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of round normal distributions in R^m.

    Attributes
    ----------
    centers : array of shape (k, m)
    scales, shares : arrays of shape (k,)

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> round(float(bell(np.array([0.0]))), 4), bell.jet(np.array([1.0])).first.round(4)
    (0.3989, array([-0.242]))
    """

    centers: Floats
    scales: Floats
    shares: Floats

    def __post_init__(self) -> None:
        for name in ("centers", "scales", "shares"):
            object.__setattr__(self, name, check.floats(getattr(self, name), name))
        k = len(self.centers) if self.centers.ndim == 2 else 0
        if k == 0 or self.scales.shape != (k,) or self.shares.shape != (k,):
            raise ValueError(
                "a mixture needs centers of shape (k, m), scales and shares of shape (k,), "
                f"got {self.centers.shape}, {self.scales.shape} and {self.shares.shape}"
            )
        if self.scales.min() <= 0 or self.shares.min() < 0 or not self.shares.any():
            raise ValueError(f"scales must be > 0 and shares ≥ 0, got {self.scales} and {self.shares}")

    def __call__(self, points: Floats) -> Floats:
        """The density at points of shape (…, m)."""
        m = points.shape[-1]
        squares = ((points[..., None, :] - self.centers) ** 2).sum(axis=-1)
        heights = self.shares / (np.sqrt(2 * np.pi) * self.scales) ** m
        return np.asarray((heights * np.exp(-squares / (2 * self.scales**2))).sum(axis=-1))

    def jet(self, point: Floats) -> Jet:
        """Value and derivatives at a point of shape (m,)."""
        m = len(point)
        z = (point - self.centers) / self.scales[:, None]
        bells = self.shares / (np.sqrt(2 * np.pi) * self.scales) ** m * np.exp(-(z**2).sum(axis=1) / 2)
        zz, eye = z[:, :, None] * z[:, None, :], np.eye(m)
        mixed = z[:, :, None, None] * eye
        turned = mixed + mixed.transpose(0, 2, 1, 3) + mixed.transpose(0, 2, 3, 1)
        hermite = (np.ones(len(z)), -z, zz - eye, turned - zz[..., None] * z[:, None, None, :])
        return Jet(*(np.tensordot(bells / self.scales**k, part, 1) for k, part in enumerate(hermite)))


@dataclass(frozen=True)
class UnitBall:
    """Gauss nodes of the unit ball of R^m: Σ weights·g(nodes) = ∫ g for polynomials of high degree."""

    nodes: Floats
    weights: Floats

    def moments(self, f: Density, points: Floats, eps: float) -> tuple[Floats, Floats]:
        """Means of f over the ε-balls of points (…, m), relative to these and in units of ε; and covariances."""
        masses = self.weights * f(points[..., None, :] + eps * self.nodes)
        masses /= masses.sum(axis=-1, keepdims=True)
        means = masses @ self.nodes
        steps = self.nodes - means[..., None, :]
        covs = np.einsum("...k,...ki,...kj->...ij", masses, steps, steps)
        return means, eps**2 * covs


def interval(n: int) -> UnitBall:
    """Gauss–Legendre nodes of [−1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(check.count(n, "n", 1))
    return UnitBall(nodes[:, None], weights)


def disc(n: int) -> UnitBall:
    """Gauss–Legendre nodes along n radii, 2n equal angles."""
    nodes, weights = np.polynomial.legendre.leggauss(check.count(n, "n", 1))
    radii, angles = (nodes + 1) / 2, np.arange(2 * n) * np.pi / n
    places = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    masses = np.broadcast_to((weights * radii)[:, None], places.shape[:2])
    return UnitBall(places.reshape(-1, 2), masses.ravel())


def check_density(density: object) -> None:
    """Refuse what has no values and derivatives."""
    if not (callable(density) and hasattr(density, "jet")):
        raise TypeError(f"a density such as wt.theory.Mixture is needed, with values and a jet, got {density!r}")


def check_mass(value: Floats, point: Floats) -> None:
    """Refuse places where floats see no mass."""
    if not np.all(value > 0):
        raise ValueError(f"the density must be positive, and is {value} at {point}")
