"""Colors of drawn pictures, for light and dark pages, and the settings matplotlib draws them with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Inks:
    """Colors that are readable on one background."""

    ink: str
    faint: str
    box: str
    blue: str
    orange: str
    green: str
    red: str


INKS = {
    "light": Inks("#1f2937", "#c3c9d2", "#eef3fa", "#0072B2", "#C77800", "#00805D", "#C44E00"),
    "dark": Inks("#e5e7eb", "#5a6472", "#26344a", "#62B8F0", "#F0B030", "#2BC79A", "#FF8A4C"),
}
Picture: TypeAlias = Callable[[Inks], Figure]


def save(pictures: dict[str, Picture], folder: Path) -> None:
    """Write NAME-light.svg and NAME-dark.svg for each picture."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures.items():
        for theme, inks in INKS.items():
            with mpl.rc_context(_settings(inks)):
                figure = draw(inks)
                FigureCanvasSVG(figure).print_svg(folder / f"{name}-{theme}.svg", metadata={"Date": None})


def _settings(inks: Inks) -> dict[str, Any]:
    lines = ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(lines, inks.ink),
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "font.size": 10,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "svg.hashsalt": "drawn",  # the same file at every build
    }


def panels(rows: int, cols: int, width: float, height: float) -> tuple[Figure, Any]:
    """A figure and its Axes, as an array."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, cols, squeeze=False)


def bare(ax: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Equal units, no frame."""
    ax.set_aspect("equal")
    ax.set(xlim=x, ylim=y)
    ax.set_axis_off()
