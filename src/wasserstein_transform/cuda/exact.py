"""Batches of exact transport problems on a device: all pairs, rectangles, listed pairs; like those of the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._types import Ints
from ..compute.exact import batches as on_cpu, problems
from ..compute.records import CsrMeasures
from ..engine import N_MATRICES, Engine
from .cells import places_of
from .device import Array, Device
from .distances import fill_matrix
from .geometry import MAX_DIM, geometry_of

if TYPE_CHECKING:
    from ..spaces import Metric

MIN_PAIRS = 100  # for fewer pairs the CPU is faster
_PAIR_BYTES = 100.0  # bytes on the device per pair
_MIN_REUSE = 0.5  # all distances are computed if the costs are at least this share of the pairs of points
_NOT_CERTIFIED = -1.0  # result for a pair without a certificate; other negative results are also solved by the CPU


def exact_among(metric: Metric, p: float, measures: CsrMeasures, engine: Engine, *, device: Device) -> Any:
    """The full matrix of distances, each pair solved once."""
    n, sizes = len(measures.totals), np.diff(measures.indptr)
    n_bytes = 8.0 * n * n
    if n * (n - 1) // 2 < MIN_PAIRS or not device.fits(2 * n_bytes) or engine.goes_to_disk(n_bytes, N_MATRICES):
        return NotImplemented
    plan, n_entries = plan_triangle(sizes, device), float(sizes.sum()) ** 2 / 2
    needed = f"exact distances of {n} measures", "use fewer points"
    result = _Batch(metric, p, measures, measures, device, engine).solve(plan, n_entries, (n, n), needed)
    if result is not NotImplemented:
        problems.mirror(result[0], engine)
    return result


def exact_between(metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, engine: Engine, *, device: Device) -> Any:
    """The rectangle of distances from the measures A to the measures B."""
    n_a, n_b = len(A.totals), len(B.totals)
    if n_a * n_b < MIN_PAIRS or not device.fits(8.0 * n_a * n_b):
        return NotImplemented
    plan = plan_rectangle(np.diff(A.indptr), np.diff(B.indptr), device)
    needed = f"{n_a} × {n_b} distances", "take fewer measures at a time"
    return _Batch(metric, p, A, B, device, engine).solve(
        plan, float(len(A.indices)) * len(B.indices), (n_a, n_b), needed
    )


def exact_listed(
    metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, indptr: Ints, targets: Ints, engine: Engine,
    rank: Ints | None = None, homes: Ints | None = None, *, device: Device,
) -> Any:  # fmt: skip
    """Distances of listed pairs, in their order."""
    if len(targets) < MIN_PAIRS:
        return NotImplemented
    sizes_a, sizes_b = np.diff(A.indptr), np.diff(B.indptr)
    owners = np.repeat(np.arange(len(sizes_a)), np.diff(indptr))
    plan = plan_listed(owners, np.asarray(targets, np.int64), sizes_a, sizes_b, device)
    n_entries = float(sizes_a[owners] @ sizes_b[targets])
    return _Batch(metric, p, A, B, device, engine).solve(plan, n_entries, (len(targets),))


class _Batch(NamedTuple):
    metric: Metric
    p: float
    A: CsrMeasures
    B: CsrMeasures
    device: Device
    engine: Engine

    def solve(
        self, plan: SolvePlan, n_entries: float, shape: tuple[int, ...], needed: tuple[str, str] | None = None
    ) -> Any:
        """Distances of the pairs of a plan with `n_entries` costs, and a report; NotImplemented to use the CPU.

        `needed` announces the memory of the result. Pairs that the device leaves are solved by the CPU.
        """
        metric, p, A, B, device, engine = self
        points = _put_points(metric, p, plan, n_entries, device, engine)
        if points is None:
            return NotImplemented
        if needed is not None:
            engine.reserve(8.0 * np.prod(shape), *needed)
        out = device.xp.zeros(int(np.prod(shape)))
        report, left = self._solve_on_device(points, plan, out)
        values = device.fetch(out)
        if len(left.firsts):
            order = np.argsort(left.firsts, kind="stable")
            indptr = np.searchsorted(left.firsts[order], np.arange(len(A.totals) + 1))
            rest, more = on_cpu.exact_listed(metric, p, A, B, indptr, left.seconds[order], engine)
            values[left.positions[order]] = rest
            report += more
        return values.reshape(shape), report

    def _solve_on_device(self, points: Array, plan: SolvePlan, out: Array) -> tuple[problems.Report, MeasurePairs]:
        """Fill the flat array `out` with the distances of a plan; returns a report, and the pairs left to the CPU."""
        metric, p, A, B, device, engine = self
        xp, gap, done, failed, left = device.xp, 0.0, 0, 0, [plan.large]
        largest = max(min(part.n_pairs, pairs_at_once(part.size)) for part in plan.parts)
        device.reserve(_PAIR_BYTES * largest, f"exact transport of {largest} pairs at a time", "use device='cpu'")
        by_coordinates = _uses_coordinates(metric)
        metric_constants = {"METRIC": 0, "M": points.shape[1]} if by_coordinates else {"METRIC": 1, "M": 1}
        constants = {**metric_constants, "POWER": int(p) if p in (1, 2) else 0}
        top = metric.largest(engine)  # the unit is a power of two that scales it to about 1
        unit = float(np.ldexp(1.0, -int(np.clip(np.frexp(top)[1], -1000, 1000)))) if top > 0 else 1.0
        cancel = bool(p == 1 and metric.triangle)  # common mass
        measures = _put_rows(A, device)
        measures += measures if B is A else _put_rows(B, device)
        with engine.progress_scope() as scope:
            for part, numbers in _iterate_chunks(plan, xp):
                scope.check()
                pairs, n, size = part.pairs(numbers), len(numbers), part.size
                values, gaps, (team, block) = xp.empty(n), xp.empty(n), threads_of(size)
                problem = pairs.firsts, pairs.seconds, n, unit, p, cancel, bytes_of(size)
                device.launch(
                    "exact.cu", "solve_pairs", n * team, (points, metric.n, *measures, *problem, values, gaps),
                    block=block, shared=shared_bytes(size), SIDE=side_of(size), TEAM=team, **constants,
                )  # fmt: skip
                out[pairs.positions] = values
                is_solved = values >= 0.0
                gap = max(gap, float(xp.where(is_solved, gaps, 0.0).max()))
                if not bool(is_solved.all()):
                    left.append(MeasurePairs(*(device.fetch(array[~is_solved]) for array in pairs)))
                    failed += int((values == _NOT_CERTIFIED).sum())
                done += n
                scope.report("exact transport", done, plan.n_pairs)
        rest = MeasurePairs(*(np.concatenate(arrays) for arrays in zip(*left, strict=True)))
        return problems.Report(plan.n_pairs + len(plan.large.firsts) - len(rest.firsts), failed, gap), rest


def _iterate_chunks(plan: SolvePlan, xp: Any) -> Iterator[tuple[SizeClass, Array]]:
    for part in plan.parts:
        step = pairs_at_once(part.size)
        for start in range(0, part.n_pairs, step):
            yield part, xp.arange(start, min(start + step, part.n_pairs))


def _put_rows(rows: CsrMeasures, device: Device) -> list[Array]:
    starts, points = (np.asarray(array, np.int64) for array in (rows.indptr, rows.indices))
    return [device.put(array) for array in (starts, points, rows.masses, rows.totals)]


# smaller classes let more problems share a multiprocessor
_SIZE_CLASSES = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 128)
_THREADS_BY_SIDE = {32: (32, 64), 64: (64, 64), 96: (96, 96), 128: (128, 128)}
_MAX_PAIRS_BY_SIZE = {32: 1 << 20, 48: 1 << 19, 64: 1 << 18, 96: 1 << 16, 128: 1 << 15}


def classes_of(device: Device) -> tuple[int, ...]:
    """The size classes, by the size of the larger measure; larger problems are solved by the CPU."""
    return tuple(size for size in _SIZE_CLASSES if shared_bytes(size) <= device.shared_bytes)


def side_of(size: int) -> int:
    """The number of points per side for which the kernel of a class is compiled."""
    return next(side for side in _THREADS_BY_SIDE if size <= side)


def threads_of(size: int) -> tuple[int, int]:
    """Threads per problem and per block."""
    return _THREADS_BY_SIDE[side_of(size)]


def pairs_at_once(size: int) -> int:
    """Problems per launch, for at most 0.1 s."""
    return next(count for largest, count in _MAX_PAIRS_BY_SIZE.items() if size <= largest)


def bytes_of(size: int) -> int:
    """Shared memory of a problem in bytes: see `exact_memory.h`."""
    side = side_of(size)
    fixed = 6 * 8 * side + 2 * 8 * side * (side // 32) + 4 * side + 128
    return fixed + 8 * size * (size | 1)


def shared_bytes(size: int) -> int:
    """Shared memory of a block in bytes."""
    team, block = threads_of(size)
    return block // team * bytes_of(size)


def _uses_coordinates(metric: Metric) -> bool:
    """Whether kernels compute the distances from coordinates, and do not read them from a matrix."""
    return metric.coordinates is not None and metric.lam == 0 and metric.coordinates.shape[1] <= MAX_DIM


def _put_points(
    metric: Metric, p: float, plan: SolvePlan, n_entries: float, device: Device, engine: Engine
) -> Array | None:
    """Coordinates or distances for problems with `n_entries` costs in total; None if the CPU should solve them."""
    key = "distances", device.name
    if p == np.inf or plan.n_pairs < MIN_PAIRS:
        return None
    if _uses_coordinates(metric):
        return places_of(metric, device)
    matrix, n_pairs = getattr(metric, "matrix", None), float(metric.n) ** 2
    is_stored = isinstance(matrix, np.ndarray)
    geometry = None if is_stored or n_entries < _MIN_REUSE * n_pairs else geometry_of(metric, device)
    if (geometry is None and not is_stored) or not device.fits(8.0 * n_pairs):
        return None
    if key not in metric.derived.on_devices:
        if geometry is None:
            metric.derived.on_devices[key] = device.put(np.asarray(matrix, np.float64))
        else:
            metric.derived.on_devices[key] = device.xp.empty((metric.n, metric.n))
            fill_matrix(geometry, device.wrap(metric.derived.on_devices[key]), device, engine)
    return metric.derived.on_devices[key]


class MeasurePairs(NamedTuple):
    """First and second measures of some pairs, and the positions of their distances in the result."""

    firsts: Array
    seconds: Array
    positions: Array


class SizeClass(NamedTuple):
    """Pairs whose larger measure belongs to one class: their number, and a function from numbers to pairs."""

    size: int
    n_pairs: int
    pairs: Callable[[Array], MeasurePairs]


class SolvePlan(NamedTuple):
    """The parts that are solved on the device, and the pairs solved on the CPU, as arrays on the host."""

    parts: list[SizeClass]
    large: MeasurePairs

    @property
    def n_pairs(self) -> int:
        """Number of pairs solved on the device."""
        return sum(part.n_pairs for part in self.parts)


def plan_triangle(sizes: Ints, device: Device) -> SolvePlan:
    """Each pair of measures once; the result is an n × n matrix."""
    n, xp, order = len(sizes), device.xp, _order_by_size(sizes)
    starts = np.append(0, np.cumsum(np.arange(n - 1, -1, -1)))  # first pair of each row with the measures after it
    begin, measures = device.put(starts), device.put(order)

    def part(size: int, low: int, high: int) -> SizeClass:
        def pairs(numbers: Array) -> MeasurePairs:
            numbers = numbers + int(starts[low])
            rows = xp.searchsorted(begin, numbers, side="right") - 1
            firsts, seconds = measures[rows], measures[numbers - begin[rows] + rows + 1]
            return MeasurePairs(firsts, seconds, firsts * n + seconds)

        return SizeClass(size, int(starts[high] - starts[low]), pairs)

    classes = classes_of(device)
    edges = _edges(sizes, classes)
    parts = [part(size, low, high) for size, low, high in zip(classes, edges[1:], edges, strict=False)]
    rows = np.repeat(np.arange(edges[-1]), n - 1 - np.arange(edges[-1]))
    cols = np.arange(len(rows)) - starts[rows] + rows + 1
    firsts, seconds = order[rows], order[cols]
    return SolvePlan(parts, MeasurePairs(firsts, seconds, firsts * n + seconds))


def plan_rectangle(sizes_a: Ints, sizes_b: Ints, device: Device) -> SolvePlan:
    """Every measure of A with every measure of B; the result is an n_a × n_b matrix."""
    n_a, n_b = len(sizes_a), len(sizes_b)
    order_a, order_b = _order_by_size(sizes_a), _order_by_size(sizes_b)
    some_a, some_b = device.put(order_a), device.put(order_b)

    def part(size: int, rows: tuple[int, int], cols: tuple[int, int]) -> SizeClass:
        width = max(cols[1] - cols[0], 1)

        def pairs(numbers: Array) -> MeasurePairs:
            firsts, seconds = some_a[rows[0] + numbers // width], some_b[cols[0] + numbers % width]
            return MeasurePairs(firsts, seconds, firsts * n_b + seconds)

        return SizeClass(size, (rows[1] - rows[0]) * (cols[1] - cols[0]), pairs)

    classes = classes_of(device)
    edges_a, edges_b = _edges(sizes_a, classes), _edges(sizes_b, classes)
    parts = []
    for k, size in enumerate(classes):
        (high_a, low_a), (high_b, low_b) = edges_a[k : k + 2], edges_b[k : k + 2]
        parts += [part(size, (low_a, high_a), (low_b, n_b)), part(size, (high_a, n_a), (low_b, high_b))]
    blocks = (order_a[: edges_a[-1]], order_b), (order_a[edges_a[-1] :], order_b[: edges_b[-1]])
    firsts = np.concatenate([np.repeat(rows, len(cols)) for rows, cols in blocks])
    seconds = np.concatenate([np.tile(cols, len(rows)) for rows, cols in blocks])
    return SolvePlan(parts, MeasurePairs(firsts, seconds, firsts * n_b + seconds))


def plan_listed(firsts: Ints, seconds: Ints, sizes_a: Ints, sizes_b: Ints, device: Device) -> SolvePlan:
    """The listed pairs; the result is in their order."""
    classes = classes_of(device)
    class_of = np.searchsorted(classes, np.maximum(sizes_a[firsts], sizes_b[seconds]))
    some_a, some_b = device.put(firsts), device.put(seconds)

    def part(size: int, which: Ints) -> SizeClass:
        members = device.put(which)

        def pairs(numbers: Array) -> MeasurePairs:
            positions = members[numbers]
            return MeasurePairs(some_a[positions], some_b[positions], positions)

        return SizeClass(size, len(which), pairs)

    parts = [part(size, np.flatnonzero(class_of == k)) for k, size in enumerate(classes)]
    large = np.flatnonzero(class_of == len(classes))
    return SolvePlan(parts, MeasurePairs(firsts[large], seconds[large], large))


def _order_by_size(sizes: Ints) -> Ints:
    return np.argsort(-sizes, kind="stable")


def _edges(sizes: Ints, classes: tuple[int, ...]) -> list[int]:
    """The number of measures, and of those larger than each class."""
    return [len(sizes), *(int(np.count_nonzero(sizes > size)) for size in classes)]
