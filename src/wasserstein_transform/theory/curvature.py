"""The contraction of distances by local truncation, which is given by the Ricci curvature."""

from __future__ import annotations

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..spaces import closed
from ..transport import wasserstein
from .forms import Form, Sample, ball, check_form, distances, moved


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
    >>> import wasserstein_transform as wt
    >>> [round(float(wt.theory.predicted(form, 0.4)), 4) for form in (wt.theory.SPHERE, wt.theory.HYPERBOLIC)]
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
    >>> import wasserstein_transform as wt
    >>> sphere = wt.theory.SPHERE
    >>> round(wt.theory.contraction(sphere, 0.4, 0.4), 4), round(float(wt.theory.predicted(sphere, 0.4)), 4)
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
        Points of a surface, from `wt.theory.sample`.
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
    >>> import wasserstein_transform as wt
    >>> sphere = wt.theory.sample(wt.theory.SPHERE, 1000)
    >>> found = wt.theory.sampled_contractions(sphere, eps=0.5, apart=1.0, n_pairs=10)
    >>> bool(0.02 < found.mean() < 0.05)
    True
    """
    eps, apart = check.eps(eps), check.positive(apart, "apart")
    if not isinstance(sample, Sample):
        raise TypeError(f"a Sample is needed, got {sample!r}; wt.theory.sample(form, n) makes one")
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
