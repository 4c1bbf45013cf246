"""Check the sizes declared by the chunks of a LAZ file: lazrs allocates them before it reads the data."""

from __future__ import annotations

import struct

_LAYERED = 3  # compression of the newer point formats: each field in a layer of its own
_ITEMS, _FIRST = 32, 34  # offsets of the number of items, and of the first item
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}  # layers by type of item; other types have one for each byte


def layers_fit(content: bytes, start: int, n_points: int, record: bytes) -> bool:
    """Whether all layers of all chunks lie within the file; `record` is the LASzip record of the header.

    A chunk consists of its first point uncompressed, the number of points, the lengths of the layers, and the layers.
    """
    try:
        if struct.unpack_from("<H", record)[0] != _LAYERED:
            return True
        (n_items,) = struct.unpack_from("<H", record, _ITEMS)
        items = [struct.unpack_from("<HHH", record, _FIRST + 6 * k) for k in range(n_items)]
        size = sum(length for _, length, _ in items)
        n_layers = sum(_LAYERS.get(kind, length) for kind, length, _ in items)
        at = start + 8  # after the offset of the chunk table
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
