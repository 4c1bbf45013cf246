"""Adapt word vectors to a corpus: whitening, then a shift of each word toward its contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, current, one_blas_thread, using
from .contexts import Contexts, Rng, Window, as_contexts
from .corpus import Tokens
from .reading import as_vectors
from .vectors import Singles, WordVectors, row_blocks

POWER, SHARE = 0.75, 0.2
"""One setting for all vectors and corpora; docs/measured.md tells how it was chosen and how it scored on other data."""

SMOOTHING = 0.75  # frequencies of context words are raised to this power, so that rare ones are not overrated
ENTRIES = 1 << 21  # entries of a sparse matrix that are weighted at a time
_NOTHING = 1e-5  # length relative to a unit vector below which only rounding errors are left


def adapt(
    vectors: Any,
    corpus: Any = None,
    *,
    share: float = SHARE,
    power: float = POWER,
    window: int = 5,
    min_count: int = 5,
    sample: float = 1e-4,
    rng: Rng = 0,
    tokens: Tokens | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> WordVectors:
    """Adapt pre-trained word vectors to a corpus, so that distances agree better with human similarity ratings.

    Two steps, both without labels. First, whitening scales down the directions in which all words vary a lot
    (`whiten`). Then each word moves toward its contexts in the corpus, which are weighted by positive pointwise mutual
    information and centered by the mean of all contexts (`ppmi`, `shift`). Distances are Euclidean distances of the
    moved unit vectors: the shift improves agreement with human ratings, the covariances of the paper do not. For the
    paper's definition use `WordTransform`.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
        The vectors of n words. Whitening estimates their covariance: give a few thousand words or more.
    corpus : path, Corpus, iterable of str or of lists of words, sparse matrix, or None
        As for `WordTransform.fit`. None (default): whitening only, no word moves.
    share : float, 0 to 1, default 0.2
        How far a word moves: w becomes (1 − share)·w + share·z, scaled to length 1, where z is the direction of its
        contexts. Words that do not occur in the corpus do not move.
    power : float, 0 to 1, default 0.75
        Strength of whitening: 0 removes only the mean, 1 makes all variances equal.
    window : int, default 5
        Contexts are at most this many words before or after.
    min_count : int, default 5
        Words that occur less often are dropped from the corpus.
    sample : float, default 1e-4
        Frequency above which words are dropped at random by word2vec's rule; 0 drops none.
    rng : int, Generator or None, default 0
        Seed of the random dropping; None gives a different result each time.
    tokens : callable, optional
        Puts white space between the words of a text; `str` leaves it as it is. None: words are runs of letters and
        digits, in lower case if the vectors are.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of `wt.using`.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Returns
    -------
    WordVectors
        The new vectors, of length 1. `most_similar` and `distance` compare them, `write(file)` writes them for other
        programs, and `n_moved` counts the words that moved.

    Notes
    -----
    Time O(n·m²) for whitening n vectors in m dimensions, plus one pass over the corpus.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> moved = wt.words.adapt(vectors, ["Cat sat.", "Dog ran.", "Dog sat."], min_count=1, sample=0)
    >>> moved, moved.n_moved
    (<WordVectors of 4 words in R^2>, 4)
    >>> moved.most_similar("cat", 1).words
    ('dog',)
    """
    _check_share(power, "power")
    _check_share(share, "share")
    with current(n_jobs=n_jobs, verbose=verbose).watched() as engine, using(engine):
        white = whiten(as_vectors(vectors), power)
        if corpus is None:
            return WordVectors.of(white.words, white.unit)
        weighted = ppmi(as_contexts(corpus, white, Window(window, min_count, sample, rng, tokens)))
        return shift(white, weighted, share)


def _check_share(value: float, name: str) -> None:
    if not 0 <= check.tolerance(value, name) <= 1:
        raise ValueError(f"{check.spell(name)} must be between 0 and 1, got {value!r}")


def whiten(vectors: WordVectors, power: float = POWER) -> WordVectors:
    """Whiten vectors partly: divide each principal axis by (its variance)^(power/2).

    Directions in which all words vary a lot then count less. Vectors are scaled to length 1 and lose their mean. The
    result is in the original coordinates, not in those of the principal axes. Variances v of n words in m dimensions
    are regularized to (n·v + m·v̄)/(n + m), where v̄ is their mean, so that noise is not amplified when there are few
    words. Words whose vector becomes zero are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> spread = np.random.default_rng(0).normal(size=(5000, 3)) * [9.0, 1.0, 1.0]
    >>> white = words.adapting.whiten(words.WordVectors.of(map(str, range(5000)), spread), 1.0)
    >>> np.round(white.matrix.var(axis=0) / white.matrix.var(), 1)
    array([1., 1., 1.], dtype=float32)
    """
    unit, engine = vectors.unit, current()
    engine.reserve(4.0 * unit.size, f"whitened vectors of {len(vectors)} words", "take fewer words")
    mean = np.asarray(unit.mean(axis=0, dtype=np.float64))
    with engine.watched() as engine, one_blas_thread():
        scatter, white = np.zeros((vectors.m, vectors.m)), np.empty_like(unit)
        for part in row_blocks(len(unit), "variances", engine):
            off = unit[part] - mean
            scatter += off.T @ off
        change = _level(scatter, len(unit), power)
        for part in row_blocks(len(unit), "whitening", engine):
            white[part] = (unit[part] - mean) @ change
    white[np.linalg.norm(white, axis=1) < _NOTHING] = 0.0
    if not white.any():
        raise ValueError(
            f"nothing is left of {len(vectors)} vectors after their common part is removed: all point the same way; "
            "give more words"
        )
    return WordVectors.of(vectors.words, white)


def _level(scatter: Floats, n: int, power: float) -> Floats:
    """Return the symmetric matrix that vectors are multiplied by; it keeps the mean variance about the same."""
    variances, axes = np.linalg.eigh(scatter / n)
    mean = max(float(variances.mean()), 1e-30)
    ratios = (n * np.maximum(variances, 0.0) / mean + len(scatter)) / (n + len(scatter))
    return np.asarray((axes * ratios ** (-0.5 * power)) @ axes.T)


def ppmi(contexts: Contexts) -> Contexts:
    """Weight contexts by positive pointwise mutual information: log(count / count expected by chance), at least 0.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> gt = words.WordTransform({"cat": [1.0, 0.0], "dog": [0.0, 1.0]}, min_count=1, sample=0).fit(["cat dog cat"])
    >>> words.adapting.ppmi(gt.contexts_).matrix.toarray().round(3)
    array([[0.   , 0.293],
           [0.467, 0.   ]], dtype=float32)
    """
    matrix, engine = contexts.matrix, current()
    others = np.asarray(matrix.sum(axis=0, dtype=np.float64)).ravel() ** SMOOTHING
    frequent = np.log(np.maximum(contexts.totals(), 1e-300))
    common = np.log(np.maximum(others, 1e-300) / max(others.sum(), 1e-300))
    engine.reserve(8.0 * matrix.nnz, f"weights of {matrix.nnz} contexts", "take a smaller window")
    values = np.empty(matrix.nnz, np.float32)
    for rows in _entry_blocks(matrix.indptr, "weights of contexts", engine):
        part = slice(matrix.indptr[rows.start], matrix.indptr[rows.stop])
        chance = np.repeat(frequent[rows], np.diff(matrix.indptr[rows.start : rows.stop + 1]))
        chance += common[matrix.indices[part]]
        values[part] = np.maximum(np.log(matrix.data[part]) - chance, 0.0)
    weighted = csr_array((values, matrix.indices.copy(), matrix.indptr.copy()), shape=matrix.shape)
    weighted.eliminate_zeros()
    return Contexts(weighted, contexts.counts, contexts.n_kept)


def _entry_blocks(starts: Ints, stage: str, engine: Engine) -> Iterator[slice]:
    """Yield slices of rows of a sparse matrix, with about ENTRIES entries each; `starts` is the matrix's indptr."""
    n, first = len(starts) - 1, 0
    while first < n:
        engine.check()
        engine.report(stage, first, n)
        last = int(np.searchsorted(starts, starts[first] + ENTRIES, "right")) - 1
        last = min(max(last, first + 1), n)
        yield slice(first, last)
        first = last
    engine.report(stage, n, n)


