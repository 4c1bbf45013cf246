"""Point clouds over the iterations of a transform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _check as check
from .._types import Floats
from ..transforms import Trajectory
from .clouds import drawable, equal, explain, flat, scatter
from .colors import Colors, look, wants_legend
from .style import check_axes, grid, need_matplotlib, new_figure, size_of, tidy

_MOST = 6  # panels drawn by default
_COLS = 3  # panels side by side


def walk(
    trajectory: Any,
    labels: Any = None,
    *,
    values: Any = None,
    steps: Sequence[int] | None = None,
    axes: Any = None,
    title: str | None = None,
    colors: Colors = None,
    legend: bool | None = None,
) -> Any:
    """Draw the points after each iteration τ, one panel per state, all with the same limits.

    Parameters
    ----------
    trajectory : Trajectory or fitted transform
        It must hold all its states, as `wt.iterate(..., keep="all")` returns them.
    labels, values : arrays of shape (n,), optional
        As in `cloud`.
    steps : sequence of int, optional
        The τ to draw. Default None: all of them, or six evenly spaced ones if there are more than six states.
    axes : array of Axes, optional
        One Axes for each panel; None (default) makes a new figure.
    title : str, optional
        Text in front of τ in the title of each panel.
    colors, legend
        As in `cloud`; the legend is beside the last panel.

    Returns
    -------
    array of Axes, one for each panel

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> X, labels = wt.datasets.dumbbell()
    >>> flow = wt.iterate(wt.gaussian_transform(0.2), wt.Space.from_points(X), n_iter=2, keep="all")
    >>> figure, axes = wt.plotting.panels(1, 3)
    >>> [ax.get_title(loc="left") for ax in wt.plotting.walk(flow, labels, axes=axes)]
    ['τ = 0', 'τ = 1', 'τ = 2']
    """
    states = _states(trajectory)
    dim = drawable(states[0])
    taus = _chosen(steps, len(states))
    dots = look(labels, len(states[0]), colors, values)
    named = wants_legend(legend, dots.groups, axes is None)
    panels = _new(len(taus), states, dim) if axes is None else _given(axes, len(taus), dim)
    limits = _limits([states[tau] for tau in taus])
    shaped = False
    for ax, tau in zip(panels, taus, strict=True):
        shaped = scatter(ax, states[tau], dots)
        tidy(ax, f"τ = {tau}" if title is None else f"{title}, τ = {tau}")
        _frame(ax, states[tau], limits)
    explain(panels[-1], dots, named, shaped)
    return panels


def _states(trajectory: Any) -> list[Floats]:
    run = getattr(trajectory, "trajectory_", trajectory)
    if not isinstance(run, Trajectory):
        raise TypeError(f"a Trajectory is needed, got {type(run).__name__}; wt.iterate(...) returns one")
    if len(run.quotients) < run.n_iter + 1:
        raise ValueError(
            f"walk needs the states of all {run.n_iter + 1} steps τ = 0 … {run.n_iter}, this run kept "
            f'{len(run.quotients)}; run it again with keep="all"'
        )
    points = [state.points for state in run.quotients]
    known = [place for place in points if place is not None]
    if len(known) < len(points):
        raise ValueError("the space has no coordinates to draw; plotting.mds(state) draws a state by its distances")
    if len(known) > 1 and all(place is known[0] for place in known):
        raise ValueError(
            "this transform moves distances, not points; plotting.mds(state) draws the states of such a trajectory"
        )
    return known


def can_walk(run: Trajectory) -> bool:
    """Whether all states were kept, in one to three coordinates that change."""
    points = [state.points for state in run.quotients]
    whole = len(points) == run.n_iter + 1 > 1 and points[0] is not None and points[0].shape[1] <= 3
    return whole and points[-1] is not points[0]


def _chosen(steps: Sequence[int] | None, n: int) -> list[int]:
    if steps is None:
        return [round(tau) for tau in np.linspace(0, n - 1, min(n, _MOST))]
    taus = [check.count(tau, "steps", 0) for tau in steps]
    if not taus or max(taus) >= n:
        raise ValueError(f"steps must be some of the kept τ = 0 … {n - 1}, got {list(steps)}")
    return taus


def _given(axes: Any, n: int, dim: int) -> Any:
    need_matplotlib()
    panels = np.asarray(axes, dtype=object).ravel()
    if len(panels) < n:
        raise ValueError(f"axes must be {n}, one for each panel, got {len(panels)}; choose fewer panels with steps")
    for ax in panels[:n]:
        check_axes(ax, dim)
    return panels[:n]


def _new(n: int, states: list[Floats], dim: int) -> Any:
    cols = min(n, _COLS)
    rows = -(-n // cols)
    low, high = _limits(states)
    ratio = float(np.clip((high - low)[1] / (high - low)[0], 0.2, 2.0)) if dim == 2 else 1.0
    width = size_of(rows, cols)[0]
    size = size_of(rows, cols, width, rows * (width / cols * ratio + 0.25))
    panels = grid(new_figure(size), rows, cols, dim).ravel()
    for ax in panels[n:]:
        ax.remove()
    return panels[:n]


def _limits(states: list[Floats]) -> tuple[Floats, Floats]:
    """Corners of a box around all states, with a margin."""
    low = np.min([flat(points).min(axis=0) for points in states], axis=0)
    high = np.max([flat(points).max(axis=0) for points in states], axis=0)
    margin = 0.05 * (high - low).max() or 1.0
    return low - margin, high + margin


def _frame(ax: Any, points: Floats, limits: tuple[Floats, Floats]) -> None:
    low, high = limits
    equal(ax, points)
    if points.shape[1] > 1:
        ax.set_aspect("equal", adjustable="box")  # all panels have the same limits
    for axis, least, most in zip("xyz", low, high, strict=False):
        ax.set(**{f"{axis}lim": (least, most), f"{axis}ticks": []})
