"""Tasks: work in tiles as values, which can run in threads, be sent to another process, or be read from a file.

A task has no closure and writes nothing itself. That pays where there is much work for few bytes: exact transport. All
other work is a loop over tiles, `Engine.for_tiles`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .._archive import fingerprint
from .._types import cached_property
from .tiles import Flag, Tile

Record: TypeAlias = Any
"""A tuple of arrays, named or not; its content is defined by a task and its layout."""

Shapes: TypeAlias = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and dtype of each array of a record."""


Compute: TypeAlias = Callable[[Any, Tile, Flag, Record], None]
"""compute(inputs, tile, stop, record) fills the record of a tile: a module's function of its inputs alone."""


class RecordLayout(ABC):
    """Where the record of a tile is in the result, both tuples of arrays; a value that can be sent with its task."""

    @abstractmethod
    def allocate(self, out: Record, tile: Tile) -> Record:
        """An empty record for a tile."""

    @abstractmethod
    def store(self, out: Record, tile: Tile, record: Record) -> None:
        """Copy the record of a tile to where it belongs in the result."""


@dataclass(frozen=True, eq=False)
class Task:
    """Work that is cut into tiles; each tile gives a record of arrays.

    Attributes
    ----------
    name : str
        The stage, as shown by progress.
    compute : callable
        compute(inputs, tile, stop, record) fills the record of a tile.
    inputs : any
        Arrays, numbers and named tuples of them: everything that `compute` needs.
    tiles : sequence of Tile
        They depend on the problem alone.
    layout : RecordLayout
        Where the record of a tile is in the result.
    on_record : callable, optional
        on_record(tile, record) is told each record that was stored.
    """

    name: str
    compute: Compute
    inputs: Any
    tiles: Sequence[Tile]
    layout: RecordLayout
    on_record: Callable[[Tile, Record], None] | None = None

    def into(self, out: Record, tile: Tile, stop: Flag) -> None:
        """Compute one tile, and put its record into the result."""
        if not stop[0]:
            record = self.layout.allocate(out, tile)
            self.compute(self.inputs, tile, stop, record)
            if not stop[0]:
                self.store(out, tile, record)

    def store(self, out: Record, tile: Tile, record: Record) -> None:
        """Put the record of a tile into the result."""
        self.layout.store(out, tile, record)
        if self.on_record is not None:
            self.on_record(tile, record)

    def shapes(self, out: Record, tile: Tile) -> Shapes:
        """Shape and dtype of the arrays of a tile's record: with the inputs, enough to compute it anywhere."""
        return tuple((array.shape, array.dtype.str) for array in self.layout.allocate(out, tile))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what the records depend on, 32 hexadecimal digits: the function, the inputs, the tiles."""
        whose = f"{self.compute.__module__}.{self.compute.__qualname__}"
        return fingerprint((whose, self.inputs, tuple(self.tiles)))
