"""What tells labels apart beside their color: shapes of dots, and a legend with their names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from .style import NOISE, TICKS

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes of labels 0, 1, …: those of neighbors differ, for gray scale and for color-blind eyes."""

MOST_NAMED = 10
"""Labels that a legend has room for."""

_QUIET = "."  # noise
_SEEN = 7.0  # square points of a dot from which on its shape is seen
_MANY = 2000  # dots whose shapes nobody looks at


class Group(NamedTuple):
    """Points of one label."""

    name: str
    label: int
    color: Any


def grouped(labels: Any, numbers: Ints, colors: Floats) -> tuple[Group, ...]:
    """One for each label, noise last."""
    used, first = np.unique(numbers, return_index=True)
    names = [_name(label, int(number)) for label, number in zip(np.asarray(labels)[first].tolist(), used, strict=True)]
    groups = [Group(name, int(k), colors[i]) for name, k, i in zip(names, used, first, strict=True)]
    return (*(one for one in groups if one.label != NOISE), *(one for one in groups if one.label == NOISE))


def _name(label: Any, number: int) -> str:
    if number == NOISE and not isinstance(label, str):
        return "noise"
    return plain(str(number if isinstance(label, float) else label))


def marker(label: int) -> str:
    """The shape of a label."""
    return _QUIET if label == NOISE else MARKERS[label % len(MARKERS)]


def shape_dots(dots: Any, numbers: Ints, size: float) -> bool:
    """Give every dot of a flat picture the shape of its label, if dots are few and large enough for it to be seen."""
    if size < _SEEN or len(numbers) > _MANY or len(np.unique(numbers)) < 2:
        return False
    from matplotlib.markers import MarkerStyle

    styles = {k: MarkerStyle(marker(k)) for k in np.unique(numbers).tolist()}
    paths = {k: style.get_path().transformed(style.get_transform()) for k, style in styles.items()}
    dots.set_paths([paths[k] for k in numbers.tolist()])
    return True


def draw_legend(ax: Any, groups: tuple[Group, ...], title: str = "", shaped: bool = False) -> None:
    """Names of labels to the right of the picture, with their shapes if dots have them."""
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
    """Whether there will be one: by default in a figure of its own, of two to ten labels."""
    if legend and not groups:
        raise ValueError("a legend names labels, got none; give labels, or leave out legend=True")
    if legend is None:
        return own and 1 < len(groups) <= MOST_NAMED
    return bool(legend)


def plain(text: str) -> str:
    """Text that matplotlib takes for no formula."""
    return text.replace("$", r"\$")
