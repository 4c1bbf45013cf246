"""Read the points of a source into blocks."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ..engine import Engine, fingerprint
from .blocks import Block, CloudPoints, WeightScale, has_stamp, is_undamaged, open_block, writing_block
from .folder import INGEST, RunFolder
from .sources import CloudSource, RowRange
from .state import State

_COPIES = 3.0  # of the rows in memory while they are read, checked and sorted
_READ_SHARE = 0.5  # of the memory limit: file readers use some memory of their own
_KEY_BYTES = 40.0  # per row, for row numbers, keys and order
_MIN_ROWS, _MAX_ROWS = 1 << 10, 1 << 22  # read at a time


def ingest(folder: RunFolder, source: CloudSource, engine: Engine) -> None:
    """Read all points into blocks, unless that is done; reject a source that has changed."""
    files = source.describe_files()
    if folder.manifest.digest is not None:
        if files != folder.manifest.files:
            _check_digest(folder, source, engine)
            folder.save(files=files)
        return
    folder.save(files=files)
    blocks = _write_blocks(folder, source, engine)
    if source.describe_files() != files:
        raise ValueError(f"{source.path} was changed while it was read; call again once it is complete")
    state = State(blocks, sum(block.n for block in blocks), blocks[0].m, None, None)
    _check_extent(state, source)
    digest = fingerprint(tuple(block.note["digest"] for block in blocks))
    folder.save(digest=digest, n=state.n, names=source.names(), scale=_scale_of(blocks, source, engine))


def repair(folder: RunFolder, source: CloudSource, engine: Engine) -> None:
    """Read again the parts of the source whose blocks are damaged; the source must be unchanged."""
    for path in folder.blocks(INGEST):
        if not is_undamaged(path):
            path.unlink()
    digests = tuple(block.note["digest"] for block in _write_blocks(folder, source, engine))
    if fingerprint(digests) != folder.manifest.digest:
        raise _changed_error(folder, source)


def _write_blocks(folder: RunFolder, source: CloudSource, engine: Engine) -> tuple[Block, ...]:
    """Write the missing blocks; return all of them."""
    m, ranges = len(source.names()), source.ranges()
    max_rows = _rows_at_a_time(m, engine)
    largest = min(max_rows, max(rows.n for rows in ranges))
    engine.reserve(_row_bytes(m) * largest, f"{largest} rows of {source.path} at a time", "give the engine more memory")
    stamp = fingerprint((folder.manifest.request, folder.manifest.files))
    at = folder.of_state(INGEST)
    at.mkdir(exist_ok=True)
    targets = {_block_path(at, rows): rows for rows in ranges}
    for leftover in set(folder.blocks(INGEST)) - set(targets):
        leftover.unlink()
    missing = [rows for path, rows in targets.items() if not has_stamp(path, stamp)]
    write = partial(write_block, folder=at, source=source, max_rows=max_rows, stamp=stamp)
    for _ in engine.each(write, missing, "reading points"):
        pass
    return tuple(map(open_block, targets))


def _block_path(folder: Path, rows: RowRange) -> Path:
    return folder / f"{rows.first:012}.block"


def _rows_at_a_time(m: int, engine: Engine) -> int:
    return int(max(_MIN_ROWS, min(_MAX_ROWS, _READ_SHARE * engine.share() / _row_bytes(m))))


def _row_bytes(m: int) -> float:
    """Return the bytes of memory per row while it is read, checked, sorted and written."""
    return _COPIES * 8.0 * (m + 2) + _KEY_BYTES


def write_block(
    rows: RowRange, engine: Engine, *, folder: Path, source: CloudSource, max_rows: int, stamp: str
) -> None:
    """Write a range of rows as a block, with the digest of the rows; a job."""
    columns = ("rows", "places") if source.weights is None else ("rows", "places", "weights", "massless")
    digest, heaviest = hashlib.blake2b(digest_size=16), 0.0
    with writing_block(_block_path(folder, rows), columns, len(source.names())) as writer:
        for batch in source.read(rows, max_rows):
            engine.check()
            digest.update(batch.table().data)
            numbers = np.arange(batch.first, batch.first + len(batch.points))
            massless = None if batch.weights is None else np.zeros(len(numbers), np.uint8)
            heaviest = max(heaviest, 0.0 if batch.weights is None else float(batch.weights.max(initial=0.0)))
            writer.add(CloudPoints(numbers, batch.points, None, batch.weights, massless))
        writer.finish({"stamp": stamp, "digest": digest.hexdigest(), "heaviest": heaviest})


def compute_digest(rows: RowRange, engine: Engine, *, source: CloudSource, max_rows: int) -> str:
    """Return the digest of a range of rows, which does not depend on `max_rows`; a job."""
    digest = hashlib.blake2b(digest_size=16)
    for batch in source.read(rows, max_rows):
        engine.check()
        digest.update(batch.table().data)
    return digest.hexdigest()


def _check_digest(folder: RunFolder, source: CloudSource, engine: Engine) -> None:
    """Compare the content of the source with that at the start of the run; names and times may differ."""
    ranges = source.ranges()
    compute = partial(compute_digest, source=source, max_rows=_rows_at_a_time(len(source.names()), engine))
    digests = dict(engine.each(compute, ranges, "comparing points"))
    if fingerprint(tuple(digests[k] for k in range(len(ranges)))) != folder.manifest.digest:
        raise _changed_error(folder, source)


def _changed_error(folder: RunFolder, source: CloudSource) -> ValueError:
    return ValueError(
        f"{source.path} does not hold the points that the run in {folder.path} began with; "
        "give another folder, or remove this one"
    )


def _check_extent(state: State, source: CloudSource) -> None:
    low, high = state.extent.low, state.extent.high
    largest = max(map(abs, (*low, *high)))
    width = max(b - a for a, b in zip(low, high, strict=True))
    if largest > 1e150 or 0 < width < 1e-150:  # squares would overflow or underflow
        raise ValueError(
            f"{source.path}: points must lie between 1e-150 and 1e150, got {largest:g} and a width of {width:g}; "
            "rescale them"
        )


def _scale_of(blocks: tuple[Block, ...], source: CloudSource, engine: Engine) -> WeightScale | None:
    """Return the scale of weights to masses of total 1, with the same bits as if all weights were in memory."""
    if source.weights is None:
        return None
    largest = max(block.note["heaviest"] for block in blocks)
    if largest == 0:
        raise ValueError(
            f"{source.path}: weights must have a positive total, all of them are 0; leave weights out for uniform ones"
        )

    def relative_weights() -> Iterator[float]:
        for k, block in enumerate(blocks):
            engine.report("adding weights", k, len(blocks))
            for columns in block.read_columns(block.all_chunks, ("weights",)):
                engine.check()
                yield from (columns["weights"] / largest).tolist()

    return WeightScale(largest, math.fsum(relative_weights()))
