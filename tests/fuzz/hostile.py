"""How files are made that would do harm: small ones that announce, unpack to or stand for much."""

from __future__ import annotations

import io
import json
import lzma
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

import wasserstein_transform as wt
from fuzz import layers, seeds
from wasserstein_transform._archive import FORMAT, VERSION, class_name

ZEROS = bytes(1 << 20)
PLY_AXES = "property float x\nproperty float y\nproperty float z"
_MANY = 10_000  # megabytes, unpacked


def npy_header(descr: Any, shape: Any, content: bytes = b"", order: bool = False) -> bytes:
    """An array as it is announced, and what there is of it."""
    text = repr({"descr": descr, "fortran_order": order, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def deflated(megabytes: int, piece: bytes = ZEROS) -> bytes:
    """The same megabyte again and again, packed without ever being there."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + b"\x03\x00"


def zlib_bomb(megabytes: int = 200) -> bytes:
    """Zeros as pictures pack them."""
    return b"\x78\x9c" + deflated(megabytes) + bytes(4)


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


def one_name_twice() -> bytes:
    """An archive with two members of one name."""
    return zip_of(("x.npy", seeds.npy()[0]), ("y.npy", seeds.npy()[0])).replace(b"y.npy", b"x.npy")


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


def feature(properties: dict[str, Any]) -> dict[str, Any]:
    """A point with properties."""
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": properties}


def sparse_features(n: int = 20_000) -> bytes:
    """Features that have no property in common: n² cells."""
    return json.dumps({"type": "FeatureCollection", "features": [feature({f"p{k}": k}) for k in range(n)]}).encode()


def nested_property(depth: int) -> bytes:
    """A property in which lists hold lists."""
    return json.dumps(feature({"a": 7})).replace("7", "[" * depth + "]" * depth).encode()


def ply(n: str, *lines: str, body: bytes = b"", order: str = "ascii") -> bytes:
    """A PLY file of so many vertices."""
    head = ("ply", f"format {order} 1.0", *lines[:-1], f"element vertex {n}", lines[-1], "end_header", "")
    return "\n".join(head).encode("latin-1") + body


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


def round_tif() -> bytes:
    """A picture whose directory names itself as the next."""
    tags = (
        (256, 4, 1, 4),
        (257, 4, 1, 4),
        (258, 3, 1, 8),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 8),
        (279, 4, 1, 16),
    )
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(tags)) + entries + struct.pack("<I", 8)


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


def archive_of(tree: Any, **arrays: np.ndarray) -> bytes:
    """A file as `save` writes it, of a Space with that tree."""
    return layers.archived({"format": FORMAT, "version": VERSION, "tree": json.dumps(tree)}, arrays)


def archive_header(text: str) -> bytes:
    """A file as `save` writes it, with that header."""
    held = io.BytesIO()
    np.savez(held, header=np.array(text))
    return held.getvalue()


def las_with(at: int, value: bytes, kind: str = "las") -> bytes:
    """Points with other bytes somewhere."""
    content = bytearray(seeds.las(kind)[0])
    content[at : at + len(value)] = value
    return bytes(content)


def space_tree(**arrays: np.ndarray) -> bytes:
    """A space of points as `save` writes it."""
    metric = {"id": 1, "class": class_name(wt.spaces.Euclidean), "content": {"points": {"id": 2, "array": 0}}}
    content = {"metric": metric, "weights": {"id": 3, "array": 1}, "points": {"same": 2}}
    return archive_of({"id": 0, "class": class_name(wt.Space), "content": content}, **arrays)


def space_header(tree: str) -> bytes:
    """A header around a tree that is given as text."""
    return layers.archived({"format": FORMAT, "version": VERSION, "tree": tree}, {})


def utf16_laughs() -> bytes:
    """Entities in another encoding."""
    said = b'?xml version="1.0" encoding="UTF-16"?'
    return laughs(kind="long").replace(b'?xml version="1.0"?', said).decode().encode("utf-16")
