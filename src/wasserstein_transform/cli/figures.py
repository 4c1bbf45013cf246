"""Pictures of answers: what they are called, and points of many coordinates seen along two of their axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points


def title_of(points: Points) -> str:
    """The name of the file; and what its columns were scaled by."""
    name = "standard input" if points.input.path is None else Path(points.input.name).name
    scaled = points.scaling is not None and points.scaling.changes
    return plain(f"{name}, columns scaled ({points.scaling.how})" if scaled and points.scaling else name)


def plain(text: str) -> str:
    """A text that is no formula."""
    return text.replace("$", r"\$")


def seen(before: Floats, *others: Floats) -> tuple[Any, ...]:
    """Points of at most three coordinates as they are; of more, all along the first two principal axes of the first."""
    import numpy as np

    if before.shape[1] <= 3:
        return before, *others
    center = before.mean(axis=0)
    axes = np.linalg.svd(before - center, full_matrices=False)[2][:2]
    return tuple((points - center) @ axes.T for points in (before, *others))


def named_axes(ax: Any, points: Points) -> Any:
    """Names of the columns at the axes."""
    names = list(points.names) if len(points.names) <= 3 else ["first principal axis", "second principal axis"]
    for letter, name in zip("xyz", names, strict=False):
        if hasattr(ax, f"set_{letter}label"):
            getattr(ax, f"set_{letter}label")(plain(name), fontsize=8, color="#333333")
    return ax


def axes_for(points: Floats) -> Any:
    """New Axes that points fill, in a figure of its own that no window knows."""
    from ..plotting.clouds import drawable, frame
    from ..plotting.style import panels

    width, height = frame(points)
    return panels(width=width, height=height, dim=drawable(points))[1]


def pair(clouds: list[Any], same: bool) -> tuple[Any, list[Any]]:
    """A figure with Axes for one or two clouds; `same`: in the same limits."""
    from matplotlib.figure import Figure

    from ..plotting.clouds import drawable

    figure = Figure(figsize=(3.6 * len(clouds), 3.4), layout="constrained")
    axes: list[Any] = []
    for k, points in enumerate(clouds, 1):
        shared = {"sharex": axes[0], "sharey": axes[0]} if same and axes and drawable(points) == 2 else {}
        projection = {"projection": "3d"} if drawable(points) == 3 else {}
        axes.append(figure.add_subplot(1, len(clouds), k, **shared, **projection))
    return figure, axes
