"""Smooth densities, their derivatives, and their moments over balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .. import _check as check
from .._types import Floats


class Jet(NamedTuple):
    """The value of a density at a point and its first three derivatives; a named tuple.

    Attributes
    ----------
    value : array of shape ()
        The density f.
    first : array of shape (m,)
        The gradient.
    second : array of shape (m, m)
        The Hessian.
    third : array of shape (m, m, m)
        The third derivatives.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> jet = bell.jet(np.array([0.0]))
    >>> (jet.second / jet.value).round(4)
    array([[-1.]])
    """

    value: Floats
    first: Floats
    second: Floats
    third: Floats


class Density(Protocol):
    """Protocol of positive smooth functions on R^m with derivatives.

    `Mixture` is an implementation. Any class with these two methods is another.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> class Uniform:
    ...     def __call__(self, points):
    ...         return np.ones(points.shape[:-1])
    ...
    ...     def jet(self, point):
    ...         m = len(point)
    ...         return wt.theory.Jet(np.ones(()), np.zeros(m), np.zeros((m, m)), np.zeros((m, m, m)))
    >>> round(wt.theory.taylor_1d(Uniform(), 0.0, 1.0, eps=0.3).distance, 6)
    1.0
    """

    def __call__(self, points: Floats) -> Floats:
        """Compute the values at points of shape (…, m)."""

    def jet(self, point: Floats) -> Jet:
        """Compute the value and the derivatives at a point of shape (m,)."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of k isotropic normal distributions in R^m, as a density.

    Attributes
    ----------
    centers : array of shape (k, m)
        The means.
    scales : array of shape (k,)
        The standard deviations, > 0.
    shares : array of shape (k,)
        The weights of the components, ≥ 0; they are not divided by their total.

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
        """Compute the density at points of shape (…, m)."""
        m = points.shape[-1]
        squares = ((points[..., None, :] - self.centers) ** 2).sum(axis=-1)
        heights = self.shares / (np.sqrt(2 * np.pi) * self.scales) ** m
        return np.asarray((heights * np.exp(-squares / (2 * self.scales**2))).sum(axis=-1))

    def jet(self, point: Floats) -> Jet:
        """Compute the value and the derivatives at a point of shape (m,)."""
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
    """A quadrature of the unit ball of R^m: Σ weights·g(nodes) ∝ ∫ g for polynomials g of high degree.

    `interval` and `disc` return it.

    Attributes
    ----------
    nodes : array of shape (k, m)
        The quadrature nodes.
    weights : array of shape (k,)
        The quadrature weights, up to a constant factor.

    Examples
    --------
    The mean and the variance of the uniform distribution on [0, 1]:

    >>> import numpy as np, wasserstein_transform as wt
    >>> means, covs = wt.theory.interval(5).moments(lambda x: np.ones(x.shape[:-1]), np.array([0.5]), 0.5)
    >>> 0.5 + 0.5 * means.round(12), covs.round(4)
    (array([0.5]), array([[0.0833]]))
    """

    nodes: Floats
    weights: Floats

    def moments(self, f: Density, points: Floats, eps: float) -> tuple[Floats, Floats]:
        """Compute the means and covariances of f over the ε-balls around points (…, m).

        The means, shape (…, m), are relative to the points and in units of ε. The covariances have shape (…, m, m).
        """
        masses = self.weights * f(points[..., None, :] + eps * self.nodes)
        masses /= masses.sum(axis=-1, keepdims=True)
        means = masses @ self.nodes
        steps = self.nodes - means[..., None, :]
        covs = np.einsum("...k,...ki,...kj->...ij", masses, steps, steps)
        return means, eps**2 * covs


def interval(n: int) -> UnitBall:
    """Make the Gauss–Legendre quadrature of [−1, 1] with n nodes.

    Parameters
    ----------
    n : int
        Number of nodes, ≥ 1.

    Returns
    -------
    UnitBall
        Nodes of shape (n, 1), weights of shape (n,).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> ball = wt.theory.interval(2)
    >>> ball.nodes.ravel().round(4), ball.weights
    (array([-0.5774,  0.5774]), array([1., 1.]))
    """
    nodes, weights = np.polynomial.legendre.leggauss(check.count(n, "n", 1))
    return UnitBall(nodes[:, None], weights)


def disc(n: int) -> UnitBall:
    """Make a quadrature of the unit disc with n Gauss–Legendre nodes along a radius and 2n equal angles.

    Parameters
    ----------
    n : int
        Number of nodes along a radius, ≥ 1.

    Returns
    -------
    UnitBall
        Nodes of shape (2n², 2), weights of shape (2n²,) up to a constant factor.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> ball = wt.theory.disc(4)
    >>> ball.nodes.shape, bool((ball.nodes**2).sum(axis=1).max() < 1)
    ((32, 2), True)
    """
    nodes, weights = np.polynomial.legendre.leggauss(check.count(n, "n", 1))
    radii, angles = (nodes + 1) / 2, np.arange(2 * n) * np.pi / n
    places = radii[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    masses = np.broadcast_to((weights * radii)[:, None], places.shape[:2])
    return UnitBall(places.reshape(-1, 2), masses.ravel())


def check_density(density: object) -> None:
    """Raise a TypeError if the argument is not a density."""
    if not (callable(density) and hasattr(density, "jet")):
        raise TypeError(f"a density with a method jet is needed, such as wt.theory.Mixture, got {density!r}")


def check_mass(value: Floats, point: Floats) -> None:
    """Raise an error if the density is 0, possibly by underflow."""
    if not np.all(value > 0):
        raise ValueError(f"the density must be positive, got {value} at {point}; use a point nearer to its mass")
