"""Write vectors to files that other programs read: GloVe's text, word2vec's binary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._files import writing
from ..engine import current
from .blocks import row_blocks
from .files import PathLike

KINDS = (".txt", ".bin")


def check_kind(file: PathLike) -> str:
    """Return the extension of a file that vectors can be written to; reject others."""
    if (kind := Path(file).suffix.lower()) not in KINDS:
        raise ValueError(f"{file} must end in .txt (a word and its numbers per line) or .bin (word2vec's binary)")
    return kind


def write_rows(words: Sequence[str], matrix: np.ndarray[Any, np.dtype[np.float32]], file: PathLike) -> None:
    """Write words and vectors; the file is complete or does not appear, and reading it restores every bit."""
    kind = check_kind(file)
    odd = next((word for word in words if word.split() != [word]), None)
    if odd is not None:
        raise ValueError(f"words with white space cannot be written, got {odd!r}; replace it, e.g. with _")
    with current().watched() as engine, writing(file) as stream:
        if kind == ".bin":
            stream.write(b"%d %d\n" % matrix.shape)
        for part in row_blocks(len(words), "writing vectors", engine):
            stream.writelines((_binary if kind == ".bin" else _lines)(words[part], matrix[part]))


def _lines(words: Sequence[str], rows: Any) -> Iterator[bytes]:
    pattern = " ".join(["%.9g"] * rows.shape[1])
    for word, row in zip(words, rows.tolist(), strict=True):
        yield f"{word} {pattern % tuple(row)}\n".encode()


def _binary(words: Sequence[str], rows: Any) -> Iterator[bytes]:
    for word, row in zip(words, rows, strict=True):
        yield word.encode() + b" " + row.astype("<f4").tobytes() + b"\n"
