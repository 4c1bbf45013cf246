"""The shape of small GT balls for λ = ε⁻⁶."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...theory import Density, UnitBall, ball_radii, covariance_term, disc, interval, limit_ellipsoid, order
from ..claims import Choice, Claim
from ..parameters import Theory
from .densities import in_the_plane, on_the_line

RIGHT, PRINTED = 15.0, 9.0  # denominators of h


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


def ellipsoid_claims(found: Ellipsoid) -> list[Claim]:
    """The four claims."""
    place = "section on anisotropy properties of GT, the theorem; its proof among the relegated proofs"
    rule = (
        f"Half-widths of GT balls at {len(found.centers)} points of a line, ε = {found.eps[0]:g} … {found.eps[-1]:g}, "
        "λ = ε⁻⁶, covariances by quadrature; true if the relative error decreases with every smaller ε and ends ≤ "
        f"{found.floor:g}."
    )
    return [
        _variance_claim(found),
        Claim(
            "theory: limit of GT balls on a line, corrected",
            place,
            "Rescaled GT balls tend to intervals of half-width √(12/(12 + h'²)), h = (−5f'² + 2ff'')/(15f²).",
            rule,
            (_limit_choice(found, RIGHT),),
            "The paper prints 9 instead of 15; 15 follows from its own expansion of the variance, with (·)/45·ε⁴ and "
            "ε²/3.",
        ),
        Claim(
            "theory: limit of GT balls on a line, as printed",
            place,
            "Rescaled GT balls tend to intervals of half-width √(12/(12 + h'²)), h = (−5f'² + 2ff'')/(9f²).",
            rule,
            (_limit_choice(found, PRINTED),),
            "An error in a constant: the limit is correct with 15 instead of 9. The theorem itself does not contain "
            "it.",
        ),
        _plane_claim(found),
    ]


def _variance_claim(found: Ellipsoid) -> Claim:
    fitted = np.array([order(found.eps, row) for row in found.variances])
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


def _limit_choice(found: Ellipsoid, denominator: float) -> Choice:
    errors = found.errors(denominator)
    holds = bool((np.diff(errors, axis=1) < 0).all() and errors[:, -1].max() <= found.floor)
    k = int(np.argmin(found.limits[RIGHT]))
    return Choice(
        f"denominator {denominator:g}",
        holds,
        f"error at most {errors[:, -1].max():.1e} at ε = {found.eps[-1]:g}; at x = {found.centers[k]:g} the "
        f"half-width is {found.widths[k, -1]:.4f}, the formula gives {found.limits[denominator][k]:.4f}",
    )


def _plane_claim(found: Ellipsoid) -> Claim:
    departures = found.departures
    last = found.ellipses[-1]
    return Claim(
        "theory: limit of GT balls in the plane",
        "section on anisotropy properties of GT, the theorem",
        "Rescaled GT balls with λ = ε⁻⁶ tend to an ellipse.",
        f"Deviation of the ball, in {len(found.angles)} directions, from the centered ellipse that fits it best; true "
        f"if it decreases with every smaller ε and ends ≤ {found.floor:g} of the radius.",
        (
            Choice(
                "quadrature in the plane",
                bool((np.diff(departures) < 0).all() and departures[-1] <= found.floor),
                f"deviation {departures[0]:.2g} at ε = {found.eps[0]:g}, {departures[-1]:.2g} at {found.eps[-1]:g}, "
                f"where the half-axes are {last.max():.3f} and {last.min():.3f}",
            ),
        ),
    )
