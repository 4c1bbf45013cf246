"""Read vectors: GloVe's text, word2vec's and fastText's text, word2vec's binary, gensim's KeyedVectors."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from .files import DAMAGED, Allowance, PathLike, damaged, lines_of, open_bytes, shown
from .vectors import Singles, WordVectors

_LINES = 2000  # lines read at a time
_BLOCK = 1 << 22  # bytes read at a time, about
_LONGEST = 1 << 20  # longest word in bytes
_WIDEST = 1 << 20  # largest dimension: anything larger is not a header
_DIGITS = 40  # most digits of a number of words: no disk holds more
_HELD = 100.0  # bytes of memory per word besides its characters


def read_vectors(file: PathLike) -> WordVectors:
    r"""Read words and vectors from a file; the format is recognized from its first bytes.

    Parameters
    ----------
    file : path
        Plain, gz or xz, with words in UTF-8. GloVe's text (a word and its numbers per line), word2vec's or fastText's
        text (the same after a line with the number of words and the dimension), or word2vec's binary.

    Returns
    -------
    WordVectors
        n words with vectors in m dimensions, in single precision. The first of repeated words counts.

    Notes
    -----
    Time O(size of the file), memory about 8·n·m bytes. Lines longer than 16 MiB are rejected, and so are files that
    need more memory than the engine allows; `wt.using(memory=…)` raises that limit.

    Examples
    --------
    >>> import pathlib, tempfile, wasserstein_transform as wt
    >>> file = pathlib.Path(tempfile.mkdtemp(), "two.txt")
    >>> _ = file.write_text("cat 1 0\ndog 0.8 0.6\n")
    >>> wt.words.read_vectors(file)
    <WordVectors of 2 words in R^2>
    """
    try:
        with open_bytes(file) as stream:
            return _from_stream(stream, file)
    except DAMAGED:
        raise damaged(file) from None


def as_vectors(source: Any) -> WordVectors:
    """Convert a file, gensim's KeyedVectors or a dict of word → vector to WordVectors."""
    if isinstance(source, WordVectors):
        return source
    if isinstance(source, str | Path):
        return read_vectors(source)
    if hasattr(source, "wv"):  # a complete gensim model
        source = source.wv
    if hasattr(source, "key_to_index") and hasattr(source, "vectors"):
        index: Mapping[str, int] = source.key_to_index
        return WordVectors.of(list(index), np.asarray(source.vectors, np.float32)[list(index.values())])
    if isinstance(source, Mapping):
        if not source:
            raise ValueError("vectors must hold at least one word, the dict is empty")
        return WordVectors.of(list(source), list(source.values()))
    raise ValueError(
        f"vectors must be WordVectors, a file, gensim's KeyedVectors or a dict, got {type(source).__name__}; "
        "WordVectors.of(words, matrix) takes an array"
    )


def _vectors(words: list[str], matrix: Any, file: PathLike) -> WordVectors:
    try:
        return WordVectors.of(words, matrix)
    except ValueError as error:
        raise ValueError(f"{file}: {error!s:.300}") from None


def _from_stream(stream: IO[bytes], file: PathLike) -> WordVectors:
    first = next(lines_of(stream, file), b"").removeprefix(BOM_UTF8)
    if not first.strip():
        raise ValueError(f"{file} must begin with a word and its vector, its first line is empty")
    fields = first.split(None, _WIDEST + 1)
    if len(fields) > _WIDEST + 1:
        raise ValueError(
            f"{file}, line 1 holds more than {_WIDEST} numbers and begins with {shown(first)}; is it text?"
        )
    if len(fields) == 2 and all(part.isdigit() for part in fields):
        if max(map(len, fields)) > _DIGITS:
            raise ValueError(f"{file}, line 1 announces more words or dimensions than there can be: {shown(first)}")
        n, m = int(fields[0]), int(fields[1])
        if not 0 < m <= _WIDEST or n == 0:
            raise ValueError(
                f"{file}, line 1 announces {n} words in {m} dimensions; both must be positive, and"
                f" dimensions at most {_WIDEST}"
            )
        sample = stream.read(min(64 * (m + 16), _BLOCK))
        text = _is_text(sample, m)
        with open_bytes(file) as again:
            again.readline()
            return _from_text(again, file, m, 2, n) if text else _from_binary(again, file, n, m)
    m = len(fields) - 1
    if m < 1:
        raise ValueError(f"{file}, line 1 must hold a word and its numbers, got {shown(first)}")
    with open_bytes(file) as again:
        return _from_text(again, file, m, 1, None)


def _is_text(sample: bytes, m: int) -> bool:
    """Tell whether the bytes after a header are text: a word and numbers."""
    fields = sample.split(b"\n", 1)[0].split()
    try:
        [float(part) for part in fields[-min(m, max(len(fields) - 2, 1)) :]]
    except ValueError:
        return False
    return len(fields) > 1


