"""Corpora of any size, read once: words are counted, and their numbers kept in order for counting contexts."""

from __future__ import annotations

import codecs
import re
import tempfile
import unicodedata
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _check as check
from .._types import Ints
from ..engine import Engine, current
from ..kernels.words import FULL as TABLE_IS_FULL, Table as WordTable, fill_slots, intern as intern_words
from .files import DAMAGED, damaged, open_bytes

_PIECE = 1 << 22  # bytes of text at a time
_LONGEST = 1 << 20  # longest word in bytes: anything longer is not text
_IN_MEMORY = 1 << 28  # bytes of word numbers kept in memory; more go to a temporary file
_WORD = 140.0  # bytes of memory per word besides its characters: in the table, and as a string
_END = b"\0"  # end of a document
_ENCODING = 'give its encoding, such as Corpus.read(file, encoding="latin-1"), or '

Numbers: TypeAlias = NDArray[np.int32]
Tokens: TypeAlias = Callable[[str], str]
"""Puts white space between the words of a text."""


def letters(lower: bool) -> Tokens:
    """Return the usual tokens: runs of letters and digits, in lower case or as written."""
    return partial(_split, lower=lower)


def _split(text: str, lower: bool) -> str:
    return _not_letters().sub(" ", text.lower() if lower else text)


