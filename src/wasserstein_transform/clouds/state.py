"""A state of a cloud: its blocks, its frame, its parts, and the memory that they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.metric import frame_of_parts
from ..compute.records import Extent, Frame, join
from ..compute.search import raw_cells
from ..engine import Engine
from ..localize import Ridge
from ..spaces import Euclidean, GaussianMetric, Space
from ..transforms import Process, Transform
from ..transforms.preflight import estimate_bytes
from ..transforms.subsets import cells_of, halo
from .blocks import Block, Chunks, WeightScale, open_block

_MAX_CELLS = 1 << 27  # occupied along the axes of a cloud


@dataclass(frozen=True, eq=False)
class State:
    """A cloud of n points in R^m in blocks; `lam` is None if points have no covariances."""

    blocks: tuple[Block, ...]
    n: int
    m: int
    lam: float | None
    scale: WeightScale | None

    @property
    def extent(self) -> Extent:
        """The bounds that determine the frame."""
        return join(block.extent for block in self.blocks if block.extent is not None)

    @property
    def chunks(self) -> Chunks:
        """The table of all chunks."""
        tables = [block.chunks for block in self.blocks if block.n]
        counts, low, high = (np.concatenate([table[k] for table in tables]) for k in range(3))
        return Chunks(counts, low, high, np.empty((len(counts), 0), np.int64))

    def frame(self, reach: float, engine: Engine) -> Frame:
        """Return the frame of the whole cloud for steps of a given reach."""
        return frame_of_parts(self.extent, reach, lambda frame: self._occupied_cells(frame, engine))

    def _occupied_cells(self, frame: Frame, engine: Engine) -> list[Floats]:
        """Return the occupied cells along each axis; for clouds too wide to number all cells."""
        cells = [np.empty(0) for _ in frame.axes]
        for k, block in enumerate(self.blocks):
            engine.report("looking at cells", k, len(self.blocks))
            parts = [cells]
            for columns in block.read_columns(block.all_chunks, ("places",)):
                engine.check()
                parts.append([np.unique(axis) for axis in raw_cells(columns["places"], frame).T])
            cells = [np.unique(np.concatenate(axis)) for axis in zip(*parts, strict=True)]
            if sum(map(len, cells)) > _MAX_CELLS:
                raise MemoryError(
                    f"the cloud is more than {_MAX_CELLS} radii wide and filled: its cells cannot be numbered; "
                    "use a larger eps, or remove far points"
                )
        return cells


def open_blocks(paths: Sequence[Path]) -> tuple[Block, ...]:
    """Open the blocks of files."""
    return tuple(open_block(path) for path in paths)


class CellSpans(NamedTuple):
    """The first and the last cell of each chunk, along the axes of a frame."""

    first: Floats
    last: Floats


def spans_of(chunks: Chunks, frame: Frame, engine: Engine) -> CellSpans:
    """Return the cells that chunks span."""
    return CellSpans(*(cells_of(Euclidean(corner), frame) for corner in (chunks.low, chunks.high)))


def chunks_near(spans: CellSpans, box: Box, margin: float) -> Ints:
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


_MAX_BISECTIONS = 60  # cells along an axis are numbered by floats


def cut_into_boxes(chunks: Chunks, frame: Frame, max_points: float, n_parts: int, engine: Engine) -> list[Box]:
    """Return at least `n_parts` boxes that contain all points, each with about `max_points` in it and around it.

    Points are assumed to be spread evenly within the bounds of their chunk.
    """
    spans = spans_of(chunks, frame, engine)
    whole = Box(tuple(spans.first.min(axis=0).tolist()), tuple((spans.last.max(axis=0) + 1).tolist()))
    counts = chunks.counts.astype(np.float64)
    boxes, pending = list[Box](), [(whole, n_parts)]
    while pending:
        engine.check()
        box, parts = pending.pop()
        box, inside = _shrink(box, spans)
        if len(inside) == 0:
            continue
        around = chunks_near(spans, box, halo(frame))
        context = float((counts[around] * _share_within(spans, around, box, halo(frame))).sum())
        parts = max(parts, int(np.ceil(context / max_points)))
        min_width = halo(frame) if context > max_points else 1  # a thin box mostly consists of its surroundings
        is_wide = bool((np.array(box.stop) - np.array(box.first) > min_width).any())
        cut = _cut(box, spans, inside, counts, parts) if parts > 1 and is_wide else None
        if cut is None:
            boxes.append(box)
        else:
            pending += zip(cut, (parts - parts // 2, parts // 2), strict=True)
    return boxes


def _shrink(box: Box, spans: CellSpans) -> tuple[Box, Ints]:
    """Return the part of a box that chunks reach into, and these chunks."""
    inside = chunks_near(spans, box, 0)
    if len(inside) == 0:
        return box, inside
    first = np.maximum(box.first, spans.first[inside].min(axis=0))
    stop = np.minimum(box.stop, spans.last[inside].max(axis=0) + 1)
    return Box(tuple(first.tolist()), tuple(stop.tolist())), inside


def _share_within(spans: CellSpans, which: Ints, box: Box, margin: float) -> Floats:
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
    masses = counts[inside] * _share_within(spans, inside, box, 0)
    first = np.maximum(spans.first[inside, axis], box.first[axis])
    last = np.minimum(spans.last[inside, axis] + 1, box.stop[axis])
    target = masses.sum() * (parts - parts // 2) / parts
    low, high = box.first[axis] + 1, box.stop[axis] - 1
    for _ in range(_MAX_BISECTIONS):
        if low >= high:
            break
        middle = np.floor((low + high) / 2)
        below = float((masses * np.clip((middle - first) / (last - first), 0.0, 1.0)).sum())
        low, high = (middle + 1, high) if below < target else (low, middle)
    return box.cut(axis, float(low))


_SAMPLE_POINTS = (
    1 << 14
)  # estimates are made for this many points and for twice as many: memory is linear in the number
_JOB_BYTES = 2.0**25  # that every job takes: chunks while they are read, and their tables
_THREAD_BYTES = 2.0**22  # that the system allocator keeps per thread after the arrays of tiles are freed
_PAIR_TEST_BYTES = 32.0  # per covariance entry, for the results of tests on pairs


def bytes_of_point(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes per point of a job: as read, before and after the step, and the memory of the step."""
    n_iter = 1 if isinstance(process.step, Transform) else len(process.step)
    few, many = (
        estimate_bytes(process.steps(n_iter), _example(process, n, m), engine)
        for n in (_SAMPLE_POINTS, 2 * _SAMPLE_POINTS)
    )
    state, working = ((more - less) / _SAMPLE_POINTS for more, less in zip(many, few, strict=True))
    has_covs = state > 8.0 * m
    read = 8.0 * (1 + m + has_covs * m * (m + 1) / 2 + 2 * weighted)
    tests = _PAIR_TEST_BYTES * m * m if has_covs and m > 2 else 0.0
    steps = [process.step] if isinstance(process.step, Transform) else process.step
    has_ridge = any(isinstance(step.localize, Ridge) or getattr(step.localize, "ridge", None) for step in steps)
    ridge = 16.0 * (m + m * m) if has_ridge else 0.0  # covariances on the way to the means
    return read + 8.0 + 3 * state + working + tests + ridge


