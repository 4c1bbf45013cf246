"""Colors and shapes of marks, and what explains them: a color for each label, or a colormap for values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from .style import GRAY, INK, N_COLORS, NOISE, PALETTE, THIN, TICKS, color, need_matplotlib

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Shapes for labels 0, 1, …, so that labels can be told apart in gray scale and by color-blind readers."""

MOST_NAMED = 10
"""The most labels for which a legend is drawn by default."""

Colors: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | None
"""Colors instead of the palette: one color, a sequence for labels 0, 1, …, or a mapping from label to color."""

_QUIET = "."  # noise
_SEEN = 7.0  # area of a dot in square points from which on its shape is visible
_MANY = 2000  # more dots than this all get the same shape


class Group(NamedTuple):
    """A label with the name and the color that it has in the legend."""

    name: str
    label: int
    color: Any


class Look(NamedTuple):
    """The look of n marks.

    colors : (n, 4), rows of RGBA
    order : (n,), the order of drawing: noise and unknown values first, below the others
    scale : matplotlib's mapping from values to colors; None if the marks have labels
    numbers : (n,), labels as integers; None without labels
    groups : the labels that occur
    name : name of the labels or values; "" if they have none
    size : area of a mark in square points, if it was given
    """

    colors: Floats
    order: Ints
    scale: Any
    numbers: Ints | None = None
    groups: tuple[Group, ...] = ()
    name: str = ""
    size: float | None = None


def look(labels: Any, n: int, colors: Colors = None, values: Any = None, size: float | None = None) -> Look:
    """Check labels, values, colors and size of n marks and find their look, before a figure is made."""
    need_matplotlib()
    if size is not None:
        return look(labels, n, colors, values)._replace(size=check.positive(size, "size"))
    if labels is not None and values is not None:
        raise ValueError("points are colored by labels or by values, got both; leave one of them out")
    if values is not None:
        return _scaled(_numbers(values, n), colors, _name_of(values))
    if labels is None:
        return Look(_paint(None, None, n, colors), np.arange(n), None)
    fractions = _values(labels, n)
    if fractions is not None:
        return _scaled(fractions, colors, _name_of(labels))
    numbers = numbered(labels, n)
    painted = _paint(labels, numbers, n, colors)
    order = np.argsort(numbers != NOISE, kind="stable")
    return Look(painted, order, None, numbers, _grouped(labels, numbers, painted), _name_of(labels))


def numbered(labels: Any, n: int) -> Ints:
    """Labels of n points as integers; names are numbered in sorted order."""
    names = np.asarray(labels)
    if names.shape != (n,):
        raise ValueError(f"labels must hold one label per point, shape ({n},), got shape {names.shape}")
    if names.dtype.kind in "iub":
        return names.astype(np.intp)
    if names.dtype.kind == "f":
        names = check.floats(names, "labels")
        if not (names == np.rint(names)).all():
            raise ValueError("labels must be integers or names, got fractions; cloud and mds draw such values")
        return names.astype(np.intp)
    names = names.astype(str) if names.dtype.kind == "O" else names
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def _paint(labels: Any, numbers: Ints | None, n: int, colors: Any) -> Floats:
    """Colors of n points, shape (n, 4): rows of RGBA."""
    from matplotlib.colors import is_color_like, to_rgba_array

    if isinstance(colors, Mapping) and labels is None:
        raise ValueError("a mapping from labels to colors needs labels, got none; pass labels, or one color")
    if is_color_like(colors):
        colors = [colors]
    if colors is not None and len(colors if hasattr(colors, "__len__") else ()) == 0:
        raise ValueError(f"colors must be a color, a list of them, or a mapping from label to color, got {colors!r}")
    try:
        if numbers is None:
            return np.asarray(
                np.broadcast_to(to_rgba_array(PALETTE[:1] if colors is None else colors), (n, 4)), np.float64
            )
        used, first, which = np.unique(numbers, return_index=True, return_inverse=True)
        names = np.asarray(labels)[first].tolist()
        if isinstance(colors, Sequence) and len(colors) == 1 < np.count_nonzero(used != NOISE):
            raise ValueError(f"one color cannot show {len(used)} labels, got {colors!r}; leave out labels or colors")
        chosen = [_choose(int(k), name, colors) for k, name in zip(used, names, strict=True)]
        return np.asarray(to_rgba_array(chosen)[which], np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"colors do not fit: {error}; numbers are passed as values") from None


