"""Files that were made to do harm, each with the door it comes to: small, or what they unpack to would be."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz import layers, seeds

_ZEROS = bytes(1 << 20)
_MANY = 10_000  # megabytes, unpacked


def npy_header(descr: Any, shape: Any, content: bytes = b"", order: bool = False) -> bytes:
    """An array as it is announced, and what there is of it."""
    text = repr({"descr": descr, "fortran_order": order, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def deflated(megabytes: int, piece: bytes = _ZEROS) -> bytes:
    """The same megabyte again and again, packed without ever being there."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + b"\x03\x00"


def gz_bomb(megabytes: int = _MANY, piece: bytes = b"1,2\n" * (1 << 18)) -> bytes:
    """A gz file that unpacks to so much."""
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + deflated(megabytes, piece) + bytes(8)


def zip_of(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive, with names as often as they are given."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, content in members:
            archive.writestr(_info(name, method), content)
    return held.getvalue()


def _info(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    return info


def zip_bomb() -> bytes:
    """An archive whose one array unpacks to ten gigabytes."""
    size = _MANY << 20
    head = npy_header("|u1", (size,))
    packing = zlib.compressobj(0, zlib.DEFLATED, -15)
    packed = packing.compress(head) + packing.flush(zlib.Z_FULL_FLUSH) + deflated(_MANY)
    name, size = b"points.npy", size + len(head)
    extra = struct.pack("<HHQQ", 1, 16, size, len(packed))
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 33, 0, 2**32 - 1, 2**32 - 1, len(name), len(extra))
    entry = b"PK\1\2" + struct.pack(
        "<HHHHHHIIIHHHHHII", 45, 45, 0, 8, 0, 33, 0, 2**32 - 1, 2**32 - 1, len(name), len(extra), 0, 0, 0, 0, 0
    )
    content = local + name + extra + packed
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry) + len(name) + len(extra), len(content), 0)
    return content + entry + name + extra + end


def xz_that_needs_memory(whole: bool) -> bytes:
    """An xz file that says it takes gigabytes to be unpacked; the first part of it, or only the second."""
    stream = bytearray(lzma.compress(b"1,2\n"))
    length = 4 * (stream[12] + 1)
    assert stream[14:16] == b"\x21\x01"
    stream[16] = 40  # a dictionary of 4 GiB
    stream[12 + length - 4 : 12 + length] = struct.pack("<I", zlib.crc32(bytes(stream[12 : 12 + length - 4])))
    return bytes(stream) if whole else lzma.compress(b"1,2\n" * 9000) + bytes(stream)


def nested(depth: int, around: str = '{"type": "Point", "coordinates": %s}') -> bytes:
    """JSON in which lists hold lists."""
    return (around % ("[" * depth + "]" * depth)).encode()


def _feature(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": properties}


def sparse_features(n: int = 20_000) -> bytes:
    """Features that have no property in common: n² cells."""
    return json.dumps({"type": "FeatureCollection", "features": [_feature({f"p{k}": k}) for k in range(n)]}).encode()


def nested_property(depth: int) -> bytes:
    """A property in which lists hold lists."""
    return json.dumps(_feature({"a": 7})).replace("7", "[" * depth + "]" * depth).encode()


def ply_lines(*lines: str, body: bytes = b"") -> bytes:
    """A PLY file."""
    return "\n".join(("ply", *lines, "end_header", "")).encode("latin-1") + body


def repeated_rows(megabytes: int) -> bytes:
    """Parquet of one number, repeated: some kilobytes for each gigabyte."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    held = io.BytesIO()
    some = pa.table({"x": np.zeros(1 << 20)})
    with parquet.ParquetWriter(held, some.schema) as writer:
        for _ in range(megabytes // 8):
            writer.write_table(some)
    return held.getvalue()


def repeated_words(n: int = 20_000) -> bytes:
    """Parquet of one long word, repeated."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    held = io.BytesIO()
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array(["a" * 500_000]))
    parquet.write_table(pa.table({"x": np.arange(n), "s": column}), held, store_schema=False)
    return held.getvalue()


