"""Files that were made to do harm, each with the entry point it comes to."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable

import numpy as np

from fuzz import hostile, hostile_parquet, seeds

CRAFTED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "one name for all columns": ("csv", lambda: b"a," * 30_000 + b"a\n" + b"1," * 30_000 + b"1\n"),
    "a line of commas": ("csv", lambda: b"," * 7_000_000),
    "lines of commas": ("csv", lambda: (b"," * 60_000 + b"\n") * 30),
    "a long word among short ones": ("csv", lambda: b"w\n" + b"ab\n" * 1_000_000 + b"c" * 64 + b"\n"),
    "short words": ("csv", lambda: b"w\n" + b"ab\n" * 1_000_000),
    "short words, and one of another script": ("csv", lambda: b"w\n" + b"ab\n" * 1_000_000 + "😀\n".encode()),
    "empty lines in a cell": ("csv", lambda: b'a,b\n"' + b"\n" * 100_000 + b'1",2\n' * 9),
    "blanks before a number": ("csv", lambda: b"a,b\n" + b" " * 3_000_000 + b"1,2\n"),
    "a quote that is not closed": ("csv", lambda: b'a,b\n"' + b"1,2\n" * 1_000_000),
    "quotes": ("csv", lambda: b'"' * 3_000_000),
    "a number of many digits": ("csv", lambda: b"a\n" + b"9" * 3_000_000 + b"\n1\n"),
    "numbers of many digits": ("csv", lambda: b"a,b\n" + (b"9" * 4_000 + b",1\n") * 1_500),
    "decimal commas": ("csv", lambda: b"a;b\n" + (b"1" * 90_000 + b",5x;2\n") * 50),
    "a gz bomb": ("csv.gz", hostile.gz_bomb),
    "a gz bomb of zeros": ("csv.gz", lambda: hostile.gz_bomb(piece=hostile.ZEROS)),
    "a gz bomb of many parts": ("csv.gz", lambda: gzip.compress(b"1,2\n" * 500_000) * 1_000),
    "an xz bomb": ("csv.xz", lambda: lzma.compress(b"1,2\n" * 2_000_000) * 1_000),
    "xz that needs memory": ("csv.xz", lambda: hostile.xz_that_needs_memory(True)),
    "xz that needs memory later": ("csv.xz", lambda: hostile.xz_that_needs_memory(False)),
    "a bz2 bomb": ("csv.bz2", lambda: bz2.compress(hostile.ZEROS * 4) * 2_000),
    "gz in gz": ("csv.gz", lambda: gzip.compress(gzip.compress(gzip.compress(b"1,2\n")))),
    "a zip bomb": ("npz", hostile.zip_bomb),
    "a zip in lzma": ("npz", lambda: hostile.zip_of(("x.npy", seeds.npy()[0]), method=zipfile.ZIP_LZMA)),
    "a zip with two arrays of a name": (
        "npz",
        hostile.one_name_twice,
    ),
    "a zip with many members": ("npz", lambda: hostile.zip_of(*((f"{k}.npy", b"") for k in range(3_000)))),
    "no rows of many columns": ("npy", lambda: hostile.npy_header("<f8", (0, 10**9))),
    "many rows of no columns": ("npy", lambda: hostile.npy_header("<f8", (10**9, 0))),
    "many words of no letters": ("npy", lambda: hostile.npy_header("<U0", (10**9,))),
    "many fields of no letters": ("npy", lambda: hostile.npy_header([("a", "<U0"), ("b", "|S0")], (10**9,))),
    "many rows of nothing": ("npy", lambda: hostile.npy_header("|V0", (10**9, 2))),
    "one row of many columns": ("npy", lambda: hostile.npy_header("|u1", (1, 7_000_000), bytes(7_000_000))),
    "a shape below 0": ("npy", lambda: hostile.npy_header("<f8", (-1, -8), bytes(64))),
    "a shape beyond all memory": ("npy", lambda: hostile.npy_header("<f8", (2**62, 2**62))),
    "a dtype in a dtype": ("npy", lambda: hostile.npy_header([("a", [("b", [("c", "<f8", (2,))])])], (4,), bytes(64))),
    "a dtype of many": ("npy", lambda: hostile.npy_header(("<f8", (2**31, 4)), (1,))),
    "no rows of many columns, zipped": (
        "npz",
        lambda: hostile.zip_of(("points.npy", hostile.npy_header("<f8", (0, 10**9)))),
    ),
    "words of no letters, zipped": ("npz", lambda: hostile.zip_of(("points.npy", hostile.npy_header("<U0", (10**9,))))),
    "a matrix of no rows": ("matrix npy", lambda: hostile.npy_header("<f8", (0, 10**9))),
    "a matrix of one row": ("matrix npy", lambda: hostile.npy_header("<f8", (10**9, 0))),
    "lists in lists": ("geojson", lambda: hostile.nested(100_000)),
    "lists in lists, 900": ("geojson", lambda: hostile.nested(900)),
    "a property of lists in lists": ("geojson", lambda: hostile.nested_property(900)),
    "a property of few lists in lists": ("geojson", lambda: hostile.nested_property(300)),
    "no property in common": ("geojson", hostile.sparse_features),
    "a property of many digits": (
        "geojson",
        lambda: json.dumps(hostile.feature({"a": 7})).replace("7", "9" * 4_299).encode(),
    ),
    "a name of many letters": ("geojson", lambda: json.dumps(hostile.feature({"a" * 100_000: [1]})).encode()),
    "a type of many letters": ("geojson", lambda: json.dumps({"type": "a" * 100_000}).encode()),
    "more vertices than there are": ("ply", lambda: hostile.ply("9" * 30, "property int x")),
    "more vertices than a file holds": ("ply", lambda: hostile.ply("9" * 18, hostile.PLY_AXES, body=b"1 2 3\n")),
    "more elements before than there are": (
        "ply",
        lambda: hostile.ply("1", "element a " + "9" * 18, "property int x", hostile.PLY_AXES, body=b"1\n"),
    ),
    "a count of many digits": ("ply", lambda: hostile.ply("9" * 9_000, "property int x")),
    "a count that is no digit": ("ply", lambda: hostile.ply("²", "property int x")),
    "more before than there are": (
        "ply",
        lambda: hostile.ply("1", "element a " + "9" * 18, "property int x", "property int x", body=b"1\n"),
    ),
    "many properties": ("ply", lambda: hostile.ply("1", "\n".join(["property int x"] * 99_999), body=b"1 " * 99_999)),
    "many properties in bytes": (
        "ply",
        lambda: hostile.ply(
            "1", "\n".join(["property char x"] * 99_999), body=bytes(99_999), order="binary_little_endian"
        ),
    ),
    "more points than there are": ("las", lambda: hostile.las_with(247, struct.pack("<Q", 2**40))),
    "points of no size": ("las", lambda: hostile.las_with(105, b"\0\0")),
    "points far behind": ("las", lambda: hostile.las_with(96, b"\xff\xff\xff\x7f")),
    "numbers that repeat": ("parquet", lambda: hostile_parquet.repeated_rows(160)),
    "words that repeat": ("parquet", hostile_parquet.repeated_words),
    "a page that unpacks to more than it says": ("parquet", hostile_parquet.packed_page),
    "a picture without end": ("png", lambda: hostile.png_of(2**31 - 1, 2**31 - 1)),
    "a large picture": ("png", lambda: hostile.png_of(30_000, 30_000, pixels=zlib.compress(bytes(1_000_000)))),
    "a text beside a picture": ("png", lambda: hostile.png_of(4, 4, (b"zTXt", b"a\0\0" + hostile.zlib_bomb()))),
    "a profile beside a picture": ("png", lambda: hostile.png_of(4, 4, (b"iCCP", b"a\0\0" + hostile.zlib_bomb()))),
    "more pixels than there are": ("png", lambda: hostile.png_of(4, 4, pixels=hostile.zlib_bomb())),
    "a large film": ("gif", lambda: hostile.gif_of(65_535, 65_535, 2)),
    "a long film": ("gif", lambda: hostile.gif_of(300, 300, 20_000)),
    "a directory that leads back to itself": ("tif", hostile.round_tif),
    "PostScript": ("png", lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(marker) (w) file\n"),
    "nodes of many digits": ("edges", lambda: b"1 2\n" + b"9" * 9_000 + b" 3\n"),
    "an edge of many cells": ("edges", lambda: b"a," * 200_000 + b"\n"),
    "an edge of many blanks": ("edges", lambda: b"a" + b" " * 1_400_000 + b"b\n"),
    "quotes around nodes": ("edges", lambda: b'"a,b\nc,d\n"' * 20_000),
    "GML in GML": ("gml", lambda: b"graph [\n" + b"a [\n" * 100_000),
    "a GML that never ends": ("gml", lambda: b"graph [\n" + b'node [ id 1 label "' + b"&" * 1_000_000),
    "entities": ("graphml", hostile.laughs),
    "entities of other files": ("graphml", lambda: hostile.laughs(kind="external")),
    "a long entity": ("graphml", lambda: hostile.laughs(kind="long")),
    "entities in UTF-16": ("graphml", hostile.utf16_laughs),
    "elements in elements": ("graphml", lambda: b"<graphml>" + b"<a>" * 99_999),
    "a header of lists in lists": ("space", lambda: hostile.archive_header("[" * 100_000)),
    "a tree of lists in lists": ("space", lambda: hostile.space_header("[" * 980 + "]" * 980)),
    "a tree of fewer lists": ("space", lambda: hostile.space_header("[" * 700 + "]" * 700)),
    "a tree of many letters": ("space", lambda: hostile.space_header('"' + "a" * 100_000 + '"')),
    "a version of many letters": (
        "space",
        lambda: hostile.archive_header('{"format": "wasserstein-transform", "version": "' + "a" * 99_999 + '"}'),
    ),
    "a class of many letters": ("space", lambda: hostile.archive_of({"id": 0, "class": "a" * 100_000, "content": {}})),
    "a space of points without coordinates": (
        "space",
        lambda: hostile.space_tree(a0=np.empty((1000, 0)), a1=np.full(1000, 1e-3)),
    ),
    "a record of lists in lists": ("record", lambda: b"[" * 100_000),
    "a record of numbers": ("record", lambda: b'{"full": 1, "quick": []}'),
}
"""Name → the entry point, and the file."""

SLOW = (
    "a long word among short ones",
    "short words, and one of another script",
    "short words",
    "lines of commas",
    "many properties in bytes",
    "GML in GML",
    "an xz bomb",
    "a zip with many members",
    "elements in elements",
    "quotes around nodes",
    "no property in common",
    "an edge of many cells",
)
"""Those that take a second or so."""
