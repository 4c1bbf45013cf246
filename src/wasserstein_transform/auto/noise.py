"""Noise scale: how far points scatter across the curve or surface they were sampled from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import Brief, counted
from .._types import Bools, Floats, Ints
from ..compute.passes import sample_evenly
from ..engine import Engine, current, one_blas_thread
from ..localize.scale import distinct, rows_of, scale_of, weighted_median
from ..spaces import Space, as_space
from .span import outward, within_span

_CENTERS = 400  # number of neighborhoods
_DISTANCES = 2.5e7  # number of distances to compute, about, for any number of points
_FEWEST = 50  # smallest number of neighborhoods, even if it takes more distances
_NUMBERS = 6e7  # sum of cubed dimensions, about: fewer neighborhoods in many dimensions
_MOST = 256  # neighbors in one neighborhood: larger ones use every fourth point, then every sixteenth, …
_STEP = 1.3  # factor from one size of a neighborhood to the next
_SHARE = 1 / 4  # of the points: larger neighborhoods show the whole, not its parts
_WINDOW = np.log(1.45)  # half width of the window of log radii over which a slope is measured
_FLAT = 0.85  # a smaller slope is a plateau: in a cloud without shape the spread grows like the radius
_SAME = 0.05  # difference, times 1/dim², below which slopes count as equal, and the smaller radius is taken
_RISE = 0.2  # increase above the smallest slope at which the plateau has ended
_ROUND = 0.6  # of the spread of a full ball, radius/√(m + 2): a neighborhood as wide as that has no shape
_BENT = 0.2  # of the same: a smaller spread in the smallest neighborhoods, growing fast, is curvature
_TIED = 1e-6  # relative difference below which distances are equal: rounding must not choose among points of a grid
_TIES = 32  # most points at the distance of the last neighbor that are told apart from it
_EXACT = 1e-7  # of the radius: a smaller spread is rounding

Levels = list[tuple[int, Ints]]
"""For each level: the stride between the places used, and the sizes of neighborhoods in these places."""


@dataclass(frozen=True, eq=False, repr=False)
class Noise(Brief):
    """Noise across a curve or surface, and the measurements it was read from; `noise_scale` returns it.

    Neighborhoods grow from a few points to a quarter of all points. Their spread across the best line (or plane) first
    grows with the radius, since the ball truncates the noise; then it reaches a plateau at the level of the noise; then
    it grows again by curvature.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise along one direction across the shape, in the unit of the points; 0 if it cannot
        be determined.
    eps : float
        The radius in the middle of the plateau, in the unit of the points: large enough to average the noise, too small
        for curvature to matter.
    dim : int
        1 for curves, 2 for surfaces.
    seen : bool
        Whether there is a plateau. If not, `eps` is a radius that holds some neighbors, and `reason` tells why.
    reason : str
        Explanation in words.
    counts : array of shape (k,)
        Number of points in neighborhoods of k growing sizes.
    radii, spreads : arrays of shape (k,)
        Their radius, and the spread across the shape: medians over the points, in the unit of the points.
    slopes : array of shape (k,)
        d log(spread) / d log(radius): 1 in a cloud without shape, near 0 on the plateau, near 2 where curvature
        dominates.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.auto.noise_scale(wt.datasets.circles(0, n=2000, noise=0.05).points)
    >>> found.seen, round(found.sigma, 2), round(found.eps, 2)
    (True, 0.05, 0.21)
    >>> bool(found.slopes.min() < 0.5)  # the plateau
    True
    """

    sigma: float
    eps: float
    dim: int
    seen: bool
    reason: str
    counts: Floats
    radii: Floats
    spreads: Floats
    slopes: Floats

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
    At most 400 neighborhoods, and fewer for many points: about 2.5·10⁷ distances in all, or 50·n if that is more.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.auto.noise_scale(wt.datasets.circles(0, n=2000, noise=0.05).points)
    >>> round(found.sigma, 2), found.seen
    (0.05, True)
    """
    dim, engine = check.count(dim, "dim", 1), current(engine)
    space = as_space(X, sample_weight)
    if space.points is None:
        raise ValueError("noise across a shape needs coordinates, but this Space has distances only; give points")
    with engine.watched() as engine:
        return noise_of(outward(within_span(distinct(space, engine))), dim, engine)


