"""Points of a source on their way into blocks."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..engine import Engine, fingerprint
from ..localize import Extrinsic, Kernel
from ..transforms import Process, Transform
from ..transport import Bures, DiracDistance
from .blocks import Block, Damaged, open_block, writing_block
from .folder import INGEST, RunFolder
from .points import Points, Scale, exact_sum, rounded
from .sources import Rows, Source, Stretch
from .state import State, open_blocks

_TAKEN = 3.0  # copies of the rows in memory while they are read, checked and sorted
_SHARE = 0.5  # of the memory limit: file readers use some memory of their own
_KEYS = 40.0  # bytes per row for row numbers, keys and order


class Ingest(NamedTuple):
    """A job: read a stretch of rows and write it as a block."""

    source: Source
    stretch: Stretch
    target: Path
    most: int
    stamp: str


def most_rows(m: int, limit: float) -> int:
    """Return how many rows fit in a limit of memory at a time."""
    return int(max(1024, min(1 << 22, _SHARE * limit / bytes_of_row(m))))


def bytes_of_row(m: int) -> float:
    """Return the bytes of memory per row while it is read, checked, sorted and written."""
    return _TAKEN * 8.0 * (m + 2) + _KEYS


def ingest(job: Ingest, engine: Engine) -> str:
    """Write the block of a stretch; return the digest of the rows."""
    columns = ("rows", "places") if job.source.weights is None else ("rows", "places", "weights", "massless")
    digest = Digest()
    heaviest = 0.0
    with writing_block(job.target, columns, len(job.source.names())) as writer:
        for rows in job.source.read(job.stretch, job.most):
            engine.check()
            digest.add(rows)
            heaviest = max(heaviest, 0.0 if rows.weights is None else float(rows.weights.max(initial=0.0)))
            writer.add(_points(rows))
        note = {"stamp": job.stamp, "digest": digest.text, "heaviest": heaviest}
        writer.finish(note)
    return digest.text


def _points(rows: Rows) -> Points:
    numbers = np.arange(rows.first, rows.first + len(rows.points))
    if rows.weights is None:
        return Points(numbers, rows.points)
    return Points(numbers, rows.points, None, rows.weights, np.zeros(len(numbers), np.uint8))


class Digest:
    """Digest of a stretch of rows, 32 hex digits; it does not depend on how many rows are read at a time."""

    def __init__(self) -> None:
        self._points, self._weights = (hashlib.blake2b(digest_size=16) for _ in range(2))

    def add(self, rows: Rows) -> None:
        """Add the next rows."""
        self._points.update(rows.points.data)
        if rows.weights is not None:
            self._weights.update(rows.weights.data)

    @property
    def text(self) -> str:
        """Digest of all rows so far."""
        return hashlib.blake2b(self._points.digest() + self._weights.digest(), digest_size=16).hexdigest()


class Digesting(NamedTuple):
    """A job: compute the digest of a stretch of rows."""

    source: Source
    stretch: Stretch
    most: int


def digest_of(job: Digesting, engine: Engine) -> str:
    """Return the digest of a stretch."""
    digest = Digest()
    for rows in job.source.read(job.stretch, job.most):
        engine.check()
        digest.add(rows)
    return digest.text


class Weighing(NamedTuple):
    """A job: sum the weights of a block, in units of the largest weight of all."""

    path: Path
    largest: float


def weigh(job: Weighing, engine: Engine) -> int:
    """Return the exact sum of the weights of a block."""
    block, total = open_block(job.path), 0
    for columns in block.read_columns(block.all_chunks, ("weights",)):
        engine.check()
        total += exact_sum(columns["weights"] / job.largest)
    return total


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


_INSTEAD = "use wt.mean_shift or wt.gaussian_transform, or wt.iterate in memory"


def check_process(process: Process, n_iter: int) -> None:
    """Reject steps that cannot be computed part by part, with the reason."""
    n_steps = 1 if isinstance(process.step, Transform) else max(n_iter, 1)
    for step in [process.start, *(process.at(k) for k in range(n_steps))]:
        if step is not None:
            _check_step(step)


def _check_step(step: Transform) -> None:
    localize, transport = step.localize, step.transport
    if not isinstance(transport, DiracDistance | Bures):
        raise ValueError(
            f"a stored cloud moves its points, but {transport!r} makes a metric without points, of n × n distances; "
            f"{_INSTEAD}"
        )
    if not isinstance(localize, Extrinsic) or not issubclass(localize.makes, transport.accepts):
        raise ValueError(f"{transport!r} needs {transport.accepts.__name__}, got {localize!r}; {_INSTEAD}")
    base = localize.base
    if not isinstance(base, Kernel) or callable(base.profile):
        raise ValueError(
            f"a stored cloud needs neighborhoods by a kernel with a named profile, such as Truncation(eps), "
            f"got {base!r}; {_INSTEAD}"
        )
    if not np.isfinite(base.reach):
        raise ValueError(
            f"a stored cloud needs a kernel of finite reach, and {base!r} reaches everywhere; give it a cut, as in "
            f"Kernel({base.eps!r}, {base.profile!r}, cut=3), or use another profile"
        )
