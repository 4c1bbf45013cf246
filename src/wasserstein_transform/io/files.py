"""Read tables from files, streams and pipes within the memory limit, and write them back complete or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeAlias

import pandas as pd

from .. import _check as check
from .._files import PathLike, check_target, write_bytes
from ..engine import current
from ..tables.columns import source_of, without_geometry
from . import arrays, maps, scans, text
from .formats import MAPS, TEXT, WRITTEN, kind_by_name, kind_of, reserve

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | IO[str]"

_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    "npy": arrays.read_npy, "npz": arrays.read_npz, "parquet": arrays.read_parquet,
    "las": scans.read_las, "laz": scans.read_las, "ply": scans.read_ply,
}  # fmt: skip
_ENCODERS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    "npy": arrays.encode_npy, "npz": arrays.encode_npz, "parquet": arrays.encode_parquet, "ply": scans.encode_ply,
}  # fmt: skip
_COMPRESSIONS: dict[str, tuple[bytes, Any]] = {
    ".gz": (b"\x1f\x8b", gzip), ".bz2": (b"BZh", bz2), ".xz": (b"\xfd7zXZ\0", lzma),
}  # fmt: skip
PIECE_BYTES = 1 << 22  # bytes read at a time
FILE_MEMORY = 6.0  # bytes of memory for each byte of a file while it is read
_DAMAGE_ERRORS = (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError)


def read(
    source: Readable,
    *,
    kind: str | None = None,
    name: str | None = None,
    layer: str | None = None,
) -> pd.DataFrame:
    r"""Read a table of points from a file.

    Parameters
    ----------
    source : path, bytes or open file
        A path, "-" for standard input, the content of a file as bytes, or an open file. Compressed content (gz, xz,
        bz2) is decompressed.
    kind : str, optional
        File format, such as "csv" or "parquet"; docs/tables.md lists all. Default None: found from the suffix of the
        name, else from the content. If the content contradicts the format, a ValueError is raised.
    name : str, optional
        Name in error messages; its suffix gives the format if `source` is not a path. Default None: the path, or the
        name of the open file.
    layer : str, optional
        Layer of a map. Default None: the only one; the points of tracks in a GPX file.

    Returns
    -------
    DataFrame
        A row for each point. Maps are GeoDataFrames with their coordinate system; the vertices of lines are points,
        with columns `line` and `part`. `attrs` says where the table came from, so that `write` can write it back.

    Notes
    -----
    Delimiter, decimal commas, header and encoding of text are detected; blank lines and lines that begin with # are
    skipped. Numbers keep all their bits; a column with codes such as 007, or integers too long for floats, stays text.
    A MemoryError is raised before the file would need more memory than the engine allows.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> table = wt.read(b"x;y;city\n0,5;1;Turin\n2;3,5;Delft\n")
    >>> wt.tables.coordinates(table)
    array([[0.5, 1. ],
           [2. , 3.5]])
    """
    content, called = load(source, name)
    if not content.strip():
        raise ValueError(f"{called} is empty; a table needs at least one row")
    kind = kind_of(content, called, kind)
    reserve(FILE_MEMORY * len(content), called)
    if kind in TEXT:
        frame = text.read_text(content, called, kind)
    elif kind in MAPS:
        frame = maps.read_map(content, source, called, kind, layer)
    else:
        frame = _READERS[kind](content, called)
    frame.attrs = {"source": called, "kind": kind, "notes": []} | frame.attrs
    return frame


def encode(frame: pd.DataFrame, kind: str) -> bytes:
    r"""Encode a table as the bytes of a file.

    Examples
    --------
    >>> import pandas as pd
    >>> from wasserstein_transform.io.files import encode
    >>> encode(pd.DataFrame({"x": [0.1, 2.0], "label": [7, 8]}), "csv")
    b'x,label\n0.1,7\n2.0,8\n'
    """
    check.choice(kind, "kind", WRITTEN)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"a DataFrame is written, got {type(frame).__name__}; pd.DataFrame(…) makes one")
    if not len(frame.columns) or frame.columns.duplicated().any():
        raise ValueError(f"{source_of(frame)} has no columns to write, or two of one name; rename them")
    if kind in MAPS:
        return maps.encode_map(frame, kind)
    frame = without_geometry(frame)
    if kind in TEXT:
        return text.encode_text(frame, kind)
    if kind in ("las", "laz"):
        return scans.encode_las(frame, kind)
    return _ENCODERS[kind](frame)


def write(frame: pd.DataFrame, path: PathLike, kind: str | None = None) -> None:
    r"""Write a table to a file, alike to the one it was read from. If writing fails, no partial file is left.

    Parameters
    ----------
    frame : DataFrame
        A table from `read`, or any other. Text keeps delimiter and decimal comma of the file it came from, maps their
        coordinate system, LAS its scale and records. Text is UTF-8.
    path : str or path
        File to write; its suffix gives the format, and a further .gz, .xz or .bz2 compresses it.
    kind : str, optional
        File format. Default None: the format of the suffix.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> from pathlib import Path
    >>> table = wt.read(b"x;y\n0,5;1\n2;3,5\n")
    >>> table["label"] = [0, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.write(table, Path(folder, "points.csv"))
    ...     Path(folder, "points.csv").read_text()
    'x;y;label\n0,5;1,0;0\n2,0;3,5;1\n'
    """
    name = os.fspath(path)
    kind = kind if kind is not None else kind_by_name(name)
    if kind is None:
        raise ValueError(
            f"{name} has no suffix that gives a file format; add a suffix or kind=, one of {', '.join(WRITTEN)}"
        )
    check_target(path)
    content = encode(frame, kind)
    write_bytes(path, pack(content, path))


def pack(content: bytes, path: PathLike) -> bytes:
    """Compress the content of a file if its suffix is .gz, .xz or .bz2."""
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)  # the bytes do not depend on the time of writing
    return bytes(_COMPRESSIONS[suffix][1].compress(content)) if suffix in _COMPRESSIONS else content


def load(source: Readable, name: str | None = None) -> tuple[bytes, str]:
    """All bytes, decompressed, and the name for error messages."""
    if not isinstance(name, str | None):
        raise ValueError(f"name must be text, got {check.shown(name)}")
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        called = name or ("the pipe" if path == "-" else path)
        content = in_pieces(sys.stdin.buffer, called) if path == "-" else _of_file(Path(path), called)
    elif isinstance(source, bytes | bytearray | memoryview):
        content, called = bytes(source), name or "the table"
    elif hasattr(source, "read"):
        given = getattr(source, "name", None)
        called = name or (given if isinstance(given, str) and not given.startswith("<") else "the pipe")
        content = in_pieces(source, called)
    else:
        raise TypeError(f"a table is read from a path, bytes or an open file, got {type(source).__name__}")
    return _unpacked(content, called), called


def in_pieces(stream: Any, called: str) -> bytes:
    """Read a stream of unknown length to its end, as long as it fits into memory."""
    content = io.BytesIO()
    while piece := stream.read(PIECE_BYTES):
        content.write(piece.encode() if isinstance(piece, str) else piece)
        if not current().fits(FILE_MEMORY * content.tell()):
            reserve(FILE_MEMORY * content.tell(), called)
    return content.getvalue()


def _of_file(path: Path, called: str) -> bytes:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{called} does not exist; give the path of a file, or - for a pipe") from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{called} is a folder; give one file of it")
    if not stat.S_ISREG(status.st_mode):
        with path.open("rb") as stream:
            return in_pieces(stream, called)
    reserve(status.st_size, called)
    return path.read_bytes()


def _unpacked(content: bytes, called: str) -> bytes:
    """The content, decompressed if its first bytes say that it is compressed."""
    for magic, module in _COMPRESSIONS.values():
        if content.startswith(magic):
            try:
                return in_pieces(module.open(io.BytesIO(content)), f"{called}, unpacked,")
            except _DAMAGE_ERRORS as error:
                raise ValueError(
                    f"{called} is cut off or damaged: it cannot be decompressed ({error}); download it again"
                ) from None
    return content
