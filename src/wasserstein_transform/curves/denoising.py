"""`denoise`: move points onto curves and surfaces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from ..localize.scale import merge_equal_points
from ..parameters.suggestion import suggestion_of
from ..spaces import Euclidean, Space, Span, span_of
from ..tables import Tracks
from ..tables.features import is_frame
from ..transforms import iterate, mean_shift
from .denoised import Denoised
from .looks import MAX_BLOCK, MOST_AXES, PROFILE, Look, Sight, look, outliers_of
from .moving import Moved, Step, extent, move, spacing
from .shape import Places, check_scale, dims_of, directions, is_clean, noises, track_of

if TYPE_CHECKING:
    from pandas import DataFrame

_MODES = 300  # steps of mean shift, if n_iter is not given
_STILL = 1e-3  # times eps: movement at which mean shift has converged


def denoise(
    X: ArrayLike | DataFrame | Tracks,
    dim: int | None = None,
    *,
    eps: float | None = None,
    lam: float = 0.0,
    n_iter: int | None = None,
    sample_weight: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    order: Any = None,
    trust: float = 3.5,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Denoised:
    """Move noisy points onto the curve or surface they were sampled from.

    Each step moves a point toward the mean of its neighbors within ε, but only across the leading axes of its
    neighborhood (`Ridge`), and without the part of the movement that its neighbors share. The mean of a ball lies on
    the inner side of every bend, for neighbors as well; without this shared part a curve does not shrink as under mean
    shift. A guard stops the run when steps no longer reduce the spread, when neighbors would move alike, when points
    would clump, or when the shape would shrink; `outcome` tells why. In the end each point moves the fraction
    e⁵/(e⁵ + t⁵) of its way, where e is the number of its neighbors and t is `trust`: points with few neighbors stay
    near their original position.

    Points in a subspace, such as a plane curve in space, are moved as in coordinates of the subspace.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame, GeoDataFrame or Tracks
        The points. A table such as `wt.read("trips.gpx")` is understood by `wt.tables.tracks`: degrees are projected to
        meters, so that all lengths are in meters, and the points of the result are degrees again.
    dim : int, optional
        1 for curves, 2 for surfaces, 0 for modes (mean shift). None means the lowest dimension at which neighborhoods
        show a shape with noise around it; if there is none, or if points fill a volume, as in a forest, no point moves.
    eps : float, optional
        Radius of neighborhoods, in the unit of the points. None means the radius of
        `wt.parameters.noise_scale`, at which the noise shows; for modes, that of `wt.suggest(X, "modes")`.
    lam : float, default 0
        Weight λ of the covariances: with λ > 0, neighborhoods are balls of the Gaussian Transform, in which crossing
        curves influence each other less.
    n_iter : int, optional
        Number of steps; the guard then only reports. None means as many as the guard allows, at most five.
    sample_weight : array of shape (n,), optional
        Masses; weight k is the same as k copies. None means equal masses.
    scale : array of shape (m,), optional
        Unit of length of each axis, for axes of different accuracy, such as the height of LiDAR points; `eps` is then
        in these units. None means 1 for all axes.
    order : array of shape (n,), or pair of such arrays, optional
        The trip of each point, for GPS tracks: rows of a trip follow each other, or (trips, times) gives their times.
        Neighbors that were passed in another direction then count less. Of a table, the name of the column of trips,
        or the names (trip, time). None means points without order, and for a table the trips that its columns name;
        False means no order.
    trust : float, default 3.5
        Number of neighbors at which a point moves half of its way; with more neighbors it moves nearly all of it. 0
        lets all points move all the way. If the noise is far below ε, proportionally fewer neighbors suffice.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Denoised
        The moved points, the noise, outliers, and axes of the neighborhoods.

    Notes
    -----
    Each step computes the covariances of all neighborhoods and their eigenvectors: about O(n·(k·m² + m³)) time for k
    neighbors, O(n·m²) memory. More than 500,000 points are computed in blocks with a margin of two radii, which changes
    results by rounding only; `eps` and the noise come from a sample of 50 to 400 neighborhoods. With more than 32
    coordinates, the axes of neighborhoods are restricted to the 32 widest axes of the whole cloud, and `axes` has 32
    columns; distances and means use all coordinates.

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
    check.known_table(X)
    if is_frame(X) or isinstance(X, Tracks):
        table, order = _table(X, order, lam)
        found = denoise(
            table.points, dim, eps=eps, lam=lam, n_iter=n_iter, sample_weight=sample_weight, scale=scale, order=order,
            trust=trust, n_jobs=n_jobs, verbose=verbose, engine=engine,
        )  # fmt: skip
        return _of_table(found, table)
    asked = _read(X, dim, eps, lam, n_iter, sample_weight, scale, order, trust)
    n, m = asked.points.shape
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine:
        r, n_at_once = min(m, MOST_AXES), min(n, 2 * MAX_BLOCK) if m <= MOST_AXES else n  # 2: blocks have margins
        n_bytes = 8.0 * n_at_once * (4 * m * r + 2 * r * r + 16 * m + 28)  # 28: order, cells and their runs
        n_bytes += 8.0 * (n - n_at_once) * (3 * m * r + 8 * m + 20)
        engine.reserve(n_bytes, f"denoising {n} points in R^{m}", "take fewer points")
        return _denoised(asked, engine)


