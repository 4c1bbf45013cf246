"""Long work in pieces, with cancellation and progress between them."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine import Engine
from .device import Device


def in_pieces(total: int, size: int, stage: str, device: Device, engine: Engine) -> Iterator[slice]:
    """Slices of 0…total of this size; each piece has ended before the next one begins."""
    with engine.watched() as watched:
        for start in range(0, total, size):
            watched.check()
            yield slice(start, min(start + size, total))
            if total > size:
                device.wait()
                watched.report(stage, min(start + size, total), total)
