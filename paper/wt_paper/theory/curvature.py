"""Spaces of constant curvature, and the contraction of distances by truncation, which their Ricci curvature gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wasserstein_transform import _check as check
from wasserstein_transform._display import ShortRepr
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.spaces import closed
from wasserstein_transform.transport import wasserstein

SIDE = 2 * np.pi  # side of the flat torus
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))  # the golden angle


@dataclass(frozen=True)
class Form:
    """A space of constant curvature: a sphere, a flat torus, or a hyperbolic space.

    Points are vectors in R^(dim + 1): on the unit sphere, on a hyperboloid, or on the plane at height 1. The flat space
    is a torus of side 2π.

    Parameters
    ----------
    curvature : {1, 0, −1}
        The sectional curvature.
    dim : {2, 3}
        The dimension.

    Examples
    --------
    >>> from wt_paper import theory
    >>> theory.Form(1, 3).ricci, theory.HYPERBOLIC.ricci
    (2, -1)
    """

    curvature: int
    dim: int

    def __post_init__(self) -> None:
        if self.curvature not in (-1, 0, 1) or self.dim not in (2, 3):
            raise ValueError(
                f"curvature must be −1, 0 or 1 and dim 2 or 3, got {self.curvature} and {self.dim}; rescale lengths "
                "for other curvatures"
            )

    @property
    def ricci(self) -> int:
        """The Ricci curvature Ric(v, v) of unit vectors v."""
        return self.curvature * (self.dim - 1)

    @property
    def reach(self) -> float:
        """The distance up to which all geodesics are shortest."""
        return np.inf if self.curvature == -1 else float(np.pi)


SPHERE, TORUS, HYPERBOLIC = Form(1, 2), Form(0, 2), Form(-1, 2)
"""Surfaces of curvature 1 (sphere), 0 (flat torus) and −1 (hyperbolic plane)."""


def check_form(form: object) -> None:
    """Raise a TypeError if the argument is not a Form."""
    if not isinstance(form, Form):
        raise TypeError(f"a Form is needed, got {form!r}; use wt_paper.theory.SPHERE, TORUS or HYPERBOLIC")


def ball(form: Form, eps: float, nodes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Quadrature nodes of the ε-ball around the pole, along a radius and around it, and their shares of its volume."""
    if not isinstance(nodes, tuple) or len(nodes) != 2:
        raise ValueError(f"nodes must be a tuple of two numbers, along a radius and around it, got {nodes!r}")
    for k in nodes:
        check.count(k, "nodes", 2)
    x, weights = np.polynomial.legendre.leggauss(nodes[0])
    r = eps * (x + 1) / 2
    across, up = {1: (np.sin(r), np.cos(r)), 0: (r, np.ones_like(r)), -1: (np.sinh(r), np.cosh(r))}[form.curvature]
    directions, shares = _directions(form.dim, nodes[1])
    points = np.empty((len(r), len(directions), form.dim + 1))
    points[..., 0], points[..., 1:] = up[:, None], across[:, None, None] * directions
    masses = np.outer(weights * across ** (form.dim - 1), shares).ravel()
    return points.reshape(-1, form.dim + 1), masses / masses.sum()


