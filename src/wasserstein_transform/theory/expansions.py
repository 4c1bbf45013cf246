"""Expansions for small balls of a smooth density: local truncation on a line, and the shape of GT balls for λ = ε⁻⁶."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import Engine
from ..transport import gaussian_wasserstein, wasserstein_pairs
from .densities import Density, UnitBall, check_density, check_mass, interval


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
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> found = wt.theory.taylor_1d(bell, 0.0, 1.0, eps=0.3)
    >>> round(found.change, 4), round(found.slopes * found.eps**2 / 3, 4)
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> found = wt.theory.taylor_1d(bell, 0.0, 1.0, eps=0.3)  # f'/f = −x: the distance shrinks
    >>> round(found.distance, 4), round(found.expansion, 4), abs(found.error) < 0.3**3
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
    found = wasserstein_pairs(masses, places, 1, engine=engine)
    return Taylor(float(x), float(y), float(eps), float(found[0]), _slope(density, y) - _slope(density, x))


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
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.theory.Ellipsoid(np.diag([1.0, 4.0]))
    >>> found.half_axes, found.radii([[0.0, 1.0]])
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> round(45 * wt.theory.covariance_term(bell, np.zeros(1))[0].item(), 12)  # 2f''/f = −2
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> hills = wt.theory.Mixture(np.array([[-0.5], [0.5]]), np.array([0.35, 0.5]), np.array([0.45, 0.55]))
    >>> wt.theory.limit_ellipsoid(hills, [-0.6]).half_axes.round(4)
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> hills = wt.theory.Mixture(np.array([[-0.5], [0.5]]), np.array([0.35, 0.5]), np.array([0.45, 0.55]))
    >>> ball = wt.theory.interval(24)
    >>> wt.theory.ball_radii(hills, ball, np.array([-0.6]), np.array([[1.0], [-1.0]]), 0.02).mean().round(3)
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
