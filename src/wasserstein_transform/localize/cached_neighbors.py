"""Each pair tested once."""

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
    """A flat kernel localization that tests each pair once and keeps a bit for it: the same measures at another cost.

    The Gaussian Transform asks twice who is near whom, from both sides. In three and more dimensions, where the answer
    is expensive, kernels keep bits by themselves while these are few; in the plane asking again is cheaper.

    Parameters
    ----------
    base : Truncation or flat Kernel

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
            raise TypeError(f"Once needs a flat kernel such as Truncation(eps), got {self.base!r}")

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
