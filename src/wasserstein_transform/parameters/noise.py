"""Noise scale: how far points scatter across the curve or surface they were sampled from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._display import ShortRepr, counted
from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine, Flag, Tile, current, cut_by_size, one_blas_thread
from ..localize.scale import distinct, scale_of, weighted_median
from ..spaces import Space, as_space, outward, within_span

_MAX_CENTERS = 400  # number of neighborhoods
_MAX_DISTANCES = 5e7  # number of distances to compute, about, for any number of points
_BLOCK_DISTANCES = 5e5  # of them in memory of a thread
_MIN_CENTERS = 100  # smallest number of neighborhoods, even if it takes more distances
_MAX_CUBES = 6e7  # sum of m³ over the neighborhoods, about: fewer neighborhoods in many dimensions
_MAX_NEIGHBORS = 256  # neighbors in one neighborhood: larger ones use every fourth point, then every sixteenth, …
_RADIUS_STEP = 1.15  # factor from one radius to the next
_MAX_BALL_SHARE = 1 / 4  # of the points: larger neighborhoods show the whole, not its parts
_MIN_POINTS_PER_AXIS = 6  # points per axis of the shape, and one more, that a neighborhood must hold to show a shape
_MIN_SHARE_OF_CENTERS = 0.1  # of the points: as many must have such a neighborhood
_MAX_THICKNESS = 0.6  # largest spread across the shape, relative to that along it: 0.75 to 0.95 in a cloud
_N_RADII_READ = 3  # radii from the first thin one, whose median noise is taken
_MAX_GROWTH = 0.5  # d log(noise) / d log(radius): 2 without noise, 0 without curvature
_MAX_BENT_THICKNESS = 0.1  # thickness: in thicker neighborhoods there is noise, however it grows
_POWER = 2.5  # of the formula for the noise, fitted to neighborhoods around lines in the plane
_MIN_POINTS_PER_DIM = 24  # points per dimension that it should hold
_MAX_EXCESS = 0.12  # of the noise: a larger excess of the spread is curvature
_MAX_FLAT_EXCESS = 0.05  # of the noise: with a smaller excess the shape is flat, and wider neighborhoods average better
_MAX_WIDTH = 5.0  # times the noise and the squared dimension: no wider than this for that reason
_TIE = 1e-6  # relative difference below which distances are equal: rounding must not choose among points of a grid
_MAX_TIES = 32  # most points at the distance of the last neighbor that are told apart from it
_MAX_EXACT_SPREAD = 1e-7  # of the radius: a smaller spread is rounding

Level = tuple[int, Floats, Ints]
"""A stride between the places used, and the nearest of these to each center: distances and numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Noise(ShortRepr):
    """Noise across a curve or surface, and the measurements it was read from; `noise_scale` returns it.

    Balls grow from a few points to a quarter of all points. In small ones, noise spreads as far across the best line
    (or plane) as along it; then they become thin, and the spread across is the noise; in large ones it grows again, by
    curvature and other parts of the shape. The noise is read at the smallest radius at which balls are thin. Only balls
    with enough points count, so places where points are dense decide.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise along one direction across the shape, in the unit of the points; 0 if it cannot
        be determined.
    eps : float
        A radius at which neighborhoods are thin and hold enough points, in the unit of the points: large enough to
        average the noise, too small for curvature to matter.
    dim : int
        1 for curves, 2 for surfaces.
    seen : bool
        Whether there is noise around a shape. If not, `eps` is a radius that holds some neighbors, and `reason` tells
        why.
    reason : str
        Explanation in words.
    counts : array of shape (k,)
        Number of points in balls of k growing radii: medians over the balls with enough points.
    radii : array of shape (k,)
        The radii, in the unit of the points.
    thickness : array of shape (k,)
        Largest spread across the shape divided by that along it: near 1 in a cloud, near 0 on a thin shape.
    sigmas : array of shape (k,)
        The noise that each radius shows: the spread across, corrected for what a ball cuts off.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.parameters.noise_scale(wt.datasets.circles(0, n=2000, noise=0.05).points)
    >>> found.seen, round(found.sigma, 2), round(found.eps, 2)
    (True, 0.05, 0.25)
    >>> bool(found.thickness[0] > 0.7 > 0.5 > found.thickness.min())
    True
    """

    sigma: float
    eps: float
    dim: int
    seen: bool
    reason: str
    counts: Floats
    radii: Floats
    thickness: Floats
    sigmas: Floats

    def __str__(self) -> str:
        return f"eps = {self.eps:.4g}, noise {self.sigma:.4g}: {self.reason}"