def _directions(dim: int, n: int) -> tuple[Floats, Floats]:
    """Unit vectors and weights: n equal angles, and in dimension 3 at n/2 heights."""
    angles = (np.arange(n) + 0.5) * 2 * np.pi / n
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    if dim == 2:
        return circle, np.ones(n)
    heights, weights = np.polynomial.legendre.leggauss(n // 2)
    vectors = np.empty((len(heights), n, 3))
    vectors[..., :2], vectors[..., 2] = np.sqrt(1 - heights**2)[:, None, None] * circle, heights[:, None]
    return vectors.reshape(-1, 3), np.repeat(weights, n)


def moved(form: Form, points: Floats, way: float) -> Floats:
    """Translate points along the geodesic through the pole in the direction of the second coordinate."""
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
    """Geodesic distances, computed from chords, which avoid cancellation for near points."""
    steps = one[:, None] - other
    if form.curvature == 0:
        flat = np.abs(steps[..., 1:]) % SIDE
        return np.asarray(np.linalg.norm(np.minimum(flat, SIDE - flat), axis=-1))
    squares = steps**2 @ np.append(form.curvature, np.ones(form.dim))
    halves = np.sqrt(np.maximum(squares, 0)) / 2
    return np.asarray(2 * np.arcsin(np.minimum(halves, 1)) if form.curvature == 1 else 2 * np.arcsinh(halves))


@dataclass(frozen=True, eq=False, repr=False)
class Sample(ShortRepr):
    """Evenly spread points of a surface of constant curvature. `theory.sample` returns it.

    Attributes
    ----------
    form : Form
        The surface.
    points : array of shape (n, 3)
        The points in R^3.
    area : float
        The area that they cover.
    rim : float
        The largest distance from the pole; infinity if the surface is closed.

    Examples
    --------
    >>> from wt_paper import theory
    >>> result = theory.sample(theory.SPHERE, 100)
    >>> result.points.shape, result.rim, round(result.spacing, 3)
    ((100, 3), inf, 0.354)
    """

    form: Form
    points: Floats
    area: float
    rim: float

    @property
    def spacing(self) -> float:
        """The mean spacing: the side of a square with the area per point."""
        return float(np.sqrt(self.area / len(self.points)))


def sample(form: Form, n: int, radius: float = 2.0) -> Sample:
    """Place n points evenly on a surface, along a Fibonacci spiral or lattice.

    Parameters
    ----------
    form : Form
        A surface (dim 2): SPHERE, TORUS or HYPERBOLIC.
    n : int
        Number of points.
    radius : float, default 2.0
        For the hyperbolic plane: the radius of the disc that is sampled, at most 300.

    Returns
    -------
    Sample

    Examples
    --------
    >>> from wt_paper import theory
    >>> result = theory.sample(theory.HYPERBOLIC, 500, radius=1.5)
    >>> result.points.shape, result.rim, round(result.area, 2)
    ((500, 3), 1.5, 8.5)
    """
    check_form(form)
    if form.dim != 2:
        raise ValueError(f"form must be a surface with dim 2, got dim {form.dim}")
    n, radius = check.count(n, "n", 1), check.positive(radius, "radius")
    if radius > 300:
        raise ValueError(f"radius must be at most 300, since coordinates grow like exp(radius), got {radius:g}")
    if form.curvature == 0:
        steps = np.arange(n)
        places = SIDE * np.stack([(steps + 0.5) / n, steps * (np.sqrt(5) - 1) / 2 % 1], axis=-1)
        return Sample(form, np.column_stack([np.ones(n), places]), SIDE**2, np.inf)
    shares = (2 * np.arange(n) + 1) / n
    if form.curvature == 1:
        return Sample(form, _spiral(1 - shares, 1), 4 * np.pi, np.inf)
    top = np.cosh(radius) - 1
    return Sample(form, _spiral(1 + shares / 2 * top, -1), float(2 * np.pi * top), radius)


def _spiral(heights: Floats, sign: int) -> Floats:
    """Points at these heights of a sphere or hyperboloid, where equal height differences have equal areas."""
    angles = np.arange(len(heights)) * GOLDEN_ANGLE
    across = np.sqrt(sign * (1 - heights**2))
    return np.stack([heights, across * np.cos(angles), across * np.sin(angles)], axis=-1)


def predicted(form: Form, eps: Floats | float) -> Floats:
    """Predict the contraction 1 − d^(ε)/d between near points to leading order: ε²/(2(n + 2))·Ric(v, v).

    From the section of the paper on LT-WT as Ricci flow, after Ollivier; n is the dimension.

    Parameters
    ----------
    form : Form
        The space of constant curvature.
    eps : float or array
        The radius ε of the balls.

    Returns
    -------
    array of the shape of eps
        The predicted contractions; negative if distances grow.

    Examples
    --------
    >>> from wt_paper import theory
    >>> [round(float(theory.predicted(form, 0.4)), 4) for form in (theory.SPHERE, theory.HYPERBOLIC)]
    [0.02, -0.02]
    """
    check_form(form)
    return np.asarray(form.ricci * np.asarray(eps) ** 2 / (2 * (form.dim + 2)))


def contraction(form: Form, eps: float, apart: float, nodes: tuple[int, int] = (6, 16)) -> float:
    """Compute the contraction 1 − d^(ε)/d of two points of a space of constant curvature.

    d^(ε) is the exact transport distance between quadratures of the two ε-balls. The second ball is the first one moved
    by an isometry, so that quadrature errors cancel to first order.

    Parameters
    ----------
    form : Form
        The space of constant curvature.
    eps : float
        The radius of the balls.
    apart : float
        The distance d between their centers.
    nodes : pair of int, default (6, 16)
        Numbers of quadrature nodes along a radius and around it.

    Returns
    -------
    float
        The contraction; negative if the distance grows.

    Notes
    -----
    One transport problem; 6 × 16 nodes in dimension 2 give 96 × 96 costs.

    Examples
    --------
    >>> from wt_paper import theory
    >>> sphere = theory.SPHERE
    >>> round(theory.contraction(sphere, 0.4, 0.4), 4), round(float(theory.predicted(sphere, 0.4)), 4)
    (0.0202, 0.02)
    """
    check_form(form)
    eps, apart = check.eps(eps), check.positive(apart, "apart")
    if max(eps, apart) > form.reach:
        raise ValueError(
            f"eps and apart must be at most π, beyond which geodesics are not shortest, got {eps:g} and {apart:g}"
        )
    points, masses = ball(form, eps, nodes)
    cost = distances(form, moved(form, points, -apart / 2), moved(form, points, apart / 2))
    return float(1 - wasserstein(masses, masses, cost).value / apart)


def sampled_contractions(
    sample: Sample, eps: float, apart: float, n_pairs: int, seed: int | tuple[int, ...] | np.random.Generator = 0
) -> Floats:
    """Compute the contraction 1 − d^(ε)/d by LT-WT1 of a sample, for random pairs at distance about `apart`.

    The balls of a sample are irregular, and single values scatter: use the mean.

    Parameters
    ----------
    sample : Sample
        Points of a surface, from `theory.sample`.
    eps : float
        The radius ε of the balls.
    apart : float
        The approximate distance of the pairs.
    n_pairs : int
        Number of random pairs.
    seed : int, tuple of int or Generator, default 0
        Seed of the random choice.

    Returns
    -------
    array of shape (n_pairs,)
        The contractions.

    Notes
    -----
    One transport problem per pair.

    Examples
    --------
    >>> from wt_paper import theory
    >>> sphere = theory.sample(theory.SPHERE, 1000)
    >>> result = theory.sampled_contractions(sphere, eps=0.5, apart=1.0, n_pairs=10)
    >>> bool(0.02 < result.mean() < 0.05)
    True
    """
    eps, apart = check.eps(eps), check.positive(apart, "apart")
    if not isinstance(sample, Sample):
        raise TypeError(f"a Sample is needed, got {sample!r}; wt_paper.theory.sample(form, n) makes one")
    rng = np.random.default_rng(seed)
    pole = np.eye(sample.form.dim + 1)[:1]
    inner = np.flatnonzero(distances(sample.form, pole, sample.points)[0] <= sample.rim - eps)
    if not len(inner):
        raise ValueError(
            f"no ball of radius {eps:g} is inside the sample, which ends at radius {sample.rim:g}; "
            "use a smaller eps or a sample with a larger radius"
        )
    return np.array([_pair(sample, inner, eps, apart, rng) for _ in range(check.count(n_pairs, "n_pairs", 1))])


def _pair(sample: Sample, inner: Ints, eps: float, apart: float, rng: np.random.Generator) -> float:
    form, points = sample.form, sample.points
    first = inner[int(rng.integers(len(inner)))]
    away = np.abs(distances(form, points[first : first + 1], points[inner])[0] - apart)
    near = inner[(away < sample.spacing) & (inner != first)]
    if not len(near):
        raise ValueError(
            f"no two points of the sample are about {apart:g} apart; use a sample with more points or another distance"
        )
    ends = points[[first, int(rng.choice(near))]]
    balls = [points[row * row <= closed(eps)] for row in distances(form, ends, points)]
    between = float(distances(form, ends[:1], ends[1:])[0, 0])
    return 1 - wasserstein(None, None, distances(form, *balls)).value / between