def shift(vectors: WordVectors, contexts: Contexts, share: float = SHARE) -> WordVectors:
    """Move words toward their contexts: w becomes (1 − share)·w + share·z, scaled to length 1.

    z is the direction of the word's mean context minus the mean of all contexts, which is common to all words. Words
    without contexts do not move.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = words.WordVectors.of(["cat", "dog", "sat"], [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> gt = words.WordTransform(vectors, min_count=1, sample=0).fit(["cat dog", "sat"])
    >>> words.adapting.shift(vectors, gt.contexts_, 0.5).matrix.round(3)
    array([[0.383, 0.924],
           [0.924, 0.383],
           [0.6  , 0.8  ]], dtype=float32)
    """
    engine, points, totals = current(), vectors.unit, contexts.totals()
    means = contexts.means(points, engine)
    everywhere, moved = np.zeros(vectors.m), np.empty_like(points)
    for part in row_blocks(len(points), "the mean context", engine):
        everywhere += np.einsum("i,ij->j", totals[part], means[part].astype(np.float64))
    everywhere /= max(totals.sum(), 1e-30)
    for part in row_blocks(len(points), "moving words", engine):
        targets = _unit(means[part] - everywhere)
        moves = (totals[part] > 0)[:, None]
        moved[part] = _unit(np.where(moves, (1 - share) * points[part] + share * targets, points[part]))
    found = WordVectors.of(vectors.words, moved)
    return WordVectors(found.words, found.matrix, found.skipped, int(np.count_nonzero(totals)))


def _unit(rows: Floats | Singles) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30))
