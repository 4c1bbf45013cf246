"""Noisy samples of curves, to test denoising."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .. import _check as check
from .._types import Floats
from .records import Curve, Noisy

Seed = np.random.Generator | int | None

_TURNS = 200
_FINE = 4000  # vertices of a polygon that stands for a curve; within 1e-5 of a circle of radius 2


def spiral(
    rng: Seed = None,
    *,
    n: int = 600,
    n_outliers: int = 150,
    turns: float = 3.0,
    noise: float = 0.0,
    spacing: Literal["length", "angle"] = "length",
) -> Noisy:
    """Draw points of an Archimedean spiral in [−30, 30]² (label 0) and uniform outliers in that square (label −1).

    The paper gives the square and the numbers of points, but not the formula. Here: radius 30 t, angle 2π·turns·t,
    0 ≤ t ≤ 1.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n : int, default 600
        Number of points on the curve.
    n_outliers : int, default 150
        Number of outliers.
    turns : float, default 3.0
        Number of turns; neighboring arms are 30/turns apart.
    noise : float, default 0.0
        Standard deviation of the normal noise that is added to each coordinate of the points on the curve.
    spacing : {"length", "angle"}, default "length"
        Whether points are uniform in the length of the curve, or in its angle (denser toward the center).

    Returns
    -------
    Noisy
        Points of shape (n + n_outliers, 2), labels, and the curve.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, labels, curve = wt.datasets.spiral(0)
    >>> points.shape, bool(curve.distance(points[labels == 0]).max() < 1e-3)
    ((750, 2), True)
    """
    n, n_outliers = check.count(n, "n", 1), check.count(n_outliers, "n_outliers", 0)
    turns, noise = check.positive(turns, "turns"), check.tolerance(noise, "noise")
    if turns > _TURNS:
        raise ValueError(f"turns must be at most {_TURNS}, got {turns:g}: the arms would be too close to each other")
    if spacing not in ("length", "angle"):
        raise ValueError(f'spacing must be "length" or "angle", got {spacing!r}')
    rng = np.random.default_rng(rng)
    fine = np.linspace(0.0, 1.0, max(_FINE, int(_FINE * turns / 2)))
    by_length = np.interp(fine, _length(fine, turns), fine)
    share = rng.random(n)
    t = np.interp(share, fine, by_length) if spacing == "length" else share
    points = _arm(t, turns) + rng.normal(scale=noise, size=(n, 2))
    outliers = rng.uniform(-30.0, 30.0, (n_outliers, 2))
    labels = np.repeat([0, -1], [n, n_outliers])
    return Noisy(np.concatenate([points, outliers]), labels, Curve((_arm(by_length, turns),)))


def circles(
    rng: Seed = None, *, n: int = 500, noise: float = 0.1, radii: tuple[float, ...] = (1.0, 1.8), even: bool = False
) -> Noisy:
    """Draw points of concentric circles, the same number on each, with normal noise.

    The paper gives the square [−2, 2]² and the number of points, but neither the radii nor the noise.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n : int, default 500
        Number of points, split evenly among the circles.
    noise : float, default 0.1
        Standard deviation of the normal noise that is added to each coordinate.
    radii : tuple of float, default (1.0, 1.8)
        The radii of the circles.
    even : bool, default False
        Whether points are at equal angles before the noise. False: at random angles.

    Returns
    -------
    Noisy
        Points of shape (n, 2), the circle of each as label, and the curve.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> np.bincount(wt.datasets.circles(0).labels)
    array([250, 250])
    """
    n, noise = check.count(n, "n", 1), check.tolerance(noise, "noise")
    if np.ndim(radii) != 1 or len(radii) == 0:
        raise ValueError(f"radii must be a sequence of at least one radius, got {radii!r}")
    radii = tuple(check.positive(r, "each radius") for r in radii)
    rng = np.random.default_rng(rng)
    labels = np.arange(n) * len(radii) // n
    shares = rng.random(n)
    if even:
        shares = np.concatenate([np.arange(k) / max(k, 1) for k in np.bincount(labels, minlength=len(radii))])
    points = np.asarray(radii)[labels, None] * _circle(shares) + rng.normal(scale=noise, size=(n, 2))
    fine = _circle(np.linspace(0.0, 1.0, _FINE))
    return Noisy(points, labels, Curve(tuple(r * fine for r in radii)))


def _arm(t: Floats, turns: float) -> Floats:
    return np.asarray(30.0 * t[:, None] * _circle(turns * t))


def _circle(shares: Floats) -> Floats:
    """Points of the unit circle at the given fractions of a full turn."""
    return np.column_stack([np.cos(2 * np.pi * shares), np.sin(2 * np.pi * shares)])


def _length(t: Floats, turns: float) -> Floats:
    """Length of the arm up to t, as a share of its total length."""
    steps = np.linalg.norm(np.diff(_arm(t, turns), axis=0), axis=1)
    return np.asarray(np.append(0.0, np.cumsum(steps)) / steps.sum())
