"""Scatter plots of points, colored by label or value, and what can be drawn as points or distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check as check
from .._types import Floats
from ..spaces import Metric, Space
from ..transforms import Trajectory
from .colors import MAX_NAMED, Colors, DotStyle, dot_style, draw_legend, draw_scale, plain
from .style import INK, RASTER, TEXT, WIDTH, canvas, dot_size, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def as_space(shown: Any) -> Space | None:
    """The Space of a Space, Metric, Trajectory or fitted transform (its last state); None for anything else."""
    shown = getattr(shown, "trajectory_", shown)
    if isinstance(shown, Trajectory):
        return shown.last
    if isinstance(shown, Metric):
        return Space(shown, np.full(shown.n, 1.0 / shown.n), None)
    return shown if isinstance(shown, Space) else None


def as_points(shown: Any) -> Floats:
    """Coordinates of an array, of a table, or of a space that has them."""
    space = as_space(shown)
    if space is None:
        return check.points(shown)
    if space.points is None:
        raise ValueError(f"{space!r} has no coordinates to draw; plotting.mds(space) places points by their distances")
    return space.points


def axis_names(shown: Any, m: int) -> tuple[str, ...]:
    """Names of the m coordinates: the columns of a table, or of the table that a transform was fitted to; else ()."""
    names = (
        getattr(shown, "feature_names_in_", None) if hasattr(shown, "trajectory_") else getattr(shown, "columns", None)
    )
    named = () if names is None else tuple(names)
    return tuple(map(plain, named)) if len(named) == m and all(isinstance(name, str) for name in named) else ()


def cloud(
    points: Any,
    labels: Any = None,
    *,
    ax: Axes | None = None,
    size: float | None = None,
    title: str | None = None,
    colors: Colors = None,
    legend: bool | None = None,
) -> Axes:
    """Draw points with one, two or three coordinates, colored by label or value, with equal units on all axes.

    Parameters
    ----------
    points : array of shape (n, m), table, Space, Trajectory or fitted transform
        m = 1 is drawn on a line, m = 3 in 3-D Axes. Of a Trajectory the last state is drawn. The column names of a
        table become the axis labels.
    labels : array of shape (n,), optional
        Integers choose colors as `color` does; −1 is noise, drawn in gray below the other points. Strings are numbered
        in sorted order. Floats that are not integers are values (heights, for example), drawn with a colormap and a
        color bar; NaN is gray. Default None: all points have the same color.
    ax : Axes, optional
        Axes to draw into, 3-D if m = 3; None (default) makes a new figure.
    size : float, optional
        Area of a dot in square points; by default it shrinks as the number of points grows.
    title : str, optional
        Title above the Axes; none by default.
    colors : color or mapping, optional
        Replaces the palette: a mapping from label to color, or one color for points without labels.
    legend : bool, optional
        Whether to list the labels beside the Axes. Default None: only if a new figure is made and there are two to ten
        labels.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> X, labels = wt.datasets.dumbbell()
    >>> ax = wt.plotting.cloud(X, labels, ax=ax, title="dumbbell")
    >>> len(ax.collections[0].get_offsets())
    800
    """
    coordinates = as_points(points)
    dim = drawable(coordinates)
    size = None if size is None else check.positive(size, "size")
    dots = dot_style(labels, len(coordinates), colors)
    if legend is None:
        legend = ax is None and 1 < len(dots.legend) <= MAX_NAMED
    ax = canvas(ax, dim, frame(coordinates))
    draw(ax, coordinates, dots, title, legend, size)
    name_axes(ax, axis_names(points, coordinates.shape[1]))
    return ax


def draw(
    ax: Any, points: Floats, dots: DotStyle, title: str | None, legend: bool = False, size: float | None = None
) -> None:
    """Draw points with frame, title and legend."""
    scatter(ax, points, dots, size)
    equal(ax, points)
    tidy(ax, title)
    explain(ax, dots, legend)


def explain(ax: Any, dots: DotStyle, legend: bool) -> None:
    """Draw a color bar or a legend beside the Axes."""
    if dots.scale is not None:
        draw_scale(ax, dots.scale, dots.name)
    elif legend and dots.legend:
        draw_legend(ax, dots.legend, dots.name)


def name_axes(ax: Any, names: Sequence[str]) -> None:
    """Label the axes with the names of the coordinates, if there are any."""
    for axis, name in zip("xyz", names, strict=False):
        getattr(ax, f"set_{axis}label")(name, fontsize=TEXT, color=INK)


def drawable(points: Floats) -> int:
    """Number of dimensions that the Axes must have for these points."""
    m = int(points.shape[1])
    if m > 3:
        raise ValueError(
            f"points with 1, 2 or 3 coordinates can be drawn, these have {m}; choose columns, "
            "or use plotting.mds(space) to find two coordinates"
        )
    return max(m, 2)


def scatter(ax: Any, points: Floats, dots: DotStyle, size: float | None = None, zorder: float = 1) -> None:
    """Draw the dots only."""
    n, order = len(points), dots.order
    size = dot_size(n, ax) if size is None else size
    looks: dict[str, Any] = {"linewidths": 0, "rasterized": n > RASTER, "zorder": zorder}
    if points.shape[1] == 3:
        looks["depthshade"] = False
    ax.scatter(*flat(points)[order].T, s=size, c=dots.colors[order], **looks)


def flat(points: Floats) -> Floats:
    """Points with at least two coordinates: those on a line get a second coordinate 0."""
    return points if points.shape[1] > 1 else np.column_stack([points, np.zeros(len(points))])


def equal(ax: Any, points: Floats) -> None:
    """Set equal units on all axes; points on a line get no second axis."""
    if points.shape[1] == 1:
        ax.set_yticks([])
        ax.spines[["left", "top", "right"]].set_visible(False)
        ax.spines["bottom"].set_position(("axes", 0.4))  # near the points, which are at half height
    elif ax.name == "3d":
        ax.set_aspect("equal")
        axes = (ax.xaxis, ax.yaxis, ax.zaxis)
        lengths = np.array([np.ptp(axis.get_view_interval()) for axis in axes])
        for axis, share in zip(axes, lengths / lengths.max(), strict=True):  # fewer ticks on shorter axes
            axis.get_major_locator().set_params(nbins=max(1, int(6 * share)))
    else:
        ax.set_aspect("equal", adjustable="datalim")  # keeps the frames of all panels equal
        ax.ticklabel_format(useOffset=False)  # 48.12, not 0.12 beside +48


def frame(points: Floats) -> tuple[float, float]:
    """Figure size in inches that fits the shape of the points; no side is longer than a page is wide."""
    if points.shape[1] == 1:
        return WIDTH, WIDTH / 4
    if points.shape[1] == 3:
        return WIDTH, 0.85 * WIDTH
    wide, high = np.ptp(points, axis=0)
    ratio = float(np.clip(high / wide if wide > 0 else 2.0, 0.2, 2.0))
    edge = 0.6  # inches for tick labels
    return edge + (WIDTH - edge) * min(1.0, 1 / ratio), edge + (WIDTH - edge) * min(1.0, ratio)
