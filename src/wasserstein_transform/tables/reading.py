"""Tables from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .formats import arff, arrays, geojson, las, parquet, ply
from .kinds import TEXT, agreed_kind
from .sources import Readable, load, reserve
from .table import Table
from .text import read_text

_HELD = 8.0  # bytes of memory for each of a text: cells are objects for a while

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
    r"""A table from a file.

    Parameters
    ----------
    source : path, bytes or open file
        A path, "-" for the standard input, the bytes of a file, or a stream; packed ones (gz, xz, bz2) are unpacked.
    kind : str, optional
        One of `KINDS`; by default what the name says, or else the content shows. A file that is not what its name says
        is refused.
    name : str, optional
        What errors call it, and what its kind is told by where there is no path.
    columns : sequence of str, optional
        Which columns to keep; by default all.

    Returns
    -------
    Table

    Notes
    -----
    Text may be parted by commas, semicolons, tabs, bars or blanks, with or without a header; lines that begin with #
    and blank lines are left out. A file that needs more memory than the engine may take is refused;
    `wt.using(memory=…)` raises the limit.

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
