"""What a run will take, estimated before it starts: memory, time, and whether the radius fits the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.spatial.distance import cdist

from .._check import option_text, warn
from .._types import Floats
from ..compute import sample_evenly
from ..compute.neighbors.moments import working_bytes
from ..cuda import n_cores
from ..engine import N_MATRICES, Engine, stored_array
from ..localize import Extrinsic, Localization
from ..measures import Gaussians
from ..spaces import Euclidean, Metric, Space, quotient
from ..transport import Transport
from ..transport.duration import MIN_LONG_SECONDS, CostWarning, describe_problems, describe_seconds

_SLACK_BYTES = 2.0**22  # that every run needs: tiles, workspaces, short lists of neighbors
_PAIR_SECONDS = 4e-9, 4e-8  # per pair within reach for means, and for covariances in the plane
_MIN_CHECKED = 30  # with fewer points, the radius is not checked: examples, small tests
_COUNTED_DISTANCES, _MIN_CENTERS, _MAX_CENTERS = 1e6, 20, 100  # to check the radius: distances, and rows of them
_MAX_ALONE, MAX_TOGETHER = 0.97, 0.6  # share of points without a neighbor; share of all points in a typical ball
_MAX_UNEQUAL = 30.0  # ratio of spreads above which columns seem to have different units
_INSTEAD = "use fewer points, or keep fewer states; wt.iterate(…, out=folder) puts matrices of distances on disk"


class ScaleWarning(UserWarning):
    """Warning: at the given radius nearly all points are alone, or a typical ball holds more than half of them.

    Examples
    --------
    >>> import warnings, numpy as np, wasserstein_transform as wt
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = wt.GaussianTransform(eps=1e-6).fit(X)
    >>> caught[0].category.__name__, str(caught[0].message).split(":")[0]
    ('ScaleWarning', 'at eps=1e-06 all points are alone')
    """


class Step(Protocol):
    """A localization and a transport, such as a `Transform`."""

    @property
    def localize(self) -> Localization: ...

    @property
    def transport(self) -> Transport: ...


def reserve_run(
    steps: Sequence[Step], space: Space, engine: Engine, n_iter: int, n_states: int, merges: bool, may_end_early: bool
) -> None:
    """Reserve the memory of a run, and warn if it takes long.

    `steps` are the different steps of the run, the first one first; `n_states` is the number of new states that are in
    memory at a time.
    """
    if n_states == 0:
        return
    n_seen = steps[0].localize.n_seen(space)
    each = [_step_bytes(step, space, engine, n_seen) for step in steps]
    state, working = (max(sizes) for sizes in zip(*each, strict=True))
    slack = min(_SLACK_BYTES, 2 * (state + working))
    merged = n_states * _merged_bytes(space) if merges else 0.0
    what = f"{n_iter} iterations on {space.n} points, {n_states} states at a time"
    engine.reserve(n_states * state + working + slack + merged, what, _INSTEAD)
    warn_if_long(steps[0], None if may_end_early else n_iter, space, engine)


def reserve_state(metric: Metric, space: Space, merges: bool, number: int, engine: Engine) -> None:
    """Reserve the memory of one more state of a run that started from `space`, if it is as large as `metric`."""
    if not metric.is_on_disk:
        merged = _merged_bytes(space) if merges else 0.0
        engine.reserve(metric.n_bytes + merged, f"state {number} of the flow", _INSTEAD)


def _step_bytes(step: Step, space: Space, engine: Engine, n_seen: float | None) -> tuple[float, float]:
    """Bytes of the state after a step, and of its working memory."""
    n, m = space.n, 0 if space.points is None else space.points.shape[1]
    state, working = step.transport.memory(n, m)
    if step.transport.makes_matrix and engine.goes_to_disk(state, N_MATRICES):
        state = working = 0.0
    if isinstance(step.localize, Extrinsic):
        working += working_bytes(space.metric, state, engine)
    elif n_seen is not None:  # balls while they are sorted, or measures and a reordered copy of them
        working = max(40.0 * n * n_seen, working + 32.0 * n * n_seen)
    return state, working


def _merged_bytes(space: Space) -> float:
    """Bytes of a merged state besides its metric: labels, leaders, masses, and the coordinates of all points."""
    return space.n * (24.0 + (0.0 if space.points is None else 8.0 * space.points.shape[1]))


def warn_of_scale(step: Step, eps: float, n_iter: int | None, space: Space, engine: Engine) -> None:
    """Warn if a given radius does not fit the data, unless the run takes so long that `warn_if_long` asks about it."""
    if space.n < _MIN_CHECKED or _estimate_seconds(step, n_iter, space, engine) >= MIN_LONG_SECONDS:
        return
    centers = sample_evenly(space.n, int(np.clip(_COUNTED_DISTANCES / space.n, _MIN_CENTERS, _MAX_CENTERS)))
    coordinates = space.metric.coordinates
    # a check needs no compiled distances
    if isinstance(space.metric, Euclidean) and isinstance(coordinates, np.ndarray):
        counts = np.count_nonzero(cdist(coordinates[centers], coordinates) <= eps, axis=1)
    else:
        counts = space.metric.n_within(centers, eps)
    alone, together = float(np.mean(counts <= 1)), float(np.median(counts)) / space.n
    if alone >= _MAX_ALONE:
        wrong = f"at eps={eps:.4g} {'all' if alone == 1 else 'nearly all'} points are alone: nothing will move"
    elif together >= MAX_TOGETHER:
        wrong = f"at eps={eps:.4g} a typical neighborhood holds {together:.0%} of the points: all will collapse to one"
    else:
        return
    warn(
        f"{wrong}; is eps in the unit of the data?{_compare_columns(space.points)} "
        f"{option_text('wt.suggest(X)', 'suggest')} proposes an eps",
        ScaleWarning,
    )


def _compare_columns(points: Floats | None) -> str:
    """A hint on columns whose spreads differ widely, or nothing."""
    if points is None or points.shape[1] < 2:
        return ""
    spreads = points.std(axis=0)
    wide, narrow = int(spreads.argmax()), int(np.where(spreads > 0, spreads, np.inf).argmin())
    if not spreads[wide] > _MAX_UNEQUAL * spreads[narrow] > 0:
        return ""
    scaling = option_text("StandardScaler", "scale='standard'")
    return (
        f" Column {wide} spreads {spreads[wide] / spreads[narrow]:.2g} times as far as column {narrow}: if they have "
        f"different units, scale them first ({scaling})."
    )


def warn_if_long(step: Step, n_iter: int | None, space: Space, engine: Engine) -> None:
    """Warn if `n_iter` iterations take long, or a single one if their number is unknown (None)."""
    seconds = _estimate_seconds(step, n_iter, space, engine)
    if seconds < MIN_LONG_SECONDS:
        return
    n_seen = step.localize.n_seen(space) or 0.0
    work = "moving them"
    if not isinstance(step.localize, Extrinsic):
        n_problems = space.n * (space.n - 1) // 2
        problems = describe_problems(n_problems, n_problems * n_seen**2)
        work = f"{type(step.transport).__name__.lower()} transport ({problems} each time)"
    advice = "a localization with fewer neighbors is faster, such as a kernel with cut=3 or Nearest(k)"
    if np.isfinite(step.localize.reach):
        suggest = option_text("wt.localize.suggest_eps(X)", "eps=auto")
        advice = f"is eps={step.localize.scale:g} in the unit of the data? {suggest} gives a starting value"
    warn(
        f"each neighborhood holds about {n_seen:.0f} of the {space.n} points, so that {work} will take about "
        f"{describe_seconds(seconds)}{' per iteration' * (n_iter is None)}; {advice}",
        CostWarning,
    )


def _estimate_seconds(step: Step, n_iter: int | None, space: Space, engine: Engine) -> float:
    """Seconds for all iterations, or for one if their number is unknown; 0 if there is no estimate."""
    localize, n_seen = step.localize, step.localize.n_seen(space)
    if n_seen is None:
        return 0.0
    if isinstance(localize, Extrinsic):
        points = stored_array(space, "points")
        m = 1 if points is None else points.shape[1]
        means, covs = _PAIR_SECONDS
        seconds_per_step = space.n * n_seen * (covs * max(1, m - 1) ** 2 if localize.makes is Gaussians else means * m)
    else:
        seconds_per_step = step.transport.seconds(space.n, n_seen)
    seconds = max(n_iter or 0, 1) * seconds_per_step / n_cores(engine)
    if seconds >= MIN_LONG_SECONDS:
        seconds *= _share_of_distinct(space, engine) ** (1 if isinstance(localize, Extrinsic) else 2)
    return seconds


def _share_of_distinct(space: Space, engine: Engine) -> float:
    """Share of distinct points: duplicates have equal measures, which are compared once."""
    coordinates = space.metric.coordinates
    if coordinates is None:
        return 1.0
    return quotient(Space(Euclidean(coordinates), space.weights, None), engine=engine.silent()).space.n / space.n
