"""Points, colored by label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats
from .canvas import canvas
from .colors import Look, draw_scale, look
from .inputs import as_points, axis_names
from .labels import draw_legend, shape_dots, wants_legend
from .style import INK, RASTER, TEXT, WIDTH, Colors, dot_size, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_ROOM = 0.08  # of the longest side of a box: what a tick takes


def cloud(
    points: Any,
    labels: Any = None,
    *,
    values: Any = None,
    ax: Axes | None = None,
    size: float | None = None,
    title: str | None = None,
    colors: Colors = None,
    legend: bool | None = None,
) -> Axes:
    """Points of one, two or three coordinates, colored by label or by value, in equal units along all axes.

    Parameters
    ----------
    points : array of shape (n, m), table, Space, Trajectory or fitted transform
        m = 1 is drawn on a line, m = 3 in 3-D Axes. Of a trajectory, its end. The columns of a table name the axes.
    labels : array of shape (n,), optional
        Whole numbers choose colors as `color` does; −1 is noise, gray and below the others. Names are numbered in
        sorted order. Dots that are large enough have shapes, too. Fractions are taken as values.
    values : array of shape (n,), optional
        Numbers of any kind in place of labels (heights, say): their colors are a scale, which a bar explains; NaN is
        gray.
    ax : Axes, optional
    size : float, optional
        Area of a dot in square points; by default smaller for more points.
    title : str, optional
    colors : color, sequence, mapping or colormap, optional
        Instead of the palette: labels 0, 1, … run through a sequence; a mapping has a color for each label; values
        take a colormap. Without labels, one color or one for each point.
    legend : bool, optional
        Names of the labels beside the picture; by default in a figure of its own if there are two to ten.

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
    places = as_points(points)
    dim = drawable(places)
    dots = dotted(len(places), labels, size, colors, values)
    named = wants_legend(legend, dots.look.groups, ax is None)
    ax = canvas(ax, dim, frame(places))
    draw(ax, places, dots, title, named)
    name_axes(ax, axis_names(points, places.shape[1]))
    return ax


def draw(ax: Any, points: Floats, dots: Dots, title: str | None, legend: bool = False) -> None:
    """A whole picture of points."""
    shaped = scatter(ax, points, dots)
    equal(ax, points)
    tidy(ax, title)
    explain(ax, dots.look, legend, shaped)


def explain(ax: Any, shown: Look, legend: bool, shaped: bool = False) -> None:
    """What the colors mean, beside the picture."""
    if shown.scale is not None:
        draw_scale(ax, shown.scale, shown.name)
    elif legend:
        draw_legend(ax, shown.groups, shown.name, shaped)


def name_axes(ax: Any, names: Sequence[str]) -> None:
    """Names of the coordinates, if there are any."""
    for axis, name in zip("xyz", names, strict=False):
        getattr(ax, f"set_{axis}label")(name, fontsize=TEXT, color=INK)


def drawable(points: Floats) -> int:
    """How many dimensions the Axes must have."""
    m = int(points.shape[1])
    if m > 3:
        raise ValueError(
            f"points with 1, 2 or 3 coordinates can be drawn, these have {m}; choose columns, "
            "or let plotting.mds(space) find two"
        )
    return max(m, 2)


class Dots(NamedTuple):
    """What dots look like, and their size if it was chosen."""

    look: Look
    size: float | None


def dotted(n: int, labels: Any = None, size: float | None = None, colors: Colors = None, values: Any = None) -> Dots:
    """The look of n dots; all complaints come from here, before there is a figure."""
    return Dots(look(labels, n, colors, values), None if size is None else check.positive(size, "size"))


def scatter(ax: Any, points: Floats, dots: Dots) -> bool:
    """The dots alone; whether they have the shapes of their labels."""
    n, order = len(points), dots.look.order
    size = dot_size(n, ax) if dots.size is None else dots.size
    extra = {"depthshade": False} if points.shape[1] == 3 else {}
    drawn = ax.scatter(
        *flat(points)[order].T, s=size, c=dots.look.colors[order], linewidths=0, rasterized=n > RASTER, **extra
    )
    if dots.look.numbers is None or extra:  # 3-D Axes sort dots, but not their shapes
        return False
    return shape_dots(drawn, dots.look.numbers[order], size)


def flat(points: Floats) -> Floats:
    """At least two coordinates: points of a line get 0."""
    return points if points.shape[1] > 1 else np.column_stack([points, np.zeros(len(points))])


def equal(ax: Any, points: Floats) -> None:
    """Equal units along all axes; a line needs no second axis."""
    if points.shape[1] == 1:
        ax.set_yticks([])
        ax.spines[["left", "top", "right"]].set_visible(False)
        ax.spines["bottom"].set_position(("axes", 0.4))  # near the points, which lie at half height
        return
    if ax.name == "3d":
        ax.set_aspect("equal")
        _thin_out(ax)
    else:
        ax.set_aspect("equal", adjustable="datalim")  # the frames of all panels stay equal, too


def _thin_out(ax: Any) -> None:
    """Fewer ticks along the shorter axes of a box, so that they do not run into each other; long ones farther out."""
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    lengths = np.array([np.ptp(axis.get_view_interval()) for axis in axes])
    for axis, share in zip(axes, lengths / lengths.max(), strict=True):
        axis.get_major_locator().set_params(nbins=max(1, int(6 * share)))
        low, high = axis.get_view_interval()
        ticks = [tick for tick in axis.get_major_locator()() if low <= tick <= high]
        if len(ticks) * _ROOM > share:  # even few are too many: one says where the points are
            axis.set_ticks(ticks := [min(ticks, key=lambda tick: abs(tick - (low + high) / 2))] if ticks else [])
        letters = max(map(len, axis.get_major_formatter().format_ticks(ticks)), default=0)
        axis.set_tick_params(pad=max(0, 3 * (letters - 3)))


def frame(points: Floats) -> tuple[float, float]:
    """A size of a figure that the points fill, no side longer than the width of a page."""
    if points.shape[1] == 1:
        return WIDTH, WIDTH / 4
    if points.shape[1] == 3:
        return WIDTH, 0.85 * WIDTH
    wide, high = np.ptp(points, axis=0)
    ratio = float(np.clip(high / wide if wide > 0 else 2.0, 0.2, 2.0))
    edge = 0.6  # inches that letters take
    return edge + (WIDTH - edge) * min(1.0, 1 / ratio), edge + (WIDTH - edge) * min(1.0, ratio)
