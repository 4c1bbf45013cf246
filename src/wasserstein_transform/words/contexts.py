"""Contexts of words: how often two words occur within a window of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._check import warn
from .._parts import Part
from .._shown import Brief
from .._types import Floats, Ints
from ..engine import Engine, current
from ..kernels.words import BORDER, keep as keep_words
from . import arrays
from .arrays import ContextRows, Stretch
from .corpus import Corpus
from .vectors import WordVectors

_BLOCK = 1 << 24  # words of text that are counted at a time
_HEAVIEST = 1e30  # largest sum of all context weights for which single-precision results stay finite
_WIDEST = 1 << 20  # largest window in words, far smaller than a block
Rng: TypeAlias = "int | np.random.Generator | None"


class Nearness(Part):
    """Base class of weights by distance: how much a context counts at each distance 1…W.

    A subclass defines `__call__`, which returns one weight for each distance.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> class Halving(words.contexts.Nearness):
    ...     def __call__(self, window):
    ...         return 0.5 ** np.arange(window)
    >>> Halving()(3)
    array([1.  , 0.5 , 0.25])
    """

    def __call__(self, window: int) -> Floats:
        """Return the weights at the distances 1…W, an array of shape (W,)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Flat(Nearness):
    """Weight all contexts in the window equally, as the paper's multiset does.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> words.contexts.Flat()(3)
    array([1., 1., 1.])
    """

    def __call__(self, window: int) -> Floats:
        return np.ones(window)


@dataclass(frozen=True)
class Harmonic(Nearness):
    """Weight contexts by 1/distance, as GloVe does.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> words.contexts.Harmonic()(4).round(2)
    array([1.  , 0.5 , 0.33, 0.25])
    """

    def __call__(self, window: int) -> Floats:
        return 1.0 / np.arange(1, window + 1)


@dataclass(frozen=True)
class Linear(Nearness):
    """Weight contexts by (W + 1 − distance)/W: the mean over windows of sizes 1…W, which word2vec samples from.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> words.contexts.Linear()(4)
    array([1.  , 0.75, 0.5 , 0.25])
    """

    def __call__(self, window: int) -> Floats:
        return np.arange(window, 0, -1) / window


