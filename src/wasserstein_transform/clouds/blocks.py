"""CloudPoints of a cloud, and blocks of them in files: chunks of columns, followed by a table of the chunks.

A block consists of a magic mark, the columns of each chunk in sequence, a footer in JSON (the names of the columns, and
for each chunk its count, its bounds and a checksum for every column), the length and checksum of the footer, and the
mark again. All sizes follow from the footer and are compared with the size of the file before anything is read.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import DamagedError
from .._files import check_no_link, writing
from .._types import Floats, Ints
from ..compute.records import Extent
from ..spaces import Euclidean, GaussianMetric

_MARK = b"WTBLOCK1"
_TRAILER = struct.Struct("<QI8s")  # length and checksum of the footer, and the mark
_MAX_FOOTER_BYTES = 1 << 30
_TYPES = {"rows": "<i8", "places": "<f8", "covs": "<f8", "weights": "<f8", "massless": "|u1"}


@dataclass(frozen=True, eq=False)
class CloudPoints:
    """Columns of n points of a cloud in R^m; `StoredTrajectory.chunks` yields them.

    Attributes
    ----------
    rows : array of int, shape (n,)
        Row numbers in the source.
    places : array of shape (n, m)
        Coordinates.
    covs : array of shape (n, m(m+1)/2), or None
        Lower triangles of the covariances, row by row; None after mean shift.
    weights : array of shape (n,), or None
        Weights as in the source; None means equal weights.
    massless : array of uint8, shape (n,), or None
        1 for points that had no mass within reach in some step; None without weights.

    Examples
    --------
    >>> import tempfile, numpy as np, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", [[0.0], [1.0], [5.0]])
    ...     walk = wt.clouds.iterate(wt.mean_shift(1.0), f"{folder}/points.npy", folder=f"{folder}/run", n_iter=1)
    ...     for points in walk.chunks():
    ...         print(points.rows, points.places.ravel())
    [0 1 2] [0.5 0.5 5. ]
    """

    rows: NDArray[np.int64]
    places: Floats
    covs: Floats | None = None
    weights: Floats | None = None
    massless: NDArray[np.uint8] | None = None

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.rows)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns that are not None, by name."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in columns.items() if column is not None}

    def take(self, which: Ints) -> CloudPoints:
        """Return the points of these indices."""
        return CloudPoints(**{name: column.take(which, axis=0) for name, column in self.columns.items()})

    def metric(self, lam: float | None) -> Euclidean | GaussianMetric:
        """Return the metric of a state of the flow; `lam` is None if points have no covariances."""
        if lam is None or self.covs is None:
            return Euclidean(self.places)
        return GaussianMetric(self.places, unpack_covs(self.covs, self.places.shape[1]), lam)

    @classmethod
    def join(cls, parts: Sequence[CloudPoints]) -> CloudPoints:
        """Concatenate points with the same columns; at least one part."""
        if len(parts) == 1:
            return parts[0]
        return cls(**{name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns})


class WeightScale(NamedTuple):
    """Converts weights of the whole cloud to masses of total 1: w / largest / total."""

    largest: float
    total: float


def pack_covs(covs: Floats) -> Floats:
    """Return the lower triangles of symmetric matrices."""
    below = np.tril_indices(covs.shape[1])
    return np.ascontiguousarray(covs[:, below[0], below[1]])


def unpack_covs(triangles: Floats, m: int) -> Floats:
    """Return symmetric matrices from their lower triangles."""
    covs = np.empty((len(triangles), m, m))
    for k, (i, j) in enumerate(zip(*np.tril_indices(m), strict=True)):
        covs[:, i, j] = covs[:, j, i] = triangles[:, k]
    return covs


class Chunks(NamedTuple):
    """The table of chunks, with a row for each chunk."""

    counts: Ints
    low: Floats
    high: Floats
    sums: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """An existing block of points.

    Attributes
    ----------
    path : Path
        Its file.
    columns : tuple of str
        Names of its columns.
    m : int
        Number of coordinates of a point.
    chunks : Chunks
        The table of chunks.
    extent : Extent or None
        Bounds of its points; None for a block without points.
    note : dict
        Notes of the job that wrote it.
    """

    path: Path
    columns: tuple[str, ...]
    m: int
    chunks: Chunks
    extent: Extent | None
    note: dict[str, Any]

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.chunks.counts.sum())

    def read(self, which: Iterable[int]) -> Iterator[CloudPoints]:
        """Yield the points of some chunks."""
        for columns in self.read_columns(which, self.columns):
            yield CloudPoints(**columns)

    def read_columns(self, which: Iterable[int], names: Sequence[str]) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield some columns of some chunks; other columns are not read."""
        widths = _widths(self.columns, self.m)
        starts = len(_MARK) + np.append(0, np.cumsum(self.chunks.counts)) * sum(widths.values())
        with self.path.open("rb", buffering=0) as stream:
            for k in which:
                count, at, columns = int(self.chunks.counts[k]), int(starts[k]), {}
                for j, name in enumerate(self.columns):
                    if name in names:
                        stream.seek(at)
                        columns[name] = self._read_column(stream, name, count, int(self.chunks.sums[k, j]))
                    at += count * widths[name]
                yield columns

    @property
    def all_chunks(self) -> range:
        """Indices of all chunks."""
        return range(len(self.chunks.counts))

    def _read_column(self, stream: IO[bytes], name: str, count: int, checksum: int) -> NDArray[Any]:
        shape = (count, column_width(name, self.m)) if name in ("places", "covs") else (count,)
        column = np.empty(shape, _TYPES[name])
        view = column.reshape(-1).view(np.uint8).data
        if stream.readinto(view) != len(view) or zlib.crc32(view) != checksum:  # type: ignore[attr-defined]
            raise DamagedError(f"{self.path} is damaged: the checksum of its column {name!r} is wrong")
        return column


