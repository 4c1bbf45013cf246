"""The Axes that a function draws into, given or new."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 130
"""Dots per inch of new figures; a figure of full page width then fits the width of a notebook."""


def need_matplotlib() -> None:
    """Raise an ImportError with instructions if matplotlib is not installed."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise ImportError(
            'drawing needs matplotlib, which is not installed; run: pip install "wasserstein-transform[plot]"'
        ) from None


def canvas(ax: Axes | None, dim: int = 2, size: tuple[float, float] = (6.5, 5.5)) -> Any:
    """The given Axes, or those of a new figure; with dim = 3 they must be, or are made, 3-D."""
    ready(ax, dim)
    return _new(dim, size) if ax is None else ax


def ready(ax: Axes | None, dim: int = 2) -> None:
    """Check before any work is done that matplotlib is installed and the Axes fit."""
    need_matplotlib()
    if ax is not None:
        check_axes(ax, dim)


def check_axes(ax: Any, dim: int = 2) -> None:
    """Raise if `ax` is not an Axes, or cannot show `dim` dimensions."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes, got {type(ax).__name__}; plt.subplots()[1] is one")
    if dim == 3 and ax.name != "3d":
        raise ValueError(
            "three dimensions need 3-D Axes, got 2-D ones; leave ax out, or make them with "
            "figure.add_subplot(projection='3d')"
        )
    if dim < 3 and ax.name == "3d":
        raise ValueError("this figure is flat and needs 2-D Axes, got 3-D ones; leave ax out, or use plt.subplots()")


def birth(dim: int) -> Any:
    """A context in which new 3-D Axes get thin grid lines: matplotlib has no public way to set them later."""
    import matplotlib as mpl

    if dim < 3:
        return nullcontext()
    return mpl.rc_context({"grid.linewidth": 0.4, "grid.color": "#DDDDDD"})


def _new(dim: int, size: tuple[float, float]) -> Any:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, dpi=DPI, layout="constrained")
    with birth(dim):
        return figure.add_subplot(projection="3d" if dim == 3 else None)
