"""Scatter plots of a metric, with points placed by multidimensional scaling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .canvas import canvas, ready
from .clouds import dotted, draw, frame
from .embedding import embed
from .labels import wants_legend
from .style import GRAY, TEXT, Colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def mds(
    distances: Any,
    labels: Any = None,
    *,
    values: Any = None,
    dim: int = 2,
    onto: ArrayLike | None = None,
    ax: Axes | None = None,
    size: float | None = None,
    title: str | None = None,
    colors: Colors = None,
    legend: bool | None = None,
) -> Axes:
    """Draw a metric as points in two or three dimensions, placed by `embed`.

    The label below gives the share of the spectrum that the coordinates keep (`Embedding.explained`).

    Parameters
    ----------
    distances : Space, Metric, Trajectory, fitted transform, or distances of shape (n, n) or condensed
        All distances must be finite.
    labels, values : arrays of shape (n,), optional
        As in `cloud`.
    dim : {2, 3}, default 2
        Number of coordinates.
    onto : array of shape (n, dim), optional
        Reference points to align with, as in `embed`.
    ax : Axes, optional
        Axes to draw into, 3-D if dim = 3; None (default) makes a new figure.
    size, title, colors, legend
        As in `cloud`.

    Returns
    -------
    Axes

    Notes
    -----
    Time O(n³), memory O(n²), as for `embed`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.mds([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]], ax=ax)
    >>> ax.get_xlabel()
    '100 % of the spectrum'
    """
    if dim not in (2, 3):
        raise ValueError(f"dim must be 2 or 3 for a figure, got {dim!r}; plotting.embed finds more coordinates")
    ready(ax, dim)
    found = embed(distances, dim, onto=onto)
    dots = dotted(len(found.points), labels, size, colors, values)
    named = wants_legend(legend, dots.look.groups, ax is None)
    ax = canvas(ax, dim, frame(found.points))
    draw(ax, found.points, dots, title, named)
    _say(ax, f"{math.floor(1000 * found.explained + 1e-6) / 10:g} % of the spectrum")
    return ax


def _say(ax: Any, text: str) -> None:
    if ax.name == "3d":
        ax.text2D(0.5, 0.0, text, transform=ax.transAxes, ha="center", fontsize=TEXT, color=GRAY)
    else:
        ax.set_xlabel(text, fontsize=TEXT, color=GRAY)