def _table(X: Any, order: Any, lam: float) -> tuple[Tracks, Any]:
    """Return the points of a table, and the order of its rows."""
    if isinstance(X, Tracks):
        return X, X.order if order is None else order
    from ..tables import tracks  # noqa: PLC0415  needs pandas

    names = (order,) if isinstance(order, str) else order
    if isinstance(names, tuple) and all(isinstance(name, str) for name in names):
        table = tracks(X, None, *names)
        return table, table.order
    table = tracks(X, trip=None if order is None and check.tolerance(lam, "lam") == 0 else False)
    return table, table.order if order is None else order


def _of_table(found: Denoised, table: Tracks) -> Denoised:
    """Return the result in the coordinates of the table; points that stay keep their bits."""
    points = found.points
    if table.earth is not None:
        moved = (points != found.before).any(axis=1)
        points = table.given.copy()
        points[moved] = table.earth.to_degrees(found.points[moved])
    return replace(found, points=points, before=table.given, tracks=table)


class _Asked(NamedTuple):
    """Checked parameters; points are in units of the scale."""

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
    check.not_distances(given)
    n, m = given.shape
    dim = None if dim is None else check.count(dim, "dim", 0)
    if dim is not None and dim > min(m, MOST_AXES):
        most = (
            f"points have {m} coordinate{'s' if m > 1 else ''}"
            if m <= MOST_AXES
            else f"at most {MOST_AXES} axes are computed"
        )
        raise ValueError(f"dim must be at most {min(m, MOST_AXES)}, since {most}, got {dim}; 1 is for curves")
    lam, trust = check.tolerance(lam, "lam"), check.tolerance(trust, "trust")
    if lam > 0 and order is not None:
        raise ValueError("order and lam both weaken some neighbors; leave lam out where the order is known")
    lengths = check_scale(scale, m)
    eps = None if eps is None else check.eps(eps)
    n_iter = None if n_iter is None else check.count(n_iter, "n_iter", 0)
    points = given / lengths if scale is not None else given
    return _Asked(points, given, check.weights(weights, n), dim, eps, lam, n_iter, lengths, track_of(order, n), trust)


class _Plan(NamedTuple):
    """The chosen dimension, radius and noise, and the reason; `stay` if no point moves."""

    dim: int
    eps: float
    sigma: float | None
    reason: str
    stay: bool = False


def _denoised(asked: _Asked, engine: Engine) -> Denoised:
    places = Places(*merge_equal_points(asked.points, asked.weights))
    span = span_of(places.points[places.weights > 0])
    if span is not None:
        places = places._replace(points=span.coordinates(places.points))
    plan = _plan(places, asked, engine)
    if len(places.points) > MAX_BLOCK and asked.eps is None:
        plan = plan._replace(reason=f"{plan.reason}; eps and noise from a sample of neighborhoods, steps by blocks")
    if (m := places.points.shape[1]) > MOST_AXES:
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
    return _told(asked, places, span, plan, sigma, ended, engine)


def _plan(places: Places, asked: _Asked, engine: Engine) -> _Plan:
    """Choose dimension and radius: as given, or from the noise."""
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
    best, eps = found[-1], asked.eps or float(found[-1].eps)
    if best.seen:
        return _Plan(best.dim, eps, float(best.sigma), best.reason if asked.eps is None else f"eps as given; {best}")
    if is_clean(best):
        return _Plan(best.dim, eps, float(best.sigma), best.reason, asked.eps is None)
    if asked.dim is None and asked.eps is None:
        return _Plan(m, eps, None, f"{best.reason}; {check.option_text('dim=0')} finds modes", True)
    if asked.eps is None and len(best.radii):
        k = int(np.argmin(best.thickness))
        reason = f"{best.reason}; eps is the radius at which they are thinnest"
        return _Plan(best.dim, float(best.radii[k]), float(best.sigmas[k]), reason)
    return _Plan(min(best.dim, m), eps, None, best.reason, asked.eps is None or best.dim >= m)


