"""Points onto curves and surfaces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Bools, Floats
from ..auto.noise import Noise
from ..auto.suggestion import suggestion_of
from ..engine import Engine, Progress, current
from ..localize.places import weighted_median
from ..spaces import Euclidean, Space
from ..transforms import iterate, mean_shift
from .denoised import Denoised
from .guard import Step, extent, spacing
from .looks import MOST_AXES, PROFILE, Look, Sight, look
from .moving import Moved, move
from .places import Places, check_scale, directions, distinct, track_of
from .radius import dims_of, is_clean, noises, radius_of

_FEWER = 0.25  # of what the middle point sees: who sees less is an outlier
_MODES = 300  # steps of mean shift, where nobody says how many
_STILL = 1e-3  # of eps: mean shift rests


def denoise(
    X: ArrayLike,
    dim: int | None = None,
    *,
    eps: float | None = None,
    lam: float = 0.0,
    n_iter: int | None = None,
    weights: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    order: Any = None,
    trust: float = 6.5,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Denoised:
    """Move noisy points onto the curve or surface they were drawn from.

    A step moves each point to the mean of what it sees within ε, across the leading axes of its neighborhood only
    (`Ridge`), less what its neighbors do as well: the mean of a ball lies inside of every bend, and so do those of the
    neighbors; their common part is taken off, so a curve does not shrink as it does under mean shift. A guard ends the
    run when steps no longer lower the spread, when neighbors would move alike, when points clump or the shape
    shrinks, and says so in `outcome`. In the end each point goes the share e⁵/(e⁵ + t⁵) of its way, e the number of
    others it sees, t the `trust`: points that few others support stay near where they were.

    Parameters
    ----------
    X : array of shape (n, m)
    dim : int, optional
        1 for curves, 2 for surfaces, 0 for modes (mean shift). By default the lowest at which the neighborhoods
        show a shape with noise around it; where there is none, points stay.
    eps : float, optional
        How far points see. By default the radius at which the noise shows (`wt.auto.noise_scale`), or the next that
        holds enough points; for modes that of `wt.suggest(X, "modes")`.
    lam : float
        Weight λ of the covariances: with λ > 0 balls are those of the Gaussian Transform, in which curves that cross
        see less of each other.
    n_iter : int, optional
        Steps; the guard then only tells. By default as many as it lets pass, five at most.
    weights : array of shape (n,), optional
        Masses; weight k is the same as k copies.
    scale : array of shape (m,), optional
        A length for each axis that counts as one, for axes that are measured differently, as the height of LiDAR;
        `eps` is then in these units.
    order : array of shape (n,), or pair of such, optional
        The trip of each point, where points are tracks: rows of a trip follow each other; (trips, times) says when.
        Points then see those less that were passed in another direction.
    trust : float
        Who sees so many others goes half of the way, who sees more nearly all of it; 0 lets all go all the way. Where
        the noise is far below ε the shape is plain to see, and fewer suffice, in proportion.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    progress : callable, optional
    engine : Engine, optional

    Returns
    -------
    Denoised

    Notes
    -----
    With more than 32 coordinates, the axes of neighborhoods are looked for among the 32 widest of the whole cloud:
    `axes` then has 32 columns. Distances and means are those of all coordinates.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X, _, curve = wt.datasets.circles(0, n=1000, noise=0.05)
    >>> found = wt.denoise(X)
    >>> found.dim, found.n_iter > 0
    (1, True)
    >>> before, after = (np.sqrt(np.mean(curve.distance(points) ** 2)) for points in (X, found.points))
    >>> bool(after < before / 2)
    True
    """
    asked = _read(X, dim, eps, lam, n_iter, weights, scale, order, trust)
    n, m = asked.points.shape
    with current(engine, n_jobs=n_jobs, progress=progress).watched() as engine:
        r = min(m, MOST_AXES)
        engine.reserve(
            8.0 * n * (4 * m * r + 2 * r * r + 12 * m), f"denoising {n} points in R^{m}", "take fewer points"
        )
        return _denoised(asked, engine)


class _Asked(NamedTuple):
    """What was asked for, checked; points in units of the scale."""

    points: Floats
    given: Floats
    weights: Floats
    dim: int | None
    eps: float | None
    lam: float
    n_iter: int | None
    scale: Floats
    track: Any
    trust: float


def _read(
    X: ArrayLike, dim: int | None, eps: float | None, lam: float, n_iter: int | None, weights: ArrayLike | None,
    scale: ArrayLike | None, order: Any, trust: float,
) -> _Asked:  # fmt: skip
    if isinstance(X, Space):
        raise TypeError("denoise takes points, got a Space; give its points, and its weights as weights=")
    given = check.points(X)
    n, m = given.shape
    dim = None if dim is None else check.count(dim, "dim", 0)
    if dim is not None and dim > min(m, MOST_AXES):
        most = (
            f"points have {m} coordinate{'s' if m > 1 else ''}"
            if m <= MOST_AXES
            else f"no more than {MOST_AXES} axes are looked for"
        )
        raise ValueError(f"dim must be at most {min(m, MOST_AXES)}, since {most}, got {dim}; 1 is for curves")
    lam, trust = check.lam(lam), check.tolerance(trust, "trust")
    if lam > 0 and order is not None:
        raise ValueError("order and lam both say which neighbors count less; leave lam out where the order is known")
    lengths = check_scale(scale, m)
    eps = None if eps is None else check.eps(eps)
    n_iter = None if n_iter is None else check.count(n_iter, "n_iter", 0)
    points = given / lengths if scale is not None else given
    return _Asked(points, given, check.weights(weights, n), dim, eps, lam, n_iter, lengths, track_of(order, n), trust)


class _Plan(NamedTuple):
    """What will be done: the dimension, how far to look, the noise, and why; `stay` if nothing moves."""

    dim: int
    eps: float
    sigma: float | None
    reason: str
    stay: bool = False


def _denoised(asked: _Asked, engine: Engine) -> Denoised:
    places = distinct(asked.points, asked.weights)
    plan = _plan(places, asked, engine)
    if (m := asked.points.shape[1]) > MOST_AXES:
        said = f"of {m} axes, those of neighborhoods are looked for among the {MOST_AXES} widest of the whole cloud"
        plan = plan._replace(reason=f"{plan.reason}; {said}")
    ways = None if asked.track is None else directions(places, asked.track, plan.eps)
    sight = Sight(plan.eps, asked.lam, ways)
    if plan.stay or plan.dim == 0:
        ended = _stayed(places, sight, plan, engine) if plan.stay else _modes(places, sight, asked, engine)
        sigma = plan.sigma or 0.0
    else:
        sigma = plan.sigma if plan.sigma is not None else _spread(places, sight, plan.dim, engine)
        ended = move(places, sight, plan.dim, sigma, asked.trust, asked.n_iter, engine)
    return _told(asked, places, plan, sigma, ended)


def _plan(places: Places, asked: _Asked, engine: Engine) -> _Plan:
    """The dimension and the radius, as given or as the noise says."""
    m = places.points.shape[1]
    if asked.dim == 0:
        if asked.eps is not None:
            return _Plan(0, asked.eps, None, "dimension and eps as given")
        scale = suggestion_of(Space(Euclidean(places.points), places.weights, places.points), "modes", engine)
        return _Plan(0, scale.eps, None, scale.reason)
    if asked.dim is not None and asked.eps is not None:
        reason = "dimension and eps as given"
        if asked.dim < m:
            return _Plan(asked.dim, asked.eps, None, reason)
    found = noises(places, dims_of(asked.dim, m), engine)
    if not found:
        return _Plan(m, asked.eps or 1.0, None, "points with one coordinate have no curves: dim=0 finds modes", True)
    best, eps = found[-1], asked.eps or float(found[-1].eps)
    if best.seen:
        return _Plan(best.dim, asked.eps or radius_of(best), float(best.sigma), _why(best, asked.eps))
    if is_clean(best, m):
        return _Plan(best.dim, eps, float(best.sigma), best.reason, asked.eps is None)
    if asked.dim is None and asked.eps is None:
        return _Plan(m, eps, None, f"{best.reason}; dim=0 finds modes", True)
    return _Plan(min(best.dim, m), eps, None, best.reason, asked.eps is None or best.dim >= m)


def _why(noise: Noise, given: float | None) -> str:
    """Where eps comes from, in words."""
    if given is not None:
        return f"eps as given; {noise}"
    return noise.reason if radius_of(noise) == noise.eps else f"{noise.reason}; eps is wider, to hold enough points"


def _spread(places: Places, sight: Sight, dim: int, engine: Engine) -> float:
    """What stands for the noise where nobody measured it: the spread across the neighborhoods."""
    return look(places.points, places.weights, sight, dim, engine).across


def _stayed(places: Places, sight: Sight, plan: _Plan, engine: Engine) -> Moved:
    seen = look(places.points, places.weights, sight, plan.dim, engine)
    outcome = f"no step was taken: {plan.reason}"
    return Moved(places.points, seen, seen, (_state(0, 0.0, places.points, places, seen, engine),), outcome)


def _modes(places: Places, sight: Sight, asked: _Asked, engine: Engine) -> Moved:
    """Mean shift, by the library's own loop."""
    first = look(places.points, places.weights, sight, 0, engine)
    walk = iterate(
        mean_shift(sight.eps, PROFILE),
        Space(Euclidean(places.points), places.weights, places.points),
        n_iter=_MODES if asked.n_iter is None else asked.n_iter,
        tol=_STILL if asked.n_iter is None else None,
        merge=0.0,
        engine=engine,
    )
    points = walk.points
    assert points is not None  # the space has coordinates
    last = look(points, places.weights, sight, 0, engine)
    moved = float(np.sqrt(places.weights @ ((points - places.points) ** 2).sum(axis=1)))
    steps = (
        _state(0, 0.0, places.points, places, first, engine), _state(walk.n_iter, moved, points, places, last, engine)
    )  # fmt: skip
    return Moved(points, first, last, steps, walk.outcome)


