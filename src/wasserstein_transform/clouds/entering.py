"""Create the first state of a run: read all points of the source into blocks, check them, and sum the weights."""

from __future__ import annotations

from pathlib import Path

from ..engine import Engine, fingerprint
from .blocks import Block, Damaged, open_block
from .exact_sum import rounded
from .ingest import Digesting, Ingest, Weighing, bytes_of_row, digest_of, ingest, most_rows, weigh
from .points import Scale
from .run_folder import INGEST, RunFolder
from .sources import Source
from .state import State, open_blocks


def enter(folder: RunFolder, source: Source, engine: Engine) -> None:
    """Read all points into blocks, unless that is done; reject a source that has changed."""
    looks = source.looks()
    if folder.manifest.digest is not None:
        if looks != folder.manifest.looks:
            _check_digest(folder, source, engine)
            folder.save(looks=looks)
        return
    folder.save(looks=looks)
    blocks = _ingested(folder, source, engine)
    if source.looks() != looks:
        raise ValueError(f"{source.path} was changed while it was read; call again once it is complete")
    state = State(blocks, sum(block.n for block in blocks), blocks[0].m, None, None)
    _check_size(state, source)
    digest = fingerprint(tuple(block.note["digest"] for block in blocks))
    scale = _scale(blocks, source, engine)
    folder.save(digest=digest, n=state.n, names=source.names(), scale=scale)


def repair(folder: RunFolder, source: Source, engine: Engine) -> None:
    """Read again the parts of the source whose blocks are damaged; the source must be unchanged."""
    for path in folder.blocks(INGEST):
        try:
            open_block(path).verify()
        except Damaged:
            path.unlink()
    digests = tuple(block.note["digest"] for block in _ingested(folder, source, engine))
    if fingerprint(digests) != folder.manifest.digest:
        raise _changed(folder, source)


def _ingested(folder: RunFolder, source: Source, engine: Engine) -> tuple[Block, ...]:
    m, stretches = len(source.names()), source.stretches()
    most = most_rows(m, engine.share())
    largest = min(most, max(stretch.n for stretch in stretches))
    engine.reserve(
        bytes_of_row(m) * largest, f"{largest} rows of {source.path} at a time", "give the engine more memory"
    )
    stamp = fingerprint((folder.manifest.request, folder.manifest.looks))
    at = folder.of_state(INGEST)
    at.mkdir(exist_ok=True)
    jobs = [Ingest(source, stretch, at / f"{k:06}.block", most, stamp) for k, stretch in enumerate(stretches)]
    for leftover in set(folder.blocks(INGEST)) - {job.target for job in jobs}:
        leftover.unlink()
    for _ in engine.each(ingest, [job for job in jobs if not _is_done(job.target, stamp)], "reading points"):
        pass
    return open_blocks([job.target for job in jobs])


def _is_done(path: Path, stamp: str) -> bool:
    try:
        return open_block(path).note.get("stamp") == stamp
    except (Damaged, OSError):
        return False


def _check_digest(folder: RunFolder, source: Source, engine: Engine) -> None:
    """Compare the content of the source with that at the start of the run; names and times may differ."""
    stretches, found = source.stretches(), dict[int, str]()
    most = most_rows(len(source.names()), engine.share())
    jobs = [Digesting(source, stretch, most) for stretch in stretches]
    found.update(engine.each(digest_of, jobs, "comparing points"))
    if fingerprint(tuple(found[k] for k in range(len(jobs)))) != folder.manifest.digest:
        raise _changed(folder, source)


def _changed(folder: RunFolder, source: Source) -> ValueError:
    return ValueError(
        f"{source.path} does not hold the points that the run in {folder.path} began with; "
        "give another folder, or remove this one"
    )


def _check_size(state: State, source: Source) -> None:
    low, high = state.extent.low, state.extent.high
    largest = max(map(abs, (*low, *high)))
    width = max(b - a for a, b in zip(low, high, strict=True))
    if largest > 1e150 or 0 < width < 1e-150:  # squares would overflow or underflow
        raise ValueError(
            f"{source.path}: points must lie between 1e-150 and 1e150, got {largest:g} and a width of {width:g}; "
            "rescale them"
        )


def _scale(blocks: tuple[Block, ...], source: Source, engine: Engine) -> Scale | None:
    """Return the scale of weights to masses of total 1, with the same bits as if all weights were in memory."""
    if source.weights is None:
        return None
    largest = max(block.note["heaviest"] for block in blocks)
    if largest == 0:
        raise ValueError(
            f"{source.path}: weights must have a positive total, all of them are 0; leave weights out for uniform ones"
        )
    jobs = [Weighing(block.path, largest) for block in blocks]
    return Scale(largest, rounded(sum(found for _, found in engine.each(weigh, jobs, "adding weights"))))
