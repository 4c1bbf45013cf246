"""What must be known of a whole cloud so that any part of it is computed to the same bits."""

from __future__ import annotations

from typing import NamedTuple

from .._archive import archived


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
