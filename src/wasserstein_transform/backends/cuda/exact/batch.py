"""Batches of exact transport problems on a device: all pairs, rectangles, listed pairs; like those of the CPU."""

from __future__ import annotations

import numpy as np

from ...._types import Floats, Ints
from ....engine import AT_A_TIME, Engine, goes_to_disk
from ...base import Ground
from ...cpu.exact import batch as on_cpu
from ...records import Report, Rows
from .grounds import GroundOnDevice, OnDevice, on_device
from .pairs import Pairs, Plan, listed as listed_pairs, rectangle, triangle
from .solving import Solver

FEW = 100  # for fewer pairs the CPU is faster


def among(ground: Ground, measures: Rows, backend: OnDevice, engine: Engine) -> tuple[Floats, Report] | None:
    """The full matrix of distances, each pair solved once; None if the CPU should do it."""
    n, sizes, device = len(measures.totals), np.diff(measures.indptr), backend.device
    n_bytes = 8.0 * n * n
    if n * (n - 1) // 2 < FEW or not device.fits(2 * n_bytes) or goes_to_disk(n_bytes, engine, AT_A_TIME):
        return None
    plan = triangle(sizes, device)
    found = _ground(ground, plan, float(sizes.sum()) ** 2 / 2, backend, engine)
    if found is None:
        return None
    engine.reserve(n_bytes, f"exact distances of {n} measures", "use fewer points")
    flat = device.xp.zeros(n * n)
    report, left = Solver(found, measures, measures, device).fill(flat, plan, engine)
    out = flat.reshape(n, n)
    matrix = device.fetch(device.xp.maximum(out, out.T))
    values, report = _finished(ground, measures, measures, left, report, engine)
    matrix[left.firsts, left.seconds] = matrix[left.seconds, left.firsts] = values
    return matrix, report


def between(ground: Ground, A: Rows, B: Rows, backend: OnDevice, engine: Engine) -> tuple[Floats, Report] | None:
    """The rectangle of distances from the measures A to the measures B; None if the CPU should do it."""
    n_a, n_b = len(A.totals), len(B.totals)
    if n_a * n_b < FEW or not backend.device.fits(8.0 * n_a * n_b):
        return None
    plan = rectangle(np.diff(A.indptr), np.diff(B.indptr), backend.device)
    found = _ground(ground, plan, float(len(A.indices)) * len(B.indices), backend, engine)
    if found is None:
        return None
    engine.reserve(8.0 * n_a * n_b, f"{n_a} × {n_b} distances", "take fewer measures at a time")
    values, report = _filled(ground, found, A, B, plan, n_a * n_b, backend, engine)
    return values.reshape(n_a, n_b), report


def listed(
    ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, backend: OnDevice, engine: Engine
) -> tuple[Floats, Report] | None:
    """Distances of listed pairs, in their order; None if the CPU should do it."""
    if len(targets) < FEW:
        return None
    sizes_a, sizes_b = np.diff(A.indptr), np.diff(B.indptr)
    owners = np.repeat(np.arange(len(sizes_a)), np.diff(indptr))
    plan = listed_pairs(owners, np.asarray(targets, np.int64), sizes_a, sizes_b, backend.device)
    found = _ground(ground, plan, float(sizes_a[owners] @ sizes_b[targets]), backend, engine)
    if found is None:
        return None
    return _filled(ground, found, A, B, plan, len(targets), backend, engine)


def _ground(ground: Ground, plan: Plan, n_entries: float, backend: OnDevice, engine: Engine) -> GroundOnDevice | None:
    """The ground on the device if it is supported and there are enough pairs, else None."""
    return on_device(ground, n_entries, backend, engine) if plan.n_pairs >= FEW else None


def _filled(
    ground: Ground, found: GroundOnDevice, A: Rows, B: Rows, plan: Plan, n: int, backend: OnDevice, engine: Engine
) -> tuple[Floats, Report]:
    out = backend.device.xp.zeros(n)
    report, left = Solver(found, A, B, backend.device).fill(out, plan, engine)
    values = backend.device.fetch(out)
    values[left.places], report = _finished(ground, A, B, left, report, engine)
    return values, report


def _finished(ground: Ground, A: Rows, B: Rows, left: Pairs, report: Report, engine: Engine) -> tuple[Floats, Report]:
    """Distances of the remaining pairs, solved by the CPU, and the report on all."""
    if len(left.firsts) == 0:
        return np.empty(0), report
    order = np.argsort(left.firsts, kind="stable")
    indptr = np.searchsorted(left.firsts[order], np.arange(len(A.totals) + 1))
    found, more = on_cpu.listed(ground, A, B, indptr, left.seconds[order], engine)
    values = np.empty(len(order))
    values[order] = found
    return values, report + more
