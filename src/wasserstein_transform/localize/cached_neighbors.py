"""A flat kernel that tests each pair of points once and stores the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from .._types import Floats
from ..engine import Engine
from ..measures import Discrete
from ..spaces import Space
from .base import HasMoments, Inductive
from .kernel import Kernel, Truncation


@dataclass(frozen=True)
class CachedNeighbors(Inductive):
    """A flat kernel localization that stores one bit per tested pair; it trades memory for fewer distance tests.

    The measures are those of `base`. The Gaussian Transform needs the neighbors of each point twice. In three and
    more dimensions, where distances are expensive, flat kernels store these bits on their own as long as the bits are
    few. In the plane, computing the distances again is faster.

    Parameters
    ----------
    base : Truncation or Kernel with profile="flat"
        The localization whose pairs are stored.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> wt.Mean(wt.CachedNeighbors(wt.Truncation(1.0)))(space).points.ravel()
    array([0.5, 0.5, 5. ])
    """

    base: Kernel

    def __post_init__(self) -> None:
        if not isinstance(self.base, Kernel) or self.base.profile != "flat":
            raise TypeError(f"CachedNeighbors needs a flat kernel such as Truncation(eps), got {self.base!r}")

    @property
    def scale(self) -> float:
        return self.base.scale

    @property
    def reach(self) -> float:
        return self.base.reach

    def n_seen(self, space: Space) -> float | None:
        return self.base.n_seen(space)

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        return [cls(Truncation(eps))]

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        return self.base(space, engine)

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        return self.base.moments(space, engine, first).cached()

    def cross(self, distances: Floats, space: Space) -> Discrete:
        return self.base.cross(distances, space)
