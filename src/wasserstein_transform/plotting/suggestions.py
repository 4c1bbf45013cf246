"""The chart of a suggestion: what was measured at each radius, and the radius chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .canvas import canvas
from .labels import marker
from .style import GRAY, INK, LEGEND, TEXT, THIN, TICKS, color, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..auto import Suggestion

_SIZE = (5.2, 3.0)
_DOT = 3.5


def draw(found: Suggestion, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw what was measured at each radius, with a line at the radius chosen.

    For clusters: the share of points without neighbors, and the share of all points in a typical ball. For modes: the
    agreement of the clusters with those at the next radius, and their number. For curves and surfaces: the spread of
    the points across them.

    Parameters
    ----------
    found : Suggestion
        The result of `wt.suggest`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes
    """
    if not found.table:
        raise ValueError(f"this suggestion has no table, so there is nothing to draw: {found.reason}")
    axes = canvas(ax, size=_SIZE)
    _DRAWN[found.purpose](axes, found)
    axes.axvline(found.eps, color=INK, lw=THIN, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(_sparse)
    axes.tick_params(which="both", labelsize=TICKS)
    axes.set_xlabel(f"ε, chosen: {found.eps:.3g}", fontsize=TEXT, color=INK)
    tidy(axes, title, LEGEND if found.purpose == "clusters" else None)
    drawn: Axes = axes
    return drawn


def _draw_clusters(ax: Any, found: Suggestion) -> None:
    _line(ax, found, "alone", 0, "points without neighbors")
    _line(ax, found, "share", 1, "points in a typical ball")
    _shares(ax)
    ax.legend(fontsize=TICKS, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, handlelength=1.2)
    top = max(*found.table["alone"], *found.table["share"], 0.1)
    ax.set_ylim(-0.05 * top, 1.1 * top)


def _draw_modes(ax: Any, found: Suggestion) -> None:
    _line(ax, found, "stability", 0, "")
    for eps, count, at in zip(found.table["eps"], found.table["clusters"], found.table["stability"], strict=True):
        ax.annotate(str(count), (eps, at), (0, 5), textcoords="offset points", ha="center", fontsize=TICKS, color=INK)
    _shares(ax)
    ax.set_ylim(-0.05, 1.15)
    ax.set_yticks([0, 0.5, 1])
    ax.set_ylabel("agreement with the next ε\n(numbers: clusters)", fontsize=TEXT, color=INK)


def _draw_shapes(ax: Any, found: Suggestion) -> None:
    _line(ax, found, "noise", 0, "")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(_sparse)
    if found.chosen is not None:
        level = found.table["noise"][found.chosen]
        ax.axhline(level, color=GRAY, lw=THIN, zorder=0)
        ax.annotate(
            f"noise {level:.3g}", (1, level), (-2, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", fontsize=TICKS, color=INK,
        )  # fmt: skip
    across = "lines" if found.purpose == "curve" else "planes"
    ax.set_ylabel(f"noise across {across}", fontsize=TEXT, color=INK)


_DRAWN = {"clusters": _draw_clusters, "modes": _draw_modes, "curve": _draw_shapes, "surface": _draw_shapes}


def _line(ax: Any, found: Suggestion, name: str, k: int, label: str) -> None:
    ax.plot(found.table["eps"], found.table[name], f"{marker(k)}-", ms=_DOT, lw=1, color=color(k), label=label)


def _shares(ax: Any) -> None:
    ax.set_ylim(-0.03, 1.03)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")


def _sparse(value: float, _: int | None = None) -> str:
    """Minor tick labels of a logarithmic axis: only 2 and 5 are shown."""
    return f"{value:g}" if f"{value:e}"[0] in "25" else ""
