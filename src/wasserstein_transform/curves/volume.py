"""Tell points that fill a volume from points with noise around a surface."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats
from ..auto.noise import Noise
from ..compute.distances import rim
from ..compute.passes import sample_evenly
from ..engine import Engine, one_blas_thread
from .places import Places
from .radius import massive

_CENTERS, _FEWEST_CENTERS = 60, 20  # most and fewest neighborhoods
_DISTANCES = 6e7  # to compute, about
_PAIRS = 1500  # of a neighborhood
_FEWEST = 20  # points that show something
_THICK = 0.2  # of the extent along the surface: wider noise is a volume
_ROUND = 0.65  # of the smaller spread along the surface: neighborhoods with a wider one across are not flat
_ALONE = 0.75  # least variance between nearest points, relative to that of all: noise is independent, trees are not
_MIDDLE = 0.32  # least share of points within half a standard deviation: 0.38 of noise, 0.29 of an even spread


def fills_volume(places: Places, noise: Noise, engine: Engine) -> str | None:
    """Return the reason why a shape of dimension ≥ 2 is none, in words, or None.

    Around a surface, neighborhoods are flat, points scatter by less than its extent, each for itself, and most of them
    near the surface. In a forest heights of near points agree; in a room they spread evenly.
    """
    if noise.dim < 2 or not noise.seen:
        return None
    along = _extents(places)[-noise.dim]
    if noise.sigma > _THICK * along:
        return f"a spread of {noise.sigma:.3g} across planes is no noise where the extent along them is {along:.3g}"
    flat, alone, middle = _heights(places, noise, engine)
    if flat > _ROUND:
        return f"neighborhoods of radius {noise.eps:.3g} spread across planes nearly as far as along them"
    if alone < _ALONE:
        return f"heights across planes spread by {noise.sigma:.3g}, but those of near points agree: that is no noise"
    if middle < _MIDDLE:
        return f"heights across planes spread by {noise.sigma:.3g}, and are not most frequent in the middle"
    return None


def _extents(places: Places) -> Floats:
    """Return the principal standard deviations of the whole, smallest first."""
    off = places.points - places.weights @ places.points
    with one_blas_thread():
        return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh((off * places.weights[:, None]).T @ off), 0.0)))


def _heights(places: Places, noise: Noise, engine: Engine) -> tuple[float, float, float]:
    """Return medians over neighborhoods of what `_around_plane` returns."""
    points = massive(places).points
    assert points is not None  # made of places
    centers = sample_evenly(len(points), int(np.clip(_DISTANCES / len(points), _FEWEST_CENTERS, _CENTERS)))
    found = []
    with one_blas_thread():
        for center in centers:
            engine.check()
            near = ((points - points[center]) ** 2).sum(axis=1) <= rim(noise.eps) ** 2
            if np.count_nonzero(near) >= _FEWEST:
                found.append(_around_plane(points[near], noise.dim))
    if 2 * len(found) < len(centers):
        return 0.0, 1.0, 1.0
    flat, alone, middle = np.median(found, axis=0).tolist()
    return flat, alone, middle


def _around_plane(points: Floats, dim: int) -> tuple[float, float, float]:
    """Return three numbers of the heights of points above the plane of their neighborhood.

    Their spread relative to the smallest one along the plane; half the mean squared difference between points whose
    projections are nearest, relative to the variance, which is 1 if heights are independent; and the share of them
    within half a standard deviation. Pairs are taken around the middle, since points apart would look independent.
    """
    off = points - points.mean(axis=0)
    axes = np.linalg.eigh(off.T @ off)[1]
    heights, along = off @ axes[:, :-dim], off @ axes[:, -dim:]
    variance = max(float((heights**2).mean()), np.finfo(float).tiny)
    flat = np.sqrt(variance / max(float((along[:, 0] ** 2).mean()), variance))
    far = (along**2).sum(axis=1)
    inside = far <= np.partition(far, min(len(far), _PAIRS) - 1)[min(len(far), _PAIRS) - 1]
    near = cKDTree(along[inside]).query(along[inside], k=2)[1][:, 1]
    between = ((heights[inside] - heights[inside][near]) ** 2).mean() / 2
    return float(flat), float(between / variance), float((np.abs(heights) < np.sqrt(variance) / 2).mean())
