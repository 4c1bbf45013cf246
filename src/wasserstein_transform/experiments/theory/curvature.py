"""Local truncation contracts distances by Ricci curvature: spheres, flat torus, hyperbolic plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...transport import wasserstein
from ..claims import Choice, Claim
from ..parameters import Theory

TORUS = 2 * np.pi  # side


@dataclass(frozen=True)
class Form:
    """A space of constant curvature 1, 0 or −1, as a sphere, hyperboloid, or plane at height 1 in R^(dim + 1)."""

    curvature: int
    dim: int

    @property
    def ricci(self) -> int:
        """Ric(v, v) of unit vectors."""
        return self.curvature * (self.dim - 1)


SPHERE = Form(1, 2)
FORMS = {
    "sphere": SPHERE,
    "flat torus": Form(0, 2),
    "hyperbolic plane": Form(-1, 2),
    "sphere of dimension 3": Form(1, 3),
}


@dataclass(frozen=True)
class Curvature:
    """Contractions 1 − d^(ε)/d at distance d = ε, by the name of the space.

    Attributes
    ----------
    eps : array of shape (k,)
    contractions, coarse : dict of arrays of shape (k,)
        With all nodes, and with fewer: their difference says what the quadrature is good for.
    sampled : array
        Of pairs of points of a Fibonacci sample of the sphere, about `sample_apart` apart, at the radius `sample_eps`.
    expected : float
        Of the same radius and distance, by quadrature.
    sample_eps, sample_apart : float
    n : int
        Points of the sample.
    floor : float
        Relative error that the formula must be met to at the smallest ε.
    rounding : float
    """

    eps: Floats
    contractions: dict[str, Floats]
    coarse: dict[str, Floats]
    sampled: Floats
    expected: float
    sample_eps: float
    sample_apart: float
    n: int
    floor: float
    rounding: float

    def ratios(self, name: str) -> Floats:
        """Contraction over the predicted one, where that is not 0."""
        return np.asarray(self.contractions[name] / predicted(FORMS[name], self.eps))


def predicted(form: Form, eps: Floats | float) -> Floats:
    """ε²/(2(n + 2))·Ric(v, v)."""
    return np.asarray(form.ricci * np.asarray(eps) ** 2 / (2 * (form.dim + 2)))


def run_curvature(parameters: Theory, engine: Engine) -> Curvature:
    """Balls in all spaces, and a sample of the sphere."""
    eps = np.array(parameters.disc_eps)
    coarse, fine = (
        {name: np.array([_contraction(form, e, e, nodes[form.dim]) for e in eps]) for name, form in FORMS.items()}
        for nodes in parameters.polar_nodes
    )
    radius, apart, n = parameters.sample_eps, parameters.sample_apart, parameters.sphere_points
    expected = _contraction(SPHERE, radius, apart, parameters.polar_nodes[-1][SPHERE.dim])
    sampled = _sampled(parameters)
    floors = parameters.disc_floor, parameters.rounding
    return Curvature(eps, fine, coarse, sampled, expected, radius, apart, n, *floors)


def _contraction(form: Form, eps: float, apart: float, nodes: tuple[int, int]) -> float:
    """Of the uniform measures on two ε-balls whose centres are `apart`, the second one the first one moved."""
    points, masses = ball(form, eps, nodes)
    cost = distances(form, moved(form, points, -apart / 2), moved(form, points, apart / 2))
    return float(1 - wasserstein(masses, masses, cost).value / apart)


def ball(form: Form, eps: float, nodes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Nodes of the ε-ball around the pole, so many along a radius and around it, and their shares of its volume."""
    x, weights = np.polynomial.legendre.leggauss(nodes[0])
    r = eps * (x + 1) / 2
    across, up = {1: (np.sin(r), np.cos(r)), 0: (r, np.ones_like(r)), -1: (np.sinh(r), np.cosh(r))}[form.curvature]
    directions, shares = _directions(form.dim, nodes[1])
    points = np.empty((len(r), len(directions), form.dim + 1))
    points[..., 0], points[..., 1:] = up[:, None], across[:, None, None] * directions
    masses = np.outer(weights * across ** (form.dim - 1), shares).ravel()
    return points.reshape(-1, form.dim + 1), masses / masses.sum()


