"""Batches of exact transport problems on a device: all pairs, rectangles, listed pairs; like those of the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute import exact as on_cpu
from ..compute.metric import MetricArrays
from ..compute.problems import Ground, Report
from ..compute.records import Rows
from ..engine import N_MATRICES, Engine
from ..kernels.transport import STEEP
from .cells import places_of
from .device import Array, Device
from .distances import fill_matrix
from .geometry import MAX_DIM, geometry_of

FEW = 100  # for fewer pairs the CPU is faster


def exact_among(ground: Ground, measures: Rows, engine: Engine, *, device: Device) -> Any:
    """The full matrix of distances, each pair solved once."""
    n, sizes = len(measures.totals), np.diff(measures.indptr)
    n_bytes = 8.0 * n * n
    if n * (n - 1) // 2 < FEW or not device.fits(2 * n_bytes) or engine.goes_to_disk(n_bytes, N_MATRICES):
        return NotImplemented
    plan = triangle(sizes, device)
    found = _ground(ground, plan, float(sizes.sum()) ** 2 / 2, device, engine)
    if found is None:
        return NotImplemented
    engine.reserve(n_bytes, f"exact distances of {n} measures", "use fewer points")
    flat = device.xp.zeros(n * n)
    report, left = Solver(found, measures, measures, device).fill(flat, plan, engine)
    out = flat.reshape(n, n)
    matrix = device.fetch(device.xp.maximum(out, out.T))
    values, report = _finished(ground, measures, measures, left, report, engine)
    matrix[left.firsts, left.seconds] = matrix[left.seconds, left.firsts] = values
    return matrix, report


def exact_between(ground: Ground, A: Rows, B: Rows, engine: Engine, *, device: Device) -> Any:
    """The rectangle of distances from the measures A to the measures B."""
    n_a, n_b = len(A.totals), len(B.totals)
    if n_a * n_b < FEW or not device.fits(8.0 * n_a * n_b):
        return NotImplemented
    plan = rectangle(np.diff(A.indptr), np.diff(B.indptr), device)
    found = _ground(ground, plan, float(len(A.indices)) * len(B.indices), device, engine)
    if found is None:
        return NotImplemented
    engine.reserve(8.0 * n_a * n_b, f"{n_a} × {n_b} distances", "take fewer measures at a time")
    values, report = _filled(ground, found, A, B, plan, n_a * n_b, device, engine)
    return values.reshape(n_a, n_b), report


def exact_listed(
    ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine, rank: Ints | None = None,
    homes: Ints | None = None, *, device: Device,
) -> Any:  # fmt: skip
    """Distances of listed pairs, in their order."""
    if len(targets) < FEW:
        return NotImplemented
    sizes_a, sizes_b = np.diff(A.indptr), np.diff(B.indptr)
    owners = np.repeat(np.arange(len(sizes_a)), np.diff(indptr))
    plan = listed(owners, np.asarray(targets, np.int64), sizes_a, sizes_b, device)
    found = _ground(ground, plan, float(sizes_a[owners] @ sizes_b[targets]), device, engine)
    if found is None:
        return NotImplemented
    return _filled(ground, found, A, B, plan, len(targets), device, engine)


def _ground(ground: Ground, plan: Plan, n_entries: float, device: Device, engine: Engine) -> GroundOnDevice | None:
    """The ground on the device if it is supported and there are enough pairs, else None."""
    return on_device(ground, n_entries, device, engine) if plan.n_pairs >= FEW else None


def _filled(
    ground: Ground, found: GroundOnDevice, A: Rows, B: Rows, plan: Plan, n: int, device: Device, engine: Engine
) -> tuple[Floats, Report]:
    out = device.xp.zeros(n)
    report, left = Solver(found, A, B, device).fill(out, plan, engine)
    values = device.fetch(out)
    values[left.places], report = _finished(ground, A, B, left, report, engine)
    return values, report


def _finished(ground: Ground, A: Rows, B: Rows, left: Pairs, report: Report, engine: Engine) -> tuple[Floats, Report]:
    """Distances of the remaining pairs, solved by the CPU, and the report on all."""
    if len(left.firsts) == 0:
        return np.empty(0), report
    order = np.argsort(left.firsts, kind="stable")
    indptr = np.searchsorted(left.firsts[order], np.arange(len(A.totals) + 1))
    found, more = on_cpu.exact_listed(ground, A, B, indptr, left.seconds[order], engine)
    values = np.empty(len(order))
    values[order] = found
    return values, report + more


_SIZES = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 128)  # smaller classes let more problems share a multiprocessor
_TEAMS = {32: (32, 64), 64: (64, 64), 96: (96, 96), 128: (128, 128)}
_AT_ONCE = {32: 1 << 20, 48: 1 << 19, 64: 1 << 18, 96: 1 << 16, 128: 1 << 15}


def classes_of(device: Device) -> tuple[int, ...]:
    """The size classes, by the size of the larger measure; larger problems are solved by the CPU."""
    return tuple(size for size in _SIZES if shared_bytes(size) <= device.shared_bytes)


def side_of(size: int) -> int:
    """The number of points per side for which the kernel of a class is compiled."""
    return next(side for side in _TEAMS if size <= side)


def threads_of(size: int) -> tuple[int, int]:
    """Threads per problem and per block."""
    return _TEAMS[side_of(size)]


def at_once(size: int) -> int:
    """Problems per launch, for at most 0.1 s."""
    return next(count for most, count in _AT_ONCE.items() if size <= most)


def bytes_of(size: int) -> int:
    """Shared memory of a problem in bytes: see `exact_memory.h`."""
    side = side_of(size)
    fixed = 6 * 8 * side + 2 * 8 * side * (side // 32) + 4 * side + 128
    return fixed + 8 * size * (size | 1)


def shared_bytes(size: int) -> int:
    """Shared memory of a block in bytes."""
    team, block = threads_of(size)
    return block // team * bytes_of(size)


_MANY = 2  # all distances are computed if the number of entries times this exceeds the number of pairs


@dataclass(frozen=True)
class GroundOnDevice:
    """Coordinates or distances on the device, the unit, p, and whether common mass is cancelled."""

    array: Array
    n: int
    constants: dict[str, Any]
    unit: float
    p: float
    cancel: bool


def on_device(ground: Ground, n_entries: float, device: Device, engine: Engine) -> GroundOnDevice | None:
    """The ground for problems with this total number of costs; None if the CPU should solve them."""
    metric = ground.metric
    if ground.p >= STEEP:
        return None
    n_pairs, has_places = float(metric.n) ** 2, metric.places is not None and metric.places.shape[1] <= MAX_DIM
    if has_places and metric.lam == 0:
        array, kind = places_of(metric, device), 0
    elif _is_stored(metric) or (has_places and _MANY * n_entries >= n_pairs):
        if not device.fits(8.0 * n_pairs):
            return None
        key = "distances", device.name
        if key not in metric.derived:
            metric.derived[key] = _distances(metric, device, engine)
        array, kind = metric.derived[key], 1
    else:
        return None
    constants = {"METRIC": kind, "M": array.shape[1] if kind == 0 else 1, "POWER": _power(ground.p)}
    return GroundOnDevice(
        array, metric.n, constants, _unit(metric, engine), float(ground.p), bool(ground.p == 1 and ground.triangle)
    )


def _is_stored(metric: MetricArrays) -> bool:
    """Whether the metric is a matrix."""
    return isinstance(getattr(metric, "matrix", None), np.ndarray)


def _power(p: float) -> int:
    return int(p) if p in (1, 2) else 0


def _distances(metric: Any, device: Device, engine: Engine) -> Array:
    if _is_stored(metric):
        return device.put(np.asarray(metric.matrix, np.float64))
    geometry, matrix = geometry_of(metric, device), device.xp.empty((metric.n, metric.n))
    assert geometry is not None
    fill_matrix(geometry, device.handed_out(matrix), device, engine)
    return matrix


def _unit(metric: MetricArrays, engine: Engine) -> float:
    """A power of two that scales the largest distance to about 1."""
    top = metric.largest(engine)
    return float(np.ldexp(1.0, -int(np.clip(np.frexp(top)[1], -1000, 1000)))) if top > 0 else 1.0


class Pairs(NamedTuple):
    """First and second measures of some pairs, and the positions of their distances in the result."""

    firsts: Array
    seconds: Array
    places: Array


class Part(NamedTuple):
    """Pairs whose larger measure belongs to one class: their number, and a function from numbers to pairs."""

    size: int
    n_pairs: int
    pairs: Callable[[Array], Pairs]


class Plan(NamedTuple):
    """The parts that are solved on the device, and the pairs solved on the CPU, as arrays on the host."""

    parts: list[Part]
    large: Pairs

    @property
    def n_pairs(self) -> int:
        """Number of pairs solved on the device."""
        return sum(part.n_pairs for part in self.parts)


def triangle(sizes: Ints, device: Device) -> Plan:
    """Each pair of measures once; the result is an n × n matrix."""
    n, xp, order = len(sizes), device.xp, _falling(sizes)
    starts = np.append(0, np.cumsum(np.arange(n - 1, -1, -1)))  # first pair of each row with the measures after it
    begin, measures = device.put(starts), device.put(order)

    def part(size: int, low: int, high: int) -> Part:
        def pairs(numbers: Array) -> Pairs:
            numbers = numbers + int(starts[low])
            rows = xp.searchsorted(begin, numbers, side="right") - 1
            firsts, seconds = measures[rows], measures[numbers - begin[rows] + rows + 1]
            return Pairs(firsts, seconds, firsts * n + seconds)

        return Part(size, int(starts[high] - starts[low]), pairs)

    classes = classes_of(device)
    edges = _edges(sizes, classes)
    parts = [part(size, low, high) for size, low, high in zip(classes, edges[1:], edges, strict=False)]
    rows = np.repeat(np.arange(edges[-1]), n - 1 - np.arange(edges[-1]))
    cols = np.arange(len(rows)) - starts[rows] + rows + 1
    return _plan(parts, Pairs(order[rows], order[cols], order[rows] * n + order[cols]))


def rectangle(sizes_a: Ints, sizes_b: Ints, device: Device) -> Plan:
    """Every measure of A with every measure of B; the result is an n_a × n_b matrix."""
    n_a, n_b = len(sizes_a), len(sizes_b)
    order_a, order_b = _falling(sizes_a), _falling(sizes_b)
    some_a, some_b = device.put(order_a), device.put(order_b)

    def part(size: int, rows: tuple[int, int], cols: tuple[int, int]) -> Part:
        width = max(cols[1] - cols[0], 1)

        def pairs(numbers: Array) -> Pairs:
            firsts, seconds = some_a[rows[0] + numbers // width], some_b[cols[0] + numbers % width]
            return Pairs(firsts, seconds, firsts * n_b + seconds)

        return Part(size, (rows[1] - rows[0]) * (cols[1] - cols[0]), pairs)

    classes = classes_of(device)
    edges_a, edges_b = _edges(sizes_a, classes), _edges(sizes_b, classes)
    parts = []
    for k, size in enumerate(classes):
        (high_a, low_a), (high_b, low_b) = edges_a[k : k + 2], edges_b[k : k + 2]
        parts += [part(size, (low_a, high_a), (low_b, n_b)), part(size, (high_a, n_a), (low_b, high_b))]
    blocks = (order_a[: edges_a[-1]], order_b), (order_a[edges_a[-1] :], order_b[: edges_b[-1]])
    firsts, seconds = (np.concatenate(side) for side in zip(*(_product(*block) for block in blocks), strict=True))
    return _plan(parts, Pairs(firsts, seconds, firsts * n_b + seconds))


def listed(firsts: Ints, seconds: Ints, sizes_a: Ints, sizes_b: Ints, device: Device) -> Plan:
    """The listed pairs; the result is in their order."""
    classes = classes_of(device)
    found = np.searchsorted(classes, np.maximum(sizes_a[firsts], sizes_b[seconds]))
    some_a, some_b = device.put(firsts), device.put(seconds)

    def part(size: int, which: Ints) -> Part:
        members = device.put(which)

        def pairs(numbers: Array) -> Pairs:
            places = members[numbers]
            return Pairs(some_a[places], some_b[places], places)

        return Part(size, len(which), pairs)

    parts = [part(size, np.flatnonzero(found == k)) for k, size in enumerate(classes)]
    large = np.flatnonzero(found == len(classes))
    return _plan(parts, Pairs(firsts[large], seconds[large], large))


def _plan(parts: list[Part], large: Pairs) -> Plan:
    return Plan([part for part in parts if part.n_pairs], large)


def _falling(sizes: Ints) -> Ints:
    return np.argsort(-sizes, kind="stable")


def _edges(sizes: Ints, classes: tuple[int, ...]) -> list[int]:
    """The number of measures, and of those larger than each class."""
    return [len(sizes), *(int(np.count_nonzero(sizes > size)) for size in classes)]


def _product(rows: Ints, cols: Ints) -> tuple[Ints, Ints]:
    return np.repeat(rows, len(cols)), np.tile(cols, len(rows))


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