def max_points(process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return how many points a job may read."""
    return max(1.0, (engine.share() - _fixed_bytes(engine)) // bytes_of_point(process, m, weighted, engine))


def job_bytes(n: float, process: Process, m: int, weighted: bool, engine: Engine) -> float:
    """Return the bytes of a job of n points."""
    return _fixed_bytes(engine) + n * bytes_of_point(process, m, weighted, engine)


def _fixed_bytes(engine: Engine) -> float:
    """Return the bytes that a job takes regardless of its number of points; threads get at most half of the rest."""
    others = max(1, engine.n_threads // engine.n_at_once) - 1
    return _JOB_BYTES + min(_THREAD_BYTES * others, max(0.0, (engine.share() - _JOB_BYTES) / 2))


def pair_tests_memory(n: int, m: int, lam: float | None, engine: Engine) -> float | None:
    """Return the memory for tests of pairs in a step, besides its plan; only covariances in m > 2 need it."""
    return engine.memory if lam is None or m <= 2 else _PAIR_TEST_BYTES * m * m * n


def _example(process: Process, n: int, m: int) -> Space:
    """Return a space of n points in the form that steps take."""
    first = process.start or process.at(0)
    points = np.zeros((n, m))
    weights = np.full(n, 1.0 / n)
    if first.transport.memory(n, m)[0] > 8.0 * n * m:
        return Space(GaussianMetric(points, np.zeros((n, m, m)), 1.0), weights, points)
    return Space(Euclidean(points), weights, points)
