"""A smooth density, its derivatives, and its moments over balls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats


@dataclass(frozen=True)
class Mixture:
    """A mixture of round normal distributions in R^m.

    Attributes
    ----------
    centers : array of shape (k, m)
    scales, shares : arrays of shape (k,)
    """

    centers: Floats
    scales: Floats
    shares: Floats

    def __call__(self, points: Floats) -> Floats:
        """The density at points of shape (…, m)."""
        m = points.shape[-1]
        squares = ((points[..., None, :] - self.centers) ** 2).sum(axis=-1)
        heights = self.shares / (np.sqrt(2 * np.pi) * self.scales) ** m
        return np.asarray((heights * np.exp(-squares / (2 * self.scales**2))).sum(axis=-1))

    def derivatives(self, x: float) -> Floats:
        """f, f', f'' and f''' at a point of the line."""
        z = (x - self.centers[:, 0]) / self.scales
        hermite = np.array([np.ones_like(z), -z, z**2 - 1, 3 * z - z**3])
        bells = self.shares / (np.sqrt(2 * np.pi) * self.scales) * np.exp(-(z**2) / 2)
        return np.asarray((hermite * bells / self.scales ** np.arange(4.0)[:, None]).sum(axis=1))


def on_the_line(unit: float = 1.0) -> Mixture:
    """Two hills of different width."""
    return Mixture(unit * np.array([[-1.0], [1.0]]), unit * np.array([0.7, 1.0]), np.array([0.45, 0.55]))


def in_the_plane(unit: float = 1.0) -> Mixture:
    """Three hills, so that no axis is special."""
    centers = np.array([[-1.0, 0.0], [0.6, 0.5], [0.2, -1.0]])
    return Mixture(unit * centers, unit * np.array([0.6, 0.8, 0.7]), np.array([0.4, 0.3, 0.3]))


@dataclass(frozen=True)
class UnitBall:
    """Gauss nodes of the unit ball of R^m: Σ weights·g(nodes) = ∫ g for polynomials of high degree."""

    nodes: Floats
    weights: Floats

    def moments(self, f: Mixture, points: Floats, eps: float) -> tuple[Floats, Floats]:
        """Means of f over the ε-balls of points (…, m), relative to these and in units of ε; and covariances."""
        masses = self.weights * f(points[..., None, :] + eps * self.nodes)
        masses /= masses.sum(axis=-1, keepdims=True)
        means = masses @ self.nodes
        steps = self.nodes - means[..., None, :]
        covs = np.einsum("...k,...ki,...kj->...ij", masses, steps, steps)
        return means, eps**2 * covs


def interval(n: int) -> UnitBall:
    """Gauss–Legendre nodes of [−1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return UnitBall(nodes[:, None], weights)


def disc(n: int) -> UnitBall:
    """Gauss–Legendre nodes along n radii, 2n equal angles."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    radii, angles = (nodes + 1) / 2, np.arange(2 * n) * np.pi / n
    places = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    masses = np.broadcast_to((weights * radii)[:, None], places.shape[:2])
    return UnitBall(places.reshape(-1, 2), masses.ravel())
