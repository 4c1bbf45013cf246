"""Finished tiles of long work in a file, so that work that was stopped goes on where it was.

A tile is appended to the file as it ends: its number, a checksum, and its record. What was half written when the work
was killed fails its checksum, and is computed again.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING
from zlib import crc32

import numpy as np

from .progress import Update
from .tasks import Record, Task
from .tiles import Tile

if TYPE_CHECKING:
    from .core import Engine

TILES_SUFFIX = ".tiles"
_HEAD = struct.Struct("<QI")  # number of the tile, checksum of its record


def run_keeping(folder: Path, task: Task, out: Record, engine: Engine) -> None:
    """Read the finished tiles of a task from its file in a folder, compute the others, and add them to the file."""
    path, total = folder / f"{task.fingerprint}{TILES_SUFFIX}", len(task.tiles)
    with path.open("a+b", buffering=0) as stream:  # what is written outlives the process
        finished = set(_restored(stream, task, out))
        numbers = {tile: k for k, tile in enumerate(task.tiles) if k not in finished}

        def append(tile: Tile, record: Record) -> None:
            content = b"".join(array.tobytes() for array in record)
            entry = _HEAD.pack(numbers[tile], crc32(content)) + content
            if stream.write(entry) < len(entry):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

        def progress(update: Update) -> None:
            if callable(engine.progress):
                engine.progress(update._replace(done=update.done + len(finished), total=total))

        replace(engine, folder=None, progress=progress).run(replace(task, tiles=list(numbers), on_record=append), out)


def _restored(stream: IO[bytes], task: Task, out: Record) -> Iterator[int]:
    """Put the records of a file where they belong, and yield their numbers; cut the file off where it is damaged."""
    good = stream.seek(0)
    while len(head := stream.read(_HEAD.size)) == _HEAD.size:
        number, checksum = _HEAD.unpack(head)
        if number >= len(task.tiles):
            break
        record = task.layout.allocate(out, task.tiles[number])
        content = stream.read(sum(array.nbytes for array in record))
        if crc32(content) != checksum:
            break
        ends = np.cumsum([array.nbytes for array in record])[:-1]
        for array, part in zip(record, np.split(np.frombuffer(content, np.uint8), ends), strict=True):
            array[...] = part.view(array.dtype).reshape(array.shape)
        task.layout.store(out, task.tiles[number], record)
        good = stream.tell()
        yield number
    stream.truncate(good)
