"""Colors of marks: one for each label, or a colormap for values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from .canvas import need_matplotlib
from .labels import Group, grouped, plain
from .style import GRAY, INK, N_COLORS, NOISE, THIN, TICKS, Colors, numbered, paint


class Look(NamedTuple):
    """The look of n marks.

    colors : (n, 4), rows of RGBA
    order : (n,), the order of drawing: noise and unknown values first, below the others
    scale : matplotlib's mapping from values to colors; None if the marks have labels
    numbers : (n,), labels as integers; None without labels
    groups : the labels that occur
    name : name of the labels or values; "" if they have none
    """

    colors: Floats
    order: Ints
    scale: Any
    numbers: Ints | None = None
    groups: tuple[Group, ...] = ()
    name: str = ""


def look(labels: Any, n: int, colors: Colors = None, values: Any = None) -> Look:
    """Check labels, values and colors of n marks and find their look, before a figure is made."""
    need_matplotlib()
    if labels is not None and values is not None:
        raise ValueError("points are colored by labels or by values, got both; leave one of them out")
    if values is not None:
        return _scaled(_numbers(values, n), colors, _name_of(values))
    if labels is None:
        return Look(paint(None, n, colors), np.arange(n), None)
    fractions = _values(labels, n)
    if fractions is not None:
        return _scaled(fractions, colors, _name_of(labels))
    numbers = numbered(labels, n)
    painted = paint(labels, n, colors)
    order = np.argsort(numbers != NOISE, kind="stable")
    return Look(painted, order, None, numbers, grouped(labels, numbers, painted), _name_of(labels))


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


def draw_scale(ax: Any, scale: Any, label: str = "") -> None:
    """Draw a color bar beside the Axes, as high as they are."""
    beside = {"ax": ax, "shrink": 0.6, "pad": 0.1} if ax.name == "3d" else {"cax": ax.inset_axes((1.03, 0, 0.035, 1))}
    bar = ax.figure.colorbar(scale, **beside)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TICKS, width=THIN, length=2.5, color=GRAY)
    if label:
        bar.set_label(label, fontsize=TICKS + 1)
