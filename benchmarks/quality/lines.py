"""Lines of a table: a method with its defaults, with the best setting of the other half, with the best of all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .grids import Setting
from .methods import Method
from .runs import Kept, Run, asked, key_of
from .sets import Labelled
from .split import HALVES

Floats = NDArray[np.float64]
_ENOUGH = 10  # sets of a half, to choose a setting on


@dataclass(frozen=True, eq=False)
class Line:
    """The runs of one line, in the order of the sets."""

    method: str
    setting: str
    runs: tuple[Run, ...]
    halves: tuple[str, ...]

    @property
    def filled(self) -> Floats:
        """Scores, predicted noise given to the nearest clustered point."""
        return np.array([run.filled for run in self.runs])

    @property
    def own(self) -> Floats:
        """Scores, predicted noise a class of its own."""
        return np.array([run.own for run in self.runs])

    @property
    def seconds(self) -> Floats:
        """The time of a call on each set."""
        return np.array([run.seconds for run in self.runs])

    @property
    def has_noise(self) -> bool:
        """Whether any point was called noise."""
        return any(run.noise > 0 for run in self.runs)

    @property
    def failed(self) -> int:
        """Sets on which it ended with an error, which count as 0."""
        return sum(bool(run.error) for run in self.runs)

    def half(self, half: str) -> Floats:
        """Filled scores of a half."""
        return self.filled[[one == half for one in self.halves]]


def lines_of(method: Method, sets: list[Labelled], kept: Kept, with_k: bool) -> list[Line]:
    """One line, or three if there are settings and sets enough to choose from; none if a run is missing.

    Lines of the same runs are one.
    """
    held = [kept.read(method, one) for one in sets]
    grid = asked(method, sets[0], with_k) if sets else ()
    runs = {key_of(setting, with_k): [runs.get(key_of(setting, with_k)) for runs in held] for setting in grid}
    if not grid or any(run is None for column in runs.values() for run in column):
        return []
    scores = np.array([[run.filled for run in runs[key_of(setting, with_k)] if run] for setting in grid])
    halves = tuple(one.half for one in sets)

    def line(setting: str, chosen: Callable[[str], int]) -> Line:
        columns = {half: runs[key_of(grid[chosen(half)], with_k)] for half in HALVES}
        picked = tuple(run for s, half in enumerate(halves) if (run := columns[half][s]))
        return Line(method.name, setting, picked, halves)

    lines = [line("defaults", lambda _: 0)]
    if len(grid) == 1 or min(halves.count(half) for half in HALVES) < _ENOUGH:
        return lines
    best = {half: choose(scores[:, [one != half for one in halves]]) for half in HALVES}
    top = choose(scores)
    told = "; ".join(f"{half}: {_told(grid[best[half]])}" for half in HALVES)
    lines.append(line(f"best of {len(grid)} on the other half ({told})", best.__getitem__))
    lines.append(line(f"best of {len(grid)}, in sample ({_told(grid[top])})", lambda _: top))
    return _distinct(lines)


def _distinct(lines: list[Line]) -> list[Line]:
    """Lines of the same runs as one, which names all of their settings."""
    found: dict[tuple[Run, ...], Line] = {}
    for line in lines:
        same = found.get(line.runs)
        found[line.runs] = replace(line, setting=f"{same.setting}; {line.setting}") if same else line
    return list(found.values())


def choose(scores: Floats) -> int:
    """The row of the highest mean, of equal ones the first; the first, too, if there is nothing to choose on."""
    return int(scores.mean(axis=1).argmax()) if scores.shape[1] else 0


def _told(setting: Setting) -> str:
    return ", ".join(f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in setting.items()) or "defaults"
