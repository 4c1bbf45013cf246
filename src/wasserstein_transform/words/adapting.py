"""What helps, in one call: vectors whose variances are leveled, moved towards what stands around the words."""

from __future__ import annotations

from typing import Any

from .cleaning import Whiten
from .contexts import Rng
from .corpus import Tokens
from .transform import WordTransform
from .variants import PPMI, Shift

POWER, SHARE = 0.75, 0.2
"""One setting for all vectors and corpora; docs/words.md says how it was chosen and what it gave elsewhere."""


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
    """Pre-trained word vectors, adapted to a corpus: closer to what people call similar.

    Two steps, both without labels. Directions in which all words vary much count less (`Whiten(power)`). Then every
    word moves towards its contexts in the corpus, weighed by positive pointwise mutual information and less the mean of
    all contexts (`PPMI()`, `Shift(share)`). Distances are those of the moved unit vectors (λ = 0): the half of the
    transform that moves points helps, the covariances do not. The paper's definition is `WordTransform` with its
    defaults.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
        Some thousand words at least: their variances are what is leveled.
    corpus : path, Corpus, iterable of str or of lists of words, sparse matrix, or None
        As for `WordTransform.fit`. None: no word moves.
    share : float, 0 to 1
        How far a word moves: it becomes (1 − share)·w + share·z, z the direction of its contexts. Words that the corpus
        does not have stay.
    power : float, 0 to 1
        How much variances are leveled: 0 removes the mean only, 1 makes them equal.
    window, min_count, sample, rng, tokens, n_jobs, verbose : as for `WordTransform`

    Returns
    -------
    WordTransform
        Fitted, with λ = 0. `adapted` holds the new vectors, `adapted.write(file)` keeps them for other programs;
        `pairs`, `most_similar` and `save` are as usual.

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
