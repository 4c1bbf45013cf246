"""Limits for small ε: distances on a line to second order, local variances, and the shape of GT balls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine

from ...theory import Density, UnitBall, ball_radii, covariance_term, disc, interval, limit_ellipsoid, order, taylor_1d
from ..experiment import Choice, Claim, Table
from ..parameters import Theory
from .trials import in_the_plane, on_the_line

RIGHT, PRINTED = 15.0, 9.0  # denominators of h


@dataclass(frozen=True)
class Expansion:
    """d^(ε) compared with its expansion.

    Attributes
    ----------
    eps : array of shape (k,)
    pairs : array of shape (l, 2)
        The points x < x'.
    errors : array of shape (l, k)
        d^(ε) − expansion.
    changes : array of shape (l, k)
        d^(ε) − (x' − x).
    """

    eps: Floats
    pairs: Floats
    errors: Floats
    changes: Floats

    @property
    def orders(self) -> Floats:
        """Exponent of ε in the error, for each pair."""
        return np.array([order(self.eps, row) for row in self.errors])


def run_expansion(parameters: Theory, engine: Engine) -> Expansion:
    """Distances between quadratures of the truncated density."""
    f, eps, pairs = on_the_line(), np.array(parameters.line_eps), np.array(parameters.line_pairs)
    result = [[taylor_1d(f, x, y, e, parameters.nodes, engine) for e in eps] for x, y in pairs]
    errors = [[some.error for some in row] for row in result]
    changes = [[some.change for some in row] for row in result]
    return Expansion(eps, pairs, np.array(errors), np.array(changes))


def expansion_claims(result: Expansion) -> list[Claim]:
    """The claim."""
    orders = result.orders
    smallest = np.abs(result.errors[:, -1] / result.changes[:, -1]).max()
    return [
        Claim(
            "theory: truncation on a line, to second order",
            "section on kernel localization, remark on the Taylor expansion in one dimension",
            "d^(ε)(x, x') = x' − x + ⅓(f'(x')/f(x') − f'(x)/f(x))ε² up to O(ε³), for a smooth density f.",
            f"Exponent of ε in the error, fitted over ε = {result.eps[0]:g} … {result.eps[-1]:g} for each of "
            f"{len(result.pairs)} pairs of points, f a mixture of two normal densities; true if all are ≥ 3.",
            (
                Choice(
                    "Gauss quadrature of the balls",
                    bool(orders.min() >= 3),
                    f"orders {orders.min():.2f} to {orders.max():.2f}; at ε = {result.eps[-1]:g} the error is at most "
                    f"{smallest:.1e} of the change",
                ),
            ),
            "The remainder is O(ε⁴), better than stated: odd powers cancel over symmetric balls.",
        )
    ]


@dataclass(frozen=True)
class Ellipsoid:
    """Rescaled GT balls for decreasing ε.

    Attributes
    ----------
    eps : array of shape (k,)
    centers : array of shape (l,)
        Points of the line.
    widths : array of shape (l, k)
        Half-widths of their balls, in ε: the mean of both sides.
    limits : dict of arrays of shape (l,)
        √(12/(12 + h'²)) by the denominator of h.
    variances : array of shape (l, k)
        Σ^(ε) − (ε²/3 + (−5f'² + 2ff'')/(45f²)·ε⁴).
    angles, radii : arrays of shape (q,) and (k, q)
        A ball of the plane, in ε.
    ellipses : array of shape (k, q)
        The ellipses that fit them best.
    floor : float
        Largest relative error at the smallest ε.
    """

    eps: Floats
    centers: Floats
    widths: Floats
    limits: dict[float, Floats]
    variances: Floats
    angles: Floats
    radii: Floats
    ellipses: Floats
    floor: float

    def errors(self, denominator: float) -> Floats:
        """Relative errors of the half-widths with respect to their limit."""
        limits = self.limits[denominator][:, None]
        return np.abs(self.widths - limits) / limits

    @property
    def departures(self) -> Floats:
        """Largest deviation from an ellipse, relative to the radius, for each ε."""
        return np.asarray(np.abs(self.radii / self.ellipses - 1).max(axis=1))


def run_ellipsoid(parameters: Theory, engine: Engine) -> Ellipsoid:
    """Balls on the line and in the plane."""
    f, ball = on_the_line(parameters.ball_unit), interval(parameters.nodes)
    eps, centers = np.array(parameters.ball_eps), np.array(parameters.ball_centers)
    sides = np.array([[1.0], [-1.0]])
    widths = [[ball_radii(f, ball, np.array([x]), sides, e).mean() for e in eps] for x in centers]
    limits = {c: np.array([_limit(f, x, c) for x in centers]) for c in (RIGHT, PRINTED)}
    variances = [[_variance_error(f, ball, x, e) for e in eps] for x in centers]
    angles = np.arange(parameters.directions) * 2 * np.pi / parameters.directions
    plane, around = disc(parameters.disc_nodes), np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    hills = in_the_plane(parameters.ball_unit)
    radii = np.array([ball_radii(hills, plane, np.zeros(2), around, e) for e in eps])
    ellipses = np.array([_ellipse(angles, row) for row in radii])
    return Ellipsoid(
        eps, centers, np.array(widths), limits, np.array(variances), angles, radii, ellipses, parameters.ball_floor
    )


def _limit(f: Density, x: float, denominator: float) -> float:
    """√(12/(12 + h'²)) for h = (−5f'² + 2ff'')/(denominator·f²), from the limit with the right one."""
    slope = 12 * (limit_ellipsoid(f, [x]).form.item() - 1)
    return float(np.sqrt(12 / (12 + slope * (RIGHT / denominator) ** 2)))


def _variance_error(f: Density, ball: UnitBall, x: float, eps: float) -> float:
    term = covariance_term(f, np.array([x]))[0].item()
    variance = ball.moments(f, np.array([x]), eps)[1][0, 0]
    return float(variance - (eps**2 / 3 + term * eps**4))


def _ellipse(angles: Floats, radii: Floats) -> Floats:
    """Radii of the centered ellipse uᵀQu = r⁻² that fits best."""
    basis = np.stack([np.ones_like(angles), np.cos(2 * angles), np.sin(2 * angles)], axis=-1)
    form = np.linalg.lstsq(basis, radii**-2, rcond=None)[0]
    return np.asarray((basis @ form) ** -0.5)


def ellipsoid_claims(result: Ellipsoid) -> list[Claim]:
    """The four claims."""
    place = "section on anisotropy properties of GT, the theorem; its proof among the relegated proofs"
    rule = (
        f"Half-widths of GT balls at {len(result.centers)} points of a line, "
        f"ε = {result.eps[0]:g} … {result.eps[-1]:g}, λ = ε⁻⁶, covariances by quadrature; true if the relative error "
        f"decreases with every smaller ε and ends ≤ {result.floor:g}."
    )
    return [
        _variance_claim(result),
        Claim(
            "theory: limit of GT balls on a line, corrected",
            place,
            "Rescaled GT balls tend to intervals of half-width √(12/(12 + h'²)), h = (−5f'² + 2ff'')/(15f²).",
            rule,
            (_limit_choice(result, RIGHT),),
            "The paper prints 9 instead of 15; 15 follows from its own expansion of the variance, with (·)/45·ε⁴ and "
            "ε²/3.",
        ),
        Claim(
            "theory: limit of GT balls on a line, as printed",
            place,
            "Rescaled GT balls tend to intervals of half-width √(12/(12 + h'²)), h = (−5f'² + 2ff'')/(9f²).",
            rule,
            (_limit_choice(result, PRINTED),),
            "An error in a constant: the limit is correct with 15 instead of 9. The theorem itself does not contain "
            "it.",
        ),
        _plane_claim(result),
    ]


def _variance_claim(result: Ellipsoid) -> Claim:
    fitted = np.array([order(result.eps, row) for row in result.variances])
    return Claim(
        "theory: local variance on a line, to fourth order",
        "relegated proofs, proof of the theorem on GT balls",
        "Σ^(ε) = ε²/3 + (−5f'² + 2ff'')/(45f²)·ε⁴ + O(ε⁶).",
        "Exponent of ε in the error, fitted for each point; true if all are above 5, so that the next even one is "
        "reached.",
        (
            Choice(
                "Gauss quadrature of the balls",
                bool(fitted.min() > 5),
                f"orders {fitted.min():.2f} to {fitted.max():.2f}",
            ),
        ),
    )


def _limit_choice(result: Ellipsoid, denominator: float) -> Choice:
    errors = result.errors(denominator)
    holds = bool((np.diff(errors, axis=1) < 0).all() and errors[:, -1].max() <= result.floor)
    k = int(np.argmin(result.limits[RIGHT]))
    return Choice(
        f"denominator {denominator:g}",
        holds,
        f"error at most {errors[:, -1].max():.1e} at ε = {result.eps[-1]:g}; at x = {result.centers[k]:g} the "
        f"half-width is {result.widths[k, -1]:.4f}, the formula gives {result.limits[denominator][k]:.4f}",
    )


def _plane_claim(result: Ellipsoid) -> Claim:
    departures = result.departures
    last = result.ellipses[-1]
    return Claim(
        "theory: limit of GT balls in the plane",
        "section on anisotropy properties of GT, the theorem",
        "Rescaled GT balls with λ = ε⁻⁶ tend to an ellipse.",
        f"Deviation of the ball, in {len(result.angles)} directions, from the centered ellipse that fits it best; true "
        f"if it decreases with every smaller ε and ends ≤ {result.floor:g} of the radius.",
        (
            Choice(
                "quadrature in the plane",
                bool((np.diff(departures) < 0).all() and departures[-1] <= result.floor),
                f"deviation {departures[0]:.2g} at ε = {result.eps[0]:g}, {departures[-1]:.2g} at {result.eps[-1]:g}, "
                f"where the half-axes are {last.max():.3f} and {last.min():.3f}",
            ),
        ),
    )


def ellipsoid_table(result: Ellipsoid) -> Table:
    """Half-widths by point and ε."""
    rows = [
        (
            f"{x:g}",
            *(f"{width:.4f}" for width in result.widths[k]),
            f"{result.limits[RIGHT][k]:.4f}",
            f"{result.limits[PRINTED][k]:.4f}",
        )
        for k, x in enumerate(result.centers)
    ]
    header = ("x", *(f"ε = {eps:g}" for eps in result.eps), "limit with 15", "with 9")
    return Table("Half-widths of GT balls on a line, in ε, λ = ε⁻⁶", header, tuple(rows))