@dataclass(frozen=True, eq=False, repr=False)
class Contexts(Brief):
    """The contexts of n words as a sparse matrix, with a row for each word and a column for each context word.

    `count_contexts` returns it; a fitted `WordTransform` holds it as `contexts_`.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        Weights of the contexts, ≥ 0: occurrences in the window, weighted by nearness.
    counts : array of shape (n,)
        How often each word occurs in the corpus, before any occurrence was dropped.
    n_kept : int
        Number of words of text left after dropping.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "sat": [0.1, 1.0]}
    >>> gt = words.WordTransform(vectors, window=1, min_count=1, sample=0).fit(["cat sat", "dog sat"])
    >>> gt.contexts_.matrix.toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]], dtype=float32)
    >>> gt.contexts_.counts, gt.contexts_.totals()
    (array([1, 1, 2]), array([1., 1., 2.]))
    """

    matrix: Any
    counts: Ints
    n_kept: int

    @property
    def n(self) -> int:
        """The number of words."""
        return int(self.matrix.shape[0])

    @property
    def rows(self) -> ContextRows:
        """The rows as arrays."""
        return ContextRows(self.matrix.indptr, self.matrix.indices, self.matrix.data)

    def of(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the rows of one word's contexts, and their weights."""
        part = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        return self.matrix.indices[part], self.matrix.data[part]

    def totals(self) -> Floats:
        """Return the total weight of the contexts of each word, shape (n,)."""
        return np.asarray(self.matrix.sum(axis=1, dtype=np.float64)).ravel()


def given_contexts(matrix: Any, n: int) -> Contexts:
    """Check a sparse matrix of contexts that were counted elsewhere, and convert it."""
    if not issparse(matrix) or matrix.shape != (n, n):
        raise ValueError(
            f"contexts must be a sparse matrix with a row and a column for each of the {n} words, got "
            f"{type(matrix).__name__} of shape {getattr(matrix, 'shape', None)}"
        )
    if matrix.dtype.kind not in "buif":
        raise ValueError(f"weights of contexts must be real numbers, got dtype {matrix.dtype}")
    rows = csr_array(matrix, dtype=np.float32)
    check_weights(rows.data)
    rows.eliminate_zeros()
    return Contexts(rows, np.diff(rows.indptr).astype(np.intp), 0)


def check_weights(weights: NDArray[np.float32]) -> None:
    """Reject weights that are negative, not finite, or so large that their sums overflow in single precision."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("weights of contexts must be finite and not negative; check the matrix of contexts")
    if (total := float(weights.sum(dtype=np.float64))) > _HEAVIEST:
        raise ValueError(f"weights of contexts must sum to at most {_HEAVIEST:g}, got {total:g}; divide them")


def count_contexts(
    corpus: Corpus,
    vectors: WordVectors,
    window: int = 5,
    min_count: int = 5,
    sample: float = 1e-4,
    nearness: Nearness | None = None,
    rng: Rng = 0,
    engine: Engine | None = None,
) -> Contexts:
    """Count how often words occur within a window of each other.

    First, words that occur fewer than `min_count` times are dropped. Then each occurrence of a word with relative
    frequency f > t, t = `sample`, is dropped with probability 1 − (√(f/t) + 1)·t/f (word2vec's rule). Windows are taken
    in the remaining text. Words without a vector stay in the text and take up a place in the window, but are not
    counted as contexts.

    Parameters
    ----------
    corpus : Corpus
        The text.
    vectors : WordVectors
        The n words to count, in the order of the result's rows.
    window : int, default 5
        W: contexts are at most this many words before or after.
    min_count : int, default 5
        Words that occur less often are dropped.
    sample : float, default 1e-4
        Relative frequency above which occurrences are dropped at random; 0 drops none.
    nearness : Nearness, optional
        Weights by distance; None means `Flat()`.
    rng : int, Generator or None, default 0
        Seed of the random dropping. The same corpus and seed give the same counts; None gives different ones each time.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Contexts
        Weights as a sparse matrix of shape (n, n).

    Notes
    -----
    Time O(W · length of the text); memory grows with the number of different pairs of words that occur together.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> corpus = words.Corpus.read(["cat sat", "dog sat"])
    >>> vectors = words.WordVectors.of(["cat", "dog", "sat"], [[1.0, 0.1], [1.0, -0.1], [0.1, 1.0]])
    >>> words.contexts.count_contexts(corpus, vectors, window=1, min_count=1, sample=0).matrix.toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]], dtype=float32)
    """
    window, min_count = check.count(window, "window", 1), check.count(min_count, "min_count", 0)
    sample = check.tolerance(sample, "sample")
    if window > _WIDEST:
        raise ValueError(f"window must be at most {_WIDEST}, got {window}; 2 to 10 are usual")
    found = vectors.find(corpus.words)
    counts = np.zeros(len(vectors), np.intp)
    counts[found[found >= 0]] = corpus.counts[found >= 0]
    chances = _chances(corpus.counts, min_count, sample)
    rows, weights = found.astype(np.int32), (nearness or Flat())(window)
    draws = seeded(rng)
    total: Any = None
    n_kept, n = 0, len(vectors)
    with current(engine).watched() as engine:
        for text in _stretches(corpus, rows, chances, window, draws):
            n_kept += int(np.count_nonzero(text.kept[text.first : text.last] != BORDER))
            part = _matrix(arrays.count_contexts(text, weights, n, engine))
            total = part if total is None else total + part
    if total.nnz == 0:
        warn(
            f"no word with a vector has a context: of {corpus.n_tokens} words of text {n_kept} were kept; lower "
            "min_count, use sample=0 for a small corpus, or check that corpus and vectors spell words the same way"
        )
    return Contexts(total, counts, n_kept)


def seeded(rng: Rng) -> np.random.Generator:
    """Return a random generator from a seed, a generator, or None."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"rng must be a whole number ≥ 0, a Generator or None, got {rng!r}") from None


def _chances(counts: Ints, min_count: int, sample: float) -> Floats:
    """Return the probability that an occurrence of each word is kept; frequencies are relative to frequent words."""
    enough = counts >= max(min_count, 1)
    if not enough.any() or sample == 0:
        return enough.astype(np.float64)
    f = np.maximum(counts, 1) / counts[enough].sum()
    return np.where(enough, np.minimum((np.sqrt(f / sample) + 1) * sample / f, 1.0), 0.0)


def _stretches(corpus: Corpus, rows: Any, chances: Floats, window: int, rng: np.random.Generator) -> Iterator[Stretch]:
    """Yield the kept text in overlapping stretches; in each, positions first…last are new, the others only context."""
    held = np.empty(0, np.int32)  # starts with one window of the previous stretch
    first = 0
    for numbers in corpus.pieces():
        kept = np.empty(len(numbers), np.int32)
        n = keep_words(numbers, rows, chances, rng.random(len(numbers)), kept)
        held = np.concatenate([held, kept[:n]])
        if len(held) >= _BLOCK:
            last = len(held) - window
            yield Stretch(held, first, last)
            held = held[last - window :]
            first = window
    yield Stretch(held, first, len(held))


def _matrix(found: ContextRows) -> Any:
    n = len(found.indptr) - 1
    return csr_array((found.weights, found.indices, found.indptr), shape=(n, n))
