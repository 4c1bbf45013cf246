"""Batches of exact transport problems on a device: all pairs, rectangles, listed pairs; like those of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._types import Ints
from ..compute import CsrMeasures
from ..compute.exact import batches as on_cpu, problems
from ..compute.exact.transport_jit import PlanArrays
from ..engine import N_MATRICES, Engine, condensed_starts
from .cells import places_of
from .device import Array, Device
from .distances import fill_matrix
from .geometry import MAX_DIM, geometry_of

if TYPE_CHECKING:
    from ..spaces import Metric

MIN_PAIRS = 100  # for fewer pairs the CPU is faster
_PAIR_BYTES = 100.0  # bytes on the device per pair
_MAX_LISTED_PAIRS = 1 << 22  # pairs sorted by size at a time
_MIN_REUSE = 0.5  # all distances are computed if the costs are at least this share of the pairs of points
_NOT_CERTIFIED = -1.0  # result for a pair without a certificate; other negative results are also solved by the CPU


def exact_among(metric: Metric, p: float, measures: CsrMeasures, engine: Engine, *, device: Device) -> Any:
    """The full matrix of distances, each pair solved once."""
    n, sizes = len(measures.totals), np.diff(measures.indptr)
    n_bytes, n_pairs = 8.0 * n * n, n * (n - 1) // 2
    if n_pairs < MIN_PAIRS or engine.goes_to_disk(n_bytes, N_MATRICES):
        return NotImplemented
    starts = condensed_starts(n)

    def pairs(numbers: Ints) -> MeasurePairs:
        firsts = np.searchsorted(starts, numbers, side="right") - 1
        seconds = numbers - starts[firsts] + firsts + 1
        return MeasurePairs(firsts, seconds, firsts * n + seconds)

    needed = f"exact distances of {n} measures", "use fewer points"
    n_entries = float(sizes.sum()) ** 2 / 2
    result = _Batch(metric, p, measures, measures, device, engine).solve(pairs, n_pairs, n_entries, (n, n), needed)
    if result is not NotImplemented:
        problems.mirror(result[0], engine)
    return result


def exact_between(metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, engine: Engine, *, device: Device) -> Any:
    """The rectangle of distances from the measures A to the measures B."""
    n_a, n_b = len(A.totals), len(B.totals)
    needed, n_entries = (f"{n_a} × {n_b} distances", "take fewer measures at a time"), float(A.indices.size)

    def pairs(numbers: Ints) -> MeasurePairs:
        return MeasurePairs(numbers // n_b, numbers % n_b, numbers)

    return _Batch(metric, p, A, B, device, engine).solve(
        pairs, n_a * n_b, n_entries * B.indices.size, (n_a, n_b), needed
    )


def exact_listed(
    metric: Metric, p: float, A: CsrMeasures, B: CsrMeasures, indptr: Ints, targets: Ints, engine: Engine,
    rank: Ints | None = None, homes: Ints | None = None, plans: PlanArrays | None = None, *, device: Device,
) -> Any:  # fmt: skip
    """Distances of listed pairs, in their order; plans are left to the CPU."""
    if plans is not None:
        return NotImplemented
    owners = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    n_entries = float(np.diff(A.indptr)[owners] @ np.diff(B.indptr)[targets])

    def pairs(numbers: Ints) -> MeasurePairs:
        return MeasurePairs(owners[numbers], targets[numbers], numbers)

    return _Batch(metric, p, A, B, device, engine).solve(pairs, len(targets), n_entries, (len(targets),))


class MeasurePairs(NamedTuple):
    """First and second measures of some pairs, and the positions of their distances in the result."""

    firsts: Ints
    seconds: Ints
    positions: Ints

    def at(self, rows: np.ndarray) -> MeasurePairs:
        """Some of the pairs."""
        return MeasurePairs(self.firsts[rows], self.seconds[rows], self.positions[rows])


class _Batch(NamedTuple):
    metric: Metric
    p: float
    A: CsrMeasures
    B: CsrMeasures
    device: Device
    engine: Engine

    def solve(
        self, pairs: Callable[[Ints], MeasurePairs], n_pairs: int, n_entries: float, shape: tuple[int, ...],
        needed: tuple[str, str] | None = None,
    ) -> Any:  # fmt: skip
        """Distances of pairs with `n_entries` costs in total, and a report; NotImplemented to use the CPU.

        `pairs` makes those with some numbers. `needed` announces the memory of the result. Pairs of measures that are
        too large for the device, and those without a certificate, are solved by the CPU.
        """
        metric, p, A, B, device, engine = self
        classes = [size for size in _SIZE_CLASSES if shared_bytes(size) <= device.shared_bytes]
        sizes = np.diff(A.indptr), np.diff(B.indptr)
        if n_pairs < MIN_PAIRS or max(each.min() for each in sizes) > classes[-1]:
            return NotImplemented
        points = _put_points(metric, p, n_entries, device, engine)
        if points is None:
            return NotImplemented
        if needed is not None:
            engine.reserve(8.0 * np.prod(shape), *needed)
        device.reserve(_PAIR_BYTES * _MAX_LISTED_PAIRS, "a list of problems of transport", "use device='cpu'")
        out, left, failed, gap, launch = np.zeros(int(np.prod(shape))), [], 0, 0.0, self._launcher(points)
        with engine.progress_scope() as scope:
            for start in range(0, n_pairs, _MAX_LISTED_PAIRS):
                end = min(start + _MAX_LISTED_PAIRS, n_pairs)
                listed = pairs(np.arange(start, end))
                largest = np.maximum(sizes[0][listed.firsts], sizes[1][listed.seconds])
                class_of = np.searchsorted(classes, largest)
                for k, size in enumerate(classes):
                    members, step = np.flatnonzero(class_of == k), pairs_at_once(size)
                    for first in range(0, len(members), step):
                        scope.check()
                        some = listed.at(members[first : first + step])
                        values, gaps = launch(size, some)
                        out[some.positions] = values
                        gap = max(gap, float(gaps[values >= 0.0].max(initial=0.0)))
                        left.append(some.at(values < 0.0))
                        failed += int(np.count_nonzero(values == _NOT_CERTIFIED))
                left.append(listed.at(class_of == len(classes)))
                scope.report("exact transport", end, n_pairs)
        rest = MeasurePairs(*(np.concatenate(arrays) for arrays in zip(*left, strict=True)))
        report = problems.Report(n_pairs - len(rest.firsts), failed, gap)
        if len(rest.firsts):
            rest = rest.at(np.argsort(rest.firsts, kind="stable"))
            indptr = np.searchsorted(rest.firsts, np.arange(len(A.totals) + 1))
            out[rest.positions], more = on_cpu.exact_listed(metric, p, A, B, indptr, rest.seconds, engine)
            report += more
        return out.reshape(shape), report

    def _launcher(self, points: Array) -> Callable[[int, MeasurePairs], tuple[np.ndarray, np.ndarray]]:
        """A function that solves pairs of measures up to a size; distances (negative ones: not solved) and gaps."""
        metric, p, A, B, device, engine = self
        xp, by_coordinates = device.xp, _uses_coordinates(metric)
        metric_constants = {"METRIC": 0, "M": points.shape[1]} if by_coordinates else {"METRIC": 1, "M": 1}
        constants = {**metric_constants, "POWER": int(p) if p in (1, 2) else 0}
        top = metric.largest(engine)  # the unit is a power of two that scales it to about 1
        unit = float(np.ldexp(1.0, -int(np.clip(np.frexp(top)[1], -1000, 1000)))) if top > 0 else 1.0
        cancel = bool(p == 1 and metric.triangle)  # common mass
        measures = _put_rows(A, device)
        measures += measures if B is A else _put_rows(B, device)

        def launch(size: int, pairs: MeasurePairs) -> tuple[np.ndarray, np.ndarray]:
            n = len(pairs.firsts)
            values, gaps, (team, block) = xp.empty(n), xp.empty(n), threads_of(size)
            ends = (device.put(side.astype(np.int64)) for side in pairs[:2])
            args = points, metric.n, *measures, *ends, n, unit, p, cancel, bytes_of(size), values, gaps
            device.launch(
                "exact.cu", "solve_pairs", n * team, args, block=block, shared=shared_bytes(size), SIDE=side_of(size),
                TEAM=team, **constants,
            )  # fmt: skip
            return device.fetch(values), device.fetch(gaps)

        return launch


def _put_rows(rows: CsrMeasures, device: Device) -> list[Array]:
    starts, points = (np.asarray(array, np.int64) for array in (rows.indptr, rows.indices))
    return [device.put(array) for array in (starts, points, rows.masses, rows.totals)]


# by the size of the larger measure; smaller classes let more problems share a multiprocessor
_SIZE_CLASSES = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 128)
_THREADS_BY_SIDE = {32: (32, 64), 64: (64, 64), 96: (96, 96), 128: (128, 128)}
_MAX_PAIRS_BY_SIZE = {32: 1 << 20, 48: 1 << 19, 64: 1 << 18, 96: 1 << 16, 128: 1 << 15}


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


def _put_points(metric: Metric, p: float, n_entries: float, device: Device, engine: Engine) -> Array | None:
    """Coordinates or distances for problems with `n_entries` costs in total; None if the CPU should solve them."""
    key = "distances", device.name
    if p == np.inf:
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
