"""The Axes a picture is drawn into, given or new."""

from __future__ import annotations

import importlib
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 130
"""Dots an inch of new figures: a page is then as wide as a notebook."""


def need_matplotlib() -> None:
    """Refuse to go on without matplotlib, and say how to get it."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise ImportError(
            'drawing needs matplotlib, which is not installed; pip install "wasserstein-transform[plot]" brings it'
        ) from None


def canvas(ax: Axes | None, dim: int = 2, size: tuple[float, float] = (6.5, 5.5)) -> Any:
    """The Axes given, or those of a new figure; `dim` = 3 needs, and makes, 3-D ones."""
    ready(ax, dim)
    return _new(dim, size) if ax is None else ax


def ready(ax: Axes | None, dim: int = 2) -> None:
    """Before any work is done: matplotlib is there, and the Axes will do."""
    need_matplotlib()
    if ax is not None:
        check_axes(ax, dim)


def check_axes(ax: Any, dim: int = 2) -> None:
    """Refuse what is no Axes, and Axes that cannot show `dim` dimensions."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes, got {type(ax).__name__}; plt.subplots()[1] is one")
    if dim == 3 and ax.name != "3d":
        raise ValueError(
            "three dimensions need 3-D Axes, got 2-D ones; leave ax out, or make them with "
            "figure.add_subplot(projection='3d')"
        )
    if dim < 3 and ax.name == "3d":
        raise ValueError("this picture is flat and needs 2-D Axes, got 3-D ones; leave ax out, or use plt.subplots()")


def birth(dim: int) -> Any:
    """A context in which 3-D Axes are born with thin lines on their walls: later there is no public way to say so."""
    import matplotlib as mpl

    if dim < 3:
        return nullcontext()
    return mpl.rc_context({"grid.linewidth": 0.4, "grid.color": "#DDDDDD"})


def _new(dim: int, size: tuple[float, float]) -> Any:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, dpi=DPI, layout="constrained")
    with birth(dim):
        return figure.add_subplot(projection="3d" if dim == 3 else None)
