"""Write tables to files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from functools import partial

from .._files import PathLike, check_target, write_bytes
from .formats import arff, arrays, geojson, las, parquet, ply
from .kinds import KINDS, TEXT, check_kind, kind_by_name
from .table import Table
from .text import encode_text

_ENCODERS: dict[str, Callable[[Table], bytes]] = {
    **{kind: partial(encode_text, kind=kind) for kind in TEXT},
    "npy": arrays.encode_npy,
    "npz": arrays.encode_npz,
    "parquet": parquet.encode_parquet,
    "arff": arff.encode_arff,
    "geojson": geojson.encode_geojson,
    "las": las.encode_las,
    "laz": partial(las.encode_las, packed=True),
    "ply": ply.encode_ply,
}

_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, mtime=0),  # the bytes do not depend on the time of writing
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


def encode(table: Table, kind: str) -> bytes:
    r"""Encode a table as the bytes of a file.

    Parameters
    ----------
    table : Table
        The table to encode.
    kind : str
        File format, one of `KINDS`.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If the format cannot hold a column.

    Notes
    -----
    Numbers keep all their bits, including large integers. Cells that were read from text and not changed are written
    with their original text.

    Examples
    --------
    >>> from wasserstein_transform.tables import Table
    >>> from wasserstein_transform.tables.writing import encode
    >>> encode(Table({"x": [0.1, 2.0], "label": [7, 8]}), "csv")
    b'x,label\n0.1,7\n2.0,8\n'
    """
    check_kind(kind)
    if not table.names:
        raise ValueError(f"{table.source} has no columns to write; a table needs at least one")
    return _ENCODERS[kind](table)


def write(table: Table, path: PathLike, kind: str | None = None) -> None:
    r"""Write a table to a file. If writing fails, no partial file is left.

    Parameters
    ----------
    table : Table
        The table to write.
    path : str or path
        File to write; its suffix gives the format, and a further .gz, .xz or .bz2 compresses it.
    kind : str, optional
        File format, one of `KINDS`. Default None: the format of the suffix.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> from pathlib import Path
    >>> table = wt.tables.Table({"x": [0.1, 2.0], "label": [7, 8]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.tables.write(table, Path(folder, "points.csv.gz"))
    ...     wt.tables.read(Path(folder, "points.csv.gz")).names
    ('x', 'label')
    """
    name = os.fspath(path)
    kind = kind if kind is not None else kind_by_name(name)
    if kind is None:
        raise ValueError(
            f"{name} has no suffix that gives a file format; add a suffix or kind=, one of {', '.join(KINDS)}"
        )
    check_target(path)
    content = encode(table, kind)
    pack = next((pack for suffix, pack in _PACKERS.items() if name.lower().endswith(suffix)), None)
    write_bytes(path, content if pack is None else pack(content))
