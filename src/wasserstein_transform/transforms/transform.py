"""One step of the Wasserstein Transform, and steps in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._archive import archived, check_type
from .._elsewhere import where_it_lies
from .._parts import Part
from .._types import Bools
from .._warn import warn
from ..engine import Engine, current
from ..localize import Localization
from ..spaces import Space, check_space
from ..transport import Transport
from .cost import warn_of_cost


class MasslessWarning(UserWarning):
    """Some points see no mass: they stay where they are."""


def warn_massless(massless: Bools, who: str = "points") -> None:
    """One warning for all points that see no mass."""
    warn_of_count(int(np.count_nonzero(massless)), len(massless), who)


def warn_of_count(count: int, n: int, who: str = "points") -> None:
    """The same, given how many of n they are."""
    if count:
        warn(
            f"{count} of {n} {who} see no mass within reach and stay where they are; "
            "a larger eps would reach a neighbor",
            MasslessWarning,
        )


@dataclass(frozen=True)
class Transform(Part):
    """W_{L,p}: localize every point to a measure, take the transport distance of the measures as the new metric.

    Measures with centers (Diracs, Gaussians) move the points there; discrete measures move the distances only.

    Parameters
    ----------
    localize : Localization
    transport : Transport

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> step = wt.Transform(wt.Truncation(1.0), wt.Exact(p=1))
    >>> step(wt.Space.from_points([[0.0], [1.0], [2.0]])).metric.dense()[0]
    array([0. , 0.5, 1. ])
    """

    localize: Localization
    transport: Transport

    def __post_init__(self) -> None:
        if not isinstance(self.localize, Localization):
            raise TypeError(f"localize must be a Localization such as Truncation(eps), got {self.localize!r}")
        if not isinstance(self.transport, Transport):
            raise TypeError(f"transport must be a Transport such as Exact(p=1), got {self.transport!r}")

    def __call__(self, space: Space, engine: Engine | None = None) -> Space:
        """The transformed space: new metric, same weights, moved points."""
        check_space(space)
        engine = current(engine)
        warn_of_cost(self.localize, self.transport, 1, space, self.localize.n_seen(space), engine)
        moved, massless = self.step(space, engine)
        warn_massless(massless)
        return moved

    def step(self, space: Space, engine: Engine) -> tuple[Space, Bools]:
        """The transformed space, and which points saw no mass."""
        measures = self.localize(space, engine)
        metric = self.transport.metric(measures, space.metric, engine)
        points = where_it_lies(space, "points") if measures.moved is None else measures.moved
        return Space(metric, space.weights, points), measures.massless


@archived
@dataclass(frozen=True)
class Process:
    """A start and steps: `start` (or nothing) makes the state of τ = 0, each step the next one.

    Parameters
    ----------
    start : Transform or None
    step : Transform or sequence of Transforms
        One for all iterations, or one for each.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> gt = wt.transforms.Process(
    ...     start=wt.Transform(wt.Gaussian(wt.Truncation(0.2), lam=5.0), wt.Bures()),
    ...     step=wt.Transform(wt.Gaussian(wt.Truncation(0.2), lam=5.0, move=True), wt.Bures()),
    ... )
    >>> gt == wt.gaussian_transform(0.2, 5.0)
    True
    """

    start: Transform | None
    step: Transform | Sequence[Transform]

    def _check_archived(self) -> None:
        check_type(self.start, "start", Transform, type(None))
        for step in [self.step] if isinstance(self.step, Transform) else self.step:
            check_type(step, "step", Transform)

    def at(self, k: int) -> Transform:
        """The transform of iteration k, counted from 0."""
        if isinstance(self.step, Transform):
            return self.step
        if k >= len(self.step):
            raise ValueError(
                f"there are steps (a sequence of eps) for {len(self.step)} iterations, and iteration {k + 1} was asked "
                "for; give one eps for each iteration, or a single one for all"
            )
        return self.step[k]

    def is_steady(self, k: int, n_iter: int) -> bool:
        """Whether all iterations from k on use the same transform."""
        return isinstance(self.step, Transform) or all(self.at(j) == self.at(k) for j in range(k + 1, n_iter))


def as_process(process: Process | Transform) -> Process:
    """A transform alone is a process that starts with the space as it is."""
    if isinstance(process, Transform):
        return Process(None, process)
    if not isinstance(process, Process):
        raise TypeError(f"a Process or a Transform is needed, such as wt.mean_shift(eps), got {process!r}")
    return process