def noise_scale(
    X: ArrayLike | Space,
    dim: int = 1,
    *,
    sample_weight: ArrayLike | None = None,
    engine: Engine | None = None,
) -> Noise:
    """Estimate the noise across curves (dim=1) or surfaces (dim=2), and the radius at which it shows.

    Parameters
    ----------
    X : array of shape (n, m), or Space with points
        The points.
    dim : int, default 1
        Dimension of the shape.
    sample_weight : array of shape (n,), optional
        Masses of the points; weight k is the same as k copies. None means equal masses.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Noise
        `sigma` and `eps`, in the unit of the points, and the measurements.

    Notes
    -----
    At most 400 balls, and fewer for many points: about 5·10⁷ distances in all, or 100·n if that is more.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.parameters.noise_scale(wt.datasets.circles(0, n=2000, noise=0.05).points)
    >>> round(found.sigma, 2), found.seen
    (0.05, True)
    """
    dim, engine = check.count(dim, "dim", 1), current(engine)
    space = as_space(X, sample_weight)
    if space.points is None:
        raise ValueError("noise across a shape needs coordinates, but this Space has distances only; give points")
    with engine.progress_scope() as engine:
        return noise_of(outward(within_span(distinct(space, engine))), dim, engine)


def noise_of(places: Space, dim: int, engine: Engine) -> Noise:
    """Estimate the noise from distinct places in a fixed order."""
    assert places.points is not None  # checked by the callers
    n, m = places.points.shape
    unknown = f"shape of dimension {dim}", f"flats of dimension {dim}"
    shape, flats = {1: ("curve", "lines"), 2: ("surface", "planes")}.get(dim, unknown)
    if n < dim + 4 or m <= dim:
        reason = f"the points lie on {flats} without noise: they span {counted(m, 'dimension')}"
        if n < dim + 4:
            reason = f"{counted(n, 'place')}, too few to separate noise from a {shape}"
        return _without_noise(places, dim, engine, reason)
    counts, radii, across, thickness = _grown(places, dim, engine)
    if len(radii) < 3:
        return _without_noise(places, dim, engine, "there are too few points to separate noise from shape")
    sigmas = _noise_of_spread(across, radii, m)
    measured = (counts, radii, thickness, sigmas)
    if across[0] <= _MAX_EXACT_SPREAD * radii[0]:
        reason = f"the points lie on {flats} without noise: this radius holds {counts[0]:.0f} of them"
        return Noise(0.0, float(radii[0]), dim, False, reason, *measured)
    thin = thickness <= _MAX_THICKNESS
    k = int(np.argmax(thin & np.append(thin[1:], True)))
    if not thin[k]:
        reason = f"no {shape} can be seen: neighborhoods of all sizes spread in all directions"
        return _without_noise(places, dim, engine, reason, measured)
    if thickness[k] < _MAX_BENT_THICKNESS and _growth(radii[k : k + 4], sigmas[k : k + 4]) > _MAX_GROWTH:
        reason = f"the noise cannot be separated from the curvature of the {shape}: eps is the smallest radius"
        return Noise(float(sigmas[k]), float(radii[k]), dim, False, reason, *measured)
    sigma = float(np.median(sigmas[k : k + _N_RADII_READ]))
    eps = _wide_enough(sigmas[k:], counts[k:], radii[k:], sigma, dim)
    reason = (
        f"the points spread {sigma:.3g} across {flats}: from a radius of {radii[k]:.3g}, which holds "
        f"{counts[k]:.0f} points, neighborhoods are {'lines' if dim == 1 else 'flat'}"
    )
    return Noise(sigma, eps, dim, True, reason, *measured)


