"""Colors of marks, and what explains them: a color for each label, or a colormap for values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from .style import GRAY, N_COLORS, NOISE, PALETTE, THIN, TICKS, color, need_matplotlib

MAX_NAMED = 10
"""The most labels for which a legend is drawn by default."""

Colors: TypeAlias = str | Mapping[Any, Any] | None
"""Colors instead of the palette: one color for points without labels, or a mapping from label to color."""


class DotStyle(NamedTuple):
    """How n marks are drawn.

    colors : (n, 4), rows of RGBA
    order : (n,), the order of drawing: noise and unknown values first, below the others
    scale : matplotlib's mapping from values to colors; None if the marks have labels
    legend : the color of each label that occurs, by name; noise last
    name : name of the labels or values; "" if they have none
    """

    colors: Floats
    order: Ints
    scale: Any = None
    legend: Mapping[str, Any] = {}
    name: str = ""


def dot_style(labels: Any, n: int, colors: Any = None) -> DotStyle:
    """Check labels and colors of n marks and find how they are drawn, before a figure is made."""
    need_matplotlib()
    from matplotlib.colors import to_rgba, to_rgba_array

    if colors is not None and isinstance(colors, Mapping) == (labels is None):
        raise ValueError(
            "colors must be a mapping from label to color, or one color for points without labels, got "
            + check.shown(colors)
        )
    if labels is None:
        tint = np.array(to_rgba(PALETTE[0] if colors is None else colors))
        return DotStyle(np.tile(tint, (n, 1)), np.arange(n))
    given = np.asarray(labels)
    named = getattr(labels, "name", None)  # of a table's column
    name = plain(named) if isinstance(named, str) else ""
    if given.shape == (n,) and given.dtype.kind == "f" and _are_values(given):
        if colors is not None:
            raise ValueError("colors are those of labels, and these are values, which have a scale; leave colors out")
        return _scaled(given.astype(np.float64), name)
    numbers = numbered(labels, n)
    used, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    names = given[first].tolist()
    tints: list[Any] = [color(k) for k in used.tolist()] if colors is None else [colors.get(label) for label in names]
    if None in tints:
        raise ValueError(f"colors must have one for each label, and has none for {names[tints.index(None)]!r}")
    noise_last = np.argsort(used == NOISE, kind="stable").tolist()
    legend = {_name(names[k], int(used[k])): tints[k] for k in noise_last}
    return DotStyle(to_rgba_array(tints)[which], np.argsort(numbers != NOISE, kind="stable"), None, legend, name)


def numbered(labels: Any, n: int) -> Ints:
    """Labels of n points as integers; names are numbered in sorted order."""
    names = np.asarray(labels)
    if names.shape != (n,):
        raise ValueError(f"labels must hold one label per point, shape ({n},), got shape {names.shape}")
    if names.dtype.kind == "f":
        names = check.floats(names, "labels")
        if not (names == np.rint(names)).all():
            raise ValueError("labels must be integers or names, got fractions; cloud and mds draw such values")
    if names.dtype.kind in "iubf":
        return names.astype(np.intp)
    names = names.astype(str) if names.dtype.kind == "O" else names
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def _are_values(numbers: Floats) -> bool:
    """Whether floats are values and no labels: not integers, or too many for the colors. NaN is unknown."""
    finite = numbers[~np.isnan(numbers)]
    if np.isinf(finite).any():
        raise ValueError("values must be finite, or NaN if unknown, got infinity")
    return bool((finite != np.rint(finite)).any()) or len(np.unique(finite)) > N_COLORS


def _scaled(values: Floats, name: str) -> DotStyle:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable

    hidden = np.ma.masked_invalid(values)
    scale = ScalarMappable(cmap=colormaps["viridis"].with_extremes(bad=GRAY))
    scale.set_array(hidden)
    painted = np.asarray(scale.to_rgba(hidden))  # from the least to the largest value
    return DotStyle(painted, np.argsort(~np.isnan(values), kind="stable"), scale, name=name)


def _name(label: Any, number: int) -> str:
    if number == NOISE and not isinstance(label, str):
        return "noise"
    return plain(str(number if isinstance(label, float) else label))


def draw_scale(ax: Any, scale: Any, label: str = "") -> None:
    """Draw a color bar beside the Axes, as high as they are."""
    beside = {"ax": ax, "shrink": 0.6, "pad": 0.1} if ax.name == "3d" else {"cax": ax.inset_axes((1.03, 0, 0.035, 1))}
    bar = ax.figure.colorbar(scale, **beside)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TICKS, width=THIN, length=2.5, color=GRAY)
    if label:
        bar.set_label(label, fontsize=TICKS + 1)


def draw_legend(ax: Any, tints: Mapping[str, Any], title: str = "") -> None:
    """List names with their colors to the right of the Axes."""
    from matplotlib.lines import Line2D

    dots = [Line2D([], [], ls="", marker="o", ms=5, mew=0, color=tint, label=name) for name, tint in tints.items()]
    ax.legend(
        handles=dots, title=title or None, fontsize=TICKS, title_fontsize=TICKS, frameon=False, loc="upper left",
        bbox_to_anchor=(1.01, 1.0), handletextpad=0.3, handlelength=1.0, borderaxespad=0.0, alignment="left",
    )  # fmt: skip


def draw_legend_above(ax: Any) -> Any:
    """List the labels of lines above the Axes; the title needs room for it."""
    return ax.legend(
        fontsize=TICKS, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, columnspacing=1.2,
        handlelength=1.4, borderaxespad=0.1,
    )  # fmt: skip


def plain(text: str) -> str:
    """Escape dollar signs so that matplotlib does not read text as a formula."""
    return text.replace("$", r"\$")
