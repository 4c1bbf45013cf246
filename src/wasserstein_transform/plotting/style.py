"""The style of all figures: colors, sizes, new figures and their Axes; readable at page width."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check as check

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

DPI = 130  # of new figures; a figure of full page width then fits the width of a notebook

PANEL_WIDTH = 3.2  # width of a panel, in inches
# share of black (0) or white (255) mixed in on each pass of the palette
SHADES_OF_PASS = ((0.0, 0), (0.4, 0), (0.5, 255))
_by_pyplot: ContextVar[bool] = ContextVar("by_pyplot", default=True)


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
    share, end = SHADES_OF_PASS[turn % len(SHADES_OF_PASS)]
    return "#" + "".join(f"{round((1 - share) * part + share * end):02X}" for part in bytes.fromhex(PALETTE[k][1:]))


def need_matplotlib() -> None:
    """Raise an ImportError with instructions if matplotlib is not installed."""
    check.import_extra("matplotlib", "drawing needs", "plot")


def expect(found: Any, kind: type, made_by: str) -> None:
    """Raise a TypeError that says how to make it, unless `found` is of this kind."""
    if not isinstance(found, kind):
        raise TypeError(f"found must be {kind.__name__}, got {type(found).__name__}; {made_by}")


def canvas(ax: Axes | None, dim: int = 2, size: tuple[float, float] = (6.5, 5.5)) -> Any:
    """The given Axes, or those of a new figure; with dim = 3 they must be, or are made, 3-D."""
    need_matplotlib()
    if ax is None:
        return grid(new_figure(size), 1, 1, dim).item()
    check_axes(ax, dim)
    return ax


def check_axes(ax: Any, dim: int = 2) -> None:
    """Raise if `ax` is not an Axes, or cannot show `dim` dimensions."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes, got {type(ax).__name__}; plt.subplots()[1] is one")
    if (ax.name == "3d") != (dim == 3):
        raise ValueError(f"this picture needs {dim}-D Axes; leave ax out, or use wt.plotting.panels(dim={dim})[1]")


def new_figure(size: tuple[float, float]) -> Figure:
    """A figure of pyplot, which `plt.show` shows; within `without_pyplot` one that only notebooks show."""
    need_matplotlib()
    options: Any = {"figsize": size, "dpi": DPI, "layout": "constrained"}
    if _by_pyplot.get():
        figure: Figure = importlib.import_module("matplotlib.pyplot").figure(**options)
        return figure
    from matplotlib.figure import Figure as Plain

    plain = Plain(**options)
    plain._repr_png_ = partial(_as_png, plain)  # type: ignore[attr-defined]  # notebooks show it as the value of a cell
    return plain


def _as_png(figure: Figure) -> bytes:
    raw = BytesIO()
    figure.savefig(raw, format="png")
    return raw.getvalue()


@contextmanager
def without_pyplot() -> Iterator[None]:
    """Within it, new figures are made without pyplot: nothing keeps or shows them a second time."""
    token = _by_pyplot.set(False)
    try:
        yield
    finally:
        _by_pyplot.reset(token)


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

    Returns
    -------
    figure : Figure
        Write it to a file with `figure.savefig(file)`.
    axes : Axes, or array of shape (cols,), (rows,) or (rows, cols)
        One Axes, a row or a column of Axes, or all of them.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, (left, right) = wt.plotting.panels(1, 2)
    >>> wt.plotting.cloud(wt.datasets.dumbbell().points, ax=left) is left
    True
    """
    with without_pyplot():
        figure = new_figure(size_of(rows, cols, width, height))
    axes = grid(figure, rows, cols, dim)
    return figure, axes.item() if axes.size == 1 else axes.squeeze()


def size_of(rows: int, cols: int, width: float | None = None, height: float | None = None) -> tuple[float, float]:
    """Width and height of a figure in inches."""
    rows, cols = check.count(rows, "rows", 1), check.count(cols, "cols", 1)
    width = max(WIDTH, PANEL_WIDTH * cols) if width is None else check.positive(width, "width")
    return width, width * rows / cols if height is None else check.positive(height, "height")


def grid(figure: Figure, rows: int, cols: int, dim: int = 2) -> Any:
    """An array of rows × cols Axes in a figure."""
    if dim not in (2, 3):
        raise ValueError(f"dim must be 2 or 3, got {check.shown(dim)}")
    return figure.subplots(rows, cols, squeeze=False, subplot_kw={"projection": "3d"} if dim == 3 else {})
