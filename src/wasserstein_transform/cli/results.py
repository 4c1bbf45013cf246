"""Tables with new columns, and figures of points."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats
    from .reading import PointsInput
    from .running import Run


def check_kind(points: PointsInput, kind: str, new: tuple[str, ...]) -> None:
    """Raise if a format cannot hold the table with new numeric columns; tested with the first row."""
    from ..io import encode
    from ..tables import with_columns

    encode(with_columns(points.table.iloc[:1], {name: [0.0] for name in new}), kind)


def add_columns(points: PointsInput, new: dict[str, Any], run: Run) -> DataFrame:
    """The table with new columns; notes tell about columns that were renamed."""
    from ..tables import with_columns

    table = with_columns(points.table, new)
    for words in table.attrs["notes"]:
        run.note(words)
    return table


def encode_moved(points: PointsInput, moved_to: Floats, new: dict[str, Any], run: Run, kind: str) -> bytes:
    """Encode the table with moved points and new columns.

    In formats whose rows are places the points are moved, and the original coordinates are new columns; in others the
    moved coordinates are new columns.
    """
    from ..io import PLACED, encode
    from ..tables import coordinate_names, coordinates, with_coordinates

    moved, own_names = moved_columns(points, moved_to), coordinate_names(points.table)
    moving = [name for name in points.names if kind in PLACED and name in own_names]
    if not moving:
        return encode(add_columns(points, moved | new, run), kind)
    old = {f"{name}_before": column for name, column in zip(moving, coordinates(points.table, moving).T, strict=True)}
    rest = {name: column for name, column in moved.items() if name.removesuffix("_moved") not in moving}
    index = [points.names.index(name) for name in moving]
    return encode(with_coordinates(add_columns(points, old | rest | new, run), moving, moved_to[:, index]), kind)


def encode_array(array: Any) -> bytes:
    """An array as a file of NumPy."""
    import numpy as np

    raw = BytesIO()
    np.save(raw, array, allow_pickle=False)
    return raw.getvalue()


def moved_columns(points: PointsInput, moved_points: Floats) -> dict[str, Any]:
    """Columns for moved coordinates: x_moved, y_moved."""
    return {f"{name}_moved": column for name, column in zip(points.names, moved_points.T, strict=True)}


def title_of(points: PointsInput) -> str:
    """The name of the file, for a figure."""
    from ..plotting import plain
    from .reading import name_of

    return plain(Path(name_of(points.input["name"])).name)


def project(before: Floats, *others: Floats) -> tuple[Any, ...]:
    """Points with at most three coordinates; points with more are projected onto two principal axes of `before`."""
    import numpy as np

    if before.shape[1] <= 3:
        return before, *others
    center = before.mean(axis=0)
    axes = np.linalg.svd(before - center, full_matrices=False)[2][:2]
    return tuple((points - center) @ axes.T for points in (before, *others))


def label_axes(ax: Any, points: PointsInput) -> Any:
    """Label the axes with the names of the columns."""
    from ..plotting import name_axes, plain

    many = len(points.names) > 3
    name_axes(ax, ["first principal axis", "second principal axis"] if many else [plain(name) for name in points.names])
    if ax.name == "rectilinear":
        ax.ticklabel_format(style="plain", useOffset=False)  # coordinates of a map in meters have seven digits
    return ax
