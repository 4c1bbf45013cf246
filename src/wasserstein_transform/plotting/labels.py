"""Shapes of dots and legends, which distinguish labels in addition to color."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from .style import NOISE, TICKS

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes for labels 0, 1, …, so that labels can be told apart in gray scale and by color-blind readers."""

MOST_NAMED = 10
"""The most labels for which a legend is drawn by default."""

_QUIET = "."  # noise
_SEEN = 7.0  # area of a dot in square points from which on its shape is visible
_MANY = 2000  # more dots than this all get the same shape


class Group(NamedTuple):
    """A label with the name and the color that it has in the legend."""

    name: str
    label: int
    color: Any


def grouped(labels: Any, numbers: Ints, colors: Floats) -> tuple[Group, ...]:
    """One Group for each label, noise last."""
    used, first = np.unique(numbers, return_index=True)
    names = [_name(label, int(number)) for label, number in zip(np.asarray(labels)[first].tolist(), used, strict=True)]
    groups = [Group(name, int(k), colors[i]) for name, k, i in zip(names, used, first, strict=True)]
    return (*(one for one in groups if one.label != NOISE), *(one for one in groups if one.label == NOISE))


def _name(label: Any, number: int) -> str:
    if number == NOISE and not isinstance(label, str):
        return "noise"
    return plain(str(number if isinstance(label, float) else label))


def marker(label: int) -> str:
    """The matplotlib marker of a label."""
    return _QUIET if label == NOISE else MARKERS[label % len(MARKERS)]


def shape_dots(dots: Any, numbers: Ints, size: float) -> bool:
    """Give every dot the shape of its label if dots are few and large. Returns whether it did."""
    if size < _SEEN or len(numbers) > _MANY or len(np.unique(numbers)) < 2:
        return False
    from matplotlib.markers import MarkerStyle

    styles = {k: MarkerStyle(marker(k)) for k in np.unique(numbers).tolist()}
    paths = {k: style.get_path().transformed(style.get_transform()) for k, style in styles.items()}
    dots.set_paths([paths[k] for k in numbers.tolist()])
    return True


def draw_legend(ax: Any, groups: tuple[Group, ...], title: str = "", shaped: bool = False) -> None:
    """List the labels to the right of the Axes, with their shapes if the dots have them."""
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], ls="", marker=marker(one.label) if shaped else "o", ms=5, mew=0, color=one.color, label=one.name)
        for one in groups
    ]
    ax.legend(
        handles=marks, title=title or None, fontsize=TICKS, title_fontsize=TICKS, frameon=False, loc="upper left",
        bbox_to_anchor=(1.01, 1.0), handletextpad=0.3, handlelength=1.0, borderaxespad=0.0, alignment="left",
    )  # fmt: skip


def wants_legend(legend: bool | None, groups: tuple[Group, ...], own: bool) -> bool:
    """Whether to draw a legend: by default only in a new figure, for two to ten labels."""
    if legend and not groups:
        raise ValueError("a legend names labels, got none; pass labels, or leave out legend=True")
    if legend is None:
        return own and 1 < len(groups) <= MOST_NAMED
    return bool(legend)


def plain(text: str) -> str:
    """Escape dollar signs so that matplotlib does not read text as a formula."""
    return text.replace("$", r"\$")
