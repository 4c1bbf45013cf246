"""One call that adapts word vectors to a corpus: whitening, then a shift of each word toward its contexts."""

from __future__ import annotations

from typing import Any

from .cleaning import Whiten
from .contexts import Rng
from .corpus import Tokens
from .transform import WordTransform
from .variants import PPMI, Shift

POWER, SHARE = 0.75, 0.2
"""One setting for all vectors and corpora; docs/words.md tells how it was chosen and how it scored on other data."""


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
) -> WordTransform:
    """Adapt pre-trained word vectors to a corpus, so that distances agree better with human similarity ratings.

    Two steps, both without labels. First, whitening scales down the directions in which all words vary a lot
    (`Whiten(power)`). Then each word moves toward its contexts in the corpus, which are weighted by positive pointwise
    mutual information and centered by the mean of all contexts (`PPMI()`, `Shift(share)`). Distances are Euclidean
    distances of the moved unit vectors (λ = 0): the shift improves agreement with human ratings, the covariances do
    not. For the paper's definition use `WordTransform` with its defaults.

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
    tokens : Tokens, optional
        How a text is split into words; None means `Spaced()`.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of `wt.using`.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Returns
    -------
    WordTransform
        Fitted, with λ = 0. `adapted` holds the new vectors, and `adapted.write(file)` writes them for other programs;
        `pairs`, `most_similar` and `save` work as usual.

    Notes
    -----
    Time O(n·m²) for whitening n vectors in m dimensions, plus one pass over the corpus.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> moved = wt.words.adapt(vectors, ["cat sat", "dog ran", "dog sat"], min_count=1, sample=0)
    >>> moved.adapted
    <WordVectors of 4 words in R^2>
    >>> moved.most_similar("cat", 1).words
    ('dog',)
    """
    transform = WordTransform(
        vectors, window, 0.0, min_count, sample, rng=rng, tokens=tokens, weighting=PPMI(), common=Whiten(power),
        shift=Shift(share), n_jobs=n_jobs, verbose=verbose,
    )  # fmt: skip
    return transform._fit(corpus)
