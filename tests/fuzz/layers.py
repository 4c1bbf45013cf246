"""What files are made of: a change inside of a layer leaves what is around it right, checksums included."""

from __future__ import annotations

import bz2 as _bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from wasserstein_transform._archive import fingerprint

Change: TypeAlias = Callable[[bytes], bytes]
Layer: TypeAlias = Callable[[bytes, Change, int], bytes]
"""Makes a new file of a file, a change, and a number that chooses what is changed where there are several parts."""

_STAMP = (1980, 1, 1, 0, 0, 0)


def plain(content: bytes, change: Change, part: int) -> bytes:
    """The file as it is."""
    return change(content)


def gz(content: bytes, change: Change, part: int) -> bytes:
    """What is packed."""
    return gzip.compress(change(gzip.decompress(content)), 1, mtime=0)


def xz(content: bytes, change: Change, part: int) -> bytes:
    """What is packed."""
    return lzma.compress(change(lzma.decompress(content)), preset=0)


def bz2(content: bytes, change: Change, part: int) -> bytes:
    """What is packed."""
    return _bz2.compress(change(_bz2.decompress(content)), 1)


def members(content: bytes, change: Change, part: int) -> bytes:
    """A member of an archive."""
    inside = _members(content)
    chosen = list(inside)[part % len(inside)]
    return zipped({**inside, chosen: change(inside[chosen])})


def archive(content: bytes, change: Change, part: int) -> bytes:
    """An array of a file that `save` wrote, with its fingerprint made anew."""
    arrays = _arrays(content)
    header = json.loads(str(arrays.pop("header")))
    name = list(arrays)[part % len(arrays)]
    arrays[name] = _changed(arrays[name], change)
    return archived(header, arrays)


def tree(content: bytes, change: Change, part: int) -> bytes:
    """The tree of names and numbers of a file that `save` wrote, with its fingerprint made anew."""
    arrays = _arrays(content)
    header = json.loads(str(arrays.pop("header")))
    header["tree"] = change(header["tree"].encode()).decode("latin-1")
    return archived(header, arrays)


def png(content: bytes, change: Change, part: int) -> bytes:
    """A chunk of a picture, the pixels unpacked."""
    signature, at, chunks = content[:8], 8, []
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        chunks.append((content[at + 4 : at + 8], content[at + 8 : at + 8 + length]))
        at += 12 + length
    k = part % len(chunks)
    kind, inside = chunks[k]
    chunks[k] = kind, zlib.compress(change(zlib.decompress(inside)), 1) if kind == b"IDAT" else change(inside)
    return signature + b"".join(_chunk(*chunk) for chunk in chunks)


def zipped(inside: dict[str, bytes]) -> bytes:
    """An archive of these members."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, member in inside.items():
            archive.writestr(zipfile.ZipInfo(name, _STAMP), member)
    return held.getvalue()


def archived(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A file as `save` writes it, whatever is in it."""
    plain = tuple(arrays[f"a{k}"] for k in range(len(arrays)))
    header["fingerprint"] = fingerprint((header["tree"], plain))
    held = io.BytesIO()
    np.savez(held, header=np.array(json.dumps(header)), **arrays)
    return held.getvalue()


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as stored:
        return {name: stored[name] for name in stored.files}


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _changed(array: np.ndarray, change: Change) -> np.ndarray:
    """Other numbers, and as many of them as there are then."""
    raw = change(array.tobytes())
    raw = raw[: len(raw) // array.dtype.itemsize * array.dtype.itemsize]
    flat = np.frombuffer(raw, array.dtype)
    return flat.reshape(array.shape) if flat.size == array.size else flat


def _npy(array: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.save(held, array, allow_pickle=False)
    return held.getvalue()


def _chunk(kind: bytes, inside: bytes) -> bytes:
    return struct.pack(">I", len(inside)) + kind + inside + struct.pack(">I", zlib.crc32(kind + inside))
