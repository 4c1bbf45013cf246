"""WordVectors: words with their vectors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._cached import cached_property
from .._types import Floats, Ints
from .files import PathLike
from .writing import write_rows

Singles: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words with a vector each, in single precision.

    `WordVectors.of` makes one from words and an array, `read_vectors` from a file.

    Attributes
    ----------
    words : tuple of str, length n
        The words, all different.
    matrix : array of shape (n, m), float32
        Their vectors, none of them zero.
    skipped : dict of str to int
        Number of words left out, by reason: "came again" (repeated words; the first one counts), "vectors of zeros".

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> vectors = wt.words.WordVectors.of(["cat", "dog"], [[3.0, 4.0], [0.0, 2.0]])
    >>> vectors.unit
    array([[0.6, 0.8],
           [0. , 1. ]], dtype=float32)
    >>> "dog" in vectors
    True
    """

    words: tuple[str, ...]
    matrix: Singles
    skipped: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Iterable[str], matrix: ArrayLike) -> WordVectors:
        """Make WordVectors from words and an array.

        Parameters
        ----------
        words : iterable of str, length n
            The words; the first of repeated words counts.
        matrix : array of shape (n, m)
            Their vectors, finite; words with a zero vector are left out.

        Returns
        -------
        WordVectors
        """
        names = list(words) if isinstance(words, Iterable) else []
        odd = [name for name in names if not isinstance(name, str) or not name]
        if odd:
            raise ValueError(f"words must be nonempty strings, got {odd[0]!r}")
        if isinstance(matrix, np.ndarray) and matrix.dtype == np.float32 and matrix.ndim == 2:
            rows = matrix
        else:
            rows = check.points(matrix, "vectors").astype(np.float32)
        if len(names) != len(rows):
            raise ValueError(f"each word needs a vector, got {len(names)} words and {len(rows)} vectors")
        if not np.isfinite(rows).all():
            bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise ValueError(f"vectors must be finite, but that of {names[bad]!r} (row {bad}) is not; drop it")
        return cls._distinct(names, rows)

    @classmethod
    def _distinct(cls, names: Sequence[str], rows: Singles) -> WordVectors:
        first: dict[str, int] = {}
        for k, name in enumerate(names):
            first.setdefault(name, k)
        chosen = np.fromiter(first.values(), np.intp, len(first))
        zeros = ~rows[chosen].any(axis=1)
        chosen = chosen[~zeros]
        if len(chosen) == 0:
            raise ValueError("there must be at least one word with a vector that is not zero, got none")
        skipped = {"came again": len(names) - len(first), "vectors of zeros": int(zeros.sum())}
        if len(chosen) < len(names):
            names, rows = [names[k] for k in chosen], rows[chosen]
        return cls(tuple(names), np.ascontiguousarray(rows), {what: n for what, n in skipped.items() if n})

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.rows

    def __getitem__(self, word: str) -> Singles:
        return np.asarray(self.matrix[self.row(word)])

    @property
    def m(self) -> int:
        """The dimension."""
        return int(self.matrix.shape[1])

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row number of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def unit(self) -> Singles:
        """The vectors scaled to length 1, as the paper uses them; shape (n, m)."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.matrix, self.matrix, dtype=np.float64))
        return np.asarray(self.matrix * (1.0 / lengths).astype(np.float32)[:, None])

    def row(self, word: str) -> int:
        """Return the row of a word; the error for an unknown word suggests similar ones."""
        if isinstance(word, str) and word in self.rows:
            return self.rows[word]
        near = difflib.get_close_matches(str(word), self.words[:50_000], 3) if isinstance(word, str) else []
        hint = f"; similar words are {', '.join(near)}" if near else ""
        raise ValueError(f"{word!r} has no vector{hint}")

    def find(self, words: Iterable[str]) -> Ints:
        """Return the rows of words, −1 for those without a vector."""
        return np.fromiter((self.rows.get(word, -1) for word in words), np.intp)

    def take(self, rows: Ints) -> WordVectors:
        """Return the words of some rows as WordVectors."""
        return WordVectors(tuple(self.words[row] for row in rows), np.ascontiguousarray(self.matrix[rows]))

    def write(self, file: PathLike) -> None:
        """Write the vectors to a file for other programs; the file is complete or does not appear.

        Parameters
        ----------
        file : path
            Ending in .txt: GloVe's text, a word and its numbers per line. Ending in .bin: word2vec's binary.
        """
        write_rows(self.words, self.matrix, file)

    def __repr__(self) -> str:
        return f"<WordVectors of {len(self)} words in R^{self.m}>"


def mean_of(values: Singles) -> Floats:
    """Return the mean of rows, summed in double precision."""
    return np.asarray(values.mean(axis=0, dtype=np.float64))
