"""Figures of many small panels, as in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.plotting.embedding import laid
from wasserstein_transform.plotting.style import need_matplotlib
from wasserstein_transform.spaces import Space

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.0  # width of a figure in inches
COST_TEXT = 8.0  # font size in figures of costs
SOLID = "3-D"  # prefix of the names of 3-D panels


def mosaic(
    rows: Sequence[Sequence[str]], height: float, *, heights: Sequence[float] | None = None
) -> tuple[Figure, dict[str, Any]]:
    """A figure of named panels; `heights` are the relative heights of its rows."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    solid: dict[str | tuple[str, ...], dict[str, Any]] = {
        name: {"projection": "3d"} for row in rows for name in row if name.startswith(SOLID)
    }
    axes = figure.subplot_mosaic([list(row) for row in rows], per_subplot_kw=solid, height_ratios=heights)
    return figure, axes


def draw_embedding(
    flat: Any, solid: Any, state: Space, labels: Ints, *, onto: Floats | None = None, title: str | None = None
) -> None:
    """Draw classical MDS of a space in two and in three dimensions, with the third stretched."""
    result = plotting.embedding.embed(state, 3).points
    if np.ptp(result[:, 2]) < 1e-6 * np.ptp(result[:, 0]):
        result[:, 2] = 0.0  # rounding, not a third dimension
    plotting.cloud(result[:, :2] if onto is None else laid(result[:, :2], onto), labels, ax=flat, title=title)
    plotting.cloud(result, labels, ax=solid)
    solid.set_aspect("auto")
    solid.set_box_aspect((1, 1, 0.6), zoom=1.25)
    bare(flat)
    bare(solid)


def bare(ax: Any) -> None:
    """Remove ticks, labels and frame of a panel."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    if ax.name == "3d":
        ax.set(zticks=[], zlabel="")
    else:
        ax.spines[:].set_visible(False)


def name_row(ax: Any, name: str) -> None:
    """Write a name to the left of the first panel of a row."""
    ax.annotate(
        name, (0, 0.5), (-6, 0), "axes fraction", "offset points", rotation=90, ha="right", va="center", fontsize=8
    )


def legend_below(figure: Figure, ax: Any) -> None:
    """One legend for all panels, below them."""
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), fontsize=7, frameon=False)


def tidy(ax: Any) -> None:
    """Set small tick labels, no frame at top and right, and plain numbers on logarithmic axes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.tick_params(which="both", labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)
    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() == "log":
            low, high = axis.get_view_interval()
            steps = (1, 2, 5) if high < 100 * low else (1,)
            axis.set_major_locator(LogLocator(subs=steps))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())


def cost_panels(count: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of page width with panels side by side, for costs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = list(figure.subplots(1, count, sharey=True, squeeze=False)[0])
    for ax in axes:
        ax.tick_params(labelsize=COST_TEXT, which="both")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, axis="y", color="0.9", linewidth=0.5)
    return figure, axes


def label_axes(ax: Axes, title: str, x: str, y: str = "") -> None:
    """Set title and axis labels."""
    ax.set_title(title, fontsize=COST_TEXT, loc="left")
    ax.set_xlabel(x, fontsize=COST_TEXT)
    ax.set_ylabel(y, fontsize=COST_TEXT)


def legend_of(figure: Figure, handles: list[Any], n_columns: int) -> None:
    """One legend of these handles for all panels, below them."""
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=n_columns,
        fontsize=COST_TEXT,
        frameon=False,
        handlelength=3.2,
    )