class BlockWriter:
    """Writes a block; `add` may be called repeatedly, with as many points as fit in memory."""

    def __init__(self, stream: IO[bytes], columns: tuple[str, ...], m: int) -> None:
        self._stream, self._columns, self._m = stream, columns, m
        self._counts, self._sums = list[int](), list[list[int]]()
        self._low, self._high = list[list[float]](), list[list[float]]()
        self._largest, self._least = 0.0, np.inf
        stream.write(_MARK)

    def add(self, points: CloudPoints) -> None:
        """Cut points, in the order of their rows, into chunks, and write them."""
        if points.n == 0:
            return
        assert tuple(points.columns) == self._columns
        if points.covs is not None:
            self._measure_covs(points.covs)
        order, edges = spatial_order(points.places)
        for start, stop in pairwise(edges.tolist()):
            self._write(points.take(order[start:stop]))

    def finish(self, note: dict[str, Any]) -> None:
        """Write the footer."""
        covs = [self._largest, self._least if np.isfinite(self._least) else None] if "covs" in self._columns else None
        footer = {
            "columns": self._columns, "m": self._m, "note": note, "covs": covs,
            "counts": self._counts, "low": self._low, "high": self._high, "sums": self._sums,
        }  # fmt: skip
        text = json.dumps(footer, allow_nan=False).encode()
        self._stream.write(text)
        self._stream.write(_TRAILER.pack(len(text), zlib.crc32(text), _MARK))

    def _write(self, chunk: CloudPoints) -> None:
        columns = [np.ascontiguousarray(chunk.columns[name], _TYPES[name]) for name in self._columns]
        self._counts.append(chunk.n)
        self._low.append([float(x.min()) for x in chunk.places.T])
        self._high.append([float(x.max()) for x in chunk.places.T])
        self._sums.append([zlib.crc32(column.data) for column in columns])
        for column in columns:
            self._stream.write(column.data)

    def _measure_covs(self, covs: Floats) -> None:
        traces = np.zeros(len(covs))
        for k in np.cumsum(np.arange(1, self._m + 1)) - 1:  # the diagonal
            traces += covs[:, k]
        for start in range(0, len(covs), CHUNK_POINTS):
            self._largest = max(self._largest, float(np.abs(covs[start : start + CHUNK_POINTS]).max()))
        self._least = min(self._least, float(np.min(traces, where=traces > 0, initial=np.inf)))


@contextmanager
def writing_block(path: Path, columns: tuple[str, ...], m: int) -> Iterator[BlockWriter]:
    """Write a block; the file appears, complete, when the context ends."""
    with writing(check_no_link(path)) as stream:
        yield BlockWriter(stream, columns, m)


def open_block(path: Path) -> Block:
    """Open a block; raise `DamagedError` if the file is no block or is incomplete."""
    try:
        text, length = _read_footer(path)
        footer = json.loads(text)
        columns, m = tuple(footer["columns"]), int(footer["m"])
        counts = np.array(footer["counts"], np.int64)
        low, high = (np.array(footer[name], np.float64).reshape(-1, m) for name in ("low", "high"))
        chunks = Chunks(counts, low, high, np.array(footer["sums"], np.int64).reshape(-1, len(columns)))
        if "rows" not in columns or "places" not in columns or not set(columns) <= set(_TYPES) or m < 1:
            raise ValueError(f"columns {columns} of points in R^{m}")
        if len({len(entries) for entries in chunks}) != 1 or (counts < 1).any():
            raise ValueError("its table of chunks is inconsistent")
        if len(_MARK) + sum(counts.tolist()) * sum(_widths(columns, m).values()) != length:
            raise ValueError("its table does not match its size")
        return Block(path, columns, m, chunks, _extent(chunks, footer["covs"]), dict(footer["note"]))
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise DamagedError(f"{path} is not a block of points, or damaged ({error})") from None


def is_undamaged(path: Path) -> bool:
    """Tell whether all checksums of a block are right."""
    try:
        block = open_block(path)
        return sum(points.n for points in block.read(block.all_chunks)) == block.n
    except (DamagedError, OSError):
        return False


def has_stamp(path: Path, stamp: str) -> bool:
    """Tell, by its footer, whether a block exists and was written for a certain step."""
    try:
        return bool(open_block(path).note.get("stamp") == stamp)
    except (DamagedError, OSError):
        return False


