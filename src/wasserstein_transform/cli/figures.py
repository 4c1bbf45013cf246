"""Figures of answers: titles, axis labels, and projections of points with many coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points


def title_of(points: Points) -> str:
    """The name of the file, and the scaling of its columns if there is one."""
    name = "standard input" if points.input.path is None else Path(points.input.name).name
    scale = points.facts()["scale"]
    return plain(name if scale == "none" else f"{name}, columns scaled ({scale['how']})")


def plain(text: str) -> str:
    """Escape text so that matplotlib does not read it as a formula."""
    return text.replace("$", r"\$")


def seen(before: Floats, *others: Floats) -> tuple[Any, ...]:
    """Points with at most three coordinates; points with more are projected onto two principal axes of `before`."""
    import numpy as np

    if before.shape[1] <= 3:
        return before, *others
    center = before.mean(axis=0)
    axes = np.linalg.svd(before - center, full_matrices=False)[2][:2]
    return tuple((points - center) @ axes.T for points in (before, *others))


def named_axes(ax: Any, points: Points) -> Any:
    """Label the axes with the names of the columns."""
    from ..plotting.style import INK, TEXT

    names = list(points.names) if len(points.names) <= 3 else ["first principal axis", "second principal axis"]
    for letter, name in zip("xyz", names, strict=False):
        if hasattr(ax, f"set_{letter}label"):
            getattr(ax, f"set_{letter}label")(plain(name), fontsize=TEXT, color=INK)
    if getattr(ax, "name", "") == "rectilinear":
        ax.ticklabel_format(style="plain", useOffset=False)  # coordinates of a map in meters have seven digits
    elif getattr(ax, "name", "") == "3d":
        _say_offsets(ax)
    return ax


def _say_offsets(ax: Any) -> None:
    """Put the offset of the ticks into the axis labels of 3-D Axes, where ticks have no space for seven digits."""
    ax.ticklabel_format(style="plain")
    ax.figure.canvas.draw()  # ticks are chosen when they are drawn
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        off = axis.get_major_formatter().offset
        axis.offsetText.set_visible(False)
        if off:
            axis.set_label_text(f"{axis.get_label_text()} {'−' if off > 0 else '+'} {abs(off):.12g}")


def axes_for(points: Floats) -> Any:
    """Axes of a new figure with the shape of the points, made without pyplot."""
    from ..plotting.clouds import drawable, frame
    from ..plotting.style import panels

    width, height = frame(points)
    return panels(width=width, height=height, dim=drawable(points))[1]


def side_by_side(clouds: list[Any]) -> tuple[Any, list[Any]]:
    """A figure with Axes for each of some point clouds."""
    from ..plotting.clouds import drawable
    from ..plotting.style import panels

    figure, axes = panels(1, len(clouds), width=3.6 * len(clouds), height=3.4, dim=drawable(clouds[0]))
    return figure, [axes] if len(clouds) == 1 else list(axes)


def in_same_limits(axes: list[Any], clouds: list[Any]) -> None:
    """Give all Axes the limits of the box around all clouds."""
    from ..plotting.clouds import flat

    low = [min(column) for column in zip(*(flat(points).min(axis=0) for points in clouds), strict=True)]
    high = [max(column) for column in zip(*(flat(points).max(axis=0) for points in clouds), strict=True)]
    margin = 0.05 * max(b - a for a, b in zip(low, high, strict=True)) or 1.0
    for ax in axes:
        ax.set_aspect("equal", adjustable="box")
        for letter, least, most in zip("xyz", low, high, strict=False):
            ax.set(**{f"{letter}lim": (least - margin, most + margin)})