def _directions(dim: int, n: int) -> tuple[Floats, Floats]:
    """Unit vectors and weights: n equal angles, in dimension 3 at n/2 heights."""
    angles = (np.arange(n) + 0.5) * 2 * np.pi / n
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    if dim == 2:
        return circle, np.ones(n)
    heights, weights = np.polynomial.legendre.leggauss(n // 2)
    vectors = np.empty((len(heights), n, 3))
    vectors[..., :2], vectors[..., 2] = np.sqrt(1 - heights**2)[:, None, None] * circle, heights[:, None]
    return vectors.reshape(-1, 3), np.repeat(weights, n)


def moved(form: Form, points: Floats, way: float) -> Floats:
    """Translated along the geodesic through the pole in direction of the second coordinate."""
    up, across = points[:, 0], points[:, 1]
    out = points.copy()
    if form.curvature == 1:
        out[:, 0], out[:, 1] = up * np.cos(way) - across * np.sin(way), up * np.sin(way) + across * np.cos(way)
    elif form.curvature == -1:
        out[:, 0], out[:, 1] = up * np.cosh(way) + across * np.sinh(way), up * np.sinh(way) + across * np.cosh(way)
    else:
        out[:, 1] = across + way
    return out


def distances(form: Form, one: Floats, other: Floats) -> Floats:
    """Geodesic distances, by chords: they do not cancel where points are near."""
    steps = one[:, None] - other
    if form.curvature == 0:
        flat = np.abs(steps[..., 1:]) % TORUS
        return np.asarray(np.linalg.norm(np.minimum(flat, TORUS - flat), axis=-1))
    squares = steps**2 @ np.append(form.curvature, np.ones(form.dim))
    halves = np.sqrt(np.maximum(squares, 0)) / 2
    return np.asarray(2 * np.arcsin(np.minimum(halves, 1)) if form.curvature == 1 else 2 * np.arcsinh(halves))


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
    away = np.abs(distances(SPHERE, points[first : first + 1], points)[0] - parameters.sample_apart)
    near = np.flatnonzero(away < np.sqrt(4 * np.pi / len(points)))  # about one spacing
    ends = points[[first, int(rng.choice(near))]]
    balls = [points[row <= parameters.sample_eps] for row in distances(SPHERE, ends, points)]
    apart = float(distances(SPHERE, ends[:1], ends[1:])[0, 0])
    return 1 - wasserstein(None, None, distances(SPHERE, *balls)).value / apart


def curvature_claims(found: Curvature) -> list[Claim]:
    """One claim."""
    return [
        Claim(
            "theory: truncation contracts by Ricci curvature",
            "section on LT-WT as Ricci flow, the expansion taken from Ollivier",
            "Between near points of an n-dimensional space, d^(ε) = d·(1 − ε²/(2(n + 2))·Ric(v, v)) up to higher "
            "orders: less than d on a sphere, d on a flat torus, more on a hyperbolic plane.",
            f"Contraction 1 − d^(ε)/d at d = ε = {found.eps[0]:g} … {found.eps[-1]:g}, exact transport between "
            "quadratures of the balls; true if measured/predicted comes nearer to 1 with every smaller ε and within "
            f"{found.floor:g} of it (flat: |contraction| ≤ {found.rounding:g}). The sample: true if its mean is "
            "within three standard errors of the quadrature's value.",
            (
                *(
                    _flat_choice(found, name) if form.curvature == 0 else _curved_choice(found, name)
                    for name, form in FORMS.items()
                ),
                _sample_choice(found),
            ),
            "The two balls are one quadrature, moved by an isometry, so that errors of the nodes do not enter the "
            "distance at first order; fewer nodes say how much they matter. On a finite sample the rim of a ball is "
            "ragged and single pairs scatter: their mean is compared, with what quadrature gives at the same ε and d.",
        )
    ]


def _curved_choice(found: Curvature, name: str) -> Choice:
    ratios, contraction = found.ratios(name), found.contractions[name]
    off = np.abs(ratios - 1)
    change = np.abs(found.coarse[name] / contraction - 1).max()
    return Choice(
        name,
        bool((np.diff(off) < 0).all() and off[-1] <= found.floor),
        f"contraction {contraction[-1]:.3e} at ε = {found.eps[-1]:g}, measured/predicted {ratios[-1]:.4f} "
        f"({ratios[0]:.4f} at ε = {found.eps[0]:g}); fewer nodes change it by {change:.1e}",
    )


def _flat_choice(found: Curvature, name: str) -> Choice:
    largest = float(np.abs(found.contractions[name]).max())
    return Choice(name, largest <= found.rounding, f"|contraction| at most {largest:.1e}")


def _sample_choice(found: Curvature) -> Choice:
    mean = float(found.sampled.mean())
    error = float(found.sampled.std(ddof=1) / np.sqrt(len(found.sampled)))
    return Choice(
        f"Fibonacci sample of {found.n} points",
        abs(mean - found.expected) <= 3 * error,
        f"ε = {found.sample_eps:g}, d ≈ {found.sample_apart:g}: mean contraction {mean:.4f} ± {error:.4f} over "
        f"{len(found.sampled)} pairs, quadrature {found.expected:.4f}, formula "
        f"{float(predicted(SPHERE, found.sample_eps)):.4f}",
    )
