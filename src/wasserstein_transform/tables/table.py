"""A table: named columns of equal length, and where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length.

    Attributes
    ----------
    columns : mapping from names to arrays of shape (n,)
        In the order of the file: numbers as float64 or int64, words as arrays of str.
    source : str
        What errors call it: the name of the file, or "the pipe".
    """

    columns: Mapping[str, NDArray[Any]]
    source: str = "the table"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))
