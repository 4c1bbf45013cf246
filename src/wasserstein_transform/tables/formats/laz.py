"""What the chunks of a LAZ file announce: lazrs takes memory by that, before it looks whether so much is there."""

from __future__ import annotations

import struct

_LAYERED = 3  # how points of the newer formats are packed: each of their fields by itself
_ITEMS, _FIRST = 32, 34  # where the number of items is said, and the first of them
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}  # layers of an item by its kind; others have one for each byte


def layers_fit(content: bytes, start: int, n_points: int, record: bytes) -> bool:
    """Whether all layers of all chunks lie within the file; `record` is what says how points are packed.

    A chunk has its first point as it is, how many points it holds, and how long its layers are, which follow.
    """
    try:
        if struct.unpack_from("<H", record)[0] != _LAYERED:
            return True
        (n_items,) = struct.unpack_from("<H", record, _ITEMS)
        items = [struct.unpack_from("<HHH", record, _FIRST + 6 * k) for k in range(n_items)]
        size = sum(length for _, length, _ in items)
        n_layers = sum(_LAYERS.get(kind, length) for kind, length, _ in items)
        at = start + 8  # behind the place of the table of chunks
        while n_points > 0:
            (here,) = struct.unpack_from("<I", content, at + size)
            lengths = struct.unpack_from(f"<{n_layers}I", content, at + size + 4)
            at += size + 4 + 4 * n_layers + sum(lengths)
            n_points -= here
            if here == 0 or at > len(content):
                return False
    except struct.error:
        return False
    return True
