"""Contexts of words: who stands how often within a window of whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._parts import Part
from .._shown import Brief
from .._types import Floats, Ints
from .._warn import warn
from ..backends import backend_of
from ..backends.host import BORDER, keep_words
from ..backends.words import ContextRows, Stretch
from ..engine import Engine, current
from .corpus import Corpus
from .vectors import WordVectors

_BLOCK = 1 << 24  # words of text that are counted at a time
_HEAVIEST = 1e30  # of all contexts: what is computed from them in single precision stays finite
_WIDEST = 1 << 20  # words of a window, far less than of a block
Rng: TypeAlias = "int | np.random.Generator | None"


class Nearness(Part):
    """What a context at each distance 1…W counts."""

    def __call__(self, window: int) -> Floats:
        """Weights at the distances 1…W."""
        raise NotImplementedError


@dataclass(frozen=True)
class Flat(Nearness):
    """All contexts in the window count the same: the paper's multiset."""

    def __call__(self, window: int) -> Floats:
        return np.ones(window)


@dataclass(frozen=True)
class Harmonic(Nearness):
    """1/distance, as GloVe weights."""

    def __call__(self, window: int) -> Floats:
        return 1.0 / np.arange(1, window + 1)


@dataclass(frozen=True)
class Linear(Nearness):
    """(W + 1 − distance)/W: the mean over windows of all sizes up to W, as word2vec draws them."""

    def __call__(self, window: int) -> Floats:
        return np.arange(window, 0, -1) / window


@dataclass(frozen=True, eq=False, repr=False)
class Contexts(Brief):
    """The context multisets of words, as a sparse matrix: a row for each word, a column for each context.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        Weights, ≥ 0.
    counts : array of shape (n,)
        How often each word occurs in the corpus, before any was dropped.
    n_kept : int
        Words of text that were left for the windows.
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
        """As backends take them."""
        return ContextRows(self.matrix.indptr, self.matrix.indices, self.matrix.data)

    def of(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Contexts of one word, and their weights."""
        part = slice(self.matrix.indptr[row], self.matrix.indptr[row + 1])
        return self.matrix.indices[part], self.matrix.data[part]

    def totals(self) -> Floats:
        """The weight of all contexts of each word."""
        return np.asarray(self.matrix.sum(axis=1, dtype=np.float64)).ravel()


def given_contexts(matrix: Any, n: int) -> Contexts:
    """Contexts that were counted elsewhere."""
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
    """Refuse what cannot be weights of contexts, or is so large that sums of it are lost in single precision."""
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("weights of contexts must be finite and not negative")
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
    """Count who stands within a window of whom.

    First words that occur less than `min_count` times are dropped, then each occurrence of a word with frequency
    f > `sample` is dropped with probability 1 − (√(f/t) + 1)·t/f, t = `sample` (word2vec's rule); windows are taken of
    what is left. Words without a vector that are left keep their place, and are nobody's context.

    Parameters
    ----------
    corpus : Corpus
    vectors : WordVectors
    window : int
        W: contexts are at most so many words before or after.
    min_count : int
    sample : float
        0 drops no frequent words.
    nearness : Nearness, optional
        `Flat()` by default.
    rng : int or Generator
        For what is dropped; the same corpus and seed give the same counts.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says.
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
            part = _matrix(backend_of(engine).count_contexts(text, weights, n, engine))
            total = part if total is None else total + part
    if total.nnz == 0:
        warn(
            f"no word with a vector has a context: of {corpus.n_tokens} words of text {n_kept} were kept; lower "
            "min_count, take sample=0 for a small corpus, or see that corpus and vectors write words alike"
        )
    return Contexts(total, counts, n_kept)


def seeded(rng: Rng) -> np.random.Generator:
    """A generator from a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"rng must be a whole number ≥ 0, a Generator or None, got {rng!r}") from None


def _chances(counts: Ints, min_count: int, sample: float) -> Floats:
    """Chances of words to stay; frequencies are relative to the words that occur often enough."""
    enough = counts >= max(min_count, 1)
    if not enough.any() or sample == 0:
        return enough.astype(np.float64)
    f = np.maximum(counts, 1) / counts[enough].sum()
    return np.where(enough, np.minimum((np.sqrt(f / sample) + 1) * sample / f, 1.0), 0.0)


def _stretches(corpus: Corpus, rows: Any, chances: Floats, window: int, rng: np.random.Generator) -> Iterator[Stretch]:
    """What is kept of the text, in stretches; of each the places first…last are new, and the rest is their context."""
    held = np.empty(0, np.int32)  # begins with a window of what was done before
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
