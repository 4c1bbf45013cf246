"""Colors, sizes and panels of all figures: readable at page width, safe for color-blind readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from .canvas import DPI, birth, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#F0E442")
"""Colors of labels 0 to 6: those of Okabe and Ito without black, with alternating lightness, yellow last."""

STRONG = PALETTE[4]
"""Color of what should stand out: boundaries, junctions."""

GRAY = "#999999"
"""Color of noise, of branches above the clusters, and of everything in the background."""

INK = "#333333"
"""Color of lines, marks and text without a label."""

TITLE, TEXT, TICKS = 9, 8, 7  # font sizes in points
THIN = 0.6  # width of lines in points
WIDTH = 6.5  # width of a page, in inches
LEGEND = 20  # height of a legend above the Axes, in points
NOISE = -1
N_COLORS = 21  # labels from this one on repeat the colors
RASTER = 5000  # more points or lines than this are stored as pixels in vector files

Colors: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | None
"""Colors instead of the palette: one color, a sequence for labels 0, 1, …, or a mapping from label to color."""

_PANEL = 3.2  # width of a panel, in inches
_SHADES = ((0.0, 0), (0.4, 0), (0.5, 255))  # share of black (0) or white (255) mixed in on each pass of the palette


def color(label: int) -> str:
    """Return the color of a label as a hexadecimal string.

    −1 is noise, drawn in gray. Labels 0 to 6 have the colors of `PALETTE`, 7 to 13 darker ones, 14 to 20 lighter ones;
    from label 21 on colors repeat. Only the first seven are safe for color-blind readers.

    Parameters
    ----------
    label : int
        Label ≥ −1.

    Returns
    -------
    str
        Such as "#0072B2".

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> [wt.plotting.color(k) for k in (-1, 0, 7, 21)]
    ['#999999', '#0072B2', '#00446B', '#0072B2']
    """
    if label == NOISE:
        return GRAY
    turn, k = divmod(label, len(PALETTE))
    share, end = _SHADES[turn % len(_SHADES)]
    parts = (int(PALETTE[k][at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round((1 - share) * part + share * end):02X}" for part in parts)


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
            raise ValueError(
                "labels must be whole numbers or names, got fractions; pass them as values to cloud, mds or ellipses"
            )
        return names.astype(np.intp)
    names = names.astype(str) if names.dtype.kind == "O" else names
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def paint(labels: Any, n: int, colors: Colors = None) -> Floats:
    """Colors of n points, shape (n, 4): rows of RGBA."""
    from matplotlib.colors import to_rgba_array

    if isinstance(colors, str):
        colors = [colors]
    if colors is not None and hasattr(colors, "__len__") and len(colors) == 0:
        raise ValueError("colors must hold at least one color, got none; leave colors out to use the palette")
    if labels is None:
        return _unlabeled(n, colors)
    numbers = numbered(labels, n)
    used, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    names = np.asarray(labels)[first].tolist()
    _check_enough(colors, n, int(np.count_nonzero(used != NOISE)))
    chosen = [_chosen(int(k), name, colors) for k, name in zip(used, names, strict=True)]
    return np.asarray(to_rgba_array(chosen)[which], np.float64)


def _unlabeled(n: int, colors: Any) -> Floats:
    """Colors of n points without labels: one for all, or one for each."""
    from matplotlib.colors import is_color_like, to_rgba_array

    if isinstance(colors, Mapping):
        raise ValueError(
            "a mapping from labels to colors needs labels, got none; pass labels, or one color for each point"
        )
    if colors is None or is_color_like(colors):
        return np.tile(to_rgba_array(PALETTE[0] if colors is None else colors), (n, 1))
    if np.ndim(colors) == 1 and np.asarray(colors).dtype.kind in "iuf":
        raise ValueError("colors must be colors, got numbers; pass numbers as values: cloud(points, values=...)")
    rows = to_rgba_array(colors)
    if len(rows) not in (1, n):
        raise ValueError(f"without labels, give one color, or one for each of the {n} points, got {len(rows)}")
    return np.asarray(np.broadcast_to(rows, (n, 4)), np.float64)


def _check_enough(colors: Any, n: int, n_labels: int) -> None:
    """Raise if the colors cannot show the labels."""
    from matplotlib.colors import Colormap, is_color_like

    if colors is None or isinstance(colors, Mapping):
        return
    if isinstance(colors, Colormap):
        raise ValueError(
            f"labels take a list of colors, got the colormap {colors.name!r}; pass values instead, or leave colors out"
        )
    if not hasattr(colors, "__len__"):
        raise ValueError(f"colors must be a list of colors, or a mapping from label to color, got {colors!r}")
    if n_labels > 1 and (len(colors) == 1 or is_color_like(colors)):
        raise ValueError(f"one color cannot show {n_labels} labels, got {colors!r}; leave out labels or colors")
    if len(colors) == n > N_COLORS:
        raise ValueError(f"got labels and also a color for each of the {n} points; leave out labels or colors")


def _chosen(k: int, name: Any, colors: Colors) -> Any:
    if isinstance(colors, Mapping):
        if name not in colors:
            raise ValueError(
                f"colors has none for the label {name!r}; it has {', '.join(map(repr, colors))}; add the missing one"
            )
        return colors[name]
    return color(k) if colors is None or k == NOISE else colors[k % len(colors)]


def dot_size(n: int, ax: Axes) -> float:
    """Area of one of n dots in square points; smaller for more dots and smaller panels."""
    inches = ax.bbox.width / ax.figure.dpi
    return float(np.clip(100 / np.sqrt(n), 0.4, 12) * np.clip(inches / 3.5, 0.25, 1.5))


def tidy(ax: Axes, title: str | None = None, above: float | None = None) -> None:
    """Set a thin frame, small tick labels, and a left-aligned title `above` points over the frame."""
    ax.tick_params(labelsize=TICKS, width=THIN, length=2.5, color=GRAY)
    for spine in ax.spines.values():
        spine.set_linewidth(THIN)
        spine.set_color(GRAY)
    if title is not None:
        ax.set_title(title, loc="left", fontsize=TITLE, pad=above)


def panels(
    rows: int = 1,
    cols: int = 1,
    *,
    width: float | None = None,
    height: float | None = None,
    dim: int = 2,
    squeeze: bool = True,
) -> tuple[Figure, Any]:
    """Make a figure of rows × cols Axes without pyplot, for scripts, servers and threads; notebooks show it as well.

    Parameters
    ----------
    rows, cols : int, default 1
        Number of rows and columns.
    width, height : float, optional
        Size of the figure in inches. Default None: 6.5 inches wide, or 3.2 for each of more than two columns, and
        panels as high as wide.
    dim : {2, 3}, default 2
        3 makes 3-D Axes.
    squeeze : bool, default True
        Whether to drop axes of length 1 from the array of Axes, as `plt.subplots` does.

    Returns
    -------
    figure : Figure
        Write it to a file with `figure.savefig(file)`.
    axes : Axes, or array of shape (cols,), (rows,) or (rows, cols)
        One Axes, a row or a column of Axes, or all of them. With squeeze=False always of shape (rows, cols).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, (left, right) = wt.plotting.panels(1, 2)
    >>> wt.plotting.cloud(wt.datasets.dumbbell().points, ax=left) is left
    True
    """
    need_matplotlib()
    from .figures import Figure

    figure = Figure(figsize=size_of(rows, cols, width, height), dpi=DPI, layout="constrained")
    axes = grid(figure, rows, cols, dim)
    if not squeeze:
        return figure, axes
    return figure, axes.item() if axes.size == 1 else axes.squeeze()


def size_of(rows: int, cols: int, width: float | None = None, height: float | None = None) -> tuple[float, float]:
    """Width and height of a figure in inches."""
    rows, cols = check.count(rows, "rows", 1), check.count(cols, "cols", 1)
    width = max(WIDTH, _PANEL * cols) if width is None else check.positive(width, "width")
    return width, width * rows / cols if height is None else check.positive(height, "height")


def grid(figure: Figure, rows: int, cols: int, dim: int = 2) -> Any:
    """An array of rows × cols Axes in a figure."""
    if dim not in (2, 3):
        raise ValueError(f"dim must be 2 or 3, got {dim!r}")
    with birth(dim):
        return figure.subplots(rows, cols, squeeze=False, subplot_kw={"projection": "3d"} if dim == 3 else {})
