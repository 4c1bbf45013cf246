"""Contexts of words: how often two words occur within a window of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._check import warn
from .._shown import Brief, counted
from .._types import Floats, Ints
from ..engine import GRAIN, Engine, Flag, Tile, current, cut_by_cost
from ..kernels import words as kernels
from .corpus import Corpus, Tokens, letters
from .vectors import Singles, WordVectors

_BLOCK = 1 << 24  # words of text that are counted at a time
_HEAVIEST = 1e30  # largest sum of all context weights for which single-precision results stay finite
_WIDEST = 1 << 20  # largest window in words, far smaller than a block
Rng: TypeAlias = "int | np.random.Generator | None"


class Window(NamedTuple):
    """How contexts are counted: the parameters that `adapt` and `WordTransform` share."""

    window: int
    min_count: int
    sample: float
    rng: Rng
    tokens: Tokens | None


@dataclass(frozen=True, eq=False, repr=False)
class Contexts(Brief):
    """The contexts of n words as a sparse matrix, with a row for each word and a column for each context word.

    `count_contexts` returns it; a fitted `WordTransform` holds it as `contexts_`.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        Weights of the contexts, ≥ 0: the number of occurrences in the window.
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

    def of(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the rows of one word's contexts, and their weights."""
        part = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        return self.matrix.indices[part], self.matrix.data[part]

    def totals(self) -> Floats:
        """Return the total weight of the contexts of each word, shape (n,)."""
        return np.asarray(self.matrix.sum(axis=1, dtype=np.float64)).ravel()

    def means(self, points: Singles, engine: Engine) -> Singles:
        """Return the weighted mean of each word's contexts, shape (n, m); 0 without contexts."""
        matrix, m = self.matrix, points.shape[1]
        tiles = cut_by_cost(np.diff(matrix.indptr) * float(m) + 100.0, GRAIN / 4)  # small: memory access is random
        means = np.empty(points.shape, np.float32)

        def average(tile: Tile, stop: Flag) -> None:
            rows = matrix.indptr, matrix.indices, matrix.data
            kernels.means(*rows, points, *tile, np.empty(m), means[slice(*tile)], stop)

        engine.loop("means of contexts", tiles, average)
        return means


def as_contexts(corpus: Any, vectors: WordVectors, how: Window) -> Contexts:
    """Count the contexts in a corpus, or check a sparse matrix of contexts that were counted elsewhere."""
    if issparse(corpus):
        return _checked(corpus, len(vectors))
    text = Corpus.read(corpus, how.tokens or letters(lower=vectors.are_lower))
    return count_contexts(text, vectors, how.window, how.min_count, how.sample, how.rng)


def _checked(matrix: Any, n: int) -> Contexts:
    if matrix.shape != (n, n):
        raise ValueError(
            f"contexts must be a sparse matrix with a row and a column for each of the {n} words, got "
            f"{type(matrix).__name__} of shape {matrix.shape}"
        )
    if matrix.dtype.kind not in "buif":
        raise ValueError(f"weights of contexts must be real numbers, got dtype {matrix.dtype}")
    rows = csr_array(matrix, dtype=np.float32)
    if not np.isfinite(rows.data).all() or (rows.data < 0).any():
        raise ValueError("weights of contexts must be finite and not negative; check the matrix of contexts")
    if (total := float(rows.data.sum(dtype=np.float64))) > _HEAVIEST:
        raise ValueError(f"weights of contexts must sum to at most {_HEAVIEST:g}, got {total:g}; divide them")
    rows.eliminate_zeros()
    return Contexts(rows, np.diff(rows.indptr).astype(np.intp), 0)


def count_contexts(
    corpus: Corpus,
    vectors: WordVectors,
    window: int = 5,
    min_count: int = 5,
    sample: float = 1e-4,
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
        raise ValueError(f"{check.spell('window')} must be at most {_WIDEST}, got {window}; 2 to 10 are usual")
    try:
        draws = np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"{check.spell('rng')} must be an integer ≥ 0, a Generator or None, got {rng!r}") from None
    rows = vectors.find(corpus.words)
    counts = np.zeros(len(vectors), np.intp)
    counts[rows[rows >= 0]] = corpus.counts[rows >= 0]
    chances = _chances(corpus.counts, min_count, sample)
    total: Any = None
    n_kept, n = 0, len(vectors)
    with current(engine).watched() as engine:
        for text in _stretches(corpus, rows.astype(np.int32), chances, window, draws):
            n_kept += int(np.count_nonzero(text.kept[text.first : text.last] != kernels.BORDER))
            part = _count_stretch(text, window, n, engine)
            total = part if total is None else total + part
    if total.nnz == 0:
        warn(
            f"no word with a vector has a context: of {counted(corpus.n_tokens, 'word')} of text {n_kept:,} were kept; "
            f"lower {check.spell('min_count')}, use {check.spell('sample=0')} for a small corpus, or check that corpus "
            "and vectors spell words the same way"
        )
    return Contexts(total, counts, n_kept)


def _chances(counts: Ints, min_count: int, sample: float) -> Floats:
    """Return the probability that an occurrence of each word is kept; frequencies are relative to frequent words."""
    enough = counts >= max(min_count, 1)
    if not enough.any() or sample == 0:
        return enough.astype(np.float64)
    f = np.maximum(counts, 1) / counts[enough].sum()
    return np.where(enough, np.minimum((np.sqrt(f / sample) + 1) * sample / f, 1.0), 0.0)


class _Stretch(NamedTuple):
    """A part of a text as rows of words, with marks for words without a vector and for borders of documents.

    Positions first…last are counted; the rest is only context.
    """

    kept: NDArray[np.int32]
    first: int
    last: int


def _stretches(corpus: Corpus, rows: Any, chances: Floats, window: int, rng: np.random.Generator) -> Iterator[_Stretch]:
    """Yield the kept text in stretches that overlap by two windows."""
    held = np.empty(0, np.int32)  # starts with one window of the previous stretch
    first = 0
    for numbers in corpus.pieces():
        kept = np.empty(len(numbers), np.int32)
        n = kernels.keep(numbers, rows, chances, rng.random(len(numbers)), kept)
        held = np.concatenate([held, kept[:n]])
        if len(held) >= _BLOCK:
            last = len(held) - window
            yield _Stretch(held, first, last)
            held = held[last - window :]
            first = window
    yield _Stretch(held, first, len(held))


def _count_stretch(text: _Stretch, window: int, n: int, engine: Engine) -> csr_array:
    """Count the contexts of n words in a part of a text, word by word, from the positions of each word.

    Windows do not cross borders between documents.
    """
    begins = np.zeros(n + 1, np.int64)
    kernels.count_places(*text, begins)
    begins = np.cumsum(begins)
    places = np.empty(begins[-1], np.int64)
    kernels.list_places(*text, begins[:-1].copy(), places)
    where, weights = (text.kept, begins, places), np.ones(window)
    tiles = cut_by_cost(np.diff(begins) * 2.0 * window + 10.0)
    sizes = np.empty(n, np.int64)

    def count(tile: Tile, stop: Flag) -> None:
        scratch = np.zeros(n), np.empty(n, np.int32)
        kernels.count_contexts(*where, *tile, weights, *scratch, sizes[slice(*tile)], stop)

    engine.loop("contexts, sizes", tiles, count)
    starts = np.append(0, np.cumsum(sizes))
    size = int(starts[-1])
    engine.reserve(8.0 * size, f"{size} pairs of words", "use a smaller window or fewer words")
    indices, values = np.empty(size, np.int32), np.empty(size, np.float32)

    def fill(tile: Tile, stop: Flag) -> None:
        part, scratch = slice(starts[tile.start], starts[tile.stop]), (np.zeros(n), np.empty(n, np.int32))
        kernels.fill_contexts(*where, *tile, weights, *scratch, starts, indices[part], values[part], stop)

    engine.loop("contexts", tiles, fill)
    return csr_array((values, indices, starts), shape=(n, n))
