"""Points before and after denoising, and the lines of a skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._display import quantity
from .._types import Floats
from ..curves import Denoised, Skeleton
from .clouds import drawable, equal, flat, frame, scatter
from .colors import dot_style, draw_legend
from .style import GRAY, INK, PALETTE, STRONG, TICKS, canvas, expect, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINT_COLOR, LAND_COLOR = "#C8C8C8", "#F4F2EC"


def denoised(found: Denoised, ax: Axes | None = None, *, title: str | None = None, legend: bool | None = None) -> Axes:
    """Draw denoised points over the original ones.

    The original points are light gray, the moved points blue, outliers darker gray.

    Parameters
    ----------
    found : Denoised
        The result of `wt.denoise`, with points of one, two or three coordinates.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.
    legend : bool, optional
        Whether to explain the colors beside the Axes. Default None: only if a new figure is made.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.denoised(wt.denoise(wt.datasets.circles(0).points), ax)
    >>> len(ax.collections)  # original points, moved points
    2
    """
    expect(found, Denoised, "wt.denoise(X) makes one")
    dim = drawable(found.points)
    labels = np.where(found.outliers, -1, 0)
    before, after = dot_style(None, len(labels), POINT_COLOR), dot_style(labels, len(labels))
    named = legend or (legend is None and ax is None)
    ax = canvas(ax, dim, frame(found.in_meters().before))
    originals = _together(found, found.before)
    scatter(ax, originals, before)
    scatter(ax, _together(found, found.points), after)
    equal(ax, originals)
    _make_map(ax, found, originals)
    tidy(ax, title)
    if named:
        outliers = {"outliers": GRAY} if found.outliers.any() else {}
        draw_legend(ax, {"moved": PALETTE[0], "original": POINT_COLOR, **outliers})
    return ax


def skeleton(found: Skeleton, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the lines of a skeleton over the denoised points, with dots at the junctions.

    Parameters
    ----------
    found : Skeleton
        The result of `wt.skeleton`, of points with one, two or three coordinates.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> found = wt.skeleton(wt.denoise(wt.datasets.circles(0, n=1000, noise=0.05).points))
    >>> len(wt.plotting.skeleton(found, ax).lines)  # the two circles
    2
    """
    expect(found, Skeleton, "wt.skeleton(wt.denoise(X, 1)) makes one")
    points = _together(found.source, found.source.points)
    dim = drawable(points)
    ax = canvas(ax, dim, frame(found.source.in_meters().points))
    scatter(ax, points, dot_style(None, len(points), POINT_COLOR))
    above = 10 if dim == 3 else 2  # otherwise 3-D Axes draw the points over the lines
    for line in found.lines:
        ax.plot(*flat(_together(found.source, line)).T, color=PALETTE[0], lw=1.4, solid_capstyle="round", zorder=above)
    junctions = _together(found.source, found.junctions)
    size = float(np.clip(600 / max(len(junctions), 1), 4, 24))
    scatter(ax, junctions, dot_style(None, len(junctions), STRONG), size, above + 1)
    equal(ax, points)
    _make_map(ax, found.source, points)
    tidy(ax, title)
    return ax


def _together(denoised: Denoised, points: Floats) -> Floats:
    """Return places in degrees side by side, also across ±180°; others as they are."""
    return points if denoised.earth is None else denoised.earth.around(points)


def _make_map(ax: Any, denoised: Denoised, points: Floats) -> None:
    """Give flat points with a known unit the ground and the scale bar of a map, and degrees their true proportions."""
    if not denoised.unit or points.shape[1] != 2 or len(points) < 2:
        return
    from mpl_toolkits.axes_grid1.anchored_artists import AnchoredSizeBar

    degree = 1.0
    if denoised.earth is not None:
        ax.set_aspect(1 / np.cos(np.deg2rad(denoised.earth.latitude)), adjustable="datalim")
        ax.ticklabel_format(useOffset=False)
        degree = float(np.ptp(denoised.earth.to_meters(np.array([[0.0, 0], [0.01, 0]]) + points[:1])[:, 0])) / 0.01
    ax.set_facecolor(LAND_COLOR)
    ax.grid(color="white", lw=0.8, zorder=0)
    ax.set_axisbelow(True)
    if (widest := float(np.ptp(points[:, 0])) * degree / 4) > 0:
        power = 10.0 ** np.floor(np.log10(widest))
        length = power * max(k for k in (1, 2, 5) if k * power <= widest)
        bar = AnchoredSizeBar(
            ax.transData, length / degree, quantity(length, denoised.unit), "lower left", pad=0.6, sep=3, frameon=False,
            size_vertical=0, color=INK, fontproperties={"size": TICKS},
        )  # fmt: skip
        ax.add_artist(bar)
