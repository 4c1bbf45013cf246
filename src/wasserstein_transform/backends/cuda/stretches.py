"""Long work in launches of at most about a tenth of a second, so that Ctrl-C works between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...engine import Engine
from .cells import Cells
from .device import Array, Device

_GRAIN = 3e11  # operations of threads per launch: a fifth of what a large device does in a tenth of a second


def stretches(
    stage: str, cells: Cells, rows: Array, steps: float, device: Device, engine: Engine
) -> Iterator[tuple[int, int]]:
    """Begin and end of parts of `rows`, given the steps per candidate."""
    engine.check()
    ends = _ends(cells, rows, steps, device)
    for k, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if k > 0:
            device.wait()
            engine.check()
        yield begin, end
        engine.report(stage, k + 1, len(ends))


def is_long(cells: Cells, rows: Array, steps: float) -> bool:
    """Whether these rows need more than one launch."""
    if steps * cells.n * float(len(rows)) <= _GRAIN:  # even if all points are candidates
        return False
    return steps * float(cells.n_candidates[rows].sum().item()) > _GRAIN


def _ends(cells: Cells, rows: Array, steps: float, device: Device) -> list[int]:
    if not len(rows):
        return []
    if not is_long(cells, rows, steps):
        return [len(rows)]
    xp = device.xp
    seen = xp.cumsum(cells.n_candidates[rows].astype(xp.float64))
    n_parts = int(np.ceil(steps * float(seen[-1].item()) / _GRAIN))
    marks = xp.arange(1, n_parts) * (seen[-1] / n_parts)
    ends = device.fetch(xp.searchsorted(seen, marks)) + 1
    return [*(end for end in np.unique(ends).tolist() if end < len(rows)), len(rows)]
