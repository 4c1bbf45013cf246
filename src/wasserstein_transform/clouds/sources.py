"""Sources of large point clouds: `.npy`, Parquet and Zarr, read in runs of rows that depend on the source alone."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._files import PathLike
from .._mapped import read_map
from .._types import Floats

RANGE_ROWS = 1 << 22  # about: the input of one job and of its digest
_NUMERIC_KINDS = "fiub"


class RowBatch(NamedTuple):
    """Consecutive rows: the number of the first, coordinates, and weights if there are any."""

    first: int
    points: Floats
    weights: Floats | None

    def table(self) -> Floats:
        """Return coordinates and weights, row by row."""
        return self.points if self.weights is None else np.column_stack([self.points, self.weights])


class RowRange(NamedTuple):
    """Rows of a source that one job reads; `where` tells the source how to find them."""

    first: int
    n: int
    where: tuple[Any, ...] = ()


@dataclass(frozen=True)
class CloudSource(ABC):
    """Points in files, read a number of rows at a time; `open_source` makes one.

    It is a small value that can be pickled and sent to another process.

    Parameters
    ----------
    path : Path
        The file or folder.
    columns : tuple of str, optional
        Names of the coordinates; None means all columns except the weights.
    weights : str, optional
        Where the weights are; None means equal weights.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0, 0.0], [1.0, 0.0], [5.0, 2.0]])
    ...     source = wt.clouds.sources.open_source(f"{folder}/points.npy")
    ...     for batch in source.read(source.ranges()[0], max_rows=2):
    ...         print(batch.first, batch.points.tolist())
    0 [[0.0, 0.0], [1.0, 0.0]]
    2 [[5.0, 2.0]]
    """

    path: Path
    columns: tuple[str, ...] | None = None
    weights: str | None = None

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the names of the coordinates, as many as a point has."""

    @abstractmethod
    def ranges(self) -> list[RowRange]:
        """Return all rows in ranges; they depend on the source alone."""

    @abstractmethod
    def read(self, rows: RowRange, max_rows: int) -> Iterator[RowBatch]:
        """Yield the rows of a range, checked.

        Parameters
        ----------
        rows : RowRange
            One of `ranges()`.
        max_rows : int
            Number of rows at a time, about.

        Yields
        ------
        RowBatch
        """

    @abstractmethod
    def files(self) -> list[Path]:
        """Return all files that are read."""

    def describe_files(self) -> list[list[Any]]:
        """Return names, sizes and times of the files; while these are equal, the content is taken to be unchanged."""
        return [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in self.files()]

    def make_batch(self, first: int, columns: list[NDArray[Any]], weights: NDArray[Any] | None) -> RowBatch:
        """Make a batch after checking that all numbers are finite; the error names the row."""
        points = np.empty((len(columns[0]), len(columns)))
        for k, (name, column) in enumerate(zip(self.names(), columns, strict=True)):
            points[:, k] = self._check_finite(first, column, f"column {name!r}")
        if weights is None:
            return RowBatch(first, points, None)
        masses = np.asarray(self._check_finite(first, weights, "the weights"), np.float64)
        if (masses < 0).any():
            row = int((masses < 0).argmax())
            raise ValueError(f"{self.path}: weights must not be negative, got {masses[row]} in row {first + row}")
        return RowBatch(first, points, np.ascontiguousarray(masses))

    def _check_finite(self, first: int, column: NDArray[Any], what: str) -> NDArray[Any]:
        if not np.isfinite(column).all():
            row = int((~np.isfinite(column)).argmax())
            raise ValueError(
                f"{self.path}: {what} must be finite, got {column[row]} in row {first + row}; drop or fill such rows"
            )
        return column

    def _read_slices(self, rows: RowRange, step: int, points: list[Any], weights: Any) -> Iterator[RowBatch]:
        """Yield rows of an array of shape (n, m), or of m arrays of shape (n,)."""
        for first in range(rows.first, rows.first + rows.n, step):
            part = slice(first, min(first + step, rows.first + rows.n))
            read = [np.asarray(array[part]) for array in points]
            columns = list(read[0].T) if read[0].ndim == 2 else read
            yield self.make_batch(first, columns, None if weights is None else np.asarray(weights[part]))

    def check_kind(self, kind: np.dtype[Any], what: str) -> None:
        """Reject a type that is not numeric, before reading."""
        if kind.kind not in _NUMERIC_KINDS:
            raise ValueError(f"{self.path}: {what} must hold numbers, it has the type {kind}; give columns of numbers")


def cut_rows(n: int, size: int = RANGE_ROWS) -> list[RowRange]:
    """Cut rows 0…n into ranges of a size."""
    return [RowRange(first, min(size, n - first)) for first in range(0, n, size)]


