"""Listed problems on a network that were solved before with other edge lengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...._types import Floats, Ints
from ....engine import Engine, Flag, PerArray, Ragged, Record, Rows as Whole, Task, Tile, cut
from ....kernels.basis import workspace
from ....kernels.geometry import Geometry
from ....kernels.posing import Rows as KernelRows, Rule, costs, n_bytes
from ....kernels.recall import Trees, recall, recalling_row
from ...base import Ground
from ...forms import Network
from ...memory import Memory
from ...records import Report, Rows
from .. import paths
from ..kinds import geometry_of
from .explorer import Explorer, explorer_of
from .scratch import Scratch

_STEPS = 6.0  # approximate inner-loop steps of the simplex per entry of the cost matrix


class _Known(NamedTuple):
    """The stored trees, and the problems that they belong to."""

    problems: tuple[Ints, ...]
    trees: Trees


class _Problems(NamedTuple):
    measures: KernelRows
    indptr: Ints
    targets: Ints
    geometry: Geometry | None
    explorer: Explorer | None
    rule: Rule
    scratch: Scratch
    trees: Trees


def fit(ground: Ground, A: Rows, B: Rows) -> bool:
    """Whether A and B are the same measures on a network, compared by W1."""
    return ground.p == 1 and isinstance(ground.form, Network) and A.indices is B.indices


def listed(
    form: Any, measures: Rows, indptr: Ints, targets: Ints, homes: Ints | None, memory: Memory, engine: Engine
) -> tuple[Floats, Report]:
    """W1 from each measure i to the measures `targets[indptr[i]:indptr[i+1]]`, in that order."""
    sizes, counts = np.diff(measures.indptr), np.diff(indptr)
    met = np.diff(np.append(0, np.cumsum(sizes[targets]))[indptr])
    width, cap = int(sizes[counts > 0].max(initial=1)), int(sizes.max())
    n_met = int(min(form.n, met.max(initial=0)))
    scratch = Scratch(cap, n_met, form.n, 0, False, width)
    slots = np.repeat(sizes, counts) + sizes[targets]
    engine.reserve(
        engine.n_threads * n_bytes(*scratch) + 32.0 * slots.sum(), "workspaces of the simplex", "use a smaller n_jobs"
    )
    geometry, explorer = None, None
    if paths.worth_storing(form, float(sizes @ met), engine):
        geometry = geometry_of(form, engine)
    else:
        explorer = explorer_of(form, measures, homes, width, n_met, engine)
    known = (measures.indptr, measures.indices, indptr, targets)
    old, new = _trees(known, memory, slots), _blank(slots)
    rows, rule = KernelRows(*measures), Rule(1.0, 1.0 / _unit(form), True)
    problems = _Problems(rows, indptr, targets, geometry, explorer, rule, scratch, old)
    out, reports, along = np.zeros(len(targets)), np.zeros((len(sizes), 2)), Ragged(new.starts[indptr])
    place = PerArray((Ragged(indptr), Whole(), along, along, along))
    tiles = cut(_STEPS * sizes * met.astype(np.float64))
    engine.run(Task("exact transport", _solve, problems, tiles, place, heavy=True), (out, reports, *new[1:]))
    memory.kept = _Known(known, new)
    return out, Report(len(targets), int(reports[:, 1].sum()), float(reports[:, 0].max(initial=0.0)))


def _trees(problems: tuple[Ints, ...], memory: Memory, slots: Ints) -> Trees:
    """The stored trees of these problems; empty ones if the memory has other problems."""
    known = memory.kept
    if isinstance(known, _Known) and all(map(np.array_equal, known.problems, problems)):
        return known.trees
    return _blank(slots)


def _blank(slots: Ints) -> Trees:
    starts = np.append(0, np.cumsum(slots))
    return Trees(starts, np.full(starts[-1], -1, np.int32), np.zeros(starts[-1], np.int32), np.zeros(starts[-1]))


def _unit(form: Network) -> float:
    """A power of two of the order of the largest edge length."""
    top = float(form.lengths.max(initial=0.0))
    return float(np.ldexp(1.0, np.clip(np.frexp(top)[1], -1000, 1000))) if top > 0 else 1.0


def _solve(problems: _Problems, tile: Tile, stop: Flag, record: Record) -> None:
    """Solve the problems of a tile of measures, and store their trees."""
    values, reports, *trees = record
    reports[:] = 0.0  # kernels add to them, and measures without targets keep them
    rows, indptr, targets, geometry, explorer, rule, scratch, old = problems
    work, tables, room = workspace(scratch.cap, stop), costs(*scratch), recall(scratch.cap)
    look = None
    if explorer is not None:
        geometry, look = explorer.begin(rows, rows, stop)
    first, new = indptr[tile.start], Trees(old.starts, *trees)
    for i in range(*tile):
        low, high = indptr[i], indptr[i + 1]
        if low == high:
            continue
        if look is not None:
            look(i, targets[low:high])
        if stop[0]:
            return
        failed = recalling_row(
            rows, i, targets[low:high], low, first, geometry, rule, tables, work, old, new, room,
            values[low - first : high - first], reports[i - tile.start],
        )  # fmt: skip
        if failed >= 0 and not stop[0]:
            raise RuntimeError(
                f"the transport problem of measures {i} and {failed} could not be certified: the simplex did not reach "
                "the optimum within its limit of pivots; please report it with the data"
            )