def _spread(places: Places, sight: Sight, dim: int, engine: Engine) -> float:
    """Return the spread across the neighborhoods, as the noise where it was not measured."""
    return look(places.points, places.weights, sight, dim, engine).across


def _stayed(places: Places, sight: Sight, plan: _Plan, engine: Engine) -> Moved:
    seen = look(places.points, places.weights, sight, plan.dim, engine)
    outcome = f"nothing was moved: {plan.reason}"
    return Moved(places.points, seen.evidence, seen, (_state(0, 0.0, places.points, places, seen, engine),), outcome)


def _modes(places: Places, sight: Sight, asked: _Asked, engine: Engine) -> Moved:
    """Run mean shift."""
    first = look(places.points, places.weights, sight, 0, engine)
    trajectory = iterate(
        mean_shift(sight.eps, PROFILE),
        Space(Euclidean(places.points), places.weights, places.points),
        n_iter=_MODES if asked.n_iter is None else asked.n_iter,
        tol=_STILL if asked.n_iter is None else None,
        merge=0.0,
        engine=engine,
    )
    points = trajectory.points
    assert points is not None  # the space has coordinates
    last = look(points, places.weights, sight, 0, engine)
    moved = float(np.sqrt(places.weights @ ((points - places.points) ** 2).sum(axis=1)))
    steps = (
        _state(0, 0.0, places.points, places, first, engine),
        _state(trajectory.n_iter, moved, points, places, last, engine),
    )
    return Moved(points, first.evidence, last, steps, trajectory.outcome)


def _state(k: int, moved: float, points: Floats, places: Places, seen: Look, engine: Engine) -> Step:
    even = spacing(points[places.weights > 0], engine)
    return Step(k, moved, seen.across, seen.shared, even, extent(points, places.weights))


def _told(
    asked: _Asked, places: Places, span: Span | None, plan: _Plan, sigma: float, ended: Moved, engine: Engine
) -> Denoised:  # fmt: skip
    """Return the result for all rows, in the unit of the data."""
    of, stayed = places.of, ended.points is places.points
    points, variances, axes = ended.points[of], ended.last.variances, ended.last.axes
    if span is not None:  # points without mass may lie outside, and move along it
        points = span.points(ended.points)[of] + (asked.points - span.points(places.points)[of])
        variances, axes = _around(span, variances, axes)
    points = asked.given.copy() if stayed else points * asked.scale
    variances, axes = _in_units(variances, axes, asked.scale)
    evidence, tracked = ended.evidence, asked.track is not None
    outliers = outliers_of(ended.points, places.weights, evidence, plan.eps, plan.dim, tracked, engine)
    return Denoised(
        points, asked.given, asked.weights, plan.dim, plan.eps, sigma, outliers[of], evidence[of],
        variances[of], axes[of], ended.steps, ended.outcome, plan.reason, asked.scale, asked.track,
    )  # fmt: skip


def _around(span: Span, variances: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Return principal variances and axes in the space around the span: there is no variance across it."""
    n, across = len(axes), span.normals(min(len(span.axes), MOST_AXES) - axes.shape[2])
    within = np.einsum("ab,ibk->iak", span.axes, axes)
    beyond = np.broadcast_to(across, (n, *across.shape))
    return np.pad(variances, ((0, 0), (0, across.shape[1]))), np.concatenate([within, beyond], axis=2)


def _in_units(variances: Floats, axes: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Return principal variances and axes of neighborhoods with every axis in its own unit again."""
    if (scale == 1).all():
        return variances, axes
    stretched = scale[None, :, None] * axes
    if axes.shape[2] < len(scale):
        vectors, lengths, _ = np.linalg.svd(stretched * np.sqrt(variances)[:, None, :], full_matrices=False)
        return np.asarray(lengths**2), np.asarray(vectors)
    values, vectors = np.linalg.eigh(np.einsum("iak,ik,ibk->iab", stretched, variances, stretched))
    return np.maximum(values[:, ::-1], 0.0), np.asarray(vectors[:, :, ::-1])
