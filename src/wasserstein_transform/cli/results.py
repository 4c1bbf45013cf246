"""Tables with new columns, and figures of points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import Offer

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats
    from .reading import Points


def offer_table(name: str, more: tuple[str, ...] = ()) -> Callable[[str], Offer]:
    """The offer of a table with this name, by default in the format of the input, and of other files."""
    from ..tables.kinds import WRITTEN

    kinds = {kind: f".{kind}" for kind in WRITTEN}
    return lambda kind: Offer(name, kinds, kind if kind in kinds else "csv", "csv", more)


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


def table_encoder(table: DataFrame) -> Callable[[str], bytes]:
    """A function that encodes the table in any format."""

    def encode_as(kind: str) -> bytes:
        from ..tables.files import encode

        return encode(table, kind)

    return encode_as


def moved_encoder(
    points: Points, places: Floats, new: dict[str, Any], note: Callable[[str], None]
) -> Callable[[str], bytes]:
    """A function that encodes the table with moved points and new columns.

    In formats whose rows are places the points are moved, and the original coordinates are new columns; in others the
    moved coordinates are new columns.
    """

    def encode_as(kind: str) -> bytes:
        from ..tables.columns import coordinates, places as own_places, with_places
        from ..tables.kinds import PLACED

        moved, own_names = moved_columns(points, places), own_places(points.table)
        own = [name for name in points.names if kind in PLACED and name in own_names]
        if not own:
            return table_encoder(add_columns(points, moved | new, note))(kind)
        old = {f"{name}_before": column for name, column in zip(own, coordinates(points.table, own).T, strict=True)}
        rest = {name: column for name, column in moved.items() if name.removesuffix("_moved") not in own}
        at = [points.names.index(name) for name in own]
        return table_encoder(with_places(add_columns(points, old | rest | new, note), own, places[:, at]))(kind)

    return encode_as


def moved_columns(points: Points, places: Floats) -> dict[str, Any]:
    """Columns for moved coordinates: x_moved, y_moved."""
    return {f"{name}_moved": column for name, column in zip(points.names, places.T, strict=True)}


def title_of(points: Points) -> str:
    """The name of the file, and the scaling of its columns if there is one."""
    name = "standard input" if points.input.path is None else Path(points.input.name).name
    scale = points.facts()["scale"]
    return escape_formulas(name if scale == "none" else f"{name}, columns scaled ({scale['how']})")


def escape_formulas(text: str) -> str:
    """Escape text so that matplotlib does not read it as a formula."""
    return text.replace("$", r"\$")


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
    from ..plotting.style import INK, TEXT

    names = list(points.names) if len(points.names) <= 3 else ["first principal axis", "second principal axis"]
    for letter, name in zip("xyz", names, strict=False):
        if hasattr(ax, f"set_{letter}label"):
            getattr(ax, f"set_{letter}label")(escape_formulas(name), fontsize=TEXT, color=INK)
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


def axes_for(points: Floats) -> Any:
    """Axes of a new figure with the shape of the points, made without pyplot."""
    from ..plotting.clouds import drawable, frame
    from ..plotting.style import panels

    width, height = frame(points)
    return panels(width=width, height=height, dim=drawable(points))[1]
