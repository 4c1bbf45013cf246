"""Work as a value: what to compute, from what, in which tiles, and where the results go.

A task holds no closure and writes nothing by itself, so an executor may run it here, ship it to another process, or
read its records from a store instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._cached import cached_property
from .._fingerprint import fingerprint
from .places import Place, Record
from .tiles import Tile

Flag: TypeAlias = NDArray[np.uint8]
"""One byte, not 0 once the work is to end: Ctrl-C, a cancel, an error elsewhere. Long kernels look at it."""

Compute: TypeAlias = Callable[[Any, Tile, Flag, Record], None]
"""compute(inputs, tile, stop, record) fills the record of one tile: a module's function, and of its inputs alone."""


Shapes: TypeAlias = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and type of each array of a record."""


def computed(compute: Compute, inputs: Any, tile: Tile, shapes: Shapes, stop: Flag | None = None) -> Record:
    """The record of one tile, made where this runs: in another process, on another machine."""
    record = tuple(np.zeros(shape, dtype) for shape, dtype in shapes)
    compute(inputs, tile, np.zeros(1, np.uint8) if stop is None else stop, record)
    return record


@dataclass(frozen=True, eq=False)
class Task:
    """A piece of work that can be cut: each tile gives a record of arrays.

    Attributes
    ----------
    name : str
        The stage, as progress shows it.
    compute : callable
        compute(inputs, tile, stop, record) fills the record of a tile.
    inputs : named tuple
        Arrays, numbers and such tuples; all that `compute` knows.
    tiles : sequence of Tile
        They depend on the problem alone, never on the number of threads.
    place : Place
        Where the record of a tile lies in the result.
    heavy : bool
        Much work for few bytes: worth sending to other machines, and worth keeping on disk.
    """

    name: str
    compute: Compute
    inputs: Any
    tiles: Sequence[Tile]
    place: Place
    heavy: bool = False

    def record(self, out: Record, tile: Tile, stop: Flag) -> Record:
        """The record of one tile, in arrays of its own."""
        record = self.place.blank(out, tile)
        self.compute(self.inputs, tile, stop, record)
        return record

    def into(self, out: Record, tile: Tile, stop: Flag) -> None:
        """Compute one tile where its result lies; through a record of its own where it lies scattered."""
        record = self.place.view(out, tile)
        if record is not None:
            self.compute(self.inputs, tile, stop, record)
        elif not stop[0]:
            record = self.record(out, tile, stop)
            if not stop[0]:
                self.place.put(out, tile, record)

    def shapes(self, out: Record, tile: Tile) -> Shapes:
        """What the record of a tile looks like: enough, with the inputs, to compute it elsewhere (`computed`)."""
        return tuple((array.shape, array.dtype.str) for array in self.place.blank(out, tile))

    @cached_property
    def fingerprint(self) -> str:
        """What the records depend on, in 32 letters: the function, the inputs, the tiles."""
        whose = f"{self.compute.__module__}.{self.compute.__qualname__}"
        return fingerprint((whose, self.inputs, tuple(self.tiles)))