def _wide_enough(sigmas: Floats, counts: Floats, radii: Floats, sigma: float, dim: int) -> float:
    """Return the first radius that holds enough points, or the last one while the noise hardly grows."""
    fits, flat = (np.cumsum(sigmas > (1 + excess) * sigma) == 0 for excess in (_MAX_EXCESS, _MAX_FLAT_EXCESS))
    enough = fits & (counts >= _MIN_POINTS_PER_DIM * dim)
    first = radii[enough][0] if enough.any() else radii[fits][-1] if fits.any() else radii[0]
    flat &= radii <= _MAX_WIDTH * dim**2 * sigma
    return float(max(first, radii[flat][-1] if flat.any() else 0.0))


def _noise_of_spread(across: Floats, radii: Floats, m: int) -> Floats:
    """Return the noise whose spread within a ball is `across`: the spread of a full ball is radius/√(m + 2)."""
    full = np.sqrt(m + 2) ** _POWER
    with np.errstate(divide="ignore"):
        return np.asarray(radii * np.maximum((across / radii) ** -_POWER - full, 1e-3 * full) ** (-1 / _POWER))


def _growth(radii: Floats, sigmas: Floats) -> float:
    """Return the slope of a least-squares line of the logarithms."""
    x, y = np.log(radii), np.log(sigmas)
    x = x - x.mean()
    return float((x @ y) / max(float(x @ x), np.finfo(float).tiny))


def _grown(places: Space, dim: int, engine: Engine) -> tuple[Floats, Floats, Floats, Floats]:
    """Return counts, radii, spreads across the shape and thickness of growing balls: medians over up to 400 places."""
    assert places.points is not None
    n, m = places.points.shape
    fewest = min(_MIN_POINTS_PER_AXIS * (dim + 1), n)
    n_centers = np.clip(min(_MAX_DISTANCES / n, _MAX_CUBES / m**3), _MIN_CENTERS, _MAX_CENTERS)
    centers = sample_evenly(n, int(n_centers))
    levels = _neighbors(places, centers, max(int(_MAX_BALL_SHARE * n), min(2 * fewest, n)), engine)
    masses = places.weights[centers]
    radii = _radii(levels, fewest, masses)
    found = np.empty((3, len(radii)))

    def measure(tile: Tile, stop: Flag) -> None:
        measured = _in_balls(places, levels, radii[tile.start], dim)
        known = measured[0] >= fewest
        found[:, tile.start] = [weighted_median(part[known], masses[known]) for part in measured]

    with one_blas_thread():  # many small matrices
        engine.for_tiles("noise", cut_by_size(len(radii), 1), measure)
    return found[0], radii, found[1], found[2]


def _radii(levels: list[Level], fewest: int, masses: Floats) -> Floats:
    """Return growing radii, from one at which a tenth of the balls hold the fewest points."""
    smallest = levels[0][1][:, fewest - 1]
    order = np.argsort(smallest, kind="stable")
    held = np.cumsum(masses[order])
    first = smallest[order[np.searchsorted(held, _MIN_SHARE_OF_CENTERS * held[-1])]] * (1 + _TIE)
    last = weighted_median(levels[-1][1][:, -1], masses)
    if not 0 < first < last:
        return np.empty(0)
    return np.asarray(first * _RADIUS_STEP ** np.arange(1 + int(np.log(last / first) / np.log(_RADIUS_STEP))))