def _from_text(stream: IO[bytes], file: PathLike, m: int, number: int, announced: int | None) -> WordVectors:
    names: list[str] = []
    blocks: list[Singles] = []
    memory = Allowance(file)
    for lines in _blocks(stream, file, number):
        memory.take(len(lines) * (8.0 * m + _HELD))  # twice the size: blocks are joined to one array in the end
        lines[0] = lines[0].removeprefix(BOM_UTF8) if number == 1 else lines[0]
        words, rows = _parse(lines, m, file, number)
        number += len(lines)
        names += words
        blocks.append(rows)
    if announced is not None and announced != len(names):
        raise ValueError(
            f"{file} announces {announced} words and holds {len(names)}; it is cut off, or joined from several files"
        )
    return _vectors(names, np.concatenate(blocks) if blocks else np.empty((0, m), np.float32), file)


def _blocks(stream: IO[bytes], file: PathLike, number: int) -> Iterator[list[bytes]]:
    """Yield a number of lines at a time, fewer if they are long."""
    lines: list[bytes] = []
    size = 0
    for line in lines_of(stream, file, number):
        lines.append(line)
        size += len(line)
        if len(lines) == _LINES or size > _BLOCK:
            yield lines
            lines, size = [], 0
    if lines:
        yield lines


def _parse(lines: list[bytes], m: int, file: PathLike, number: int) -> tuple[list[str], Singles]:
    """Return words and vectors of some lines; `number` is that of the first of them, for messages."""
    parts = [line.rstrip().rsplit(None, m) if line.count(b" ") > m else line.split(None, 1) for line in lines]
    words, numbers = [], []
    for k, part in enumerate(parts):
        if len(part) < 2:
            raise ValueError(f"{file}, line {number + k} must hold a word and {m} numbers, got {shown(lines[k])}")
        if b" " in part[0] and _is_number(
            part[0].rsplit(None, 1)[-1]
        ):  # words may hold blanks, but no number at the end
            n = len(lines[k].split()) - 1
            raise ValueError(f"{file}, line {number + k} holds {n} numbers, and the first {m}; all need one dimension")
        words.append(_word(part[0], file, number + k))
        numbers.append(b" ".join(part[1:]))
    rows = _numbers(numbers)
    if rows is not None and rows.shape == (len(lines), m) and np.isfinite(rows).all():
        return words, rows
    one_by_one = [_line(text, m, lines[k], file, number + k) for k, text in enumerate(numbers)]
    return words, np.stack(one_by_one)


def _line(numbers: bytes, m: int, line: bytes, file: PathLike, number: int) -> Singles:
    rows = _numbers([numbers])
    if rows is None or not np.isfinite(rows).all():
        raise ValueError(f"{file}, line {number} must hold {m} finite numbers after its word, got {shown(line)}")
    if rows.shape[1] != m:
        raise ValueError(
            f"{file}, line {number} holds {rows.shape[1]} numbers, and the first {m}; all vectors need one dimension"
        )
    return np.asarray(rows[0])


def _numbers(lines: list[bytes]) -> Singles | None:
    """Return a row for each line; None if a field is not a number, or if lines differ in length."""
    try:
        return np.loadtxt(lines, np.float32, comments=None, encoding="latin-1", ndmin=2)
    except ValueError:
        return None


def _is_number(text: bytes) -> bool:
    """Tell whether a text is a decimal number with a point; words such as "nan" are not."""
    try:
        float(text)
    except ValueError:
        return False
    return b"." in text


def _from_binary(stream: IO[bytes], file: PathLike, n: int, m: int) -> WordVectors:
    blocks: list[Singles] = []  # grows with the bytes read, not with the announced size
    names = []
    buffer, at, size = b"", 0, 4 * m
    some = max(1, min(_LINES, _BLOCK // size))
    memory = Allowance(file)
    for k in range(n):
        if k % some == 0:
            memory.take(min(some, n - k) * (8.0 * m + _HELD))
            blocks.append(np.empty((min(some, n - k), m), np.float32))
        while True:
            end = buffer.find(b" ", at)
            if end >= 0 and len(buffer) - end > size:
                break
            if end < 0 and len(buffer) - at > _LONGEST:
                raise ValueError(
                    f"{file} has no blank in a million bytes, where word {k + 1} should end; is it a word2vec binary?"
                )
            more = stream.read(1 << 22)
            if not more:
                raise ValueError(
                    f"{file} announces {n} words of {m} numbers and ends within word {k + 1}; it is cut off"
                )
            buffer, at = buffer[at:] + more, 0
        names.append(_word(buffer[at:end].lstrip(b"\n"), file, k + 1, "word"))
        blocks[-1][k % some] = np.frombuffer(buffer, "<f4", m, end + 1)
        at = end + 1 + size
    if buffer[at:].strip() or stream.read(1024).strip():
        raise ValueError(f"{file} announces {n} words of {m} numbers and holds more; correct its first line")
    return _vectors(names, np.concatenate(blocks), file)


def _word(raw: bytes, file: PathLike, number: int, unit: str = "line") -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise ValueError(
            f"{file}, {unit} {number}: {raw[:40]!r} is not UTF-8; convert the file, e.g. iconv -f latin1 -t utf-8"
        ) from None