def noise_of(places: Space, dim: int, engine: Engine) -> Noise:
    """Estimate the noise from distinct places in a fixed order."""
    assert places.points is not None  # checked by the callers
    n, m = places.points.shape
    if n < dim + 4 or m <= dim:
        return _unseen(places, dim, engine, *_why_nothing(n, m, dim))
    counts, radii, spreads = _grown(places, dim, engine)
    if len(radii) < 3:
        return _unseen(places, dim, engine, "there are too few points to tell noise from shape", counts, radii, spreads)
    exact = spreads <= _EXACT * radii
    slopes = _slopes(np.log(radii), np.log(np.where(exact, _EXACT * radii, spreads)))
    if exact[0]:
        reason = f"the points lie on {_pieces(dim)} without noise: this radius holds {counts[0]:.0f} of them"
        return Noise(0.0, float(radii[0]), dim, False, reason, counts, radii, spreads, slopes)
    ball = radii / np.sqrt(m + 2)
    bent = bool(slopes[0] > 1 + _RISE and spreads[0] < _BENT * ball[0])
    k = None if bent else _rest(slopes, spreads < _ROUND * ball, _SAME / dim**2)
    if k is not None:
        reason = (
            f"the points spread {spreads[k]:.3g} across {_pieces(dim)}, and within this radius "
            f"({counts[k]:.0f} points) the spread is noise, not yet curvature"
        )
        return Noise(float(spreads[k]), float(radii[k]), dim, True, reason, counts, radii, spreads, slopes)
    if bent:
        reason = f"no noise can be told from the curvature of the {_shapes(dim)}: eps is the smallest radius"
        return Noise(float(spreads[0]), float(radii[0]), dim, False, reason, counts, radii, spreads, slopes)
    reason = (
        f"no {_shapes(dim)} can be told from a cloud: its spread grows with every radius, and eps is a small radius"
    )
    return _unseen(places, dim, engine, reason, counts, radii, spreads, slopes)


def _rest(slopes: Floats, thin: Bools, same: float) -> int | None:
    """Return where the spread of thin neighborhoods grows least, before it grows faster again for the first time."""
    best, least = None, _FLAT
    for k, slope in enumerate(slopes):
        if thin[k] and slope < least - (0.0 if best is None else same):
            best, least = k, slope
        elif best is not None and slope > least + _RISE:
            break
    return best


def _grown(places: Space, dim: int, engine: Engine) -> tuple[Floats, Floats, Floats]:
    """Return counts, radii and spreads of growing neighborhoods: medians over up to 400 of them."""
    assert places.points is not None
    n, m = places.points.shape
    centers = sample_evenly(n, int(np.clip(min(_DISTANCES / n, _NUMBERS / m**3), _FEWEST, _CENTERS)))
    levels, masses = _levels(n, dim), places.weights[centers]
    near = _neighbors(places, centers, levels, engine)
    curve = []
    with one_blas_thread():  # many small matrices
        for (stride, sizes), (distances, indices) in zip(levels, near, strict=True):
            for size in sizes[sizes <= indices.shape[1]]:
                engine.check()
                radii = distances[:, size - 1]
                shares = _nearest_shares(distances, size)
                rows = indices[:, : shares.shape[1]]
                across = _across(places.points[rows], shares * places.weights[rows], dim)
                curve.append((stride * size, weighted_median(radii, masses), weighted_median(across, masses)))
    counts, radii, spreads = np.array(curve, float).reshape(-1, 3).T
    known = np.isfinite(radii) & (radii > 0)
    return counts[known], radii[known], spreads[known]


def _levels(n: int, dim: int) -> Levels:
    """Return sizes of neighborhoods, growing by a factor; above 256 every fourth point is used, and so on."""
    largest = max(int(_SHARE * n), min(n, dim + 6))
    sizes = np.unique(np.round(np.geomspace(dim + 4, largest, 2 + int(np.log(largest / (dim + 4)) / np.log(_STEP)))))
    levels, stride = Levels(), 1
    while len(sizes):
        here = sizes <= _MOST * stride
        levels.append((stride, np.unique(np.round(sizes[here] / stride)).astype(np.intp)))
        sizes, stride = sizes[~here], 4 * stride
    return [level for level in levels if len(level[1])]


