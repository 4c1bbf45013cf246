"""What must be known of a whole cloud so that any part of it is computed to the same bits."""

from __future__ import annotations

from typing import NamedTuple

from .._archive import archived, check_range, check_type

_LARGEST = 1.7976931348623157e308


@archived
class Frame(NamedTuple):
    """How a cloud is cut into cells, and in which unit and by which formula its covariances are compared.

    Sums over neighbors are taken cell by cell, so a part of a cloud that holds whole cells, with all those its points
    can see, gives them the bits that the whole cloud gives, if it is cut the same way.

    Attributes
    ----------
    axes : tuple of int
        The axes that cells are cut along, widest first.
    origin : tuple of float
        Where cells begin along each of them.
    side : float
        The side of a cell.
    per_reach : int
        Cells that a ball reaches across to either side.
    unit : float
        A power of two at the size of the largest covariance; 1 if there are none.
    planar : bool
        Whether the formulas of the plane hold for all covariances.
    """

    axes: tuple[int, ...]
    origin: tuple[float, ...]
    side: float
    per_reach: int
    unit: float = 1.0
    planar: bool = False


def check_frame(frame: Frame | None, m: int) -> None:
    """Refuse a stored frame that no cloud in R^m has."""
    check_type(frame, "frame", Frame, type(None))
    if frame is None:
        return
    for axis, origin in zip(frame.axes, frame.origin, strict=True):
        check_type(axis, "an axis of cells", int)
        check_range(axis, "an axis of cells", 0, m - 1)
        check_type(origin, "the origin of cells", float, int)
        check_range(abs(origin), "the origin of cells", 0.0, _LARGEST)
    for number, name in ((frame.side, "the side of cells"), (frame.unit, "the unit of covariances")):
        check_type(number, name, float, int)
        check_range(number, name, 5e-324, _LARGEST)
    check_type(frame.per_reach, "cells per reach", int)
    check_range(frame.per_reach, "cells per reach", 1, 1 << 20)
    check_type(frame.planar, "planar", bool)
