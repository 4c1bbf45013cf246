"""A state of a cloud: its blocks, its frame, its parts, and the memory that they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.parts import frame_of_parts
from ..compute.records import Extent, Frame, join
from ..compute.search import raw_cells
from ..engine import Engine
from ..engine.memory import available
from ..localize import Ridge
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Process, Transform
from ..transforms.preflight import estimate_bytes
from ..transforms.subsets import cells_of, halo
from .blocks import Block, Chunks, open_block
from .points import Scale

_MOST_STEPS = 1 << 27  # most occupied cells along the axes of a cloud


@dataclass(frozen=True, eq=False)
class State:
    """A cloud of n points in R^m in blocks; `lam` is None if points have no covariances."""

    blocks: tuple[Block, ...]
    n: int
    m: int
    lam: float | None
    scale: Scale | None

    @property
    def extent(self) -> Extent:
        """The bounds that determine the frame."""
        return join(block.extent for block in self.blocks if block.extent is not None)

    @property
    def n_bytes(self) -> int:
        """Bytes on disk."""
        return sum(block.path.stat().st_size for block in self.blocks)

    @property
    def chunks(self) -> Chunks:
        """The table of all chunks."""
        tables = [block.chunks for block in self.blocks if block.n]
        counts, low, high = (np.concatenate([table[k] for table in tables]) for k in range(3))
        return Chunks(counts, low, high, np.empty((len(counts), 0), np.int64))

    def frame(self, reach: float, engine: Engine) -> Frame:
        """Return the frame of the whole cloud for steps of a given reach."""
        return frame_of_parts(self.extent, reach, lambda frame: self._occupied(frame, engine))

    def _occupied(self, frame: Frame, engine: Engine) -> list[Floats]:
        """Return the occupied cells along each axis; for clouds too wide to number all cells."""
        found = [np.empty(0) for _ in frame.axes]
        jobs = [_Looking(block.path, frame) for block in self.blocks if block.n]
        for _, steps in engine.each(_occupied, jobs, "looking at cells"):
            found = [np.union1d(one, other) for one, other in zip(found, steps, strict=True)]
            if sum(map(len, found)) > _MOST_STEPS:
                raise MemoryError(
                    f"the cloud is more than {_MOST_STEPS} radii wide and filled: its cells cannot be numbered; "
                    "use a larger eps, or remove far points"
                )
        return found


class _Looking(NamedTuple):
    path: Path
    frame: Frame


def _occupied(job: _Looking, engine: Engine) -> list[Floats]:
    block = open_block(job.path)
    found = [np.empty(0) for _ in job.frame.axes]
    for columns in block.read_columns(block.all_chunks, ("places",)):
        engine.check()
        cells = raw_cells(columns["places"], job.frame)
        found = [np.union1d(one, along) for one, along in zip(found, cells.T, strict=True)]
    return found


def open_blocks(paths: Sequence[Path]) -> tuple[Block, ...]:
    """Open the blocks of files."""
    return tuple(open_block(path) for path in paths)


class CellSpans(NamedTuple):
    """The first and the last cell of each chunk, along the axes of a frame."""

    first: Floats
    last: Floats


def spans_of(chunks: Chunks, frame: Frame, engine: Engine) -> CellSpans:
    """Return the cells that chunks span."""
    return CellSpans(*(cells_of(Euclidean(corner), frame, engine) for corner in (chunks.low, chunks.high)))


def near(spans: CellSpans, box: Box, margin: float) -> Ints:
    """Return the indices of chunks that may have points in a box, or within `margin` of it."""
    reaches = (spans.last >= np.array(box.first) - margin) & (spans.first < np.array(box.stop) + margin)
    return np.flatnonzero(reaches.all(axis=1))


class Box(NamedTuple):
    """A box of whole cells: from `first` to below `stop` along each axis of a frame."""

    first: tuple[float, ...]
    stop: tuple[float, ...]

    def halves(self) -> tuple[Box, Box] | None:
        """Return the box cut across its longest side; None for a single cell."""
        widths = np.array(self.stop) - np.array(self.first)
        axis = int(widths.argmax())
        if widths[axis] <= 1:
            return None
        return self.cut(axis, self.first[axis] + float(np.floor(widths[axis] / 2)))

    def cut(self, axis: int, at: float) -> tuple[Box, Box]:
        """Return the parts of the box below and above a cell along an axis."""
        below = (*self.stop[:axis], at, *self.stop[axis + 1 :])
        above = (*self.first[:axis], at, *self.first[axis + 1 :])
        return Box(self.first, below), Box(above, self.stop)

    def holds(self, cells: Floats, margin: float = 0.0) -> np.ndarray:
        """Tell which cells are in the box, or within `margin` of it."""
        inside = np.ones(len(cells), bool)
        for along, first, stop in zip(cells.T, self.first, self.stop, strict=True):
            inside &= (along >= first - margin) & (along < stop + margin)
        return inside


_STEPS = 60  # of a bisection: cells along an axis are numbered by floats


def boxes(chunks: Chunks, frame: Frame, most: float, at_least: int, engine: Engine) -> list[Box]:
    """Return at least `at_least` boxes that contain all points, each with about `most` points in it and around it.

    Points are assumed to be spread evenly within the bounds of their chunk.
    """
    spans = spans_of(chunks, frame, engine)
    whole = Box(tuple(spans.first.min(axis=0).tolist()), tuple((spans.last.max(axis=0) + 1).tolist()))
    counts = chunks.counts.astype(np.float64)
    found, pending = list[Box](), [(whole, at_least)]
    while pending:
        engine.check()
        box, parts = pending.pop()
        box, inside = _tight(box, spans)
        if len(inside) == 0:
            continue
        around = near(spans, box, halo(frame))
        context = float((counts[around] * _share(spans, around, box, halo(frame))).sum())
        parts = max(parts, int(np.ceil(context / most)))
        cut = _cut(box, spans, inside, counts, parts) if parts > 1 and _is_wide(box, frame, context, most) else None
        if cut is None:
            found.append(box)
        else:
            pending += zip(cut, (parts - parts // 2, parts // 2), strict=True)
    return found


def _is_wide(box: Box, frame: Frame, context: float, most: float) -> bool:
    """Tell whether cutting helps: a thin box mostly consists of its surroundings."""
    widths = np.array(box.stop) - np.array(box.first)
    return bool((widths > (halo(frame) if context > most else 1)).any())


def _tight(box: Box, spans: CellSpans) -> tuple[Box, Ints]:
    """Return the part of a box that chunks reach into, and these chunks."""
    inside = near(spans, box, 0)
    if len(inside) == 0:
        return box, inside
    first = np.maximum(box.first, spans.first[inside].min(axis=0))
    stop = np.minimum(box.stop, spans.last[inside].max(axis=0) + 1)
    return Box(tuple(first.tolist()), tuple(stop.tolist())), inside


def _share(spans: CellSpans, which: Ints, box: Box, margin: float) -> Floats:
    """Return the fraction of each chunk that lies in a box or near it."""
    first, last = spans.first[which], spans.last[which] + 1
    overlap = np.minimum(last, np.array(box.stop) + margin) - np.maximum(first, np.array(box.first) - margin)
    return np.asarray((np.maximum(overlap, 0.0) / (last - first)).prod(axis=1))


def _cut(box: Box, spans: CellSpans, inside: Ints, counts: Floats, parts: int) -> tuple[Box, Box] | None:
    """Cut across the longest side, so that the first part has its share of the points."""
    widths = np.array(box.stop) - np.array(box.first)
    axis = int(widths.argmax())
    if widths[axis] <= 1:
        return None
    masses = counts[inside] * _share(spans, inside, box, 0)
    first = np.maximum(spans.first[inside, axis], box.first[axis])
    last = np.minimum(spans.last[inside, axis] + 1, box.stop[axis])
    wanted = masses.sum() * (parts - parts // 2) / parts
    low, high = box.first[axis] + 1, box.stop[axis] - 1
    for _ in range(_STEPS):
        if low >= high:
            break
        middle = np.floor((low + high) / 2)
        below = float((masses * np.clip((middle - first) / (last - first), 0.0, 1.0)).sum())
        low, high = (middle + 1, high) if below < wanted else (low, middle)
    return box.cut(axis, float(low))


_SHARE = 0.5  # of the free memory, if no limit is given
_ASKED = 1 << 14  # plans are made for this many points and for twice as many: memory is linear in the number
_FIXED = 2.0**25  # bytes that every job takes: chunks while they are read, and their tables
_OF_THREAD = 2.0**22  # bytes that the system allocator keeps per thread after the arrays of tiles are freed
_BITS = 32.0  # bytes per covariance entry for the results of tests on pairs


def limit_of(engine: Engine) -> float:
    """Return the bytes that sequential work in this process may take."""
    return engine.memory if engine.memory is not None else _SHARE * available()


def bytes_of_point(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes per point of a job: as read, before and after the step, and the memory of the step."""
    n_iter = 1 if isinstance(process.step, Transform) else len(process.step)
    few, many = (estimate_bytes(process.steps(n_iter), _example(process, n, m), engine) for n in (_ASKED, 2 * _ASKED))
    state, working = ((more - less) / _ASKED for more, less in zip(many, few, strict=True))
    has_covs = state > 8.0 * m
    read = 8.0 * (1 + m + has_covs * m * (m + 1) / 2 + 2 * weighted)
    bits = _BITS * m * m if has_covs and m > 2 else 0.0
    ridge = 16.0 * (m + m * m) if _has_ridge(process) else 0.0
    return read + 8.0 + 3 * state + working + bits + ridge


