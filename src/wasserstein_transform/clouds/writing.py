"""Write columns of a state to `.npy`, Parquet or Zarr, in the order of the source."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from .._files import check_target, writing
from .._mapped import write_mapped
from ..engine import Engine
from .memory import limit_of
from .row_order import in_row_order, width_of
from .sources.base import need
from .state import State

_ROWS = 1 << 16  # rows of a Zarr chunk, and least number of rows written at a time
_GROUP = 1 << 20  # rows of a row group


def write_column(state: State, column: str, path: Path, names: tuple[str, ...], engine: Engine) -> Path:
    """Write a column of all points to a file of the kind its suffix tells; return the path."""
    kinds = {".npy": _write_npy, ".parquet": _write_parquet, ".zarr": _write_zarr}
    if path.suffix not in kinds:
        raise ValueError(f"points are written as {', '.join(kinds)}, got {path}; use one of these suffixes")
    width = width_of(column, state.m)
    most = min(state.n, max(_ROWS, int(limit_of(engine) / (24.0 * width)) // _ROWS * _ROWS))
    engine.reserve(16.0 * width * most, f"{most} rows of {path} at a time", "give the engine more memory")
    with engine.watched() as watched:
        kinds[path.suffix](state, column, path, names, most, watched)
    return path


def _write_npy(state: State, column: str, path: Path, names: tuple[str, ...], most: int, engine: Engine) -> None:
    def fill(array: Any) -> None:
        for first, rows in in_row_order(state, column, most, engine):
            array[first : first + len(rows)] = rows

    shape = (state.n, width_of(column, state.m))
    write_mapped(path, np.dtype(np.float64), shape, fill, f"{state.n} points")


def _write_parquet(state: State, column: str, path: Path, names: tuple[str, ...], most: int, engine: Engine) -> None:
    arrow, parquet = need("pyarrow", "a Parquet file"), need("pyarrow.parquet", "a Parquet file")
    schema = arrow.schema([(name, arrow.float64()) for name in names])
    with writing(check_target(path)) as stream, parquet.ParquetWriter(stream, schema) as writer:
        for _, rows in in_row_order(state, column, most, engine):
            for start in range(0, len(rows), _GROUP):
                part = rows[start : start + _GROUP]
                writer.write_table(arrow.table([np.ascontiguousarray(x) for x in part.T], schema=schema))
    arrow.default_memory_pool().release_unused()


def _write_zarr(state: State, column: str, path: Path, names: tuple[str, ...], most: int, engine: Engine) -> None:
    """Write a new array under a temporary name, and rename it when it is complete."""
    zarr = need("zarr", "a Zarr array")
    if path.exists():
        raise FileExistsError(f"{path} exists already; remove it, or give another name")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.absolute().parent} to write {path.name} to; make it first")
    draft = path.with_name(f".{uuid.uuid4().hex[:16]}.part")
    width = width_of(column, state.m)
    try:
        array = zarr.create_array(
            draft, shape=(state.n, width), chunks=(min(_ROWS, state.n), width), dtype="float64",
            attributes={"columns": list(names)},
        )  # fmt: skip
        for first, rows in in_row_order(state, column, most, engine):
            array[first : first + len(rows)] = rows
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
