"""`open_source`: a source by the name of its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..._files import PathLike
from .base import Source
from .npy import Npy
from .parquet import Parquet
from .zarr import Zarr


def open_source(path: PathLike, columns: Sequence[str] | None = None, weights: str | None = None) -> Source:
    """Open points in a file or folder: `.npy`, Parquet or Zarr.

    Parameters
    ----------
    path : path
        A `.npy` file of shape (n, m), a `.parquet` file or a folder of such files, a Zarr array of shape (n, m), or a
        Zarr group with an array of shape (n,) for each coordinate.
    columns : sequence of str, optional
        Columns of a Parquet file, or arrays of a Zarr group, that are coordinates. None means all columns of a Parquet
        file except the weights.
    weights : str, optional
        Where the weights are: a column of a Parquet file, an array of a Zarr group, or the path of another file for
        `.npy` and for a Zarr array. None means equal weights.

    Returns
    -------
    Source
        For `wt.clouds.iterate`; only the metadata is read now.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0, 0.0], [1.0, 0.0]])
    ...     wt.clouds.open_source(f"{folder}/points.npy").names()
    ('x0', 'x1')
    """
    path = Path(path)
    listed = None if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)
    kind = _kind(path)
    is_file = weights is not None and (kind is Npy or (kind is Zarr and weights.endswith(".zarr")))
    return kind(path.absolute(), listed, str(Path(str(weights)).absolute()) if is_file else weights)


def _kind(path: Path) -> type[Source]:
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return Npy
    if suffix == ".zarr" or any((path / name).exists() for name in ("zarr.json", ".zarray", ".zgroup")):
        return Zarr
    if suffix in (".parquet", ".pq") or path.is_dir():
        return Parquet
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    raise ValueError(f"points are read from .npy, .parquet and .zarr, got {path}; wt.tables reads other files")