def import_extra(module: str, what: str) -> Any:
    """Import a module of the extra `dask`, or raise an error that tells how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"{what} needs {module.partition('.')[0]}, which is not installed; "
            'install it: pip install "wasserstein-transform[dask]"'
        ) from None


@dataclass(frozen=True)
class Npy(CloudSource):
    """An array of shape (n, m) in a `.npy` file; weights are another such file, of shape (n,)."""

    def names(self) -> tuple[str, ...]:
        m = self._array().shape[1]
        if self.columns is not None:
            raise ValueError(f"{self.path}: a .npy file has no names of columns, got columns={list(self.columns)}")
        return tuple(f"x{k}" for k in range(m))

    def files(self) -> list[Path]:
        return [self.path] if self.weights is None else [self.path, Path(self.weights)]

    def ranges(self) -> list[RowRange]:
        array, weights = self._array(), self._weights()
        if weights is not None and weights.shape != array.shape[:1]:
            raise ValueError(
                f"{self.weights}: weights must hold one number per point, shape ({len(array)},), got {weights.shape}"
            )
        return cut_rows(len(array))

    def read(self, rows: RowRange, max_rows: int) -> Iterator[RowBatch]:
        array, weights = self._array(), self._weights()
        yield from self._read_slices(rows, max_rows, [array], weights)

    def _array(self) -> Any:
        array = _open_map(self.path)
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(
                f"{self.path}: points must be an array of shape (n, m), one row per point, got shape {array.shape}"
            )
        self.check_kind(array.dtype, "the array")
        return array

    def _weights(self) -> Any:
        if self.weights is None:
            return None
        weights = _open_map(Path(self.weights))
        self.check_kind(weights.dtype, "the array of weights")
        return weights


def _open_map(path: Path) -> Any:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return read_map(path)


@dataclass(frozen=True)
class Parquet(CloudSource):
    """Columns of a Parquet file, or of all `*.parquet` files of a folder in the order of their names."""

    def files(self) -> list[Path]:
        if not self.path.exists():
            raise FileNotFoundError(f"there is no file or folder {self.path}")
        files = sorted(self.path.glob("*.parquet")) if self.path.is_dir() else [self.path]
        if not files:
            raise FileNotFoundError(f"the folder {self.path} holds no *.parquet files")
        return files

    def names(self) -> tuple[str, ...]:
        schema = self._open(self.files()[0]).schema_arrow
        names = self.columns or tuple(name for name in schema.names if name != self.weights)
        is_a = import_extra("pyarrow", "a Parquet file").types
        for name in (*names, *([self.weights] if self.weights else [])):
            if name not in schema.names:
                raise ValueError(f"{self.path} has no column {name!r}; its columns are {', '.join(schema.names)}")
            kind = schema.field(name).type
            if not (is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_boolean(kind)):
                raise ValueError(
                    f"{self.path}: column {name!r} must hold numbers, it has the type {kind}; "
                    "name the columns that are coordinates"
                )
        return tuple(names)

    def ranges(self) -> list[RowRange]:
        ranges, first = list[RowRange](), 0
        for k, path in enumerate(self.files()):
            metadata, groups, n = self._open(path).metadata, list[int](), 0
            for g in range(metadata.num_row_groups):
                size = metadata.row_group(g).num_rows
                if groups and n + size > RANGE_ROWS:
                    ranges.append(RowRange(first, n, (k, *groups)))
                    first, n, groups = first + n, 0, []
                groups.append(g)
                n += size
            if n:
                ranges.append(RowRange(first, n, (k, *groups)))
                first += n
        if not ranges:
            raise ValueError(f"{self.path} has columns and no rows; a cloud needs at least one point")
        return ranges

    def read(self, rows: RowRange, max_rows: int) -> Iterator[RowBatch]:
        arrow, (k, *groups) = import_extra("pyarrow", "a Parquet file"), rows.where
        path, names = self.files()[k], [*self.names(), *([self.weights] if self.weights else [])]
        first, held, n_held = rows.first, list[Any](), 0
        try:
            for batch in self._open(path).iter_batches(max_rows, row_groups=groups, columns=names):
                held.append(batch)
                n_held += batch.num_rows
                if n_held >= max_rows:
                    yield self._join(first, names, held)
                    first, held, n_held = first + n_held, [], 0
            if held:
                yield self._join(first, names, held)
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(f"{path} is cut off or damaged: {str(error).splitlines()[0]}; download it again") from None
        finally:
            arrow.default_memory_pool().release_unused()

    def _join(self, first: int, names: list[str], batches: list[Any]) -> RowBatch:
        """Join batches of Arrow; reject missing values."""
        columns = []
        for name in names:
            pieces = [batch.column(name) for batch in batches]
            missing = np.concatenate([piece.is_null().to_numpy(zero_copy_only=False) for piece in pieces])
            if missing.any():
                row = first + int(missing.argmax())
                raise ValueError(f"{self.path}: column {name!r} has no value in row {row}; drop or fill such rows")
            columns.append(np.concatenate([piece.to_numpy(zero_copy_only=False) for piece in pieces]))
        return self.make_batch(first, columns[: len(names) - bool(self.weights)], columns[-1] if self.weights else None)

    def _open(self, path: Path) -> Any:
        parquet, arrow = import_extra("pyarrow.parquet", "a Parquet file"), import_extra("pyarrow", "a Parquet file")
        try:
            return parquet.ParquetFile(path, memory_map=True, pre_buffer=False)
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(
                f"{path} is not a Parquet file, or cut off or damaged: {str(error).splitlines()[0]}; download it again"
            ) from None


@dataclass(frozen=True)
class Zarr(CloudSource):
    """A Zarr array of shape (n, m), with weights in another array; or a group of arrays of shape (n,), by name."""

    def files(self) -> list[Path]:
        folders = [self.path, *([Path(self.weights)] if self.weights and self._is_array() else [])]
        return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())

    def names(self) -> tuple[str, ...]:
        opened = self._open(self.path)
        if self._is_array():
            if self.columns is not None:
                raise ValueError(f"{self.path}: a Zarr array has no names of columns, got columns={list(self.columns)}")
            return tuple(f"x{k}" for k in range(opened.shape[1]))
        if not self.columns:
            there = ", ".join(sorted(opened.array_keys()))
            raise ValueError(f"{self.path} is a group of arrays ({there}); name the columns that are coordinates")
        return self.columns

    def ranges(self) -> list[RowRange]:
        points, weights = self._arrays()
        n = points[0].shape[0]
        for array in [*points, *weights]:
            if array.shape[0] != n:
                raise ValueError(
                    f"{self.path}: all arrays must have the same number of rows, got {n} and {array.shape[0]}"
                )
        if n == 0:
            raise ValueError(f"{self.path} has no rows; a cloud needs at least one point")
        chunk = max(1, points[0].chunks[0])
        return cut_rows(n, max(1, RANGE_ROWS // chunk) * chunk)

    def read(self, rows: RowRange, max_rows: int) -> Iterator[RowBatch]:
        points, weights = self._arrays()
        chunk = points[0].chunks[0]
        step = max(1, max_rows // chunk) * chunk if chunk <= max_rows else max_rows
        yield from self._read_slices(rows, step, points, weights[0] if weights else None)

    def _is_array(self) -> bool:
        return hasattr(self._open(self.path), "shape")

    def _arrays(self) -> tuple[list[Any], list[Any]]:
        """Return the arrays of coordinates, and the array of weights if there is one."""
        opened = self._open(self.path)
        if self._is_array():
            weights = [] if self.weights is None else [self._open(Path(self.weights))]
            points = [opened]
        else:
            points = [self._member(opened, name) for name in self.names()]
            weights = [] if self.weights is None else [self._member(opened, self.weights)]
        self._check(points, 2 if self._is_array() else 1)
        self._check(weights, 1)
        return points, weights

    def _member(self, group: Any, name: str) -> Any:
        if name not in set(group.array_keys()):
            raise ValueError(f"{self.path} has no array {name!r}; there are {', '.join(sorted(group.array_keys()))}")
        return group[name]

    def _check(self, arrays: list[Any], ndim: int) -> None:
        for array in arrays:
            if getattr(array, "ndim", None) != ndim or 0 in array.shape[1:]:
                shape = "(n, m), one row per point" if ndim == 2 else "(n,)"
                raise ValueError(
                    f"{array}: an array of shape {shape} is needed, got {getattr(array, 'shape', 'a group')}"
                )
            self.check_kind(array.dtype, f"the array {array.name}")
            if "pickle" in str(array.metadata.to_dict()).lower():
                raise ValueError(
                    f"{array}: data packed by pickle can run code when it is read, so it is not read; write it anew"
                )

    def _open(self, path: Path) -> Any:
        zarr = import_extra("zarr", "a Zarr store")
        if not path.exists():
            raise FileNotFoundError(f"there is no Zarr array or group {path}")
        try:
            return zarr.open(path, mode="r")
        except Exception as error:  # stores of different kinds raise different exceptions
            raise ValueError(f"{path} is not a Zarr array or group, or damaged ({error}); write it anew") from None


def open_source(path: PathLike, columns: Sequence[str] | None = None, weights: str | None = None) -> CloudSource:
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
    CloudSource
        For `wt.clouds.iterate`; only the metadata is read now.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0, 0.0], [1.0, 0.0]])
    ...     wt.clouds.sources.open_source(f"{folder}/points.npy").names()
    ('x0', 'x1')
    """
    path = Path(path)
    listed = None if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)
    kind = _kind(path)
    is_file = weights is not None and (kind is Npy or (kind is Zarr and weights.endswith(".zarr")))
    return kind(path.absolute(), listed, str(Path(str(weights)).absolute()) if is_file else weights)


def _kind(path: Path) -> type[CloudSource]:
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
