"""Tables with new columns, and figures of points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats
    from .reading import Points


def check_kind(points: Points, kind: str, new: tuple[str, ...] = ()) -> None:
    """Raise if a format cannot hold the table with new numeric columns; tested with the first row."""
    from ..tables.columns import with_columns
    from ..tables.files import encode

    encode(with_columns(points.table.iloc[:1], {name: [0.0] for name in new}), kind)


def add_columns(points: Points, new: dict[str, Any], note: Callable[[str], None]) -> DataFrame:
    """The table with new columns; notes tell about columns that were renamed."""
    from ..tables.columns import with_columns

    table = with_columns(points.table, new)
    for words in table.attrs["notes"][len(points.table.attrs["notes"]) :]:
        note(words)
    return table


def encode_moved(points: Points, places: Floats, new: dict[str, Any], note: Callable[[str], None], kind: str) -> bytes:
    """Encode the table with moved points and new columns.

    In formats whose rows are places the points are moved, and the original coordinates are new columns; in others the
    moved coordinates are new columns.
    """
    from ..tables.columns import coordinates, places as own_places, with_places
    from ..tables.files import encode
    from ..tables.kinds import PLACED

    moved, own_names = moved_columns(points, places), own_places(points.table)
    own = [name for name in points.names if kind in PLACED and name in own_names]
    if not own:
        return encode(add_columns(points, moved | new, note), kind)
    old = {f"{name}_before": column for name, column in zip(own, coordinates(points.table, own).T, strict=True)}
    rest = {name: column for name, column in moved.items() if name.removesuffix("_moved") not in own}
    at = [points.names.index(name) for name in own]
    return encode(with_places(add_columns(points, old | rest | new, note), own, places[:, at]), kind)


def moved_columns(points: Points, places: Floats) -> dict[str, Any]:
    """Columns for moved coordinates: x_moved, y_moved."""
    return {f"{name}_moved": column for name, column in zip(points.names, places.T, strict=True)}


def title_of(points: Points) -> str:
    """The name of the file, and the scaling of its columns if there is one."""
    from ..plotting.colors import plain

    name = "standard input" if points.input.path is None else Path(points.input.name).name
    scale = points.facts()["scale"]
    return plain(name if scale == "none" else f"{name}, columns scaled ({scale['how']})")


def project(before: Floats, *others: Floats) -> tuple[Any, ...]:
    """Points with at most three coordinates; points with more are projected onto two principal axes of `before`."""
    import numpy as np

    if before.shape[1] <= 3:
        return before, *others
    center = before.mean(axis=0)
    axes = np.linalg.svd(before - center, full_matrices=False)[2][:2]
    return tuple((points - center) @ axes.T for points in (before, *others))


def label_axes(ax: Any, points: Points) -> Any:
    """Label the axes with the names of the columns."""
    from ..plotting.colors import plain
    from ..plotting.style import INK, TEXT

    names = list(points.names) if len(points.names) <= 3 else ["first principal axis", "second principal axis"]
    for letter, name in zip("xyz", names, strict=False):
        if hasattr(ax, f"set_{letter}label"):
            getattr(ax, f"set_{letter}label")(plain(name), fontsize=TEXT, color=INK)
    if getattr(ax, "name", "") == "rectilinear":
        ax.ticklabel_format(style="plain", useOffset=False)  # coordinates of a map in meters have seven digits
    elif getattr(ax, "name", "") == "3d":
        _label_offsets(ax)
    return ax


def _label_offsets(ax: Any) -> None:
    """Put the offset of the ticks into the axis labels of 3-D Axes, where ticks have no space for seven digits."""
    ax.ticklabel_format(style="plain")
    ax.figure.canvas.draw()  # ticks are chosen when they are drawn
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        off = axis.get_major_formatter().offset
        axis.offsetText.set_visible(False)
        if off:
            axis.set_label_text(f"{axis.get_label_text()} {'−' if off > 0 else '+'} {abs(off):.12g}")
