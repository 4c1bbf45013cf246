"""Arrays in Zarr format: a folder of chunks, each with a checksum."""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from .._files import PathLike
from .._mapped import check_room, writing_folder
from .._types import Floats, Ints
from .sources import Numbers

_SIDE = 1024  # side of the chunks of a matrix
_RUN = 1 << 20  # entries per chunk of a vector
_READ = 1 << 20  # entries to read at a time if chunks are small
_KEPT = 1 << 26  # bytes of chunks in the cache
_CODECS = frozenset({"bytes", "crc32c", "zstd", "gzip", "blosc", "transpose", "sharding_indexed"})


def is_zarr(value: object) -> bool:
    """Whether the value is a Zarr array; does not import zarr."""
    return type(value).__module__.split(".")[0] == "zarr" and hasattr(value, "chunks")


def need_zarr() -> Any:
    """Import zarr, or raise an error that says how to install it."""
    try:
        return importlib.import_module("zarr")
    except ImportError:
        raise ImportError(
            'Zarr arrays need zarr, which is not installed; use pip install "wasserstein-transform[scale]"'
        ) from None


def open_zarr(path: PathLike) -> Any:
    """Open the array in a folder for reading."""
    zarr = need_zarr()
    if not Path(path).is_dir():
        raise FileNotFoundError(f"there is no Zarr array {path}; check the path")
    try:
        return zarr.open_array(os.fspath(path), mode="r")
    except Exception as error:  # zarr raises many types, depending on the content of the folder
        raise ValueError(
            f"{path} is not a Zarr array, or it is damaged ({type(error).__name__}: {error!s:.200})"
        ) from None


def write_zarr(path: PathLike, dtype: Any, shape: tuple[int, ...], fill: Callable[[Any], None], what: str) -> Any:
    """Let `fill` write an array into a new folder, in whole chunks; the folder gets its name when it is complete."""
    zarr = need_zarr()
    side = _RUN if len(shape) == 1 else _SIDE
    with writing_folder(path, _may_replace, "a Zarr array") as folder:
        check_room(float(dtype.itemsize) * prod(shape), folder.parent, what)
        array = zarr.create_array(
            os.fspath(folder),
            shape=shape,
            chunks=tuple(max(1, min(side, length)) for length in shape),
            dtype=dtype,
            filters=None,
            compressors=[zarr.codecs.Crc32cCodec()],
            fill_value=np.nan,  # the value of missing chunks
        )
        try:
            fill(array)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise OSError(
                error.errno, f"the disk of {path} is full and {what} was not written; choose another folder"
            ) from None
    return open_zarr(path)


def _may_replace(target: Path) -> bool:
    return (target / "zarr.json").is_file() or (target.is_dir() and not any(target.iterdir()))


class Chunked(Numbers):
    """Numbers in a Zarr array, with a cache of chunks in memory."""

    def __init__(self, array: Any) -> None:
        self._array = array
        self.name, self.shape = _name_of(array), tuple(int(side) for side in array.shape)
        _check_codecs(array, self.name)
        self._chunks = tuple(int(side) for side in array.chunks)
        self._known: dict[tuple[int, ...], np.ndarray] = {}
        self._most = max(2, _KEPT // max(1, self.chunk_bytes))

    @property
    def chunk_bytes(self) -> int:
        """The size of a chunk in memory, in bytes."""
        return int(self._array.dtype.itemsize) * prod(self._chunks)

    def sides(self) -> tuple[int, ...]:
        """The sides of one chunk, or of several if they are small."""
        *others, last = self._chunks
        wide = max(1, _READ // max(1, prod(self._chunks)))
        return *others, last * min(wide, -(-self.shape[-1] // last))

    def part(self, *where: slice) -> Floats:
        spans = [range(*part.indices(side)) for part, side in zip(where, self.shape, strict=True)]
        out = np.empty([len(span) for span in spans])
        if out.size == 0:
            return out
        numbers = [
            range(span.start // side, (span.stop - 1) // side + 1)
            for span, side in zip(spans, self._chunks, strict=True)
        ]
        for chunk in np.ndindex(*(len(some) for some in numbers)):
            key = tuple(some[k] for some, k in zip(numbers, chunk, strict=True))
            values, inside, there = self._chunk(key), [], []
            for k, span, side, length in zip(key, spans, self._chunks, values.shape, strict=True):
                low, high = max(span.start, k * side), min(span.stop, k * side + length)
                inside.append(slice(low - k * side, high - k * side))
                there.append(slice(low - span.start, high - span.start))
            out[tuple(there)] = values[tuple(inside)]
        return out

    def at(self, *where: Ints) -> Floats:
        out = np.empty(len(where[0]))
        grid = tuple(-(-length // side) for length, side in zip(self.shape, self._chunks, strict=True))
        keys = np.ravel_multi_index(tuple(some // side for some, side in zip(where, self._chunks, strict=True)), grid)
        order = np.argsort(keys, kind="stable")
        found, starts = np.unique(keys[order], return_index=True)
        for number, start, end in zip(found, starts, np.append(starts[1:], len(keys)), strict=True):
            asked, key = order[start:end], tuple(int(k) for k in np.unravel_index(number, grid))
            inside = tuple(some[asked] - k * side for some, k, side in zip(where, key, self._chunks, strict=True))
            out[asked] = self._chunk(key)[inside]
        return out

    def _chunk(self, key: tuple[int, ...]) -> np.ndarray:
        found = self._known.get(key)
        if found is None:
            found = self._read(key)
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[key] = found
        return found

    def _read(self, key: tuple[int, ...]) -> np.ndarray:
        part = tuple(slice(k * side, (k + 1) * side) for k, side in zip(key, self._chunks, strict=True))
        stored = self._array.shards or self._chunks  # several chunks may be in one file
        file = tuple(span.start // side for span, side in zip(part, stored, strict=True))
        name = f"chunk {self._array.metadata.encode_chunk_key(file)} of {self.name}"
        try:
            values = np.asarray(self._array[part])
        except Exception as error:  # codecs raise exceptions of any type
            raise ValueError(f"{name} is damaged ({error}); write the array again") from None
        if np.isnan(values).any():
            raise ValueError(f"{name} is missing or contains NaN; distances must be finite: write the array again")
        return values


def _name_of(array: Any) -> str:
    root = getattr(array.store, "root", None)
    return str(Path(root) / array.path) if root is not None else f"a Zarr array {array.shape}"


def _check_codecs(array: Any, name: str) -> None:
    """Check that the format and the codecs of a Zarr array are supported."""
    if array.metadata.zarr_format != 3:
        raise ValueError(
            f"{name} has Zarr format {array.metadata.zarr_format}, but only format 3 is supported; write it again"
        )
    codecs = {str(codec.to_dict().get("name")) for codec in array.metadata.codecs}
    if unknown := sorted(codecs - _CODECS):
        raise ValueError(
            f"{name} uses the codecs {', '.join(unknown)}, but only {', '.join(sorted(_CODECS))} are supported; "
            "write it again with one of these"
        )