def _in_balls(places: Space, levels: list[Level], radius: float, dim: int) -> tuple[Floats, Floats, Floats]:
    """Return the number of points in the ball of each center, its spread across the shape, and its thickness."""
    assert places.points is not None
    n_centers = len(levels[0][1])
    counts, across, thickness = np.zeros(n_centers), np.zeros(n_centers), np.zeros(n_centers)
    left = np.ones(n_centers, bool)
    for k, (stride, distances, indices) in enumerate(levels):
        whole = left & ((distances[:, -1] > radius) | (k == len(levels) - 1))  # the finest that holds the ball
        left &= ~whole
        inside = distances[whole] <= radius
        if not (width := int(inside.sum(axis=1).max(initial=0))):
            continue
        rows, inside = indices[whole, :width], inside[:, :width]
        counts[whole] = stride * inside.sum(axis=1)
        across[whole], thickness[whole] = _spreads(places.points[rows], inside * places.weights[rows], dim)
    return counts, across, thickness


def _neighbors(places: Space, centers: Ints, most: int, engine: Engine) -> list[Level]:
    """Return the nearest places of each center, up to `most`: among all, every fourth, every sixteenth."""
    n, strides = places.n, [1]
    while _MAX_NEIGHBORS * strides[-1] < most:
        strides.append(4 * strides[-1])
    widths = [min(min(_MAX_NEIGHBORS, -(-most // stride)) + _MAX_TIES, -(-n // stride)) for stride in strides]
    found = [(np.empty((len(centers), width)), np.empty((len(centers), width), np.intp)) for width in widths]
    own, everything = replace(engine.silent(), n_jobs=1), np.arange(n)

    def search(tile: Tile, stop: Flag) -> None:
        part = slice(*tile)
        rows = places.metric.block(centers[part], everything, own)
        for stride, (distances, indices) in zip(strides, found, strict=True):
            indices[part] = stride * _nearest(rows[:, ::stride], distances.shape[1])
            distances[part] = np.take_along_axis(rows, indices[part], axis=1)

    engine.for_tiles("noise", cut_by_size(len(centers), max(1, int(_BLOCK_DISTANCES / n))), search)
    return [(stride, *level) for stride, level in zip(strides, found, strict=True)]


def _nearest(distances: Floats, count: int) -> Ints:
    """Return the numbers of the nearest in each row, in order of distance."""
    near = np.argpartition(distances, count - 1, axis=1)[:, :count]
    near.sort(axis=1)
    order = np.argsort(np.take_along_axis(distances, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _spreads(points: Floats, weights: Floats, dim: int) -> tuple[Floats, Floats]:
    """Return the standard deviation per direction across the best line, plane, …, and the thickness of weighted points.

    Spreads across are corrected for degrees of freedom.
    """
    total = weights.sum(axis=1, keepdims=True)
    share = weights / np.where(total > 0, total, 1.0)
    off = points - points[:, :1]
    off -= (share[:, :, None] * off).sum(axis=1, keepdims=True)
    off *= np.sqrt(share)[:, :, None]
    turned, m = off.transpose(0, 2, 1), points.shape[2]
    spectrum = np.maximum(np.linalg.eigvalsh(off @ turned if points.shape[1] < m else turned @ off), 0.0)
    n_effective = 1.0 / np.maximum((share**2).sum(axis=1), np.finfo(float).tiny)
    freedom = n_effective / np.maximum(n_effective - 1 - dim, 0.5)
    along = np.maximum(spectrum[:, -dim:].mean(axis=1), np.finfo(float).tiny)
    widest = spectrum[:, -dim - 1] if spectrum.shape[1] > dim else np.zeros(len(points))
    return np.sqrt(spectrum[:, :-dim].sum(axis=1) / (m - dim) * freedom), np.sqrt(widest * freedom / along)


def _without_noise(
    places: Space, dim: int, engine: Engine, reason: str, measured: tuple[Floats, Floats, Floats, Floats] | None = None
) -> Noise:
    """Return a result without noise, with the radius of some neighbors."""
    return Noise(0.0, float(scale_of(places, engine)), dim, False, reason, *(measured or np.empty((4, 0))))