def _neighbors(places: Space, centers: Ints, levels: Levels, engine: Engine) -> list[tuple[Floats, Ints]]:
    """Return, for each level, the nearest of its places: distances and numbers, with a row for each center."""
    n = places.n
    widths = [min(int(sizes[-1]) + _TIES, -(-n // stride)) for stride, sizes in levels]
    found = [(np.empty((len(centers), width)), np.empty((len(centers), width), np.intp)) for width in widths]
    for part, rows in rows_of(places, centers, engine):
        for (stride, _), (distances, indices) in zip(levels, found, strict=True):
            near = _nearest(rows[:, ::stride], distances.shape[1])
            indices[part] = stride * near
            distances[part] = np.take_along_axis(rows, indices[part], axis=1)
    return found


def _nearest(distances: Floats, count: int) -> Ints:
    """Return the numbers of the nearest in each row, in order of distance."""
    near = np.argpartition(distances, count - 1, axis=1)[:, :count]
    near.sort(axis=1)
    order = np.argsort(np.take_along_axis(distances, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _nearest_shares(distances: Floats, size: int) -> Floats:
    """Return which part of each neighbor belongs to the nearest `size`: all at the last distance have equal parts."""
    last = distances[:, size - 1 : size]
    reached = distances <= last * (1 + _TIED)
    inside = distances < last * (1 - _TIED)
    tied = reached & ~inside
    left = size - np.count_nonzero(inside, axis=1)
    shares = inside + tied * (left / np.count_nonzero(tied, axis=1))[:, None]
    return np.asarray(shares[:, : np.count_nonzero(reached, axis=1).max()])


def _across(points: Floats, weights: Floats, dim: int) -> Floats:
    """Return the standard deviation per direction across the best line, plane, …, corrected for degrees of freedom."""
    share = weights / weights.sum(axis=1, keepdims=True)
    off = points - points[:, :1]
    off -= (share[:, :, None] * off).sum(axis=1, keepdims=True)
    off *= np.sqrt(share)[:, :, None]
    turned, m = off.transpose(0, 2, 1), points.shape[2]
    spectrum = np.linalg.eigvalsh(off @ turned if points.shape[1] < m else turned @ off)
    across = np.maximum(spectrum[:, :-dim].sum(axis=1), 0.0) / (m - dim)
    n_effective = 1.0 / (share**2).sum(axis=1)
    return np.asarray(np.sqrt(across * n_effective / np.maximum(n_effective - 1 - dim, 0.5)))


def _slopes(log_radii: Floats, log_spreads: Floats) -> Floats:
    """Return slopes of least-squares lines over windows of radii, of at least three neighborhoods."""
    slopes = np.empty(len(log_radii))
    for k, at in enumerate(log_radii):
        near = np.abs(log_radii - at) <= _WINDOW
        near[max(k - 1, 0) : k + 2] = True
        x, y = log_radii[near] - log_radii[near].mean(), log_spreads[near]
        slopes[k] = (x @ y) / max(float(x @ x), np.finfo(float).tiny)
    return slopes


def _unseen(
    places: Space, dim: int, engine: Engine, reason: str, counts: Floats | None = None, radii: Floats | None = None,
    spreads: Floats | None = None, slopes: Floats | None = None,
) -> Noise:  # fmt: skip
    """Return a result without noise, with the radius of some neighbors."""
    nothing = np.empty(0)
    parts = [nothing if part is None else part for part in (counts, radii, spreads, slopes)]
    return Noise(0.0, float(scale_of(places, engine)), dim, False, reason, *parts)


def _why_nothing(n: int, m: int, dim: int) -> tuple[str]:
    if n < dim + 4:
        return (f"{n} place{'s are' if n > 1 else ' is'} too few to tell noise from a {_shape(dim)}",)
    return (f"the points lie on {_pieces(dim)} without noise: they span {counted(m, 'dimension')}",)


def _shape(dim: int) -> str:
    return {1: "curve", 2: "surface"}.get(dim, f"shape of dimension {dim}")


def _shapes(dim: int) -> str:
    return {1: "curves", 2: "surfaces"}.get(dim, f"shapes of dimension {dim}")


def _pieces(dim: int) -> str:
    return {1: "lines", 2: "planes"}.get(dim, f"flats of dimension {dim}")
