"""Figures of many small panels, as the paper has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..plotting.canvas import birth, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 7.0  # of a figure, in inches


def mosaic(rows: Sequence[Sequence[str]], height: float) -> tuple[Figure, dict[str, Any]]:
    """A figure of named panels; those whose name begins with "3-D" have three dimensions."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    names = [name for row in rows for name in row]
    solid = {name: {"projection": "3d"} for name in names if name.startswith("3-D")}
    with birth(3):
        axes = figure.subplot_mosaic([list(row) for row in rows], per_subplot_kw=solid)
    return figure, axes


def bare(ax: Any) -> None:
    """A small panel without ticks, numbers and labels."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    if ax.name == "3d":
        ax.set(zticks=[], zlabel="")
        for text in ax.texts:
            text.set_visible(False)


def name_row(ax: Any, name: str) -> None:
    """A name at the left of the first panel of a row."""
    ax.annotate(
        name, (0, 0.5), (-6, 0), "axes fraction", "offset points", rotation=90, ha="right", va="center", fontsize=8
    )
