"""Distances that stay in their file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._cached import cached_property
from .._types import Ints
from ..backends import Filed, Source
from ..engine import Engine
from .changes import largest_change
from .metric import Metric
from .sources import Subset


@dataclass(frozen=True, eq=False, repr=False)
class OnDisk(Metric):
    """Distances in a file, square or condensed, of which parts are read when they are asked for.

    `Space.from_distances` makes it of a file. Trees, balls, nearest neighbors and movement go through the file from
    its beginning to its end, some megabytes at a time; `block` and `pairs` read what they are asked for. Transport and
    whatever else asks for distances here and there needs them as a square table of float64, which is made in memory or,
    by `Engine(store=folder)`, on disk.

    Parameters
    ----------
    source : Source
    largest_distance : float
    triangle : bool
        Whether the triangle inequality holds.
    """

    source: Source
    largest_distance: float
    triangle: bool = False

    def _in_words(self) -> str:
        return f" in {self.source.name}"

    @cached_property
    def form(self) -> Filed:
        return Filed(self.source, self.largest_distance)

    def _archive_state(self) -> dict[str, Any]:
        raise TypeError(
            f"distances in {self.source.name} are not copied into another file; keep that one, and make the space "
            "of it again by Space.from_distances"
        )

    def take(self, rows: Ints) -> OnDisk:
        return OnDisk(Subset(self.source, rows), self.largest_distance, self.triangle)

    @property
    def n_bytes(self) -> int:
        return 8 * self.n * self.n

    @property
    def is_on_disk(self) -> bool:
        return True

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest change of a distance: points of a matrix have no place of their own."""
        return largest_change(self, other, engine)
