"""One step of the Wasserstein Transform, and sequences of steps."""

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
    """Warns that some points see no mass within reach: they do not move.

    It happens to points of weight 0 and to new points that are far from all others.

    Examples
    --------
    >>> import warnings, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [9.0]], weights=[1.0, 0.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     moved = wt.iterate(wt.mean_shift(1.0), space, n_iter=1).points
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    MasslessWarning: 1 of 2 points see no mass within reach and stay where they are; a larger eps would reach a neighbor
    """


def warn_massless(massless: Bools, who: str = "points") -> None:
    """Give one warning for all points that see no mass."""
    warn_of_count(int(np.count_nonzero(massless)), len(massless), who)


def warn_of_count(count: int, n: int, who: str = "points") -> None:
    """Give one warning if `count` of n points see no mass."""
    if count:
        warn(
            f"{count} of {n} {who} see no mass within reach and stay where they are; "
            "a larger eps would reach a neighbor",
            MasslessWarning,
        )


@dataclass(frozen=True)
class Transform(Part):
    """One step: localize every point to a measure, and use the transport distance of the measures as the new metric.

    Diracs and Gaussians also move the points, to the centers of the measures. Discrete measures change only the
    distances. It is the W_{L,p} of the paper.

    Parameters
    ----------
    localize : Localization
        Gives every point a measure, such as Truncation(eps).
    transport : Transport
        Compares the measures, such as Exact(p=1). It must accept the measures of `localize`.

    Notes
    -----
    For Exact transport up to n(n−1)/2 transport problems. For Diracs and Gaussians the new distances are computed on
    demand.

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
        """Transform a space: new metric, same weights, moved points."""
        check_space(space)
        engine = current(engine)
        warn_of_cost(self.localize, self.transport, 1, space, self.localize.n_seen(space), engine)
        moved, massless = self.step(space, engine)
        warn_massless(massless)
        return moved

    def step(self, space: Space, engine: Engine) -> tuple[Space, Bools]:
        """Transform a space without warnings; return it and the points that saw no mass."""
        measures = self.localize(space, engine)
        metric = self.transport.metric(measures, space.metric, engine)
        points = where_it_lies(space, "points") if measures.moved is None else measures.moved
        return Space(metric, space.weights, points), measures.massless


@archived
@dataclass(frozen=True)
class Process:
    """A sequence of transforms: an optional start, which makes the state at τ = 0, and one transform per iteration.

    Parameters
    ----------
    start : Transform or None
        The transform before the first iteration. None: the state at τ = 0 is the space itself.
    step : Transform or sequence of Transform
        One transform for all iterations, or one per iteration.

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
        """Return the transform of iteration k, counted from 0."""
        if isinstance(self.step, Transform):
            return self.step
        if k >= len(self.step):
            raise ValueError(
                f"there are steps (a sequence of eps) for {len(self.step)} iterations, but iteration {k + 1} was "
                "requested; pass one eps per iteration, or a single eps for all"
            )
        return self.step[k]

    def is_steady(self, k: int, n_iter: int) -> bool:
        """Return whether all iterations from k to n_iter − 1 use the same transform."""
        return isinstance(self.step, Transform) or all(self.at(j) == self.at(k) for j in range(k + 1, n_iter))


def as_process(process: Process | Transform) -> Process:
    """Make a process from a transform; return a process unchanged."""
    if isinstance(process, Transform):
        return Process(None, process)
    if not isinstance(process, Process):
        raise TypeError(f"a Process or a Transform is needed, such as wt.mean_shift(eps), got {process!r}")
    return process
