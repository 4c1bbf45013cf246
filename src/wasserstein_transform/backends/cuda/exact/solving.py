"""Solve pairs of measures on the device, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....engine import Engine
from ...records import Report, Rows
from ..device import Array, Device
from .classes import at_once, bytes_of, shared_bytes, side_of, threads_of
from .grounds import GroundOnDevice
from .pairs import Pairs, Part, Plan

_EACH = 100.0  # bytes on the device per pair
_UNCERTAIN = -1.0  # result for a pair without a certificate; other negative results are also solved by the CPU


@dataclass(frozen=True)
class Solver:
    """Measures and their ground on a device."""

    ground: GroundOnDevice
    A: Rows
    B: Rows
    device: Device
    _arrays: list[Array] = field(init=False)

    def __post_init__(self) -> None:
        first = _put(self.A, self.device)
        object.__setattr__(self, "_arrays", first + (first if self.B is self.A else _put(self.B, self.device)))

    def fill(self, out: Array, plan: Plan, engine: Engine) -> tuple[Report, Pairs]:
        """Fill the flat array `out` with the distances of a plan; returns a report, and the pairs left to the CPU."""
        device, xp, gap = self.device, self.device.xp, 0.0
        done, failed, total = 0, 0, plan.n_pairs
        left = [plan.large]
        most = max(min(part.n_pairs, at_once(part.size)) for part in plan.parts)
        device.reserve(_EACH * most, f"exact transport of {most} pairs at a time", "device='cpu' computes here")
        with engine.watched() as watched:
            for part, numbers in _chunks(plan, xp):
                watched.check()
                pairs = part.pairs(numbers)
                values, gaps = self._solve(part.size, pairs)
                out[pairs.places] = values
                known = values >= 0.0
                gap = max(gap, float(xp.where(known, gaps, 0.0).max()))
                if not bool(known.all()):
                    left.append(Pairs(*(device.fetch(array[~known]) for array in pairs)))
                    failed += int((values == _UNCERTAIN).sum())
                done += len(numbers)
                watched.report("exact transport", done, total)
        rest = Pairs(*(np.concatenate(arrays) for arrays in zip(*left, strict=True)))
        return Report(total + len(plan.large.firsts) - len(rest.firsts), failed, gap), rest

    def _solve(self, size: int, pairs: Pairs) -> tuple[Array, Array]:
        """Distances of pairs of one class, and their gaps relative to the largest cost."""
        ground, n, xp = self.ground, len(pairs.firsts), self.device.xp
        values, gaps = xp.empty(n), xp.empty(n)
        team, block = threads_of(size)
        asked = pairs.firsts, pairs.seconds, n, ground.unit, ground.p, ground.cancel, bytes_of(size)
        self.device.launch(
            "exact.cu", "solve_pairs", n * team, (ground.array, ground.n, *self._arrays, *asked, values, gaps),
            block=block, shared=shared_bytes(size), SIDE=side_of(size), TEAM=team, **ground.constants,
        )  # fmt: skip
        return values, gaps


def _chunks(plan: Plan, xp: Any) -> Iterator[tuple[Part, Array]]:
    for part in plan.parts:
        step = at_once(part.size)
        for start in range(0, part.n_pairs, step):
            yield part, xp.arange(start, min(start + step, part.n_pairs))


def _put(rows: Rows, device: Device) -> list[Array]:
    starts, points = (np.asarray(array, np.int64) for array in (rows.indptr, rows.indices))
    return [device.put(array) for array in (starts, points, rows.masses, rows.totals)]