def _state(k: int, moved: float, points: Floats, places: Places, seen: Look, engine: Engine) -> Step:
    even = spacing(points[places.weights > 0], engine)
    return Step(k, moved, seen.across, seen.shared, even, extent(points, places.weights))


def _told(asked: _Asked, places: Places, plan: _Plan, sigma: float, ended: Moved) -> Denoised:
    """The answer for all rows, in the units of the data."""
    of, stayed = places.of, ended.points is places.points
    points = asked.given.copy() if stayed else ended.points[of] * asked.scale
    variances, axes = _in_units(ended.last.variances, ended.last.axes, asked.scale)
    outliers = _outliers(ended.first.evidence, places.weights)
    return Denoised(
        points, asked.given, asked.weights, plan.dim, plan.eps, sigma, outliers[of], ended.first.evidence[of],
        variances[of], axes[of], ended.steps, ended.outcome, plan.reason, asked.scale, asked.track,
    )  # fmt: skip


def _outliers(evidence: Floats, weights: Floats) -> Bools:
    return np.asarray(evidence < _FEWER * weighted_median(evidence, weights))


def _in_units(variances: Floats, axes: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """The spectra of neighborhoods with every axis in its own unit again."""
    if (scale == 1).all():
        return variances, axes
    stretched = scale[None, :, None] * axes
    if axes.shape[2] < len(scale):
        vectors, lengths, _ = np.linalg.svd(stretched * np.sqrt(variances)[:, None, :], full_matrices=False)
        return np.asarray(lengths**2), np.asarray(vectors)
    values, vectors = np.linalg.eigh(np.einsum("iak,ik,ibk->iab", stretched, variances, stretched))
    return np.maximum(values[:, ::-1], 0.0), np.asarray(vectors[:, :, ::-1])
