"""StoredTrajectory: the result of a run on a stored cloud."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .._files import PathLike, check_target, writing
from .._mapped import write_mapped
from .._shown import Plotted, facts
from .._types import Floats
from ..engine import Engine, current
from ..engine.memory import available
from .blocks import CloudPoints, column_width, unpack_covs
from .sources import import_extra
from .state import State

_MAX_SHOWN_MOVEMENTS = 8  # in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class StoredTrajectory(Plotted):
    """The last state of a run on disk; `wt.clouds.iterate` returns it.

    Attributes
    ----------
    state : State
        The blocks on disk.
    names : tuple of str, length m
        Names of the coordinates.
    movements : tuple of float
        The largest movement of each iteration, relative to ε.
    n_iter : int
        Number of iterations made.
    converged : bool
        Whether the last movement was within the tolerance.
    outcome : str
        How the run ended, in words.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0], [1.0], [5.0]])
    ...     walk = wt.clouds.iterate(wt.mean_shift(1.0), f"{folder}/points.npy", folder=f"{folder}/run", n_iter=2)
    ...     print(walk.n, walk.movements, walk.points().ravel())
    3 (0.5, 0.0) [0.5 0.5 5. ]
    """

    state: State
    names: tuple[str, ...]
    movements: tuple[float, ...]
    n_iter: int
    converged: bool
    outcome: str

    @property
    def n(self) -> int:
        """Number of points."""
        return self.state.n

    @property
    def n_massless(self) -> int:
        """Number of points that had no mass within reach in some step, and did not move in it."""
        return sum(int(block.note.get("massless", 0)) for block in self.state.blocks)

    def chunks(self) -> Iterator[CloudPoints]:
        """Yield all points, some thousand at a time, in any order; `rows` tells their rows in the source."""
        for block in self.state.blocks:
            yield from block.read(block.all_chunks)

    def points(self, engine: Engine | None = None) -> Floats:
        """Return the moved points in the order of the source, shape (n, m), if they fit in memory."""
        return self._whole("places", "moved points", current(engine))

    def covariances(self, engine: Engine | None = None) -> Floats:
        """Return the covariances in the order of the source, shape (n, m, m), if they fit in memory."""
        self._check_covs()
        return unpack_covs(self._whole("covs", "covariances", current(engine)), self.state.m)

    def write(self, path: PathLike, engine: Engine | None = None) -> Path:
        """Write the moved points in the order of the source.

        Parameters
        ----------
        path : path
            A new file ending in `.npy`, `.parquet` or `.zarr`.
        engine : Engine, optional
            Memory limit and progress; None means the setting of `wt.using`.

        Returns
        -------
        Path
            The path of the file.
        """
        return write_column(self.state, "places", Path(path), self.names, current(engine))

    def write_covariances(self, path: PathLike, engine: Engine | None = None) -> Path:
        """Write the covariances, with a column for each entry of the lower triangle, row by row.

        Parameters
        ----------
        path : path
            A new file ending in `.npy`, `.parquet` or `.zarr`.
        engine : Engine, optional
            Memory limit and progress; None means the setting of `wt.using`.

        Returns
        -------
        Path
            The path of the file.
        """
        self._check_covs()
        below = zip(*np.tril_indices(self.state.m), strict=True)
        names = tuple(f"cov({self.names[i]}, {self.names[j]})" for i, j in below)
        return write_column(self.state, "covs", Path(path), names, current(engine))

    def _check_covs(self) -> None:
        if self.state.lam is None:
            raise ValueError("mean shift leaves points without covariances; use wt.gaussian_transform")

    def _whole(self, column: str, what: str, engine: Engine) -> Floats:
        width = column_width(column, self.state.m)
        engine.reserve(16.0 * self.n * width, f"{self.n} {what}", "write them to a file, or read them by chunks()")
        return np.concatenate([part for _, part in in_row_order(self.state, column, self.n, engine)])

    def _repr_html_(self) -> str:
        movements = ", ".join(f"{movement:.3g}" for movement in self.movements[-_MAX_SHOWN_MOVEMENTS:])
        earlier = "… " if len(self.movements) > _MAX_SHOWN_MOVEMENTS else ""
        rows = {
            "points": self.n,
            "outcome": self.outcome,
            "movements, in eps": earlier + movements or "none",
            "blocks on disk": len(self.state.blocks),
        }
        return facts("StoredTrajectory", rows)

    def __repr__(self) -> str:
        return f"<StoredTrajectory of {self.n} points: {self.outcome}>"


_MIN_ROWS = 1 << 16  # of a Zarr chunk, and written at a time
_GROUP_ROWS = 1 << 20  # of a row group of a Parquet file
_MEMORY_SHARE = 0.5  # of the free memory, if no limit is given


_Batches: TypeAlias = Iterator[tuple[int, Floats]]  # the number of the first row, and rows


def write_column(state: State, column: str, path: Path, names: tuple[str, ...], engine: Engine) -> Path:
    """Write a column of all points to a file of the kind its suffix tells; return the path."""
    kinds = {".npy": _write_npy, ".parquet": _write_parquet, ".zarr": _write_zarr}
    if path.suffix not in kinds:
        raise ValueError(f"points are written as {', '.join(kinds)}, got {path}; use one of these suffixes")
    width = column_width(column, state.m)
    limit = engine.memory if engine.memory is not None else _MEMORY_SHARE * available()
    max_rows = min(state.n, max(_MIN_ROWS, int(limit / (24.0 * width)) // _MIN_ROWS * _MIN_ROWS))
    engine.reserve(16.0 * width * max_rows, f"{max_rows} rows of {path} at a time", "give the engine more memory")
    with engine.watched() as watched:
        batches = in_row_order(state, column, max_rows, watched)
        kinds[path.suffix](path, names, (state.n, width), batches)
    return path


def _write_npy(path: Path, names: Sequence[str], shape: tuple[int, int], batches: _Batches) -> None:
    def fill(array: Any) -> None:
        for first, rows in batches:
            array[first : first + len(rows)] = rows

    write_mapped(path, np.dtype(np.float64), shape, fill, f"{shape[0]} points")


def _write_parquet(path: Path, names: Sequence[str], shape: tuple[int, int], batches: _Batches) -> None:
    arrow, parquet = import_extra("pyarrow", "a Parquet file"), import_extra("pyarrow.parquet", "a Parquet file")
    schema = arrow.schema([(name, arrow.float64()) for name in names])
    with writing(check_target(path)) as stream, parquet.ParquetWriter(stream, schema) as writer:
        for _, rows in batches:
            for start in range(0, len(rows), _GROUP_ROWS):
                part = rows[start : start + _GROUP_ROWS]
                writer.write_table(arrow.table([np.ascontiguousarray(x) for x in part.T], schema=schema))
    arrow.default_memory_pool().release_unused()


def _write_zarr(path: Path, names: Sequence[str], shape: tuple[int, int], batches: _Batches) -> None:
    """Write a new array under a temporary name, and rename it when it is complete."""
    zarr = import_extra("zarr", "a Zarr array")
    if path.exists():
        raise FileExistsError(f"{path} exists already; remove it, or give another name")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.absolute().parent} to write {path.name} to; make it first")
    draft = path.with_name(f".{uuid.uuid4().hex[:16]}.part")
    chunks = (min(_MIN_ROWS, shape[0]), shape[1])
    try:
        array = zarr.create_array(
            draft, shape=shape, chunks=chunks, dtype="float64", attributes={"columns": list(names)}
        )
        for first, rows in batches:
            array[first : first + len(rows)] = rows
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def in_row_order(state: State, column: str, max_rows: int, engine: Engine) -> _Batches:
    """Yield the first row number and a column of up to `max_rows` rows; each window reads all blocks."""
    n_windows = -(-state.n // max_rows)
    for k in range(n_windows):
        first, stop = k * max_rows, min((k + 1) * max_rows, state.n)
        out = np.empty((stop - first, column_width(column, state.m)))
        for b, block in enumerate(state.blocks):
            engine.report("points in their order", k * len(state.blocks) + b, n_windows * len(state.blocks))
            for columns in block.read_columns(block.all_chunks, ("rows", column)):
                engine.check()
                rows, values = columns["rows"], columns[column]
                if n_windows > 1:
                    start, end = np.searchsorted(rows, [first, stop])  # chunks are sorted by rows
                    rows, values = rows[start:end], values[start:end]
                out[rows - first] = values
        yield first, out