@cache
def _not_letters() -> re.Pattern[str]:
    """What separates words: neither letters, digits nor marks, such as the vowel signs of Hindi; blanks may stay."""
    marks = "".join(c for c in map(chr, range(0x300, 0xFE30)) if unicodedata.category(c).startswith("M"))
    return re.compile(rf"[^\w {marks}]+|_+")


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text that was read: its words, how often each occurs, and their order.

    `Corpus.read` makes one from a file or from texts.

    Attributes
    ----------
    words : tuple of str, length n
        The different words, in the order of their first appearance.
    counts : array of shape (n,)
        How often each word occurs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> corpus = wt.words.Corpus.read(["the cat sat", "the dog ran"])
    >>> corpus.words, corpus.counts
    (('the', 'cat', 'sat', 'dog', 'ran'), array([2, 1, 1, 1, 1]))
    """

    words: tuple[str, ...]
    counts: Ints
    _numbers: _Spool

    @classmethod
    def read(
        cls,
        source: Any,
        tokens: Tokens | None = None,
        encoding: str = "utf-8",
        verbose: bool = False,
        engine: Engine | None = None,
    ) -> Corpus:
        """Read a corpus from a file or from texts.

        Parameters
        ----------
        source : path, open file, or iterable of str or of lists of words
            A path (plain, gz or xz) is read as one document: line breaks count as blanks, and windows reach across
            them. Each item of an iterable is a document of its own; `open(file)` thus makes each line a document. The
            iterable is consumed once.
        tokens : callable, optional
            Puts white space between the words of a text; `str` leaves it as it is. None: words are runs of letters and
            digits, in lower case. Lists of words stay as they are.
        encoding : str, default "utf-8"
            Encoding of the file.
        verbose : bool, default False
            Whether to show that reading goes on; the length of the text is not known before.
        engine : Engine, optional
            Memory limit, progress and cancellation; None means the setting of `wt.using`.

        Returns
        -------
        Corpus

        Notes
        -----
        Time O(length of the text). Memory O(number of different words) plus 4 bytes per word of text, up to 256 MiB;
        beyond that, word numbers go to a temporary file.
        """
        if isinstance(source, Corpus):
            return source
        from_file = isinstance(source, str | Path)
        tokens = letters(lower=True) if tokens is None else tokens
        if not callable(tokens):
            raise ValueError(f"tokens must be a function from text to text, such as str.lower, or None, got {tokens!r}")
        pieces: Iterator[str]
        if from_file:
            pieces = map(tokens, _texts(_decoded(source, encoding), str(source)))
        else:
            pieces = _joined(_documents(source, tokens))
        writer = _Writer()
        with current(engine, verbose=verbose).watched() as engine:
            engine.report("reading the corpus", 0, 1)
            writer.add(pieces, engine)
            engine.report("reading the corpus", 1, 1)
        return writer.finish(str(source) if from_file else "the corpus")

    @property
    def n_tokens(self) -> int:
        """Number of words of text."""
        return int(self.counts.sum())

    def pieces(self) -> Iterator[Numbers]:
        """Yield the word numbers of the text in order, a block at a time; −1 marks the end of a document."""
        return self._numbers.pieces()

    def __repr__(self) -> str:
        return f"<Corpus of {self.n_tokens} words, {len(self.words)} different>"


def _documents(source: Any, tokens: Tokens) -> Iterator[str]:
    if not isinstance(source, Iterable) or isinstance(source, bytes):
        raise ValueError(
            f"a corpus must be a file, or an iterable of texts or lists of words, got {type(source).__name__}"
        )
    for k, item in enumerate(source):
        if isinstance(item, str):
            yield from map(tokens, _texts([item], "a document of the corpus"))
            continue
        if isinstance(item, bytes) or not isinstance(item, Iterable):
            raise ValueError(f"document {k} of the corpus must be a text or a list of words, got {type(item).__name__}")
        words = list(item)
        if any(not isinstance(word, str) or len(word.split()) != 1 for word in words):
            raise ValueError(f"document {k} of the corpus holds an item that is not one word; lists must hold words")
        yield from _texts([" ".join(words)], "a document of the corpus")


def _joined(documents: Iterable[str]) -> Iterator[str]:
    """Yield documents joined into pieces of some size, with an end mark after each document."""
    held: list[str] = []
    size = 0
    for document in documents:
        held += [document, " \0"]
        size += len(document)
        if size > _PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def _texts(pieces: Iterable[str], name: str) -> Iterator[str]:
    """Yield the pieces, and reject NUL characters: they are not text, and mark the ends of documents here."""
    for piece in pieces:
        if "\0" in piece:
            raise ValueError(f"{name} holds zeros, as UTF-16 does; {check.spell(_ENCODING, '')}convert it to UTF-8")
        yield piece


def _decoded(file: str | Path, encoding: str) -> Iterator[str]:
    """Yield the text of a file in pieces of whole characters, without a byte order mark."""
    try:
        codec = codecs.lookup(encoding)
        decoder = codecs.getincrementaldecoder("utf-8-sig" if codec.name == "utf-8" else encoding)()
    except (LookupError, TypeError):
        raise ValueError(f"unknown encoding {encoding!r}; utf-8 and latin-1 are common") from None
    done = 0
    try:
        with open_bytes(file) as stream:
            while raw := stream.read(_PIECE):
                yield decoder.decode(raw)
                done += len(raw)
            yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file} is not {encoding}: byte {done + error.start} is {error.object[error.start : error.end]!r}; "
            f"{check.spell(_ENCODING, '')}convert the file with iconv"
        ) from None
    except DAMAGED:
        raise damaged(file) from None


class _Spool:
    """Word numbers in order: in memory while they are few, else in a temporary file."""

    def __init__(self) -> None:
        self._held: list[Numbers] = []
        self._file: IO[bytes] | None = None
        self._size = 0

    def add(self, numbers: Numbers) -> None:
        if self._file is not None:
            self._file.write(numbers.tobytes())
            return
        self._held.append(numbers)
        self._size += numbers.nbytes
        if self._size > _IN_MEMORY or not current().fits(4.0 * self._size):
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 closed with the spool
            weakref.finalize(self, self._file.close)

    def pieces(self) -> Iterator[Numbers]:
        yield from self._held
        if self._file is None:
            return
        at = 0
        while True:
            self._file.seek(at)
            raw = self._file.read(_PIECE)
            if not raw:
                return
            at += len(raw)
            yield np.frombuffer(raw, np.int32)


class _Writer:
    """Builds the table of words, and stores the word numbers of the text."""

    def __init__(self) -> None:
        self._table = WordTable(
            np.zeros(1 << 17, np.int32),
            np.zeros(1 << 16, np.uint64),
            np.zeros(1 << 16, np.int64),
            np.zeros(1 << 16, np.int64),
            np.zeros(1 << 20, np.uint8),
            np.zeros(3, np.int64),
        )
        self._numbers = _Spool()

    def add(self, pieces: Iterable[str], engine: Engine) -> None:
        """Add a text in pieces; a word may start in one piece and end in the next."""
        rest = b""
        for piece in pieces:
            engine.check()
            try:
                rest = self._look_up(rest + piece.encode(), engine)
            except UnicodeEncodeError as error:
                raise ValueError(
                    f"the corpus holds {error.object[error.start : error.end]!r}, which is not a character; read the "
                    "file with the right encoding"
                ) from None
        self._look_up(rest + b" " + _END, engine)

    def _look_up(self, text: bytes, engine: Engine) -> bytes:
        """Store the numbers of all complete words; return the incomplete word at the end."""
        raw = np.frombuffer(text, np.uint8)
        numbers, n = np.empty(len(raw) + 1, np.int32), np.zeros(1, np.int64)
        self._table.sizes[2] = 0
        while intern_words(raw, len(raw), self._table, numbers, n) == TABLE_IS_FULL:
            self._grow(len(raw), engine)
        self._numbers.add(numbers[: n[0]].copy())
        rest = text[int(self._table.sizes[2]) :]
        if len(rest) > _LONGEST:
            raise ValueError(f"the corpus has no white space in a million bytes, from {rest[:40]!r} on; is it text?")
        return rest

    def _grow(self, n_bytes: int, engine: Engine) -> None:
        """Make room for twice as many words, and for the bytes of this piece."""
        old = self._table
        n = 2 * len(old.begins)
        engine.reserve(_WORD * n + 4.0 * len(old.pool) + n_bytes, "the words of the corpus", "take a part of it")
        slots = np.zeros(2 * n, np.int32)
        arrays = [np.concatenate([a, np.zeros_like(a)]) for a in (old.hashes, old.begins, old.counts)]
        pool = np.concatenate([old.pool, np.zeros(len(old.pool) + n_bytes, np.uint8)])
        hashes, begins, counts = arrays
        fill_slots(slots, hashes, int(old.sizes[0]))
        self._table = WordTable(slots, hashes, begins, counts, pool, old.sizes)

    def finish(self, name: str) -> Corpus:
        n = int(self._table.sizes[0])
        if n == 0:
            raise ValueError(f"{name} must hold at least one word, it is empty")
        pool, begins = self._table.pool.tobytes(), self._table.begins
        words = tuple(pool[begins[k] : begins[k + 1]].decode() for k in range(n))
        return Corpus(words, self._table.counts[:n].astype(np.intp), self._numbers)
