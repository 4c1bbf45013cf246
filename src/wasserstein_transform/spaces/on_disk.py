"""Distances that are read from a file on demand."""

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
    """Distances in a file, square or condensed, that are read in parts on demand.

    `Space.from_distances` makes it from a path. Trees, balls, nearest neighbors and movement read the file once from
    start to end, some megabytes at a time. `block` and `pairs` read only the entries they need. Transport needs random
    access: it first makes a square float64 matrix, in memory or, with `Engine(store=folder)`, on disk.

    Parameters
    ----------
    source : Source
        The open file.
    largest_distance : float
        The largest distance in the file.
    triangle : bool, default False
        Whether the triangle inequality holds.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/condensed.npy", np.array([1.0, 2.0, 1.5]))
    ...     metric = wt.Space.from_distances(f"{folder}/condensed.npy").metric
    ...     print(type(metric).__name__, metric.n, metric.block([0], [1, 2]))
    OnDisk 3 [[1. 2.]]
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
            f"distances in {self.source.name} are not copied into another file; keep that file and make the space "
            "again with Space.from_distances"
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
        """The largest change of a distance, since the points have no coordinates."""
        return largest_change(self, other, engine)
