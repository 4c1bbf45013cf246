"""Shared by the experiments on cost: timing, and the style of their figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")

_TEXT = 8.0  # font size in points


def timed(work: Callable[[], T], repeats: int, clock: Callable[[], float]) -> tuple[list[float], T]:
    """Seconds of each run, and the result of the last."""
    seconds = []
    for _ in range(repeats):
        start = clock()
        result = work()
        seconds.append(clock() - start)
    return seconds, result


def panels(count: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of page width with panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, height), layout="constrained")
    axes = list(figure.subplots(1, count, sharey=True, squeeze=False)[0])
    for ax in axes:
        ax.tick_params(labelsize=_TEXT, which="both")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, axis="y", color="0.9", linewidth=0.5)
    return figure, axes


def write(ax: Axes, title: str, x: str, y: str = "") -> None:
    """Set title and axis labels."""
    ax.set_title(title, fontsize=_TEXT, loc="left")
    ax.set_xlabel(x, fontsize=_TEXT)
    ax.set_ylabel(y, fontsize=_TEXT)


def legend_below(figure: Figure, handles: list[Any], n_columns: int) -> None:
    """One legend for all panels, below them."""
    figure.legend(
        handles=handles, loc="outside lower center", ncols=n_columns, fontsize=_TEXT, frameon=False, handlelength=3.2
    )
