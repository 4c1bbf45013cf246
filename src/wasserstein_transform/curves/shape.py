"""The input as distinct places, and the dimension of its shape, from the noise; points that fill a volume have none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from .. import _check as check
from .._types import Floats, Ints
from ..compute import sample_evenly
from ..compute.metrics.distances import rim
from ..engine import Engine, one_blas_thread
from ..localize.scale import scale_of
from ..parameters.noise import Noise, noise_of
from ..spaces import Euclidean, Space, outward


class Places(NamedTuple):
    """Distinct places, and the place of each row.

    Attributes
    ----------
    points : array of shape (k, m)
        Coordinates in units of `scale`, sorted.
    weights : array of shape (k,)
        Masses, with total 1.
    of : array of shape (n,)
        The place of each row.
    """

    points: Floats
    weights: Floats
    of: Ints


def check_scale(scale: ArrayLike | None, m: int) -> Floats:
    """Check the unit of length of each axis; None means 1."""
    if scale is None:
        return np.ones(m)
    lengths = check.floats(scale, "scale")
    if lengths.ndim == 0:
        raise ValueError(
            f"scale must hold one length for each of the {m} axes, got {check.shown(scale)}; eps is for all of them"
        )
    if lengths.shape != (m,):
        raise ValueError(f"scale must hold one length for each of the {m} axes, got shape {lengths.shape}")
    if not (lengths > 0).all():
        raise ValueError(f"scale must be positive, got {lengths.min():g}; larger values widen neighborhoods")
    return lengths


def track_of(order: Any, n: int) -> Ints | None:
    """Return pairs (row, next row of the same trip), from the trips and times of the points."""
    if order is None or order is False:
        return None
    if isinstance(order, tuple) and len(order) != 2:
        raise ValueError(f"order must be the trips, or a tuple (trips, times), got a tuple of {len(order)}")
    trips, times = order if isinstance(order, tuple) else (order, None)
    trips = np.asarray(trips)
    if trips.shape != (n,):
        raise ValueError(
            f"order must hold the trip of each of the {n} points, shape ({n},), or be a tuple (trips, times), "
            f"got shape {trips.shape}"
        )
    if trips.dtype.kind == "f" and np.isnan(trips).any():
        raise ValueError(
            f"order must give the trip of each point, got nan at {np.isnan(trips).argmax()}; drop such points"
        )
    numbers = np.unique(trips, return_inverse=True)[1]
    when = np.arange(n, dtype=float) if times is None else check.floats(times, "times")
    if when.shape != (n,):
        raise ValueError(f"times must hold one number per point, shape ({n},), got shape {when.shape}")
    rows = np.lexsort((when, numbers))
    same = numbers[rows[1:]] == numbers[rows[:-1]]
    return np.column_stack([rows[:-1][same], rows[1:][same]])


def directions(places: Places, track: Ints, length: float) -> Floats:
    """Return the direction of the track at each place, as extra coordinates of the place.

    It is the mean of u uᵀ − I/m over the legs of the track at the place, where u is the unit vector of a leg: opposite
    directions are equal. Legs shorter than `length` count less, since noise turns them. Distances of these coordinates
    are Frobenius distances of the matrices: √2 for directions at right angles.
    """
    m = places.points.shape[1]
    ends = places.of[track]
    legs = places.points[ends[:, 1]] - places.points[ends[:, 0]]
    lengths = np.sqrt((legs**2).sum(axis=1))
    units = legs / np.where(lengths > 0, lengths, 1.0)[:, None]
    tensors = units[:, :, None] * units[:, None, :] - np.eye(m) / m
    tensors *= np.minimum(lengths / length, 1.0)[:, None, None]
    at, total, count = ends.ravel(), np.zeros((len(places.points), m, m)), np.zeros(len(places.points))
    np.add.at(total, at, np.repeat(tensors, 2, axis=0))
    np.add.at(count, at, 1.0)
    mean = total / np.maximum(count, 1.0)[:, None, None]
    row, column = np.triu_indices(m)
    return np.asarray(mean[:, row, column] * np.where(row == column, 1.0, np.sqrt(2.0)))


_CENTERS, _FEWEST_CENTERS = 60, 20  # most and fewest neighborhoods
_DISTANCES = 6e7  # to compute, about
_PAIRS = 1500  # of a neighborhood
_FEWEST = 20  # points that show something
_WIDER = 1.25  # factor from one radius to the next
_THICK = 0.2  # of the extent along the surface: wider noise is a volume
_ROUND = 0.7  # of the smaller spread along the surface: neighborhoods with a wider one across are not flat
_MOSTLY = 0.75  # share of the neighborhoods that must be flat
_THIN = 0.3  # of the same: thinner ones are surfaces; there, near points agree because the surface bends
_ALONE = 0.75  # least variance between nearest points, relative to that of all: noise is independent, trees are not
_MIDDLE = 0.32  # least share of points within half a standard deviation: 0.38 of noise, 0.29 of an even spread
_HIGHEST = 3  # highest dimension tried
_CLEAN = 0.2  # of the spread along the shape: a smaller one across is a shape without noise


def fills_volume(space: Space, noise: Noise, engine: Engine) -> str | None:
    """Return the reason why points in space with noise around a shape fill more than the shape, in words, or None.

    Around a shape, neighborhoods are flat, and points scatter by less than its extent; around a surface also each for
    itself, and most of them near it. In a forest heights of near points agree; in a room they spread evenly.
    """
    points, pieces = space.points, "planes" if noise.dim == 2 else f"flats of dimension {noise.dim}"
    if not noise.seen or points is None or points.shape[1] < 3:
        return None
    along = _extents(points, space.weights)[-noise.dim]
    if noise.sigma > _THICK * along:
        return f"a spread of {noise.sigma:.3g} across {pieces} is not noise when the extent along them is {along:.3g}"
    flat, alone, middle = _heights(points, noise, engine)
    if flat > _ROUND:
        return f"neighborhoods of radius {noise.eps:.3g} spread across {pieces} nearly as far as along them"
    if noise.dim > 1 and flat > _THIN and alone < _ALONE:
        return f"heights across {pieces} spread by {noise.sigma:.3g}, but those of nearby points agree: not noise"
    if noise.dim > 1 and middle < _MIDDLE:
        return f"heights across {pieces} spread by {noise.sigma:.3g}, and have no peak at the center"
    return None


def _extents(points: Floats, weights: Floats) -> Floats:
    """Return the principal standard deviations of the whole, smallest first."""
    off = points - weights @ points / weights.sum()
    with one_blas_thread():
        spectrum = np.linalg.eigvalsh((off * weights[:, None]).T @ off) / weights.sum()
    return np.asarray(np.sqrt(np.maximum(spectrum, 0.0)))


def _heights(points: Floats, noise: Noise, engine: Engine) -> tuple[float, float, float]:
    """Return what `_around_plane` returns, over neighborhoods: a high quantile of the first, medians of the others.

    The noise may come from places where points are dense: neighborhoods are widened until most of them show something.
    """
    centers = points[sample_evenly(len(points), int(np.clip(_DISTANCES / len(points), _FEWEST_CENTERS, _CENTERS)))]
    radius, found = noise.eps, list[Floats]()
    while 2 * len(found) < len(centers):
        found = [near for near in _balls(points, centers, radius, engine) if len(near) >= min(_FEWEST, len(points))]
        radius *= _WIDER
    with one_blas_thread():
        ratios, alone, middle = np.transpose([_around_plane(near, noise.dim) for near in found])
    return float(np.quantile(ratios, _MOSTLY)), float(np.median(alone)), float(np.median(middle))


def _balls(points: Floats, centers: Floats, radius: float, engine: Engine) -> Iterator[Floats]:
    for center in centers:
        engine.check()
        near = points[np.abs(points[:, 0] - center[0]) <= rim(radius)]  # few of many, and quickly
        yield near[((near - center) ** 2).sum(axis=1) <= rim(radius) ** 2]


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


def noises(places: Places, dims: range, engine: Engine) -> list[Noise]:
    """Estimate the noise for each dimension, up to the first at which a shape is found."""
    heavy = places.weights > 0
    points = np.ascontiguousarray(places.points[heavy])
    space, found = outward(Space(Euclidean(points), places.weights[heavy], points)), list[Noise]()
    for dim in dims:
        noise = noise_of(space, dim, engine)
        if (filled := fills_volume(space, noise, engine)) is not None:
            force = f"{check.option_text(f'dim={dim}')} with {check.option_text(f'eps={noise.eps:.3g}')}"
            reason = f"the points fill a volume: {filled}; {force} forces it"
            eps = float(scale_of(space, engine))
            noise = Noise(0.0, eps, dim, False, reason, *np.empty((4, 0)))  # no radius shows a shape
        found.append(noise)
        if noise.seen or is_clean(noise):
            break
    return found


def dims_of(dim: int | None, m: int) -> range:
    """Return the dimensions to try: the given one, or all possible ones, and curves in any case."""
    return range(dim, dim + 1) if dim is not None else range(1, min(max(m - 1, 1), _HIGHEST) + 1)


def is_clean(noise: Noise) -> bool:
    """Tell whether the points lie on a shape so exactly that no noise can be measured."""
    return not noise.seen and len(noise.radii) > 0 and bool(noise.thickness[0] < _CLEAN)
