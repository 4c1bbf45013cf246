"""How far points lie off the curve or surface they were drawn from: the scale of the noise across it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import Brief
from .._types import Bools, Floats, Ints
from ..engine import Engine, current, one_blas_thread
from ..localize.places import distinct, read, rows_of, spread, weighted_median
from ..localize.scale import scale_of
from ..spaces import Space

_CENTERS = 400  # neighborhoods that are looked at
_DISTANCES = 2.5e7  # measured, about, however many points there are
_FEWEST = 50  # neighborhoods, even where that takes more
_NUMBERS = 6e7  # cubes of dimensions, about: in many dimensions fewer neighborhoods are looked at
_MOST = 256  # neighbors of one neighborhood: for larger ones every fourth point is taken, of these every fourth, …
_STEP = 1.3  # from one size of a neighborhood to the next
_SHARE = 1 / 4  # of the points: larger neighborhoods show the whole, not its parts
_WINDOW = np.log(1.45)  # of radii over which a slope is measured
_FLAT = 0.85  # a slope below that is a plateau: across a cloud without shape the spread grows like the radius
_SAME = 0.05  # over dim², as steps are finer there: slopes that near are alike, and the smaller radius is taken
_RISE = 0.2  # above the least slope: the plateau has ended
_ROUND = 0.6  # of the spread of a full ball, which is radius/√(m + 2): what is nearly as wide as long is no shape
_BENT = 0.2  # of the same: a spread below that in the smallest neighborhoods, and growing fast, is curvature
_EXACT = 1e-7  # of the radius: a spread below that is rounding

Levels = list[tuple[int, Ints]]
"""Every how many places are counted, and the sizes of neighborhoods in these."""


@dataclass(frozen=True, eq=False, repr=False)
class Noise(Brief):
    """The noise across a curve or surface, and the curve of spreads it was read from.

    Neighborhoods grow from a few points to a quarter of them. Their spread across the best line (or plane) first grows
    with the radius, since the ball cuts it off; then it rests at that of the noise; then curvature makes it grow again.

    Attributes
    ----------
    sigma : float
        Standard deviation of the noise along one direction across the shape; 0 if none can be told.
    eps : float
        The radius in the middle of that rest: wide enough to average the noise, too small for the curvature.
    dim : int
        1 for curves, 2 for surfaces.
    seen : bool
        Whether there is such a rest. Else `eps` is a radius of some neighbors, and `reason` says what was seen.
    reason : str
    counts : array
        Points of a neighborhood, growing.
    radii, spreads : array
        Their radius, and the spread across it: medians over the points.
    slopes : array
        d log(spread) / d log(radius): 1 in a cloud without shape, near 0 at rest, near 2 where curvature counts.
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
    sample_weight: ArrayLike | None = None,
    *,
    engine: Engine | None = None,
) -> Noise:
    """The scale of the noise across curves (dim=1) or surfaces (dim=2), and the radius at which it shows.

    Parameters
    ----------
    X : array of shape (n, m), or Space with points
    dim : int
        Dimension of the shape.
    sample_weight : array of shape (n,), optional
        Masses of the points; weight k is the same as k copies.
    engine : Engine, optional

    Returns
    -------
    Noise

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.auto.noise_scale(wt.datasets.circles(0, n=2000, noise=0.05).points)
    >>> round(found.sigma, 2), found.seen
    (0.05, True)
    """
    dim, engine = check.count(dim, "dim", 1), current(engine)
    space = read(X, sample_weight)
    if space.points is None:
        raise ValueError("noise across a shape needs coordinates, and this Space has distances only")
    with engine.watched() as engine:
        return noise_of(distinct(space, engine), dim, engine)


def noise_of(places: Space, dim: int, engine: Engine) -> Noise:
    """The same, of distinct places in their order."""
    assert places.points is not None  # asked for at the door
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
            f"({counts[k]:.0f} points) that is noise, not yet curvature"
        )
        return Noise(float(spreads[k]), float(radii[k]), dim, True, reason, counts, radii, spreads, slopes)
    if bent:
        reason = f"no noise can be told from the curvature of the {_shapes(dim)}: this is the smallest radius"
        return Noise(float(spreads[0]), float(radii[0]), dim, False, reason, counts, radii, spreads, slopes)
    reason = f"no {_shapes(dim)} can be told from a cloud, whose spread grows with every radius: this is a small one"
    return _unseen(places, dim, engine, reason, counts, radii, spreads, slopes)


