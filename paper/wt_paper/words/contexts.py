"""Texts as numbers, and contexts of words: how often two words occur within a window of each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from wasserstein_transform import _check as check
from wasserstein_transform._types import Floats, Ints

from .vectors import WordVectors, open_text

PIECE = 1 << 22  # characters of a file at a time
SMOOTHING = 0.75  # frequencies of context words are raised to this power, so that rare ones are not overrated


class Corpus(NamedTuple):
    """A text: its different words, and the number of each of its words in order, with −1 after each document.

    Examples
    --------
    >>> from wt_paper import words
    >>> words.read_corpus(["The cat sat.", "the dog"])
    Corpus(words=('the', 'cat', 'sat', 'dog'), numbers=array([ 0,  1,  2, -1,  0,  3, -1], dtype=int32))
    """

    words: tuple[str, ...]
    numbers: NDArray[np.int32]


def letters(text: str) -> str:
    """Return the text in lower case, with blanks for all but letters and digits."""
    return re.sub(r"[\W_]+", " ", text.lower())


def read_corpus(source: str | Path | Iterable[str], tokens: Callable[[str], str] = letters) -> Corpus:
    """Read a file (plain, .gz or .xz) as one document, or texts as a document each.

    `tokens` puts white space between the words of a text; `str` leaves it as it is.
    """
    texts = [_pieces(source)] if isinstance(source, str | Path) else ([text] for text in source)
    index: defaultdict[str, int] = defaultdict()
    index.default_factory = index.__len__
    numbers = []
    for document in texts:
        numbers += [np.fromiter(map(index.__getitem__, tokens(piece).split()), np.int32) for piece in document]
        numbers.append(np.array([-1], np.int32))
    if not index:
        raise ValueError("a corpus must hold at least one word, it is empty")
    return Corpus(tuple(index), np.concatenate(numbers))


def _pieces(file: str | Path) -> Iterator[str]:
    """Yield the text of a file, cut at white space."""
    rest = ""
    with open_text(file) as stream:
        while piece := stream.read(PIECE):
            text = rest + piece
            cut = max(text.rfind(" "), text.rfind("\n")) + 1
            yield text[:cut]
            rest = text[cut:]
    yield rest


def count_contexts(
    corpus: Corpus, vectors: WordVectors, window: int = 5, min_count: int = 5, sample: float = 1e-4, rng: Any = 0
) -> csr_array:
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
        The n words to count.
    window : int, default 5
        W: contexts are at most this many words before or after.
    min_count : int, default 5
        Words that occur less often are dropped.
    sample : float, default 1e-4
        Relative frequency above which occurrences are dropped at random; 0 drops none.
    rng : int or Generator, default 0
        Seed of the random dropping.

    Returns
    -------
    csr_array of shape (n, n)
        A row for each word, a column for each of its contexts.

    Examples
    --------
    >>> from wt_paper import words
    >>> vectors = words.WordVectors.of(["cat", "dog", "sat"], [[1.0, 0.1], [1.0, -0.1], [0.1, 1.0]])
    >>> words.count_contexts(words.read_corpus(["cat sat", "dog sat"]), vectors, min_count=1, sample=0).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]], dtype=float32)
    """
    window, n = check.count(window, "window", 1), len(vectors)
    numbers, draws = corpus.numbers, np.random.default_rng(rng).random(len(corpus.numbers))
    kept = numbers[draws < np.append(_chances(corpus, min_count, sample), 1.0)[numbers]]
    rows, document = np.append(vectors.find(corpus.words), -1).astype(np.int32)[kept], np.cumsum(kept < 0)
    after = csr_array((n, n), dtype=np.float32)
    for step in range(1, min(window, len(rows) - 1) + 1):
        first, second = rows[:-step], rows[step:]
        pairs = (first >= 0) & (second >= 0) & (document[:-step] == document[step:])
        ones = np.ones(np.count_nonzero(pairs), np.float32)
        after += coo_array((ones, (first[pairs], second[pairs])), shape=(n, n)).tocsr()
    return csr_array(after + after.T)


def _chances(corpus: Corpus, min_count: int, sample: float) -> Floats:
    """Return the probability that an occurrence of each word is kept; frequencies are relative to frequent words."""
    counts = np.bincount(corpus.numbers[corpus.numbers >= 0])
    enough = counts >= min_count
    if sample == 0 or not enough.any():
        return enough.astype(np.float64)
    f = counts / counts[enough].sum()
    return np.where(enough, np.minimum((np.sqrt(f / sample) + 1) * sample / f, 1.0), 0.0)


def ppmi(contexts: csr_array) -> csr_array:
    """Weight contexts by positive pointwise mutual information: log(count / count expected by chance), at least 0.

    Examples
    --------
    >>> from wt_paper import words
    >>> vectors = words.WordVectors.of(["cat", "dog"], [[1.0, 0.0], [0.0, 1.0]])
    >>> contexts = words.count_contexts(words.read_corpus(["cat dog cat"]), vectors, min_count=1, sample=0)
    >>> words.ppmi(contexts).toarray().round(3)
    array([[0.   , 0.293],
           [0.467, 0.   ]], dtype=float32)
    """
    others = contexts.sum(axis=0, dtype=np.float64) ** SMOOTHING
    with np.errstate(divide="ignore"):  # words without contexts
        frequent, common = np.log(contexts.sum(axis=1, dtype=np.float64)), np.log(others / max(others.sum(), 1e-300))
    chance = np.repeat(frequent, np.diff(contexts.indptr)) + common[contexts.indices]
    values = np.maximum(np.log(contexts.data) - chance, 0.0).astype(np.float32)
    weighted = csr_array((values, contexts.indices.copy(), contexts.indptr.copy()), shape=contexts.shape)
    weighted.eliminate_zeros()
    return weighted


def context_means(contexts: csr_array, vectors: WordVectors) -> tuple[Ints, Floats]:
    """Return the total weight of the contexts of each word, and their weighted mean; 0 without contexts."""
    totals = contexts.sum(axis=1, dtype=np.float64)
    sums = contexts.astype(np.float64) @ vectors.unit.astype(np.float64)
    return totals, np.asarray(sums / np.maximum(totals, 1e-30)[:, None])
