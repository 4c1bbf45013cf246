"""Answers that are the input table with new columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .keeping import Offer

if TYPE_CHECKING:
    from .._types import Floats
    from ..tables import Table
    from .reading import Points
    from .running import Run

TEXT = "csv"  # the format for pipes


def offered(name: str) -> Callable[[str], Offer]:
    """The offer of a table with this name, by default in the format of the input."""
    from ..tables.kinds import KINDS

    kinds = {kind: f".{kind}" for kind in KINDS}
    return lambda kind: Offer(name, kinds, kind if kind in kinds else TEXT, TEXT)


def check_kind(points: Points, kind: str, new: tuple[str, ...] = ()) -> None:
    """Raise if a format cannot hold the table with new numeric columns; tested with the first row."""
    from ..tables.writing import encode

    encode(points.table.take([0]).with_columns({name: [0.0] for name in new}), kind)


def beside(points: Points, new: dict[str, Any], run: Run) -> Table:
    """The table with new columns; notes tell about columns that were renamed."""
    table = points.table.with_columns(new)
    for note in table.notes[len(points.table.notes) :]:
        run.note(note)
    return table


def encoder(table: Table) -> Callable[[str], bytes]:
    """A function that encodes the table in any format."""

    def encode_as(kind: str) -> bytes:
        from ..tables.writing import encode

        return encode(table, kind)

    return encode_as


def moved(points: Points, places: Floats) -> dict[str, Any]:
    """Columns for moved coordinates: x_moved, y_moved."""
    return {f"{name}_moved": column for name, column in zip(points.names, places.T, strict=True)}