def _rest(slopes: Floats, thin: Bools, same: float) -> int | None:
    """Where the spread of thin neighborhoods grows least, before it grows faster again for the first time."""
    best, least = None, _FLAT
    for k, slope in enumerate(slopes):
        if thin[k] and slope < least - (0.0 if best is None else same):
            best, least = k, slope
        elif best is not None and slope > least + _RISE:
            break
    return best


def _grown(places: Space, dim: int, engine: Engine) -> tuple[Floats, Floats, Floats]:
    """Counts, radii and spreads of growing neighborhoods, medians over up to 400 of them."""
    assert places.points is not None
    n, m = places.points.shape
    centers = spread(n, int(np.clip(min(_DISTANCES / n, _NUMBERS / m**3), _FEWEST, _CENTERS)))
    levels, masses = _levels(n, dim), places.weights[centers]
    near = _neighbors(places, centers, levels, engine)
    curve = []
    with one_blas_thread():  # many small matrices
        for (stride, sizes), (distances, indices) in zip(levels, near, strict=True):
            for size in sizes[sizes <= indices.shape[1]]:
                engine.check()
                radii = distances[:, size - 1]
                across = _across(places.points[indices[:, :size]], places.weights[indices[:, :size]], dim)
                curve.append((stride * size, weighted_median(radii, masses), weighted_median(across, masses)))
    counts, radii, spreads = np.array(curve, float).reshape(-1, 3).T
    known = np.isfinite(radii) & (radii > 0)
    return counts[known], radii[known], spreads[known]


def _levels(n: int, dim: int) -> Levels:
    """Sizes of neighborhoods, in steps of a factor: those above 256 are counted in every fourth point, and so on."""
    largest = max(int(_SHARE * n), min(n, dim + 6))
    sizes = np.unique(np.round(np.geomspace(dim + 4, largest, 2 + int(np.log(largest / (dim + 4)) / np.log(_STEP)))))
    levels, stride = Levels(), 1
    while len(sizes):
        here = sizes <= _MOST * stride
        levels.append((stride, np.unique(np.round(sizes[here] / stride)).astype(np.intp)))
        sizes, stride = sizes[~here], 4 * stride
    return [level for level in levels if len(level[1])]


def _neighbors(places: Space, centers: Ints, levels: Levels, engine: Engine) -> list[tuple[Floats, Ints]]:
    """Of each level, the nearest of the places it counts: distances and numbers, a row for each center."""
    n = places.n
    widths = [min(int(sizes[-1]), -(-n // stride)) for stride, sizes in levels]
    found = [(np.empty((len(centers), width)), np.empty((len(centers), width), np.intp)) for width in widths]
    for part, rows in rows_of(places, centers, engine):
        for (stride, _), (distances, indices) in zip(levels, found, strict=True):
            near = _nearest(rows[:, ::stride], distances.shape[1])
            indices[part] = stride * near
            distances[part] = np.take_along_axis(rows, indices[part], axis=1)
    return found


def _nearest(distances: Floats, count: int) -> Ints:
    """Of each row, the numbers of the nearest, in order."""
    near = np.argpartition(distances, count - 1, axis=1)[:, :count]
    near.sort(axis=1)
    order = np.argsort(np.take_along_axis(distances, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)


def _across(points: Floats, weights: Floats, dim: int) -> Floats:
    """Standard deviation along a direction across the best line, plane, …: less so many degrees of freedom."""
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
    """Slopes of least-squares lines over windows of radii, of three neighborhoods at least."""
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
    """No noise is seen: the radius of some neighbors."""
    nothing = np.empty(0)
    parts = [nothing if part is None else part for part in (counts, radii, spreads, slopes)]
    return Noise(0.0, float(scale_of(places, engine)), dim, False, reason, *parts)


def _why_nothing(n: int, m: int, dim: int) -> tuple[str]:
    if m <= dim:
        return (f"{m} coordinate{'s leave' if m > 1 else ' leaves'} no direction across a {_shape(dim)}",)
    return (f"{n} place{'s are' if n > 1 else ' is'} too few to tell noise from a {_shape(dim)}",)


def _shape(dim: int) -> str:
    return {1: "curve", 2: "surface"}.get(dim, f"shape of dimension {dim}")


def _shapes(dim: int) -> str:
    return {1: "curves", 2: "surfaces"}.get(dim, f"shapes of dimension {dim}")


def _pieces(dim: int) -> str:
    return {1: "lines", 2: "planes"}.get(dim, f"flats of dimension {dim}")
