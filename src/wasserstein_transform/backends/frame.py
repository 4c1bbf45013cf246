"""The properties of a whole cloud that make results for parts of it identical to the last bit."""

from __future__ import annotations

from collections.abc import Iterable
from math import frexp, inf, ldexp
from typing import NamedTuple

from .._archive import archived, check_range, check_type

_LARGEST = 1.7976931348623157e308


@archived
class Frame(NamedTuple):
    """The cells of a cloud, and the unit and the formulas for its covariances.

    Sums over neighbors are computed cell by cell. A part of a cloud that contains whole cells with all their candidates
    therefore gives the same bits as the whole cloud, if it has the same frame.

    Attributes
    ----------
    axes : tuple of int
        The axes along which cells are cut, widest first.
    origin : tuple of float
        The origin of the cells along each of these axes.
    side : float
        The side of a cell.
    per_reach : int
        Number of cells that a ball reaches across to either side.
    unit : float
        A power of two of the order of the largest covariance; 1 if there are none.
    planar : bool
        Whether the formulas for the plane are accurate for all covariances.
    """

    axes: tuple[int, ...]
    origin: tuple[float, ...]
    side: float
    per_reach: int
    unit: float = 1.0
    planar: bool = False


class Extent(NamedTuple):
    """The data that the frame of a cloud depends on, besides the reach; it can be computed in parts.

    Attributes
    ----------
    n : int
        Number of points.
    low, high : tuple of float
        Their smallest and largest coordinates.
    largest : float or None
        The largest absolute entry of their covariances; None if they have none.
    least : float
        The smallest positive trace of a covariance; infinity if there is none.
    """

    n: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    largest: float | None = None
    least: float = inf


def join(extents: Iterable[Extent]) -> Extent:
    """The joint extent of at least one part."""
    parts = list(extents)
    low = tuple(map(min, zip(*(part.low for part in parts), strict=True)))
    high = tuple(map(max, zip(*(part.high for part in parts), strict=True)))
    largest = None if parts[0].largest is None else max(part.largest or 0.0 for part in parts)
    return Extent(sum(part.n for part in parts), low, high, largest, min(part.least for part in parts))


def unit_of_size(largest: float | None) -> float:
    """A power of two of the order of the largest covariance: divided by it, products of entries do not overflow."""
    return ldexp(1.0, min(frexp(largest or 0.0)[1], 1023))


def check_frame(frame: Frame | None, m: int) -> None:
    """Raise if a stored frame cannot belong to a cloud in R^m."""
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
