"""Files that were made to do harm, each with the entry point it comes to."""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable

import numpy as np

from fuzz import hostile

CRAFTED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "short words, and one of another script": ("csv", lambda: b"w\n" + b"ab\n" * 1_000_000 + "😀\n".encode()),
    "blanks before a number": ("csv", lambda: b"a,b\n" + b" " * 3_000_000 + b"1,2\n"),
    "a quote that is not closed": ("csv", lambda: b'a,b\n"' + b"1,2\n" * 1_000_000),
    "numbers of many digits": ("csv", lambda: b"a,b\n" + (b"9" * 4_000 + b",1\n") * 1_500),
    "a gz bomb": ("csv.gz", hostile.gz_bomb),
    "an xz bomb": ("csv.xz", lambda: lzma.compress(b"1,2\n" * 2_000_000) * 1_000),
    "a bz2 bomb": ("csv.bz2", lambda: bz2.compress(hostile.ZEROS * 4) * 2_000),
    "a zip bomb": ("npz", hostile.zip_bomb),
    "no rows of many columns": ("npy", lambda: hostile.npy_header("<f8", (0, 10**9))),
    "many words of no letters": ("npy", lambda: hostile.npy_header("<U0", (10**9,))),
    "a shape below 0": ("npy", lambda: hostile.npy_header("<f8", (-1, -8), bytes(64))),
    "a shape beyond all memory": ("npy", lambda: hostile.npy_header("<f8", (2**62, 2**62))),
    "lists in lists": ("geojson", lambda: hostile.nested(100_000)),
    "more vertices than there are": ("ply", lambda: hostile.ply("9" * 30, "property int x")),
    "more elements before than there are": (
        "ply",
        lambda: hostile.ply("1", "element a " + "9" * 18, "property int x", hostile.PLY_AXES, body=b"1\n"),
    ),
    "more points than there are": ("las", lambda: hostile.las_with(247, struct.pack("<Q", 2**40))),
    "points far behind": ("las", lambda: hostile.las_with(96, b"\xff\xff\xff\x7f")),
    "a picture without end": ("png", lambda: hostile.png_of(2**31 - 1, 2**31 - 1)),
    "a large picture": ("png", lambda: hostile.png_of(30_000, 30_000, pixels=zlib.compress(bytes(1_000_000)))),
    "a long film": ("gif", lambda: hostile.gif_of(300, 300, 20_000)),
    "nodes of many digits": ("edges", lambda: b"1 2\n" + b"9" * 9_000 + b" 3\n"),
    "GML in GML": ("gml", lambda: b"graph [\n" + b"a [\n" * 100_000),
    "entities": ("graphml", hostile.laughs),
    "elements in elements": ("graphml", lambda: b"<graphml>" + b"<a>" * 99_999),
    "a header of lists in lists": ("space", lambda: hostile.archive_header("[" * 100_000)),
    "a space of points without coordinates": (
        "space",
        lambda: hostile.space_tree(a0=np.empty((1000, 0)), a1=np.full(1000, 1e-3)),
    ),
    "a record of lists in lists": ("record", lambda: b"[" * 100_000),
}
"""Name → the entry point, and the file."""
