"""Words with their vectors, from GloVe's text and back."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wasserstein_transform._types import Floats, Ints

Singles: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words with a vector each, in single precision; `of` makes them from an array, `read_vectors` from a file.

    Attributes
    ----------
    words : tuple of str, length n
        The words, all different.
    matrix : array of shape (n, m)
        Their vectors, none of them zero.

    Examples
    --------
    >>> from wt_paper import words
    >>> vectors = words.WordVectors.of(["cat", "dog"], [[3.0, 4.0], [0.0, 2.0]])
    >>> vectors.unit
    array([[0.6, 0.8],
           [0. , 1. ]], dtype=float32)
    >>> vectors.find(["dog", "yeti"])
    array([ 1, -1])
    """

    words: tuple[str, ...]
    matrix: Singles

    @classmethod
    def of(cls, words: Iterable[str], matrix: ArrayLike) -> WordVectors:
        """Take n words and their vectors; words that come again and vectors of zeros are left out."""
        names, rows = list(words), np.asarray(matrix, np.float32)
        if rows.ndim != 2 or len(rows) != len(names) or not np.isfinite(rows).all():
            raise ValueError(f"each of {len(names)} words needs a finite vector, got an array of shape {rows.shape}")
        first: dict[str, int] = {}
        for k, name in enumerate(names):
            first.setdefault(name, k)
        chosen = np.fromiter(first.values(), np.intp, len(first))
        chosen = chosen[rows[chosen].any(axis=1)]
        if len(chosen) == 0:
            raise ValueError(f"one word at least needs a vector that is not zero, got none of {len(names)}")
        return cls(tuple(names[k] for k in chosen), rows[chosen])

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def unit(self) -> Singles:
        """The vectors scaled to length 1, as the paper uses them."""
        lengths = np.sqrt(np.einsum("ij,ij->i", self.matrix, self.matrix, dtype=np.float64))
        return np.asarray(self.matrix * (1.0 / lengths).astype(np.float32)[:, None])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def find(self, words: Iterable[str]) -> Ints:
        """Return the rows of words, −1 for those without a vector."""
        return np.fromiter((self._rows.get(word, -1) for word in words), np.intp)

    def squares(self, ends: Ints) -> Floats:
        """Return ‖w₁ − w₂‖² of the unit vectors of pairs of rows; `ends` has shape (k, 2)."""
        off = self.unit[ends[:, 0]].astype(np.float64) - self.unit[ends[:, 1]]
        return np.asarray(np.einsum("ij,ij->i", off, off))

    def write(self, file: str | Path) -> None:
        """Write GloVe's text: a word and its numbers per line."""
        rows = zip(self.words, self.matrix.tolist(), strict=True)
        Path(file).write_text("".join(f"{word} {' '.join(f'{x:.9g}' for x in row)}\n" for word, row in rows), "utf-8")


def read_vectors(file: str | Path) -> WordVectors:
    r"""Read a word and its numbers per line: GloVe's text, or word2vec's after its line of two numbers; also gz and xz.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wt_paper import words
    >>> file = pathlib.Path(tempfile.mkdtemp(), "two.txt")
    >>> _ = file.write_text("cat 1 0\nnew york 0.8 0.6\n")
    >>> words.read_vectors(file).words
    ('cat', 'new york')
    """
    names, rows, m = [], [], 0
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            if number == 1 and len(line.split()) == 2:
                continue
            m = m or len(line.split()) - 1
            name, *numbers = line.rsplit(maxsplit=m) or [""]  # words may hold blanks
            try:
                row = np.array(list(map(float, numbers)), np.float32)
            except ValueError:
                row = np.empty(0, np.float32)
            if not 0 < m == len(row):
                raise ValueError(f"{file}, line {number} must hold a word and {m} numbers, got {line[:60]!r}")
            names.append(name)
            rows.append(row)
    return WordVectors.of(names, np.array(rows))


def open_text(file: str | Path) -> IO[str]:
    """Open a text, which may be packed as .gz or .xz."""
    openers: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
    stream: IO[str] = openers.get(Path(file).suffix, open)(file, "rt", encoding="utf-8-sig")
    return stream
