"""Cut space into boxes for a step, according to the positions of chunks."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..backends import Frame
from ..engine import Engine
from ..transforms.parts import halo
from .blocks import Chunks
from .state import Box, CellSpans, near, spans_of

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
