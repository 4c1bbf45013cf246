"""How well distances of words agree with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .canvas import canvas
from .labels import marker
from .style import GRAY, INK, LEGEND, TEXT, THIN, TICKS, color, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..words import Evaluation

_MOST = 21  # settings that have a color of their own


def agreement(found: Evaluation, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Spearman correlations for every benchmark, a dot for each setting with its 95 % interval; full dots differ.

    The plain vectors are gray. A dot is filled where its difference from the plain vectors is significant.

    Parameters
    ----------
    found : Evaluation
        Of `words.evaluate`.
    ax : Axes, optional
    title : str, optional

    Returns
    -------
    Axes
    """
    if len(found.settings) > _MOST + 1:
        raise ValueError(f"at most {_MOST} settings have colors of their own, got {len(found.settings) - 1}")
    n, settings = len(found.names), found.settings
    ax = canvas(ax, size=(6.5, 0.8 + 0.09 * n * (len(settings) + 2)))
    half = 0.36 - 0.36 / max(len(settings), 2)  # the gap to the next benchmark is wider than those within
    places = np.arange(n)[:, None] + np.linspace(-half, half, len(settings))
    differs = found.better | found.worse
    for s, setting in enumerate(settings):
        ink, mark = (GRAY, "o") if s == 0 else (color(s - 1), marker(s - 1))
        low, high = found.intervals[:, s].T
        ax.hlines(places[:, s], low, high, colors=ink, linewidth=THIN)
        ax.plot(found.scores[:, s], places[:, s], mark, ms=3.2, mew=0.8, color=ink, mfc="white", label=setting.name)
        full = differs[:, s]
        ax.plot(found.scores[full, s], places[full, s], mark, ms=3.2, mew=0.8, color=ink)
    names = [f"{name} ({count})" for name, count in zip(found.names, found.n_found, strict=True)]
    ax.set_yticks(range(n), names, fontsize=TICKS)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_xlabel("Spearman correlation with people (filled: significantly unlike the first)", fontsize=TEXT, color=INK)
    ax.legend(fontsize=TICKS, frameon=False, ncols=min(len(settings), 5), loc="lower left", bbox_to_anchor=(0, 1))
    tidy(ax, title, LEGEND)
    return ax
