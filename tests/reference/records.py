"""A simple place for records: rows of the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wasserstein_transform.engine import Record, RecordLayout, Tile


@dataclass(frozen=True)
class InRows(RecordLayout):
    """The records of tiles are rows start…stop of every array."""

    def allocate(self, out: Record, tile: Tile) -> Record:
        return tuple(np.zeros_like(array[slice(*tile)]) for array in out)

    def store(self, out: Record, tile: Tile, record: Record) -> None:
        for array, values in zip(out, record, strict=True):
            array[slice(*tile)] = values
