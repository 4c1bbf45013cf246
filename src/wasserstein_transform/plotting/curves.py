"""Points before and after they were moved onto curves and surfaces, and the lines made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..curves import Denoised, Skeleton
from .canvas import canvas
from .clouds import dotted, drawable, equal, flat, frame, scatter
from .labels import Group, draw_legend
from .style import GRAY, NOISE, PALETTE, STRONG, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAINT = "#C8C8C8"


def denoised(found: Denoised, ax: Axes | None = None, *, title: str | None = None, legend: bool | None = None) -> Axes:
    """The points as they were, light, and where they went; outliers darker gray.

    A legend says so in a figure of its own, or where it is asked for.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.denoised(wt.denoise(wt.datasets.circles(0).points), ax)
    >>> len(ax.collections)
    2
    """
    if not isinstance(found, Denoised):
        raise TypeError(f"a Denoised is drawn, got {type(found).__name__}; wt.denoise(X) makes one")
    dim = drawable(found.points)
    labels = np.where(found.outliers, -1, 0)
    before, after = dotted(len(labels), colors=_FAINT), dotted(len(labels), labels)
    named = legend or (legend is None and ax is None)
    ax = canvas(ax, dim, frame(found.before))
    scatter(ax, found.before, before)
    scatter(ax, found.points, after)
    equal(ax, found.before)
    tidy(ax, title)
    if named:
        moved = Group("moved", 0, PALETTE[0]), Group("as they were", 1, _FAINT)
        draw_legend(ax, moved + (Group("outliers", NOISE, GRAY),) * bool(found.outliers.any()))
    return ax


def skeleton(found: Skeleton, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """The moved points, light, the lines, and their junctions as dots.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> found = wt.skeleton(wt.denoise(wt.datasets.circles(0, n=1000, noise=0.05).points))
    >>> len(wt.plotting.skeleton(found, ax).lines)
    2
    """
    if not isinstance(found, Skeleton):
        raise TypeError(f"a Skeleton is drawn, got {type(found).__name__}; wt.skeleton(wt.denoise(X, 1)) makes one")
    points = found.source.points
    dim = drawable(points)
    ax = canvas(ax, dim, frame(points))
    scatter(ax, points, dotted(len(points), colors=_FAINT))
    above = 10 if dim == 3 else 2  # 3-D Axes draw clouds over lines otherwise
    for line in found.lines:
        ax.plot(*flat(line).T, color=PALETTE[0], lw=1.4, solid_capstyle="round", zorder=above)
    _dots(ax, flat(found.junctions), STRONG)
    equal(ax, points)
    tidy(ax, title)
    return ax


def _dots(ax: Any, places: Any, tint: str) -> None:
    if len(places):
        extra = {"depthshade": False} if places.shape[1] == 3 else {}
        ax.scatter(*places.T, s=24, color=tint, zorder=3, linewidths=1.0, edgecolors="white", **extra)
