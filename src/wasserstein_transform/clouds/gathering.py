"""Read the points of a box and around it from the blocks of a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._types import Ints
from ..backends import Frame
from ..engine import Engine
from ..spaces import Euclidean
from ..transforms.parts import cells_of
from .blocks import Block, open_block
from .points import Points, joined
from .state import Box, near, spans_of


class Context(NamedTuple):
    """Points in the order of their rows, and the indices of those inside the box."""

    points: Points
    core: Ints


class Crowded(Exception):  # noqa: N818  # no error: the caller cuts the box
    """There are more points in and around a box than may be read at a time."""


def gather(files: Sequence[Path], box: Box, margin: int, frame: Frame, most: float, engine: Engine) -> Context | None:
    """Return the points of a box and of the cells around it; None if the box is empty, `Crowded` if too many."""
    parts, inside, n = list[Points](), list[np.ndarray](), 0
    for path in files:
        block = open_block(path)
        for points, core in _read(block, box, margin, frame, engine):
            engine.check()
            n += points.n
            if n > most:
                raise Crowded
            parts.append(points)
            inside.append(core)
    if not any(core.any() for core in inside):
        return None
    together, core = joined(parts), np.concatenate(inside)
    del parts, inside
    order = np.argsort(together.rows, kind="stable")  # ties are broken by row, as in the whole cloud
    return Context(together.take(order), np.flatnonzero(core[order]))


def _read(block: Block, box: Box, margin: int, frame: Frame, engine: Engine) -> Iterator[tuple[Points, np.ndarray]]:
    """Yield the points of each chunk in and around a box, and which of them are inside."""
    spans = spans_of(block.chunks, frame, engine)
    wanted = near(spans, box, margin)
    within = box.holds(spans.first[wanted]) & box.holds(spans.last[wanted])
    for whole, points in zip(within, block.read(wanted), strict=True):
        if whole:
            yield points, np.ones(points.n, bool)
            continue
        cells = cells_of(Euclidean(points.places), frame, engine)
        around = np.flatnonzero(box.holds(cells, margin))
        core = box.holds(cells)[around]
        yield points if len(around) == points.n else points.take(around), core
