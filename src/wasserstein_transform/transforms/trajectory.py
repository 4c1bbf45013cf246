"""The result of an iterated transform."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Self

from .._archive import archived, check_range, check_type, read, write
from .._display import HasReport, facts
from .._types import Floats, cached_property
from ..engine import Engine, current
from ..spaces import Quotient, Space

_MAX_SHOWN_MOVEMENTS = 8  # number of movements in the notebook view


@archived
@dataclass(frozen=True, eq=False)
class Trajectory(HasReport):
    """The states of an iterated transform. `wt.iterate` returns it.

    Attributes
    ----------
    quotients : tuple of Quotient
        The kept states as they were computed, with merged points if merging is on.
    movements : tuple of float
        The largest movement of each iteration, in units of ε.
    n_iter : int
        Number of iterations done.
    converged : bool
        Whether the last movement was within the tolerance.
    outcome : str
        How the run ended, in words.
    first : int, default 0
        The iteration τ of the first kept state.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> walk = wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=2, keep="all")
    >>> walk.movements, len(walk.states)
    ((0.5, 0.0), 3)
    >>> walk.last.points.ravel()
    array([0.5, 0.5, 5. ])
    """

    quotients: tuple[Quotient, ...]
    movements: tuple[float, ...]
    n_iter: int
    converged: bool
    outcome: str
    first: int = 0

    @classmethod
    def of(
        cls, states: Sequence[Quotient], movements: Sequence[float], tol: float | None, converged: bool = False
    ) -> Self:
        """The run so far, of the last states and all movements."""
        outcome, n_iter = _describe_outcome(movements, tol, converged), len(movements)
        return cls(tuple(states), tuple(movements), n_iter, converged, outcome, n_iter + 1 - len(states))

    def _check_archived(self) -> None:
        check_type(self.quotients, "states", tuple)
        for state in self.quotients:
            check_type(state, "a state", Quotient)
        for number, name in ((self.n_iter, "n_iter"), (self.first, "first")):
            check_type(number, name, int)
        check_type(self.converged, "converged", bool)
        check_type(self.outcome, "outcome", str)
        check_range([float(movement) for movement in self.movements], "movements", 0.0)
        check_range(self.first, "first", 0, self.n_iter)
        if not self.quotients or len({len(state.labels) for state in self.quotients}) > 1:
            raise ValueError("there must be at least one state, and all states must have the same points")
        for before, state in pairwise(self.quotients):
            if state.leaders is not None:
                check_range(state.leaders, "leaders", 0, before.space.n - 1)
        if len(self.quotients) != self.n_iter - self.first + 1:
            raise ValueError(f"there must be one state per iteration from {self.first} to {self.n_iter}")

    @cached_property
    def last(self) -> Space:
        """The last state, expanded to all points."""
        return self.quotients[-1].expand()

    @property
    def states(self) -> tuple[Space, ...]:
        """The kept states, expanded to all points: τ = first … n_iter."""
        return (*(q.expand() for q in self.quotients[:-1]), self.last)

    @property
    def points(self) -> Floats | None:
        """The moved points at the end, shape (n, m), or None if the space has no coordinates."""
        return self.last.points

    def only_last(self) -> Trajectory:
        """Return the same run with only its last state."""
        return replace(self, quotients=self.quotients[-1:], first=self.n_iter)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the run to a `.npz` file, without pickle, and return its path. `Trajectory.load` reads it."""
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """Read a run from a file that `save` wrote.

        Files that are damaged, too large for the memory, or of another version raise an error.
        """
        run: Self = read(path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory"))
        return run

    def _repr_html_(self) -> str:
        movements = ", ".join(f"{movement:.3g}" for movement in self.movements[-_MAX_SHOWN_MOVEMENTS:])
        earlier = "… " if len(self.movements) > _MAX_SHOWN_MOVEMENTS else ""
        rows = {
            "points": self.quotients[-1].labels.size,
            "outcome": self.outcome,
            "movements, in eps": earlier + movements or "none",
            "states kept": f"{len(self.quotients)}, from τ = {self.first} on",
            "merged points at the end": self.quotients[-1].space.n,
        }
        return facts("Trajectory", rows)

    def __repr__(self) -> str:
        return f"<Trajectory of {self.quotients[-1].labels.size} points: {self.outcome}>"


def _describe_outcome(movements: Sequence[float], tol: float | None, converged: bool) -> str:
    """The outcome of a run, in words."""
    n = len(movements)
    times = f"{n} iteration{'s' if n != 1 else ''}"
    if converged:
        return f"converged after {times}: the last movement was {movements[-1]:.3g} eps, the tolerance is {tol:g}"
    if not movements:
        return "no iterations were requested: the points are those of the input"
    text = f"ran {times}, as requested; the last movement was {movements[-1]:.3g} eps"
    return text if tol is None else f"{text}, not within the tolerance {tol:g}: raise n_iter to go on"
