"""Smooth densities, and expansions for small balls: local truncation on a line, the shape of GT balls for λ = ε⁻⁶."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from wasserstein_transform import _check as check
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine
from wasserstein_transform.transport import gaussian_wasserstein, wasserstein_pairs


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
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> bell = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
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
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> class Uniform:
    ...     def __call__(self, points):
    ...         return np.ones(points.shape[:-1])
    ...
    ...     def jet(self, point):
    ...         m = len(point)
    ...         return theory.Jet(np.ones(()), np.zeros(m), np.zeros((m, m)), np.zeros((m, m, m)))
    >>> round(theory.taylor_1d(Uniform(), 0.0, 1.0, eps=0.3).distance, 6)
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
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> bell = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
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

    >>> import numpy as np
    >>> from wt_paper import theory
    >>> means, covs = theory.interval(5).moments(lambda x: np.ones(x.shape[:-1]), np.array([0.5]), 0.5)
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
    >>> from wt_paper import theory
    >>> ball = theory.interval(2)
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
    >>> from wt_paper import theory
    >>> ball = theory.disc(4)
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
        raise TypeError(f"a density with a method jet is needed, such as wt_paper.theory.Mixture, got {density!r}")


def check_mass(value: Floats, point: Floats) -> None:
    """Raise an error if the density is 0, possibly by underflow."""
    if not np.all(value > 0):
        raise ValueError(f"the density must be positive, got {value} at {point}; use a point nearer to its mass")


@dataclass(frozen=True)
class Taylor:
    """The distance d^(ε)(x, x') and its expansion to second order. `taylor_1d` returns it; y stands for x'.

    Attributes
    ----------
    x, y : float
        The two points, x < y.
    eps : float
        The radius ε.
    distance : float
        W1 between the density restricted to the two ε-balls.
    slopes : float
        f'(y)/f(y) − f'(x)/f(x).

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> bell = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> result = theory.taylor_1d(bell, 0.0, 1.0, eps=0.3)
    >>> round(result.change, 4), round(result.slopes * result.eps**2 / 3, 4)
    (-0.0295, -0.03)
    """

    x: float
    y: float
    eps: float
    distance: float
    slopes: float

    @property
    def change(self) -> float:
        """The change of the distance, d^(ε) − (x' − x)."""
        return self.distance - (self.y - self.x)

    @property
    def expansion(self) -> float:
        """The expansion x' − x + ⅓·slopes·ε²."""
        return self.y - self.x + self.slopes * self.eps**2 / 3

    @property
    def error(self) -> float:
        """d^(ε) minus the expansion: O(ε³) in the paper, in fact O(ε⁴), as odd powers cancel over symmetric balls."""
        return self.change - self.slopes * self.eps**2 / 3


def taylor_1d(
    density: Density, x: float, y: float, eps: float, nodes: int = 40, engine: Engine | None = None
) -> Taylor:
    """Compare local truncation on a line with its Taylor expansion, for x < y.

    d^(ε)(x, y) = y − x + ⅓(f'(y)/f(y) − f'(x)/f(x))ε² + O(ε³), the remark of the paper on the Taylor expansion in one
    dimension. The distance is computed by exact transport between Gauss quadratures of the two balls.

    Parameters
    ----------
    density : Density
        A positive density f on the line.
    x, y : float
        The two points, x < y.
    eps : float
        The radius ε of the balls.
    nodes : int, default 40
        Number of quadrature nodes of each ball.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Taylor
        The distance, the expansion and the error.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> bell = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> result = theory.taylor_1d(bell, 0.0, 1.0, eps=0.3)  # f'/f = −x: the distance shrinks
    >>> round(result.distance, 4), round(result.expansion, 4), abs(result.error) < 0.3**3
    (0.9705, 0.97, True)
    """
    eps, (x, y) = check.eps(eps), check.floats([x, y], "x and y").tolist()
    check_density(density)
    if not x < y:
        raise ValueError(f"x must be less than y, got {x} and {y}")
    nodes = check.count(nodes, "nodes", 1)
    ball = interval(nodes)
    places = np.concatenate([x + eps * ball.nodes, y + eps * ball.nodes])
    masses = np.zeros((2, 2 * nodes))
    masses[0, :nodes] = ball.weights * density(places[:nodes])
    masses[1, nodes:] = ball.weights * density(places[nodes:])
    result = wasserstein_pairs(masses / masses.sum(axis=1, keepdims=True), places, 1, engine=engine)
    return Taylor(float(x), float(y), float(eps), float(result[0]), _slope(density, y) - _slope(density, x))


def _slope(f: Density, x: float) -> float:
    value, first = f.jet(np.array([x]))[:2]
    check_mass(value, np.array([x]))
    return float(first[0] / value)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """The ellipsoid {u : uᵀQu ≤ 1}. `limit_ellipsoid` returns it.

    Attributes
    ----------
    form : array of shape (m, m)
        The positive definite matrix Q.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> result = theory.Ellipsoid(np.diag([1.0, 4.0]))
    >>> result.half_axes, result.radii([[0.0, 1.0]])
    (array([1. , 0.5]), array([0.5]))
    """

    form: Floats

    @property
    def half_axes(self) -> Floats:
        """The lengths of the half-axes, longest first, shape (m,)."""
        return np.asarray(np.linalg.eigvalsh(self.form) ** -0.5)

    def radii(self, directions: ArrayLike) -> Floats:
        """Compute the radius in each direction; directions are unit vectors of shape (…, m)."""
        u = check.floats(directions, "directions")
        return np.asarray(np.einsum("...i,ij,...j->...", u, self.form, u) ** -0.5)


def covariance_term(density: Density, point: Floats) -> tuple[Floats, Floats]:
    """Compute the fourth-order term H of the covariance of a small ball, and its derivative.

    Σ^(ε) = ε²/(m + 2)·I + ε⁴·H + O(ε⁶). With g = ∇f/f and S = ∇²f/f,
    H = S/((m + 2)(m + 4)) − tr S·I/((m + 2)²(m + 4)) − ggᵀ/(m + 2)². On a line this is (2ff'' − 5f'²)/(45f²), as in
    the paper.

    Parameters
    ----------
    density : Density
        A positive density f on R^m.
    point : array of shape (m,)
        The center of the ball.

    Returns
    -------
    term : array of shape (m, m)
        H.
    slope : array of shape (m, m, m)
        The derivative of H; the last index is the direction.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> bell = theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> round(45 * theory.covariance_term(bell, np.zeros(1))[0].item(), 12)  # 2f''/f = −2
    -2.0
    """
    check_density(density)
    point = np.asarray(point, float)
    value, first, second, third = density.jet(point)
    check_mass(value, point)
    m = len(point)
    g, S = first / value, second / value
    dg, dS = S - np.outer(g, g), third / value - S[..., None] * g
    eye, a, b, c = np.eye(m), (m + 2) * (m + 4), (m + 2) ** 2 * (m + 4), (m + 2) ** 2
    term = S / a - np.trace(S) * eye / b - np.outer(g, g) / c
    squares = dg[:, None] * g[None, :, None] + g[:, None, None] * dg[None]
    slope = dS / a - eye[..., None] * np.trace(dS) / b - squares / c
    return term, slope


def limit_ellipsoid(density: Density, center: ArrayLike) -> Ellipsoid:
    """Compute the limit of GT balls of radius ε, scaled by 1/ε, for λ = ε⁻⁶: the theorem on GT balls.

    For two points ε·u apart, λ·dcov² tends to ε²·(m + 2)/4·‖∂_u H‖² with H of `covariance_term`. So Q is the identity
    plus (m + 2)/4·Σ ∇H_ij ∇H_ijᵀ. On a line the half-width is √(12/(12 + h'²)) with h = (−5f'² + 2ff'')/(15f²). The
    paper prints 9 instead of 15, which contradicts its own expansion of the variance.

    Parameters
    ----------
    density : Density
        A positive density on R^m.
    center : array of shape (m,)
        The center of the balls.

    Returns
    -------
    Ellipsoid
        The limit, in units of ε.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> hills = theory.Mixture(np.array([[-0.5], [0.5]]), np.array([0.35, 0.5]), np.array([0.45, 0.55]))
    >>> theory.limit_ellipsoid(hills, [-0.6]).half_axes.round(4)
    array([0.6758])
    """
    point = check.floats(center, "center")
    if point.ndim != 1 or not len(point):
        raise ValueError(f"center must be one point, shape (m,), got shape {point.shape}")
    m, slope = len(point), covariance_term(density, point)[1]
    return Ellipsoid(np.eye(m) + (m + 2) / 4 * np.einsum("ijk,ijl->kl", slope, slope))


def ball_radii(density: Density, ball: UnitBall, center: Floats, directions: Floats, eps: float) -> Floats:
    """Compute the radius of the GT ball of radius ε with λ = ε⁻⁶ in each direction, by bisection.

    Parameters
    ----------
    density : Density
        A positive density on R^m.
    ball : UnitBall
        The quadrature for moments over balls: `interval` for m = 1, `disc` for m = 2.
    center : array of shape (m,)
        The center of the ball.
    directions : array of shape (k, m)
        Unit vectors.
    eps : float
        The radius ε.

    Returns
    -------
    array of shape (k,)
        The radii, in units of ε.

    Notes
    -----
    36 bisection steps, each with k distances.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> hills = theory.Mixture(np.array([[-0.5], [0.5]]), np.array([0.35, 0.5]), np.array([0.45, 0.55]))
    >>> ball = theory.interval(24)
    >>> theory.ball_radii(hills, ball, np.array([-0.6]), np.array([[1.0], [-1.0]]), 0.02).mean().round(3)
    np.float64(0.676)
    """
    check_density(density)
    center, directions = check.floats(center, "center"), check.floats(directions, "directions")
    m = ball.nodes.shape[1]
    if center.shape != (m,) or directions.ndim != 2 or directions.shape[1] != m:
        raise ValueError(
            f"center and directions must have {m} coordinates like the ball, shapes ({m},) and (k, {m}), "
            f"got {center.shape} and {directions.shape}"
        )
    check_mass(density(center), center)
    lam = check.eps(eps) ** -6
    here = lam * ball.moments(density, center[None], eps)[1]
    low, high = np.zeros(len(directions)), np.ones(len(directions))
    for _ in range(36):
        middle = (low + high) / 2
        points = center + eps * middle[:, None] * directions
        there = lam * ball.moments(density, points, eps)[1]
        inside = gaussian_wasserstein(center[None], here, points, there, n_jobs=1)[0] <= eps
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low
