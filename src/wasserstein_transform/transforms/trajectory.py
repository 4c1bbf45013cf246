"""What a run of the loop leaves behind."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from .._archive import archived, read, write
from .._cached import cached_property
from .._types import Floats
from ..engine import Engine, current
from ..spaces import Quotient, Space


@archived
@dataclass(frozen=True, eq=False)
class Trajectory:
    """The states of an iterated transform.

    Attributes
    ----------
    quotients : tuple of Quotient
        The kept states as they were computed, collocated points merged if that was asked for.
    movements : tuple of float
        The largest movement of each iteration, relative to ε.
    n_iter : int
        Iterations done.
    converged : bool
        Whether the last movement was within the tolerance.
    outcome : str
        How it ended, in words.
    first : int
        τ of the first kept state.
    """

    quotients: tuple[Quotient, ...]
    movements: tuple[float, ...]
    n_iter: int
    converged: bool
    outcome: str
    first: int = 0

    @cached_property
    def last(self) -> Space:
        """The state at the end, on all points."""
        return self.quotients[-1].expand()

    @property
    def states(self) -> tuple[Space, ...]:
        """The kept states on all points: τ = first … n_iter."""
        return (*(q.expand() for q in self.quotients[:-1]), self.last)

    @property
    def points(self) -> Floats | None:
        """The moved points at the end, or None if the space has no coordinates."""
        return self.last.points

    def only_last(self) -> Trajectory:
        """The same run without its earlier states."""
        return Trajectory(self.quotients[-1:], self.movements, self.n_iter, self.converged, self.outcome, self.n_iter)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the run to a `.npz` file, without pickle; returns its path. `Trajectory.load` reads it."""
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """A run from a file that `save` wrote. Files of other versions, damaged or too large ones are refused."""
        found: Self = read(path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory"))
        return found

    def __repr__(self) -> str:
        return f"<Trajectory of {self.quotients[-1].labels.size} points: {self.outcome}>"
