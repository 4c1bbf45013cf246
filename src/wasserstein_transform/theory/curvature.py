"""Local truncation contracts distances by Ricci curvature."""

from __future__ import annotations

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..spaces import closed
from ..transport import wasserstein
from .forms import Form, Sample, ball, check_form, distances, moved


def predicted(form: Form, eps: Floats | float) -> Floats:
    """ε²/(2(n + 2))·Ric(v, v): the contraction 1 − d^(ε)/d between near points, up to higher orders.

    The section on LT-WT as Ricci flow, after Ollivier.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> [round(float(wt.theory.predicted(form, 0.4)), 4) for form in (wt.theory.SPHERE, wt.theory.HYPERBOLIC)]
    [0.02, -0.02]
    """
    check_form(form)
    return np.asarray(form.ricci * np.asarray(eps) ** 2 / (2 * (form.dim + 2)))


def contraction(form: Form, eps: float, apart: float, nodes: tuple[int, int] = (6, 16)) -> float:
    """1 − d^(ε)/d of two points of a space of constant curvature, by exact transport between quadratures of the balls.

    The second ball is the first one moved by an isometry, so that errors of the nodes do not enter at first order.

    Parameters
    ----------
    form : Form
    eps, apart : float
        Radius of the balls, distance of their centers.
    nodes : pair of int
        Along a radius, and around it.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> sphere = wt.theory.SPHERE
    >>> round(wt.theory.contraction(sphere, 0.4, 0.4), 4), round(float(wt.theory.predicted(sphere, 0.4)), 4)
    (0.0202, 0.02)
    """
    check_form(form)
    eps, apart = check.eps(eps), check.positive(apart, "apart")
    if max(eps, apart) > form.reach:
        raise ValueError(
            f"eps and apart must be at most π, the farthest that geodesics are shortest, got {eps:g} and {apart:g}"
        )
    points, masses = ball(form, eps, nodes)
    cost = distances(form, moved(form, points, -apart / 2), moved(form, points, apart / 2))
    return float(1 - wasserstein(masses, masses, cost).value / apart)


def sampled_contractions(
    sample: Sample, eps: float, apart: float, n_pairs: int, seed: int | tuple[int, ...] | np.random.Generator = 0
) -> Floats:
    """1 − d^(ε)/d of random pairs of points of a sample, about `apart` from each other: LT-WT1 of the sample.

    Rims of balls are ragged and single pairs scatter: look at the mean.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> sphere = wt.theory.sample(wt.theory.SPHERE, 1000)
    >>> found = wt.theory.sampled_contractions(sphere, eps=0.5, apart=1.0, n_pairs=10)
    >>> bool(0.02 < found.mean() < 0.05)
    True
    """
    eps, apart = check.eps(eps), check.positive(apart, "apart")
    if not isinstance(sample, Sample):
        raise TypeError(f"a Sample is needed, got {sample!r}; wt.theory.sample(form, n) draws one")
    rng = np.random.default_rng(seed)
    pole = np.eye(sample.form.dim + 1)[:1]
    inner = np.flatnonzero(distances(sample.form, pole, sample.points)[0] <= sample.rim - eps)
    if not len(inner):
        raise ValueError(f"no ball of radius {eps:g} is within the sample, which ends at {sample.rim:g}; draw a larger")
    return np.array([_pair(sample, inner, eps, apart, rng) for _ in range(check.count(n_pairs, "n_pairs", 1))])


def _pair(sample: Sample, inner: Ints, eps: float, apart: float, rng: np.random.Generator) -> float:
    form, points = sample.form, sample.points
    first = inner[int(rng.integers(len(inner)))]
    away = np.abs(distances(form, points[first : first + 1], points[inner])[0] - apart)
    near = inner[(away < sample.spacing) & (inner != first)]
    if not len(near):
        raise ValueError(f"no two points of the sample are about {apart:g} apart; draw more points or ask for another")
    ends = points[[first, int(rng.choice(near))]]
    balls = [points[row * row <= closed(eps)] for row in distances(form, ends, points)]
    between = float(distances(form, ends[:1], ends[1:])[0, 0])
    return 1 - wasserstein(None, None, distances(form, *balls)).value / between
