"""Points in Parquet files: columns of one file, or of all files of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import STRETCH, Rows, Source, Stretch, need


@dataclass(frozen=True)
class Parquet(Source):
    """Columns of a Parquet file, or of all `*.parquet` files of a folder in the order of their names."""

    def files(self) -> list[Path]:
        if not self.path.exists():
            raise FileNotFoundError(f"there is no file or folder {self.path}")
        found = sorted(self.path.glob("*.parquet")) if self.path.is_dir() else [self.path]
        if not found:
            raise FileNotFoundError(f"the folder {self.path} holds no *.parquet files")
        return found

    def names(self) -> tuple[str, ...]:
        schema = self._open(self.files()[0]).schema_arrow
        wanted = self.columns or tuple(name for name in schema.names if name != self.weights)
        for name in (*wanted, *([self.weights] if self.weights else [])):
            if name not in schema.names:
                raise ValueError(f"{self.path} has no column {name!r}; its columns are {', '.join(schema.names)}")
            self._check_type(schema.field(name))
        return tuple(wanted)

    def stretches(self) -> list[Stretch]:
        found, first = list[Stretch](), 0
        for k, path in enumerate(self.files()):
            groups: list[int] = []
            n, metadata = 0, self._open(path).metadata
            for g in range(metadata.num_row_groups):
                size = metadata.row_group(g).num_rows
                if groups and n + size > STRETCH:
                    found.append(Stretch(first, n, (k, *groups)))
                    first, n, groups = first + n, 0, []
                groups.append(g)
                n += size
            if n:
                found.append(Stretch(first, n, (k, *groups)))
                first += n
        if not found:
            raise ValueError(f"{self.path} has columns and no rows; a cloud needs at least one point")
        return found

    def read(self, stretch: Stretch, most: int) -> Iterator[Rows]:
        arrow, (k, *groups) = need("pyarrow", "a Parquet file"), stretch.where
        path, names = self.files()[k], self.names()
        listed = [*names, *([self.weights] if self.weights else [])]
        first, held, n_held = stretch.first, list[Any](), 0
        try:
            for batch in self._open(path).iter_batches(most, row_groups=groups, columns=listed):
                held.append(batch)
                n_held += batch.num_rows
                if n_held >= most:
                    yield self._rows(first, held, listed, len(names))
                    first, held, n_held = first + n_held, [], 0
            if held:
                yield self._rows(first, held, listed, len(names))
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(f"{path} is cut off or damaged: {str(error).splitlines()[0]}; download it again") from None
        finally:
            arrow.default_memory_pool().release_unused()

    def _rows(self, first: int, batches: list[Any], listed: list[str], m: int) -> Rows:
        columns = [self._column(first, name, [batch.column(name) for batch in batches]) for name in listed]
        return self.checked(first, columns[:m], columns[m] if len(columns) > m else None)

    def _column(self, first: int, name: str, arrays: list[Any]) -> NDArray[Any]:
        for array in arrays:
            if array.null_count:
                row = first + int(np.asarray(array.is_null().to_numpy(zero_copy_only=False)).argmax())
                raise ValueError(f"{self.path}: column {name!r} has no value in row {row}; drop or fill such rows")
            first += len(array)
        return np.concatenate([array.to_numpy(zero_copy_only=False) for array in arrays])

    def _check_type(self, field: Any) -> None:
        is_a = need("pyarrow", "a Parquet file").types
        kind = field.type
        if not (is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_boolean(kind)):
            raise ValueError(
                f"{self.path}: column {field.name!r} must hold numbers, it has the type {kind}; "
                "name the columns that are coordinates"
            )

    def _open(self, path: Path) -> Any:
        parquet, arrow = need("pyarrow.parquet", "a Parquet file"), need("pyarrow", "a Parquet file")
        try:
            return parquet.ParquetFile(path, memory_map=True, pre_buffer=False)
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(
                f"{path} is not a Parquet file, or cut off or damaged: {str(error).splitlines()[0]}; download it again"
            ) from None
