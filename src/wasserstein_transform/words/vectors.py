"""WordVectors: words with their vectors, which of them are near each other, and files for other programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._cached import cached_property
from .._files import writing
from .._shown import Plotted, counted
from .._types import Floats, Ints
from ..engine import Engine, current
from .files import PathLike

Singles: TypeAlias = NDArray[np.float32]

ROWS = 1 << 14  # words per block
_FEW = 0.01  # share of words with capitals up to which vectors count as lower case


def row_blocks(n: int, stage: str, engine: Engine) -> Iterator[slice]:
    """Yield slices of n rows: memory stays bounded, progress is reported, and cancellation is checked in between."""
    for start in range(0, n, ROWS):
        engine.check()
        engine.report(stage, start, n)
        yield slice(start, min(start + ROWS, n))
    engine.report(stage, n, n)


@dataclass(frozen=True, eq=False)
class Neighbors(Plotted):
    """The words nearest to a word; iterates over pairs (word, distance). `most_similar` returns it.

    Attributes
    ----------
    words : tuple of str, length k
        The nearest words, nearest first.
    distances : array of shape (k,)
        Distances of unit vectors, or GT distances of a `WordTransform`.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> near = words.adapt(vectors).most_similar("cat", 2)
    >>> [word for word, distance in near if distance < 1.5]
    ['dog']
    """

    words: tuple[str, ...]
    distances: Floats

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.words, self.distances.tolist(), strict=True)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Neighbors {', '.join(f'{word} {distance:.3f}' for word, distance in self)}>"


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
    n_moved : int
        Number of words that `adapt` moved toward their contexts.

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
    n_moved: int = 0

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
            raise ValueError(
                f"each word needs a vector, got {counted(len(names), 'word')} and {counted(len(rows), 'vector')}"
            )
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

    @cached_property
    def are_lower(self) -> bool:
        """Whether the words are in lower case, but for one in a hundred."""
        return sum(word != word.lower() for word in self.words) <= _FEW * len(self)

    def distance(self, first: str, second: str) -> float:
        """Return the distance of the unit vectors of two words; ValueError if one of them has no vector."""
        return float(np.sqrt(self.squares(np.array([[self.row(first), self.row(second)]]))[0]))

    def pairs(self, pairs: Iterable[Sequence[str]]) -> Floats:
        """Return the distances of many pairs of words, NaN where a word has no vector.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> vectors = wt.words.WordVectors.of(["cat", "dog"], [[1.0, 0.0], [0.0, 1.0]])
        >>> vectors.pairs([("cat", "dog"), ("cat", "yeti")]).round(3)
        array([1.414,   nan])
        """
        ends = self.find_pairs(pairs)
        return np.where((ends >= 0).all(axis=1), np.sqrt(self.squares(ends)), np.nan)

    def find_pairs(self, pairs: Iterable[Sequence[str]]) -> Ints:
        """Return the rows of both words of each pair, shape (k, 2); −1 for words without a vector."""
        if not isinstance(pairs, Iterable):
            raise ValueError(f"pairs must be a list of pairs of words, got {type(pairs).__name__}")
        listed = [tuple(pair) if isinstance(pair, Iterable) else () for pair in pairs]
        if any(len(pair) != 2 or not all(isinstance(word, str) for word in pair) for pair in listed):
            raise ValueError("pairs must be of two words each, such as [('cat', 'dog')]")
        return self.find(word for pair in listed for word in pair).reshape(-1, 2)

    def squares(self, ends: Ints) -> Floats:
        """Return ‖w₁ − w₂‖² of the unit vectors of pairs of rows; `ends` is an array of int of shape (k, 2)."""
        off = self.unit[ends[:, 0]].astype(np.float64) - self.unit[ends[:, 1]]
        return np.asarray(np.einsum("ij,ij->i", off, off))

    def most_similar(self, word: str, k: int = 10) -> Neighbors:
        """Find the k nearest words of a word, by the distance of unit vectors.

        Parameters
        ----------
        word : str
            A word that has a vector.
        k : int, default 10
            Number of words to find; at most n − 1 are returned.

        Returns
        -------
        Neighbors
            Words and distances, nearest first.
        """
        row, k = self.row(word), min(check.count(k, "k", 1), len(self) - 1)
        squares = self.squares_from(row, current())
        squares[row] = np.inf
        rows = np.argsort(squares, kind="stable")[:k]
        return Neighbors(tuple(self.words[r] for r in rows), np.sqrt(squares[rows]))

    def squares_from(self, row: int, engine: Engine) -> Floats:
        """Return the squared distances of all unit vectors from one of them, shape (n,)."""
        squares = np.empty(len(self))
        for part in row_blocks(len(self), "distances", engine):
            off = self.unit[part].astype(np.float64) - self.unit[row]
            squares[part] = np.einsum("ij,ij->i", off, off)
        return squares

    def write(self, file: PathLike) -> None:
        """Write the vectors to a file for other programs; the file is complete or does not appear.

        Parameters
        ----------
        file : path
            Ending in .txt: GloVe's text, a word and its numbers per line. Ending in .bin: word2vec's binary.
        """
        kind = check_kind(file)
        odd = next((word for word in self.words if word.split() != [word]), None)
        if odd is not None:
            raise ValueError(f"words with white space cannot be written, got {odd!r}; replace it, e.g. with _")
        with current().watched() as engine, writing(file) as stream:
            if kind == ".bin":
                stream.write(b"%d %d\n" % self.matrix.shape)
            for part in row_blocks(len(self), "writing vectors", engine):
                stream.writelines((_binary if kind == ".bin" else _lines)(self.words[part], self.matrix[part]))

    def __repr__(self) -> str:
        return f"<WordVectors of {counted(len(self), 'word')} in R^{self.m}>"


def check_kind(file: PathLike) -> str:
    """Return the extension of a file that vectors can be written to; reject others."""
    if (kind := Path(file).suffix.lower()) not in (".txt", ".bin"):
        raise ValueError(f"{file} must end in .txt (a word and its numbers per line) or .bin (word2vec's binary)")
    return kind


def _lines(words: Sequence[str], rows: Any) -> Iterator[bytes]:
    pattern = " ".join(["%.9g"] * rows.shape[1])
    for word, row in zip(words, rows.tolist(), strict=True):
        yield f"{word} {pattern % tuple(row)}\n".encode()


def _binary(words: Sequence[str], rows: Any) -> Iterator[bytes]:
    for word, row in zip(words, rows, strict=True):
        yield word.encode() + b" " + row.astype("<f4").tobytes() + b"\n"
