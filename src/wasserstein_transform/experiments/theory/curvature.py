"""Local truncation contracts distances by Ricci curvature: sphere, flat torus, hyperbolic plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...transport import wasserstein
from ..claims import Choice, Claim
from ..parameters import Theory

NAMES = {1: "sphere", 0: "flat torus", -1: "hyperbolic plane"}
TORUS = 2 * np.pi  # side


@dataclass(frozen=True)
class Curvature:
    """Contractions 1 − d^(ε)/d at distance d = ε, by curvature.

    Attributes
    ----------
    eps : array of shape (k,)
    contractions, coarse : dict of arrays of shape (k,)
        With all nodes, and with fewer: their difference says what the quadrature is good for.
    sampled : array
        Of pairs of points of a Fibonacci sample of the sphere, at the radius `sample_eps`.
    expected : float
        Of the same radius and distance, by quadrature.
    sample_eps : float
    n : int
        Points of the sample.
    floor : float
        Relative error that the formula must be met to at the smallest ε.
    rounding : float
    """

    eps: Floats
    contractions: dict[int, Floats]
    coarse: dict[int, Floats]
    sampled: Floats
    expected: float
    sample_eps: float
    n: int
    floor: float
    rounding: float

    def ratios(self, curvature: int) -> Floats:
        """Contraction over the predicted one, where that is not 0."""
        return np.asarray(self.contractions[curvature] / predicted(curvature, self.eps))


def predicted(curvature: int, eps: Floats) -> Floats:
    """ε²/(2(n + 2))·Ric(v, v): in dimension 2, Ric(v, v) is the curvature."""
    return np.asarray(curvature * eps**2 / 8)


def run_curvature(parameters: Theory, engine: Engine) -> Curvature:
    """Discs on all three surfaces, and a sample of the sphere."""
    eps = np.array(parameters.disc_eps)
    by_nodes = [
        {c: np.array([_contraction(c, e, e, nodes) for e in eps]) for c in NAMES} for nodes in parameters.polar_nodes
    ]
    radius, apart = parameters.sample_eps, parameters.sample_apart
    expected = _contraction(1, radius, apart, parameters.polar_nodes[-1])
    sampled = _sampled(parameters)
    return Curvature(
        eps,
        by_nodes[-1],
        by_nodes[0],
        sampled,
        expected,
        radius,
        parameters.sphere_points,
        parameters.disc_floor,
        parameters.rounding,
    )


def _contraction(curvature: int, eps: float, apart: float, nodes: tuple[int, int]) -> float:
    """Of the uniform measures on two ε-discs whose centres are `apart`, the second one the first one moved."""
    points, masses = _disc(curvature, eps, nodes)
    cost = distances(curvature, _moved(curvature, points, -apart / 2), _moved(curvature, points, apart / 2))
    return float(1 - wasserstein(masses, masses, cost).value / apart)


def _disc(curvature: int, eps: float, nodes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Nodes of the disc in R³ (sphere, hyperboloid, or plane at height 1), and their shares of its area."""
    x, weights = np.polynomial.legendre.leggauss(nodes[0])
    r = eps * (x + 1) / 2
    angles = (np.arange(nodes[1]) + 0.5) * 2 * np.pi / nodes[1]
    across, up = {1: (np.sin(r), np.cos(r)), 0: (r, np.ones_like(r)), -1: (np.sinh(r), np.cosh(r))}[curvature]
    points = np.empty((nodes[0], nodes[1], 3))
    points[..., 0] = up[:, None]
    points[..., 1], points[..., 2] = across[:, None] * np.cos(angles), across[:, None] * np.sin(angles)
    masses = np.repeat(weights * across, nodes[1])
    return points.reshape(-1, 3), masses / masses.sum()


def _moved(curvature: int, points: Floats, way: float) -> Floats:
    """Translated along the geodesic in direction of the first coordinate of the plane."""
    up, across = points[:, 0], points[:, 1]
    out = points.copy()
    if curvature == 1:
        out[:, 0], out[:, 1] = up * np.cos(way) - across * np.sin(way), up * np.sin(way) + across * np.cos(way)
    elif curvature == -1:
        out[:, 0], out[:, 1] = up * np.cosh(way) + across * np.sinh(way), up * np.sinh(way) + across * np.cosh(way)
    else:
        out[:, 1] = across + way
    return out