def _read_footer(path: Path) -> tuple[bytes, int]:
    """Return the text of the footer, and where it begins."""
    size = path.stat().st_size
    if size < len(_MARK) + _TRAILER.size:
        raise ValueError(f"it has only {size} bytes")
    with path.open("rb") as stream:
        stream.seek(size - _TRAILER.size)
        length, checksum, mark = _TRAILER.unpack(stream.read(_TRAILER.size))
        begin = size - _TRAILER.size - length
        if mark != _MARK or not len(_MARK) <= begin or length > _MAX_FOOTER_BYTES:
            raise ValueError("it does not end like a block")
        stream.seek(0)
        if stream.read(len(_MARK)) != _MARK:
            raise ValueError("it does not begin like a block")
        stream.seek(begin)
        text = stream.read(length)
    if zlib.crc32(text) != checksum:
        raise ValueError("the checksum of its footer is wrong")
    return text, begin


def _extent(chunks: Chunks, covs: list[float | None] | None) -> Extent | None:
    if len(chunks.counts) == 0:
        return None
    low, high = tuple(chunks.low.min(axis=0).tolist()), tuple(chunks.high.max(axis=0).tolist())
    largest, least = (None, None) if covs is None else covs
    return Extent(int(chunks.counts.sum()), low, high, largest, np.inf if least is None else least)


def column_width(name: str, m: int) -> int:
    """Return how many numbers a point has in a column."""
    return {"places": m, "covs": m * (m + 1) // 2}.get(name, 1)


def _widths(columns: Sequence[str], m: int) -> dict[str, int]:
    """Return how many bytes a point has in each column."""
    return {name: column_width(name, m) * np.dtype(_TYPES[name]).itemsize for name in columns}


CHUNK_POINTS = 1 << 14  # about; read and checked together
_SAMPLED_PER_CHUNK = 64  # points
_MAX_CUTS = 1 << 15  # along an axis: keys have 16 bits


def spatial_order(places: Floats, chunk: int = CHUNK_POINTS) -> tuple[Ints, Ints]:
    """Return an order of the points that keeps close points together, and the edges of the chunks in it.

    Within a chunk, points keep their original order.
    """
    n = len(places)
    order, edges = np.arange(n), np.array([0, n])
    n_chunks = -(-n // chunk)
    if n_chunks <= 1:
        return order, edges
    axes, widths = _axes(places, n_chunks)
    for k, axis in enumerate(axes):
        left = np.prod(widths[k] / widths[k:])  # makes cells nearly cubes: wide axes are cut more often
        n_cuts = float((n_chunks * left) ** (1 / (len(axes) - k)))
        edges = _cut_all(places[:, axis], order, edges, n_cuts)
        n_chunks = max(1, round(n_chunks / max(1.0, n_cuts)))
    return order, _cut_large(edges, 2 * chunk, chunk)


def _axes(places: Floats, n_chunks: int) -> tuple[Ints, Floats]:
    """Return the widest axes, at most three, and the width that holds 90 % of the points along each."""
    sample = places[:: max(1, len(places) // (_SAMPLED_PER_CHUNK * max(1, n_chunks)))]
    low, high = np.quantile(sample, [0.05, 0.95], axis=0)
    widths = high - low
    axes = np.argsort(-widths, kind="stable")[:3]
    axes = axes[widths[axes] > 0]
    return axes, widths[axes]


def _cut_all(x: Floats, order: Ints, edges: Ints, n_cuts: float) -> Ints:
    """Cut each stretch of the order along an axis; `n_cuts` is the number of parts of an average stretch."""
    average = len(order) / (len(edges) - 1)
    cuts = [np.zeros(1, np.intp)]
    for start, stop in pairwise(edges.tolist()):
        parts = min(_MAX_CUTS, round(n_cuts * (stop - start) / average))
        cuts.append(start + _cut(x, order[start:stop], parts))
    return np.concatenate(cuts)


def _cut(x: Floats, order: Ints, parts: int) -> Ints:
    """Sort a stretch into `parts` parts, in place; return where they end."""
    if parts <= 1:
        return np.array([len(order)])
    x = x[order]
    sample = np.sort(x[:: max(1, len(x) // (_SAMPLED_PER_CHUNK * parts))])
    marks = sample[(np.arange(1, parts) * len(sample)) // parts]
    keys = np.searchsorted(marks, x, side="right").astype(np.uint16)
    order[:] = order[np.argsort(keys, kind="stable")]
    ends = np.cumsum(np.bincount(keys, minlength=parts))
    return np.unique(ends[ends > 0])


def _cut_large(edges: Ints, most: int, chunk: int) -> Ints:
    """Cut chunks that are too large into equal runs: coincident points cannot be cut in space."""
    cuts = [np.zeros(1, np.intp)]
    for start, stop in pairwise(edges.tolist()):
        inner = np.arange(start + chunk, stop, chunk) if stop - start > most else np.empty(0, np.intp)
        cuts.append(np.append(inner, stop))
    return np.concatenate(cuts)
