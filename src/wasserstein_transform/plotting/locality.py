"""Balls of one point under the GT distance, for several λ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Bools, Floats
from ..spaces import GaussianMetric, Space, closed
from ..transforms import gaussian_transform, iterate
from .canvas import canvas, ready
from .clouds import equal, frame, name_axes
from .inputs import as_points, as_space, axis_names
from .style import INK, RASTER, THIN, TICKS, dot_size, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PALE = "#D0D0D0"


def balls(
    points: Any,
    center: int | ArrayLike,
    eps: float,
    lams: Sequence[float] = (0, 1, 5),
    *,
    weights: ArrayLike | None = None,
    ax: Axes | None = None,
    size: float | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the points within ε of one point under the GT distance (τ = 0), for several λ.

    d² = ‖x − y‖² + λ·dcov²(Σ_x, Σ_y) grows with λ, so the balls shrink: from the Euclidean ball (λ = 0) to the points
    whose neighborhood has the same shape. Smaller balls are drawn over larger ones; the legend gives the number of
    points in each. The dashed circle has radius ε.

    Parameters
    ----------
    points : array of shape (n, 2), or Space with points
        Points in the plane.
    center : int, or two coordinates
        Index of a point, or a position; a position stands for the point nearest to it.
    eps : float
        Radius ε of the neighborhoods and of the ball, in the unit of the points.
    lams : sequence of float, default (0, 1, 5)
        Values of λ ≥ 0.
    weights : array of shape (n,), optional
        Masses of the points. Default None: equal masses, or those of the Space.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    size : float, optional
        Area of a dot in square points; by default it shrinks as the number of points grows.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Notes
    -----
    One pass for the covariances of all neighborhoods, then n distances for each λ.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.balls(wt.datasets.dumbbell().points, [-1.0, 0.0], 0.5, ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['λ = 0 (84)', 'λ = 1 (80)', 'λ = 5 (69)']
    """
    ready(ax)
    space = _plane(points, weights)
    places = as_points(space)
    here = _index(center, places)
    lams = sorted(check.lam(lam) for lam in np.atleast_1d(lams).tolist())
    if not lams:
        raise ValueError("lams must hold at least one λ, got none; the default is (0, 1, 5)")
    sets = members(space, here, check.eps(eps), lams)
    ax = canvas(ax, 2, frame(places))
    _draw(ax, places, here, float(eps), lams, sets, size)
    equal(ax, places)
    tidy(ax, title)
    name_axes(ax, axis_names(points, 2))
    return ax


def members(space: Space, center: int, eps: float, lams: Sequence[float]) -> Bools:
    """Mask of the points in the ball for each λ, shape (lams, n)."""
    start = iterate(gaussian_transform(eps, lam=1.0), space, n_iter=0).last.metric
    assert isinstance(start, GaussianMetric)
    row, everybody = np.array([center]), np.arange(space.n)
    far = [GaussianMetric(start.means, start.covs, lam).block(row, everybody)[0] for lam in lams]
    return np.square(far) <= closed(eps)


def _plane(points: Any, weights: ArrayLike | None) -> Space:
    space = as_space(points)
    if space is not None and weights is not None:
        raise ValueError("a Space carries its weights, got weights as well; pass them to Space.from_points instead")
    places = as_points(points)
    if places.shape[1] != 2:
        raise ValueError(f"balls are drawn in the plane, points must have 2 coordinates, got {places.shape[1]}")
    return Space.from_points(places, weights if space is None else space.weights)


def _index(center: Any, points: Floats) -> int:
    if np.ndim(center) == 0:
        number = check.count(center, "center", 0)
        if number >= len(points):
            raise ValueError(f"center must be a point, 0 to {len(points) - 1}, got {number}; or give its coordinates")
        return number
    place = check.floats(center, "center")
    if place.shape != (2,):
        raise ValueError(f"center must be the number of a point or 2 coordinates, got shape {place.shape}")
    return int(np.linalg.norm(points - place, axis=1).argmin())


def _draw(
    ax: Any, points: Floats, here: int, eps: float, lams: Sequence[float], sets: Bools, size: float | None
) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Circle

    size = 2 * dot_size(len(points), ax) if size is None else check.positive(size, "size")
    shades = colormaps["viridis"](
        np.linspace(0.15, 0.95, len(lams))
    )  # a sequential colormap, because the sets are nested
    style = {"linewidths": 0, "rasterized": len(points) > RASTER}
    ax.scatter(*points.T, s=size / 2, c=_PALE, **style)
    for k, (lam, inside) in enumerate(zip(lams, sets, strict=True)):
        name = f"λ = {lam:g} ({np.count_nonzero(inside)})"
        ax.scatter(*points[inside].T, s=size, color=shades[k], label=name, **style)
    ax.add_patch(Circle(tuple(points[here]), eps, fill=False, ec=INK, lw=THIN, ls=(0, (4, 3))))
    ax.plot(*points[here], "+", color=INK, ms=6, mew=1.2)
    ax.legend(
        fontsize=TICKS, frameon=False, handletextpad=0.2, handlelength=1.0, borderaxespad=0.2, loc="upper right",
    )  # fmt: skip