def packed_page(megabytes: int = 2000) -> bytes:
    """Parquet with a page that unpacks to gigabytes, where its directory says that there are a few bytes."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    held = io.BytesIO()
    parquet.write_table(
        pa.table({"x": np.zeros(100)}), held, compression="gzip", use_dictionary=False, write_statistics=False
    )
    content = held.getvalue()
    column = parquet.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0)
    start, length = column.data_page_offset, column.total_compressed_size
    page, size = gz_bomb(megabytes, _ZEROS), megabytes << 20
    # a page header of Thrift: kind 0, both sizes, then what was there of the data page header
    old = content[start : start + length]
    tail = old[old.index(b"\x2c") :][: old[old.index(b"\x2c") :].index(b"\x1f\x8b")]
    head = b"\x15\x00\x15" + _zigzag(size) + b"\x15" + _zigzag(len(page)) + tail
    footer = content[start + length :]
    sizes = b"\x16" + _zigzag(column.total_uncompressed_size) + b"\x16" + _zigzag(length)
    assert footer.count(sizes) == 1
    lying = b"\x16" + _zigzag(column.total_uncompressed_size) + b"\x16" + _zigzag(len(head) + len(page))
    footer = footer[:-8].replace(sizes, lying)
    return content[:start] + head + page + footer + struct.pack("<I", len(footer)) + b"PAR1"


def _zigzag(number: int) -> bytes:
    number, out = 2 * number, b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def png_of(width: int, height: int, *chunks: tuple[bytes, bytes], pixels: bytes = b"") -> bytes:
    """A picture that says it has that size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    inside = ((b"IHDR", head), *chunks, (b"IDAT", pixels or zlib.compress(bytes(99))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(layers._chunk(*chunk) for chunk in inside)


def gif_of(width: int, height: int, frames: int) -> bytes:
    """A film that says it has that size."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    frame = b"\x21\xf9\x04\x04\x0a\x00\x00\x00\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return head + frame * frames + b";"


def laughs(levels: int = 12, kind: str = "entities") -> bytes:
    """GraphML whose entities stand for each other, ten times each."""
    inside = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, levels))
    if kind == "external":
        inside, levels = '<!ENTITY e0 SYSTEM "file:///etc/passwd">', 1
    if kind == "long":
        inside, levels = f'<!ENTITY e1 "{"a" * 100_000}">', 2
    first = "" if kind == "external" else '<!ENTITY e0 "ha">'
    named = f"&e{levels - 1};" * (1000 if kind == "long" else 1)
    graph = f'<graph edgedefault="undirected"><node id="a">{named}</node></graph>'
    return (
        f'<?xml version="1.0"?><!DOCTYPE g [{first}{inside}]>'
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graph}</graphml>'
    ).encode()


def mat_of(inside: bytes, packed: bool = True) -> bytes:
    """A file of MATLAB's with one element."""
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    if not packed:
        return head + inside
    inside = zlib.compress(inside, 1)
    return head + struct.pack("<II", 15, len(inside)) + inside


def mat_cells(depth: int) -> bytes:
    """Cells in cells."""
    inside = b""
    flags = struct.pack("<IIII", 6, 8, 1, 0)
    dims = struct.pack("<IIii", 5, 8, 1, 1)
    for k in range(depth):
        name = (
            struct.pack("<II", 1, 11) + b"groundTruth".ljust(16, b"\0") if k == depth - 1 else struct.pack("<II", 1, 0)
        )
        body = flags + dims + name + inside
        inside = struct.pack("<II", 14, len(body)) + body
    return mat_of(inside)


def mat_array(rows: int, columns: int, length: int) -> bytes:
    """An array that says it has that size."""
    flags, dims = struct.pack("<IIII", 6, 8, 6, 0), struct.pack("<IIii", 5, 8, rows, columns)
    name = struct.pack("<II", 1, 11) + b"groundTruth".ljust(16, b"\0")
    body = flags + dims + name + struct.pack("<II", 9, length % 2**32) + bytes(64)
    return mat_of(struct.pack("<II", 14, len(body)) + body)


def archive_of(tree: Any, **arrays: np.ndarray) -> bytes:
    """A file as `save` writes it, of a Space with that tree."""
    header = {"format": "wasserstein-transform", "version": 1, "kind": "Space", "tree": tree}
    return layers.archived(header, arrays)


def archive_header(text: str) -> bytes:
    """A file as `save` writes it, with that header."""
    held = io.BytesIO()
    np.savez(held, header=np.array(text))
    return held.getvalue()


def _summary(**changes: Any) -> bytes:
    known = json.loads(seeds.summaries()[0])
    known["again"].update(changes)
    return json.dumps(known).encode()


def _las(at: int, value: bytes, kind: str = "las") -> bytes:
    content = bytearray(seeds.las(kind)[0])
    content[at : at + len(value)] = value
    return bytes(content)


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
    "a gz bomb": ("csv.gz", gz_bomb),
    "a gz bomb of zeros": ("csv.gz", lambda: gz_bomb(piece=_ZEROS)),
    "a gz bomb of many parts": ("csv.gz", lambda: gzip.compress(b"1,2\n" * 500_000) * 1_000),
    "an xz bomb": ("csv.xz", lambda: lzma.compress(b"1,2\n" * 2_000_000) * 1_000),
    "xz that needs memory": ("csv.xz", lambda: xz_that_needs_memory(True)),
    "xz that needs memory later": ("csv.xz", lambda: xz_that_needs_memory(False)),
    "a bz2 bomb": ("csv.bz2", lambda: bz2.compress(_ZEROS * 4) * 2_000),
    "gz in gz": ("csv.gz", lambda: gzip.compress(gzip.compress(gzip.compress(b"1,2\n")))),
    "a zip bomb": ("npz", zip_bomb),
    "a zip in lzma": ("npz", lambda: zip_of(("x.npy", seeds.npy()[0]), method=zipfile.ZIP_LZMA)),
    "a zip with two arrays of a name": ("npz", lambda: zip_of(("x.npy", seeds.npy()[0]), ("x.npy", seeds.npy()[0]))),
    "a zip with many members": ("npz", lambda: zip_of(*((f"{k}.npy", b"") for k in range(60_000)))),
    "no rows of many columns": ("npy", lambda: npy_header("<f8", (0, 10**9))),
    "many rows of no columns": ("npy", lambda: npy_header("<f8", (10**9, 0))),
    "many words of no letters": ("npy", lambda: npy_header("<U0", (10**9,))),
    "many fields of no letters": ("npy", lambda: npy_header([("a", "<U0"), ("b", "|S0")], (10**9,))),
    "many rows of nothing": ("npy", lambda: npy_header("|V0", (10**9, 2))),
    "one row of many columns": ("npy", lambda: npy_header("|u1", (1, 7_000_000), bytes(7_000_000))),
    "a shape below 0": ("npy", lambda: npy_header("<f8", (-1, -8), bytes(64))),
    "a shape beyond all memory": ("npy", lambda: npy_header("<f8", (2**62, 2**62))),
    "a dtype in a dtype": ("npy", lambda: npy_header([("a", [("b", [("c", "<f8", (2,))])])], (4,), bytes(64))),
    "a dtype of many": ("npy", lambda: npy_header(("<f8", (2**31, 4)), (1,))),
    "letters that do not exist": ("npy", lambda: npy_header("<U2", (2,), b"\xff" * 16)),
    "no rows of many columns, zipped": ("npz", lambda: zip_of(("points.npy", npy_header("<f8", (0, 10**9))))),
    "words of no letters, zipped": ("npz", lambda: zip_of(("points.npy", npy_header("<U0", (10**9,))))),
    "a matrix of no rows": ("matrix npy", lambda: npy_header("<f8", (0, 10**9))),
    "a matrix of one row": ("matrix npy", lambda: npy_header("<f8", (10**9, 0))),
    "lists in lists": ("geojson", lambda: nested(100_000)),
    "lists in lists, 900": ("geojson", lambda: nested(900)),
    "a property of lists in lists": ("geojson", lambda: nested_property(900)),
    "a property of few lists in lists": ("geojson", lambda: nested_property(300)),
    "no property in common": ("geojson", sparse_features),
    "a property of many digits": ("geojson", lambda: json.dumps(_feature({"a": 7})).replace("7", "9" * 4_299).encode()),
    "a name of many letters": ("geojson", lambda: json.dumps(_feature({"a" * 100_000: [1]})).encode()),
    "a type of many letters": ("geojson", lambda: json.dumps({"type": "a" * 100_000}).encode()),
    "blanks behind a quote": ("arff", lambda: b"@attribute x string\n@data\n'" + b" " * 100_000 + b"x\n"),
    "quotes in a row": ("arff", lambda: b"@attribute x string\n@data\n" + b"'\\" * 100_000 + b"\n"),
    "an attribute that is a comment": ("arff", lambda: b"@attribute x %\n@data\n1\n"),
    "many attributes": ("arff", lambda: b"@attribute x real\n" * 200_000 + b"@data\n" + b"1," * 199_999 + b"1\n"),
    "more vertices than there are": ("ply", lambda: ply_lines("format ascii 1.0", "element vertex " + "9" * 30, "property int x")),
    "a count of many digits": ("ply", lambda: ply_lines("format ascii 1.0", "element vertex " + "9" * 9_000, "property int x")),
    "a count that is no digit": ("ply", lambda: ply_lines("format ascii 1.0", "element vertex ²", "property int x")),
    "more before than there are": ("ply", lambda: ply_lines("format ascii 1.0", "element a " + "9" * 30, "property int x", "element vertex 1", "property int x", body=b"1\n")),
    "many properties": ("ply", lambda: ply_lines("format ascii 1.0", "element vertex 1", *["property int x"] * 200_000, body=b"1 " * 200_000)),
    "many properties in bytes": ("ply", lambda: ply_lines("format binary_little_endian 1.0", "element vertex 1", *["property char x"] * 200_000, body=bytes(200_000))),
    "more points than there are": ("las", lambda: _las(247, struct.pack("<Q", 2**40))),
    "points of no size": ("las", lambda: _las(105, b"\0\0")),
    "points far behind": ("las", lambda: _las(96, b"\xff\xff\xff\x7f")),
    "more packed points than there are": ("laz", lambda: _las(247, struct.pack("<Q", 500_000), "laz")),
    "numbers that repeat": ("parquet", lambda: repeated_rows(400)),
    "words that repeat": ("parquet", repeated_words),
    "a page that unpacks to more than it says": ("parquet", packed_page),
    "a picture without end": ("png", lambda: png_of(2**31 - 1, 2**31 - 1)),
    "a large picture": ("png", lambda: png_of(30_000, 30_000, pixels=zlib.compress(bytes(1_000_000)))),
    "a text beside a picture": ("png", lambda: png_of(4, 4, (b"zTXt", b"a\0\0" + zlib.compress(bytes(200_000_000), 1)))),
    "a profile beside a picture": ("png", lambda: png_of(4, 4, (b"iCCP", b"a\0\0" + zlib.compress(bytes(200_000_000), 1)))),
    "more pixels than there are": ("png", lambda: png_of(4, 4, pixels=zlib.compress(bytes(200_000_000), 1))),
    "a large film": ("gif", lambda: gif_of(65_535, 65_535, 2)),
    "a long film": ("gif", lambda: gif_of(300, 300, 20_000)),
    "PostScript": ("png", lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(marker) (w) file\n"),
    "a vector that says more": ("vectors", lambda: b"999999999999 5\na 1 2 3 4 5\n"),
    "a vector of many numbers": ("vectors", lambda: b"a" + b" 1" * 1_000_000 + b"\n" + b"b 1\n" * 100_000),
    "a count of words of many digits": ("vectors", lambda: b"9" * 9_000 + b" 5\na 1 2 3 4 5\n"),
    "a gz bomb of vectors": ("vectors.gz", lambda: gz_bomb(piece=b"a 1\n" * (1 << 18))),
    "a gz bomb of zeros as vectors": ("vectors.gz", lambda: gz_bomb(piece=_ZEROS)),
    "xz that needs memory for vectors": ("vectors.gz", lambda: xz_that_needs_memory(False)),
    "vectors that say more": ("vectors.npy", lambda: npy_header("<f4", (3, 2**40))),
    "vectors of nothing": ("vectors.npy", lambda: npy_header("<f4", (3, 0))),
    "vectors below 0": ("vectors.npy", lambda: npy_header("<f4", (-3, -2), bytes(24))),
    "words as vectors": ("vectors.npy", lambda: npy_header("<U2", (3, 1), bytes(24))),
    "a gz bomb of a text": ("corpus", lambda: gz_bomb(500, b"the cat sat on " * (1 << 16))),
    "a text of zeros": ("corpus", lambda: gz_bomb(piece=_ZEROS)),
    "a text of blanks": ("corpus", lambda: gz_bomb(500, b" " * (1 << 20))),
    "a gz bomb of pairs": ("benchmark", lambda: gz_bomb(piece=b"a b 1\n" * (1 << 17))),
    "nodes of many digits": ("edges", lambda: b"1 2\n" + b"9" * 9_000 + b" 3\n"),
    "an edge of many cells": ("edges", lambda: b"a," * 700_000 + b"\n"),
    "an edge of many blanks": ("edges", lambda: b"a" + b" " * 1_400_000 + b"b\n"),
    "quotes around nodes": ("edges", lambda: b'"a,b\nc,d\n"' * 100_000),
    "GML in GML": ("gml", lambda: b"graph [\n" + b"a [\n" * 100_000),
    "a GML that never ends": ("gml", lambda: b"graph [\n" + b'node [ id 1 label "' + b"&" * 1_000_000),
    "entities": ("graphml", laughs),
    "entities of other files": ("graphml", lambda: laughs(kind="external")),
    "a long entity": ("graphml", lambda: laughs(kind="long")),
    "entities in UTF-16": ("graphml", lambda: laughs(kind="long").replace(b'?xml version="1.0"?', b'?xml version="1.0" encoding="UTF-16"?').decode().encode("utf-16")),
    "elements in elements": ("graphml", lambda: b"<graphml>" + b"<a>" * 200_000),
    "a header of lists in lists": ("space", lambda: archive_header("[" * 100_000)),
    "a tree of lists in lists": ("space", lambda: archive_header('{"format": "wasserstein-transform", "version": 1, "tree": ' + "[" * 980 + "]" * 980 + "}")),
    "a tree of fewer lists": ("space", lambda: archive_header('{"format": "wasserstein-transform", "version": 1, "tree": ' + "[" * 700 + "]" * 700 + "}")),
    "a version of many letters": ("space", lambda: archive_header('{"format": "wasserstein-transform", "version": "' + "a" * 100_000 + '"}')),
    "a kind of many letters": ("space", lambda: layers.archived({"format": "wasserstein-transform", "version": 1, "kind": "a" * 100_000, "tree": 1}, {})),
    "a class of many letters": ("space", lambda: archive_of({"id": 0, "class": "a" * 100_000, "state": {}})),
    "a space of points without coordinates": ("space", lambda: archive_of(
        {"id": 0, "class": "Space", "state": {"metric": {"id": 1, "class": "Euclidean", "state": {"points": {"id": 2, "array": 0}}}, "weights": {"id": 3, "array": 1}, "points": {"same": 2}}},
        a0=np.empty((1000, 0)), a1=np.full(1000, 1e-3))),
    "a summary of lists in lists": ("summary", lambda: b"[" * 100_000),
    "options that are no options": ("summary", lambda: _summary(options=["-o/tmp/elsewhere"])),
    "a short option among others": ("summary", lambda: _summary(options=["-qo/tmp/elsewhere"])),
    "an option of another place": ("summary", lambda: _summary(options=["--output=/tmp/elsewhere"])),
    "options as a number": ("summary", lambda: _summary(options=7)),
    "options as a word": ("summary", lambda: _summary(options="--x")),
    "a command as a list": ("summary", lambda: _summary(command=[])),
    "an option of many letters": ("summary", lambda: _summary(options=["x" * 100_000])),
    "a record of lists in lists": ("record", lambda: b"[" * 100_000),
    "a record of numbers": ("record", lambda: b'{"full": 1, "quick": []}'),
    "cells in cells": ("bsds", lambda: mat_cells(30_000)),
    "an array that says more": ("bsds", lambda: mat_array(2**31 - 1, 2**31 - 1, 64)),
    "an array of more bytes": ("bsds", lambda: mat_array(1000, 1000, 2**32 - 8)),
    "an array below 0": ("bsds", lambda: mat_array(-4, -4, 64)),
    "a packed array that is a bomb": ("bsds", lambda: mat_of(b"").join([b"", struct.pack("<II", 15, 0)])),
    "an old file of MATLAB's": ("bsds", lambda: struct.pack("<IIIII", 0, 2**30, 2**20, 0, 12) + b"groundTruth\0" + bytes(64)),
}  # fmt: skip
"""Name → the door, and the file."""
