"""Answers that are the input table with new columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .keeping import Offer

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats
    from .reading import Points
    from .running import Run

TEXT = "csv"  # the format for pipes


def offered(name: str, more: tuple[str, ...] = ()) -> Callable[[str], Offer]:
    """The offer of a table with this name, by default in the format of the input, and of other files."""
    from ..tables.kinds import WRITTEN

    kinds = {kind: f".{kind}" for kind in WRITTEN}
    return lambda kind: Offer(name, kinds, kind if kind in kinds else TEXT, TEXT, more)


def check_kind(points: Points, kind: str, new: tuple[str, ...] = ()) -> None:
    """Raise if a format cannot hold the table with new numeric columns; tested with the first row."""
    from ..tables.columns import with_columns
    from ..tables.files import encode

    encode(with_columns(points.table.iloc[:1], {name: [0.0] for name in new}), kind)


def beside(points: Points, new: dict[str, Any], run: Run) -> DataFrame:
    """The table with new columns; notes tell about columns that were renamed."""
    from ..tables.columns import with_columns

    table = with_columns(points.table, new)
    for note in table.attrs["notes"][len(points.table.attrs["notes"]) :]:
        run.note(note)
    return table


def encoder(table: DataFrame) -> Callable[[str], bytes]:
    """A function that encodes the table in any format."""

    def encode_as(kind: str) -> bytes:
        from ..tables.files import encode

        return encode(table, kind)

    return encode_as


def moved_encoder(points: Points, places: Floats, new: dict[str, Any], run: Run) -> Callable[[str], bytes]:
    """A function that encodes the table with moved points and new columns.

    In formats whose rows are places the points are moved, and the original coordinates are new columns; in others the
    moved coordinates are new columns.
    """

    def encode_as(kind: str) -> bytes:
        from ..tables.columns import coordinates, places as own_places, with_places
        from ..tables.kinds import PLACED

        own = [name for name in points.names if kind in PLACED and name in own_places(points.table)]
        if not own:
            return encoder(beside(points, moved(points, places) | new, run))(kind)
        old = {f"{name}_before": column for name, column in zip(own, coordinates(points.table, own).T, strict=True)}
        rest = {
            name: column for name, column in moved(points, places).items() if name.removesuffix("_moved") not in own
        }
        table = with_places(beside(points, old | rest | new, run), own, places[:, [points.names.index(n) for n in own]])
        return encoder(table)(kind)

    return encode_as


def moved(points: Points, places: Floats) -> dict[str, Any]:
    """Columns for moved coordinates: x_moved, y_moved."""
    return {f"{name}_moved": column for name, column in zip(points.names, places.T, strict=True)}
