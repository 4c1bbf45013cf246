"""Task: work as a value. It tells what to compute, from which inputs, in which tiles, and where results go.

A task has no closure and writes nothing itself, so an executor may run it in this process, send it to another one, or
read its records from a store.
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
"""One byte; not 0 when the work should stop: Ctrl-C, cancellation, or an error elsewhere. Long kernels check it."""

Compute: TypeAlias = Callable[[Any, Tile, Flag, Record], None]
"""compute(inputs, tile, stop, record) fills the record of a tile: a module's function of its inputs alone."""


Shapes: TypeAlias = tuple[tuple[tuple[int, ...], str], ...]
"""Shape and dtype of each array of a record."""


def computed(compute: Compute, inputs: Any, tile: Tile, shapes: Shapes, stop: Flag | None = None) -> Record:
    """Compute the record of one tile in new arrays, for example in another process.

    Parameters
    ----------
    compute : callable
        compute(inputs, tile, stop, record) fills the record.
    inputs : any
        Inputs of the task.
    tile : Tile
        The tile.
    shapes : tuple of (shape, dtype)
        Shape and dtype of each array of the record, from `Task.shapes`.
    stop : array of uint8, shape (1,), optional
        Not 0 when the work should stop; None means never.

    Returns
    -------
    tuple of arrays

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> def square(inputs, tile, stop, record):
    ...     record[0][:] = inputs[tile.start : tile.stop] ** 2
    >>> wt.engine.computed(square, np.arange(4.0), wt.engine.Tile(2, 4), (((2,), "<f8"),))
    (array([4., 9.]),)
    """
    record = tuple(np.zeros(shape, dtype) for shape, dtype in shapes)
    compute(inputs, tile, np.zeros(1, np.uint8) if stop is None else stop, record)
    return record


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
        They depend on the problem alone, never on the number of threads.
    place : Place
        Where the record of a tile is in the result.
    heavy : bool, default False
        Whether there is much work for few bytes: worth sending to other machines and storing on disk.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> def square(inputs, tile, stop, record):
    ...     record[0][:] = inputs[tile.start : tile.stop] ** 2
    >>> out, tiles = (np.empty(4),), wt.engine.of_size(4, 2)
    >>> wt.Engine().run(wt.engine.Task("squares", square, np.arange(4.0), tiles, wt.engine.Rows()), out)
    >>> out[0]
    array([0., 1., 4., 9.])
    """

    name: str
    compute: Compute
    inputs: Any
    tiles: Sequence[Tile]
    place: Place
    heavy: bool = False

    def record(self, out: Record, tile: Tile, stop: Flag) -> Record:
        """Compute the record of one tile in new arrays."""
        record = self.place.blank(out, tile)
        self.compute(self.inputs, tile, stop, record)
        return record

    def into(self, out: Record, tile: Tile, stop: Flag) -> None:
        """Compute one tile directly in the result; through new arrays if it has no view of the result."""
        record = self.place.view(out, tile)
        if record is not None:
            self.compute(self.inputs, tile, stop, record)
        elif not stop[0]:
            record = self.record(out, tile, stop)
            if not stop[0]:
                self.place.put(out, tile, record)

    def shapes(self, out: Record, tile: Tile) -> Shapes:
        """Return shape and dtype of the arrays of a tile's record: with the inputs, enough to compute it elsewhere."""
        return tuple((array.shape, array.dtype.str) for array in self.place.blank(out, tile))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what the records depend on, 32 hexadecimal digits: the function, the inputs, the tiles."""
        whose = f"{self.compute.__module__}.{self.compute.__qualname__}"
        return fingerprint((whose, self.inputs, tuple(self.tiles)))
