"""Point clouds over the iterations of a transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Floats
from ..transforms import Trajectory
from .clouds import drawable, equal, explain, flat, scatter
from .colors import MAX_NAMED, dot_style
from .style import check_axes, expect, grid, new_figure, size_of, tidy

MAX_PANELS = 6  # panels drawn by default
MAX_PANEL_COLUMNS = 3  # panels side by side


def walk(
    trajectory: Any,
    labels: Any = None,
    *,
    axes: Any = None,
    title: str | None = None,
) -> Any:
    """Draw the points after each iteration τ, one panel per state, all with the same limits.

    Of more than six states, six evenly spaced ones are drawn.

    Parameters
    ----------
    trajectory : Trajectory or fitted transform
        It must hold all its states, as `wt.iterate(..., keep="all")` returns them.
    labels : array of shape (n,), optional
        As in `cloud`.
    axes : array of Axes, optional
        One Axes for each panel; None (default) makes a new figure, with a legend beside the last panel.
    title : str, optional
        Text in front of τ in the title of each panel.

    Returns
    -------
    array of Axes, one for each panel

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> X, labels = wt.datasets.dumbbell()
    >>> flow = wt.iterate(wt.transforms.gaussian_transform(0.2), wt.Space.from_points(X), n_iter=2, keep="all")
    >>> figure, axes = wt.plotting.panels(1, 3)
    >>> [ax.get_title(loc="left") for ax in wt.plotting.walk(flow, labels, axes=axes)]
    ['τ = 0', 'τ = 1', 'τ = 2']
    """
    run = getattr(trajectory, "trajectory_", trajectory)
    expect(run, Trajectory, "wt.iterate(...) returns one")
    states = kept_points(run)
    if states is None:
        raise ValueError(
            f"walk draws points that move, in all steps τ = 0 … {run.n_iter}, and this run has none; run it with "
            'keep="all", or draw distances with plotting.mds(state)'
        )
    dim = drawable(states[0])
    taus = np.unique(np.linspace(0, len(states) - 1, MAX_PANELS).round().astype(int)).tolist()
    dots = dot_style(labels, len(states[0]))
    limits = _limits([states[tau] for tau in taus])
    panels = _new(len(taus), limits, dim) if axes is None else np.ravel(axes)[: len(taus)]
    if len(panels) < len(taus):
        raise ValueError(f"axes must be {len(taus)}, one for each panel, got {len(panels)}")
    for ax, tau in zip(panels, taus, strict=True):
        check_axes(ax, dim)
        scatter(ax, states[tau], dots)
        tidy(ax, f"τ = {tau}" if title is None else f"{title}, τ = {tau}")
        equal(ax, states[tau])
        if states[tau].shape[1] > 1:
            ax.set_aspect("equal", adjustable="box")  # all panels have the same limits
        for axis, low, high in zip("xyz", *limits, strict=False):
            ax.set(**{f"{axis}lim": (low, high), f"{axis}ticks": []})
    explain(panels[-1], dots, axes is None and 1 < len(dots.legend) <= MAX_NAMED)
    return panels


def kept_points(run: Trajectory) -> list[Floats] | None:
    """The points of all states, if all were kept and the points change; else None."""
    points = [state.points for state in run.quotients if state.points is not None]
    return points if len(points) == run.n_iter + 1 > 1 and points[-1] is not points[0] else None


def _new(n: int, limits: tuple[Floats, Floats], dim: int) -> Any:
    cols = min(n, MAX_PANEL_COLUMNS)
    rows = -(-n // cols)
    sides = limits[1] - limits[0]
    ratio = float(np.clip(sides[1] / sides[0], 0.2, 2.0)) if dim == 2 else 1.0
    width = size_of(rows, cols)[0]
    panels = grid(new_figure((width, rows * (width / cols * ratio + 0.25))), rows, cols, dim).ravel()
    for ax in panels[n:]:
        ax.remove()
    return panels[:n]


def _limits(states: list[Floats]) -> tuple[Floats, Floats]:
    """Corners of a box around all states, with a margin."""
    low = np.min([flat(points).min(axis=0) for points in states], axis=0)
    high = np.max([flat(points).max(axis=0) for points in states], axis=0)
    margin = 0.05 * (high - low).max() or 1.0
    return low - margin, high + margin
