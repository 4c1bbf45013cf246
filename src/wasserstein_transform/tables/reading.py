"""Read tables from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .formats import arff, arrays, geojson, las, parquet, ply
from .kinds import TEXT, agreed_kind
from .sources import Readable, load, reserve
from .table import Table
from .text import read_text

_HELD = 8.0  # bytes of memory for each byte of text: cells are Python objects while they are read

_READERS: dict[str, Callable[[bytes, str], Table]] = {
    "npy": arrays.read_npy,
    "npz": arrays.read_npz,
    "parquet": parquet.read_parquet,
    "arff": arff.read_arff,
    "geojson": geojson.read_geojson,
    "las": las.read_las,
    "laz": las.read_las,
    "ply": ply.read_ply,
}


def read(
    source: Readable,
    *,
    kind: str | None = None,
    name: str | None = None,
    columns: Sequence[str] | None = None,
) -> Table:
    r"""Read a table from a file.

    Parameters
    ----------
    source : path, bytes or open file
        A path, "-" for standard input, the content of a file as bytes, or an open file. Compressed content (gz, xz,
        bz2) is decompressed.
    kind : str, optional
        File format, one of `KINDS`. Default None: found from the suffix of the name, else from the content. If the
        content contradicts the format, a ValueError is raised.
    name : str, optional
        Name in error messages; its suffix gives the format if `source` is not a path. Default None: the path, or the
        name of the open file.
    columns : sequence of str, optional
        Columns to keep. Default None: all.

    Returns
    -------
    Table

    Notes
    -----
    The delimiter of text files may be a comma, a semicolon, a tab, a bar or blanks; it is detected, as are a header and
    decimal commas. Blank lines and lines that begin with # are skipped. A MemoryError is raised before the file would
    need more memory than the engine allows; `wt.using(memory=…)` raises the limit. Time and memory grow linearly with
    the size of the file.

    Examples
    --------
    >>> from wasserstein_transform.tables import read
    >>> table = read(b"x;y;city\n0,5;1;Turin\n2;3,5;Delft\n")
    >>> table.numbers(["x", "y"])
    array([[0.5, 1. ],
           [2. , 3.5]])
    """
    content, called = load(source, name)
    if not content.strip():
        raise ValueError(f"{called} is empty; a table needs at least one row")
    kind = agreed_kind(content, called, kind)
    if kind in TEXT:
        reserve(_HELD * len(content), called)
        table = read_text(content, called, kind)
    else:
        table = _READERS[kind](content, called)
    return table if columns is None else table.select(columns)