def _choose(k: int, name: Any, colors: Any) -> Any:
    if isinstance(colors, Mapping):
        if name not in colors:
            raise ValueError(f"there is none for the label {name!r}, only for {', '.join(map(repr, colors))}")
        return colors[name]
    return color(k) if colors is None or k == NOISE else colors[k % len(colors)]


def _values(labels: Any, n: int) -> Floats | None:
    """Labels that are really values: floats that are not integers, or too many for the colors. NaN is unknown."""
    numbers = np.asarray(labels)
    if numbers.shape != (n,) or numbers.dtype.kind != "f":
        return None
    known = numbers[~np.isnan(numbers)]
    _check_finite(known)
    whole = (known == np.rint(known)).all() and len(np.unique(known)) <= N_COLORS
    return None if whole else numbers.astype(np.float64)


def _numbers(values: Any, n: int) -> Floats:
    """Values of n points as floats; NaN is unknown."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise ValueError(f"values must hold one number per point, shape ({n},), got shape {array.shape}")
    if array.dtype.kind == "O":
        array = np.array([np.nan if value is None else value for value in array.tolist()])
    if array.dtype.kind not in "biuf":
        raise ValueError(f"values must be numbers, got {array.dtype}; pass names as labels")
    numbers = array.astype(np.float64)
    _check_finite(numbers[~np.isnan(numbers)])
    return numbers


def _check_finite(known: Floats) -> None:
    if np.isinf(known).any():
        raise ValueError("values must be finite, or NaN if unknown, got infinity")


def _name_of(given: Any) -> str:
    """The name of a table's column, as a Series has it; "" otherwise."""
    name = getattr(given, "name", None)
    return plain(name) if isinstance(name, str) else ""


def _scaled(values: Floats, colors: Any, name: str) -> Look:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    hidden = np.ma.masked_invalid(values)
    low, high = (0.0, 1.0) if hidden.mask.all() else (hidden.min(), hidden.max())
    scale = ScalarMappable(Normalize(low, high), colormap(colors, "viridis", "colors"))
    scale.set_array(hidden)
    painted = np.asarray(scale.to_rgba(hidden))
    return Look(painted, np.argsort(~np.isnan(values), kind="stable"), scale, name=name)


def colormap(chosen: Any, usual: str, name: str) -> Any:
    """The chosen colormap, given by name or as an object; `usual` if None. Unknown values are gray."""
    from matplotlib import colormaps

    try:
        return colormaps.get_cmap(usual if chosen is None else chosen).with_extremes(bad=GRAY)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a matplotlib colormap such as {usual!r}, got {chosen!r}") from None


def one_color(chosen: Any, name: str) -> Any:
    """Check that matplotlib accepts a color."""
    from matplotlib.colors import is_color_like

    if not is_color_like(chosen):
        raise ValueError(f"{name} must be a color such as {INK!r}, got {chosen!r}")
    return chosen


def _grouped(labels: Any, numbers: Ints, colors: Floats) -> tuple[Group, ...]:
    """One Group for each label, noise last."""
    used, first = np.unique(numbers, return_index=True)
    names = [_name(label, int(number)) for label, number in zip(np.asarray(labels)[first].tolist(), used, strict=True)]
    groups = [Group(name, int(k), colors[i]) for name, k, i in zip(names, used, first, strict=True)]
    return (*(one for one in groups if one.label != NOISE), *(one for one in groups if one.label == NOISE))


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