def _has_ridge(process: Process) -> bool:
    """Tell whether a step computes covariances on the way to its means."""
    steps = [process.step] if isinstance(process.step, Transform) else process.step
    return any(isinstance(step.localize, Ridge) or getattr(step.localize, "ridge", None) for step in steps)


def most_points(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return how many points a job may read."""
    return max(1.0, (engine.share() - _fixed(engine)) // bytes_of_point(process, m, weighted, engine))


def job_bytes(n: float, process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes of a job of n points."""
    return _fixed(engine) + n * bytes_of_point(process, m, weighted, engine)


def _fixed(engine: Engine) -> float:
    """Return the bytes that a job takes regardless of its number of points; threads get at most half of the rest."""
    others = max(1, engine.n_threads // engine.n_at_once) - 1
    return _FIXED + min(_OF_THREAD * others, max(0.0, (engine.share() - _FIXED) / 2))


def bits_allowed(n: int, m: int, lam: float | None, engine: Engine) -> float | None:
    """Return the memory for tests of pairs in a step, besides its plan; only covariances in m > 2 need it."""
    return engine.memory if lam is None or m <= 2 else _BITS * m * m * n


def _example(process: Process, n: int, m: int) -> Space:
    """Return a space of n points in the form that steps take."""
    first = process.start or process.at(0)
    points = np.zeros((n, m))
    weights = np.full(n, 1.0 / n)
    if first.transport.memory(n, m)[0] > 8.0 * n * m:
        return Space(GaussianMetric(points, np.zeros((n, m, m)), 1.0), weights, points)
    return Space(Euclidean(points), weights, points)


def in_row_order(state: State, column: str, most: int, engine: Engine) -> Iterator[tuple[int, Floats]]:
    """Yield the first row number and a column of up to `most` rows; each window reads all blocks."""
    n_windows = -(-state.n // most)
    for k in range(n_windows):
        first, stop = k * most, min((k + 1) * most, state.n)
        out = np.empty((stop - first, width_of(column, state.m)))
        for b, block in enumerate(state.blocks):
            engine.report("points in their order", k * len(state.blocks) + b, n_windows * len(state.blocks))
            for found in block.read_columns(block.all_chunks, ("rows", column)):
                engine.check()
                rows, values = found["rows"], found[column]
                if n_windows > 1:
                    start, end = np.searchsorted(rows, [first, stop])  # chunks are sorted by rows
                    rows, values = rows[start:end], values[start:end]
                out[rows - first] = values
        yield first, out


def width_of(column: str, m: int) -> int:
    """Return how many numbers a row has."""
    return m if column == "places" else m * (m + 1) // 2
