"""Adapt word vectors to a text: whitening, then a shift of each word toward its contexts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wasserstein_transform._types import Floats

from .contexts import Corpus, context_means, count_contexts, ppmi
from .vectors import WordVectors

POWER, SHARE = 0.75, 0.2  # one setting for all vectors and texts, chosen on the benchmarks of the experiment
NOTHING = 1e-5  # length relative to a unit vector below which only rounding errors are left


def adapt(
    vectors: WordVectors,
    corpus: Corpus | None = None,
    share: float = SHARE,
    power: float = POWER,
    window: int = 5,
    min_count: int = 5,
    sample: float = 1e-4,
    rng: Any = 0,
) -> WordVectors:
    """Adapt word vectors to a text, so that distances agree better with human similarity ratings; no labels are needed.

    Vectors are whitened (`whiten`). Then each word moves toward its contexts in the text, weighted by positive
    pointwise mutual information (`shift`).

    Parameters
    ----------
    vectors : WordVectors
        The vectors of n words. Whitening estimates their covariance: give a few thousand words or more.
    corpus : Corpus, optional
        The text. None (default): whitening only, no word moves.
    share : float, 0 to 1, default 0.2
        How far a word moves.
    power : float, 0 to 1, default 0.75
        Strength of whitening: 0 removes only the mean, 1 makes all variances equal.
    window, min_count, sample, rng
        As for `count_contexts`.

    Returns
    -------
    WordVectors
        The new vectors, of length 1.

    Examples
    --------
    >>> from wt_paper import words
    >>> names = ["cat", "dog", "ran", "sat"]
    >>> vectors = words.WordVectors.of(names, [[1.0, 0.1], [1.0, -0.1], [0.0, 1.0], [0.1, 1.0]])
    >>> corpus = words.read_corpus(["Cat sat.", "Dog ran.", "Dog sat."])
    >>> moved = words.adapt(vectors, corpus, min_count=1, sample=0)
    >>> bool(moved.unit[0] @ moved.unit[1] > moved.unit[0] @ moved.unit[2])
    True
    """
    if not (0 <= share <= 1 and 0 <= power <= 1):
        raise ValueError(f"share and power must be between 0 and 1, got {share!r} and {power!r}")
    white = whiten(vectors, power)
    if corpus is None:
        return WordVectors.of(white.words, white.unit)
    return shift(white, ppmi(count_contexts(corpus, white, window, min_count, sample, rng)), share)


def whiten(vectors: WordVectors, power: float = POWER) -> WordVectors:
    """Whiten vectors partly: divide each principal axis by (its variance)^(power/2).

    Directions in which all words vary a lot then count less. Vectors are scaled to length 1 and lose their mean. The
    result is in the original coordinates, not in those of the principal axes. Variances v of n words in m dimensions
    are regularized to (n·v + m·v̄)/(n + m), where v̄ is their mean, so that noise is not amplified when there are few
    words. Words whose vector becomes zero are left out.
    """
    off = vectors.unit - vectors.unit.mean(axis=0, dtype=np.float64)
    n, m = off.shape
    variances, axes = np.linalg.eigh(off.T @ off / n)
    mean = max(float(variances.mean()), 1e-30)
    ratios = (n * np.maximum(variances, 0.0) / mean + m) / (n + m)
    return without_rounding(vectors, off @ ((axes * ratios ** (-0.5 * power)) @ axes.T))


def without_rounding(vectors: WordVectors, matrix: Floats) -> WordVectors:
    """Return new vectors of the same words, without those of which only rounding errors are left."""
    return WordVectors.of(vectors.words, np.where(np.linalg.norm(matrix, axis=1, keepdims=True) < NOTHING, 0.0, matrix))


def shift(vectors: WordVectors, contexts: csr_array, share: float = SHARE) -> WordVectors:
    """Move words toward their contexts: w becomes (1 − share)·w + share·z, scaled to length 1.

    z is the direction of the word's mean context minus the mean of all contexts, which is common to all words. Words
    without contexts do not move.
    """
    totals, means = context_means(contexts, vectors)
    targets = _unit(means - totals @ means / max(totals.sum(), 1e-30))
    moved = np.where(totals[:, None] > 0, (1 - share) * vectors.unit + share * targets, vectors.unit)
    return WordVectors.of(vectors.words, _unit(moved))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30))
