"""Small balls of a smooth density: local truncation on a line, and the shape of GT balls where λ = ε⁻⁶."""

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
    """d^(ε)(x, x') beside its expansion to second order.

    Attributes
    ----------
    x, y, eps : float
    distance : float
        W1 of the density on the two ε-balls.
    slopes : float
        f'(x')/f(x') − f'(x)/f(x).
    """

    x: float
    y: float
    eps: float
    distance: float
    slopes: float

    @property
    def change(self) -> float:
        """d^(ε) − (x' − x)."""
        return self.distance - (self.y - self.x)

    @property
    def expansion(self) -> float:
        """x' − x + ⅓·slopes·ε²."""
        return self.y - self.x + self.slopes * self.eps**2 / 3

    @property
    def error(self) -> float:
        """d^(ε) − expansion: O(ε³) by the paper, in fact O(ε⁴), as odd powers cancel over symmetric balls."""
        return self.change - self.slopes * self.eps**2 / 3


def taylor_1d(
    density: Density, x: float, y: float, eps: float, nodes: int = 40, engine: Engine | None = None
) -> Taylor:
    """Local truncation on a line: d^(ε)(x, x') = x' − x + ⅓(f'(x')/f(x') − f'(x)/f(x))ε² + O(ε³), x < x'.

    The remark on the Taylor expansion in one dimension. The distance is exact transport between Gauss quadratures of
    the two balls, with so many nodes each.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> bell = wt.theory.Mixture(np.zeros((1, 1)), np.ones(1), np.ones(1))
    >>> found = wt.theory.taylor_1d(bell, 0.0, 1.0, eps=0.3)  # f'/f = −x: points come nearer
    >>> round(found.distance, 4), round(found.expansion, 4), abs(found.error) < 0.3**3
    (0.9705, 0.97, True)
    """
    eps, (x, y) = check.eps(eps), check.floats([x, y], "x and y").tolist()
    check_density(density)
    if not x < y:
        raise ValueError(f"x must be left of y, got {x} and {y}")
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
    """{u : uᵀQu ≤ 1}.

    Attributes
    ----------
    form : array of shape (m, m)
        Q.
    """

    form: Floats

    @property
    def half_axes(self) -> Floats:
        """Their lengths, the longest first."""
        return np.asarray(np.linalg.eigvalsh(self.form) ** -0.5)

    def radii(self, directions: ArrayLike) -> Floats:
        """How far it reaches in each direction, unit vectors of shape (…, m)."""
        u = check.floats(directions, "directions")
        return np.asarray(np.einsum("...i,ij,...j->...", u, self.form, u) ** -0.5)


def covariance_term(density: Density, point: Floats) -> tuple[Floats, Floats]:
    """H of Σ^(ε) = ε²/(m + 2)·I + ε⁴·H + O(ε⁶), and its derivative, of shape (m, m, m), the last index along x.

    With g = ∇f/f and S = ∇²f/f: H = S/((m + 2)(m + 4)) − tr S·I/((m + 2)²(m + 4)) − ggᵀ/(m + 2)²; on a line that is
    (2ff'' − 5f'²)/(45f²), as in the paper.

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
    """What GT balls of radius ε, drawn larger by 1/ε, tend to where λ = ε⁻⁶: the theorem on GT balls.

    λ·dcov² of points ε·u apart tends to ε²·(m + 2)/4·‖∂_u H‖² with H of `covariance_term`, so that Q is the identity
    plus (m + 2)/4·Σ ∇H_ij ∇H_ijᵀ. On a line the half-width is √(12/(12 + h'²)) with h = (−5f'² + 2ff'')/(15f²); the
    paper prints 9 instead of 15, against its own expansion of the variance.

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
    """How far the GT ball of radius ε with λ = ε⁻⁶ reaches in each direction, in ε, by bisection.

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
            f"center and directions must have the ball's {m} coordinates, shapes ({m},) and (k, {m}), "
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
