"""The chart of an evaluation of word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform.plotting.style import GRAY, INK, LEGEND, TEXT, THIN, TICKS, canvas, color, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .evaluation import Evaluation

MAX_SETTINGS = 21  # that can be told apart by color
MARKERS = "os^DvPX"


def agreement(evaluation: Evaluation, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the Spearman correlations of an evaluation: a row for each benchmark, a dot for each setting.

    The line through a dot is its 95 % interval. The plain vectors are gray. A dot is filled if its difference from the
    plain vectors is significant.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of `ratings.evaluate`, with at most 21 settings besides the plain vectors.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from wt_paper import ratings, words
    >>> vectors = words.WordVectors.of(["cat", "dog", "ran", "sat"], [[1.0, 0.2], [0.9, 0.4], [0.1, 1.0], [0.3, 0.9]])
    >>> pairs = (("cat", "dog"), ("ran", "sat"), ("cat", "ran"), ("dog", "sat"))
    >>> rated = ratings.Benchmark("pairs", pairs, [9.0, 8.0, 1.0, 2.0])
    >>> corpus = words.read_corpus(["the cat sat", "the dog sat", "a dog ran"])
    >>> evaluation = ratings.evaluate(vectors, corpus, [rated], lams=(0.5, 1.0), min_count=1, sample=0, n_boot=20)
    >>> ax = ratings.agreement(evaluation)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['plain', 'W=5 λ=0.5', 'W=5 λ=1']
    """
    if len(evaluation.settings) > MAX_SETTINGS + 1:
        raise ValueError(
            f"at most {MAX_SETTINGS} settings can be drawn in different colors, got {len(evaluation.settings) - 1}; "
            "evaluate fewer windows or lams"
        )
    n, settings = len(evaluation.names), evaluation.settings
    ax = canvas(ax, size=(6.5, 0.8 + 0.09 * n * (len(settings) + 2)))
    half = 0.36 - 0.36 / max(len(settings), 2)  # the gap between benchmarks is wider than the gaps between settings
    places = np.arange(n)[:, None] + np.linspace(-half, half, len(settings))
    differs = evaluation.better | evaluation.worse
    for s, setting in enumerate(settings):
        ink, mark = (GRAY, "o") if s == 0 else (color(s - 1), MARKERS[(s - 1) % len(MARKERS)])
        low, high = evaluation.intervals[:, s].T
        ax.hlines(places[:, s], low, high, colors=ink, linewidth=THIN)
        ax.plot(
            evaluation.scores[:, s], places[:, s], mark, ms=3.2, mew=0.8, color=ink, mfc="white", label=setting.name
        )
        full = differs[:, s]
        ax.plot(evaluation.scores[full, s], places[full, s], mark, ms=3.2, mew=0.8, color=ink)
    names = [f"{name} ({count})" for name, count in zip(evaluation.names, evaluation.n_found, strict=True)]
    ax.set_yticks(range(n), names, fontsize=TICKS)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_xlabel(
        "Spearman correlation with people (filled: differs significantly from the first)", fontsize=TEXT, color=INK
    )
    ax.legend(fontsize=TICKS, frameon=False, ncols=min(len(settings), 5), loc="lower left", bbox_to_anchor=(0, 1))
    tidy(ax, title, LEGEND)
    return ax