def distances(curvature: int, one: Floats, other: Floats) -> Floats:
    """Geodesic distances, by chords: they do not cancel where points are near."""
    steps = one[:, None] - other
    if curvature == 0:
        flat = np.abs(steps[..., 1:]) % TORUS
        return np.asarray(np.linalg.norm(np.minimum(flat, TORUS - flat), axis=-1))
    squares = steps**2 @ np.array([curvature, 1.0, 1.0])
    halves = np.sqrt(np.maximum(squares, 0)) / 2
    return np.asarray(2 * np.arcsin(np.minimum(halves, 1)) if curvature == 1 else 2 * np.arcsinh(halves))


def fibonacci(n: int) -> Floats:
    """n points of the sphere, nearly evenly spread."""
    heights = 1 - (2 * np.arange(n) + 1) / n
    angles = np.arange(n) * np.pi * (3 - np.sqrt(5))
    across = np.sqrt(1 - heights**2)
    return np.stack([heights, across * np.cos(angles), across * np.sin(angles)], axis=-1)


def _sampled(parameters: Theory) -> Floats:
    """Contractions between random points of the sample."""
    rng = np.random.default_rng((parameters.seed, 6))
    points = fibonacci(parameters.sphere_points)
    return np.array([_sampled_pair(points, parameters, rng) for _ in range(parameters.sphere_pairs)])


def _sampled_pair(points: Floats, parameters: Theory, rng: np.random.Generator) -> float:
    first = int(rng.integers(len(points)))
    away = np.abs(distances(1, points[first : first + 1], points)[0] - parameters.sample_apart)
    near = np.flatnonzero(away < np.sqrt(4 * np.pi / len(points)))  # about one spacing
    ends = points[[first, int(rng.choice(near))]]
    balls = [points[row <= parameters.sample_eps] for row in distances(1, ends, points)]
    apart = float(distances(1, ends[:1], ends[1:])[0, 0])
    return 1 - wasserstein(None, None, distances(1, *balls)).value / apart


def curvature_claims(found: Curvature) -> list[Claim]:
    """One claim."""
    return [
        Claim(
            "theory: truncation contracts by Ricci curvature",
            "section on LT-WT as Ricci flow, the expansion taken from Ollivier",
            "Between near points of a surface, d^(ε) = d·(1 − ε²/8·Ric(v, v)) up to higher orders: less than d on a "
            "sphere, d on a flat torus, more on a hyperbolic plane.",
            f"Contraction 1 − d^(ε)/d at d = ε = {found.eps[0]:g} … {found.eps[-1]:g}, exact transport between "
            "quadratures of the discs; true if measured/predicted comes nearer to 1 with every smaller ε and within "
            f"{found.floor:g} of it (flat: |contraction| ≤ {found.rounding:g}). The sample: true if its mean is "
            "within three standard errors of the quadrature's value.",
            (
                _curved_choice(found, 1),
                _flat_choice(found),
                _curved_choice(found, -1),
                _sample_choice(found),
            ),
            "The two discs are one quadrature, moved by an isometry, so that errors of the nodes do not enter the "
            "distance at first order; fewer nodes say how much they matter. On a finite sample the rim of a ball is "
            "ragged and single pairs scatter: their mean is compared, with what quadrature gives at the same ε and d.",
        )
    ]


def _curved_choice(found: Curvature, curvature: int) -> Choice:
    ratios = found.ratios(curvature)
    off = np.abs(ratios - 1)
    change = np.abs(found.coarse[curvature] / found.contractions[curvature] - 1).max()
    return Choice(
        NAMES[curvature],
        bool((np.diff(off) < 0).all() and off[-1] <= found.floor),
        f"contraction {found.contractions[curvature][-1]:.3e} at ε = {found.eps[-1]:g}, measured/predicted "
        f"{ratios[-1]:.4f} ({ratios[0]:.4f} at ε = {found.eps[0]:g}); fewer nodes change it by {change:.1e}",
    )


def _flat_choice(found: Curvature) -> Choice:
    largest = float(np.abs(found.contractions[0]).max())
    return Choice(NAMES[0], largest <= found.rounding, f"|contraction| at most {largest:.1e}")


def _sample_choice(found: Curvature) -> Choice:
    mean = float(found.sampled.mean())
    error = float(found.sampled.std(ddof=1) / np.sqrt(len(found.sampled)))
    return Choice(
        f"Fibonacci sample of {found.n} points",
        abs(mean - found.expected) <= 3 * error,
        f"ε = {found.sample_eps:g}: mean contraction {mean:.4f} ± {error:.4f} over {len(found.sampled)} pairs, "
        f"quadrature {found.expected:.4f}, formula {float(predicted(1, np.array(found.sample_eps))):.4f}",
    )
