"""Move the pixels of an image within their windows until they converge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...engine import GRAIN, Engine, Flag, Place, Record, Rows, Task, Tile, evenly
from ...kernels.levels import shift_levels
from ...kernels.patches import PAD, Patch, Window
from ...kernels.pixels import SWINGS, UNFINISHED, Swing, first_covs, shift
from ..images import SHAPES, Counts, Image, Motion, Moved, window_size
from ..records import closed

_STEPS = 5.0  # approximate number of iterations of a pixel
_LEVELS = 4096  # most levels of a histogram, which must fit the cache


class _Out(NamedTuple):
    """The output of both methods, one row per pixel."""

    modes: Floats
    n_iter: Counts
    ends: NDArray[np.int8]


def shift_pixels(image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
    """Move each pixel until it converges. Images of few gray levels use histograms: faster, with the same result."""
    channels, n = image.values.shape
    shapes = 0 if motion.lam == 0 else SHAPES[image.axes]
    out = _Out(np.empty((n, image.axes + channels)), np.empty(n, np.int32), np.empty(n, np.int8))
    levels = _levels(image, motion, window_size(window))
    if levels is not None:
        _by_levels(levels, window, motion, out, engine)
    else:
        _by_windows(image, window, motion, shapes, out, engine)
    ends = out.ends
    if image.mask is not None:
        ends, outside = ends[image.mask], ~image.mask
        out.modes[outside], out.n_iter[outside] = np.nan, 0
    swinging, unfinished = (int(np.count_nonzero(ends == end)) for end in (SWINGS, UNFINISHED))
    return Moved(out.modes, out.n_iter, swinging, unfinished)


class _Levels(NamedTuple):
    """An image with few values: the values, and the index of the value of each pixel; len(known) outside the mask."""

    known: Floats
    of: NDArray[np.uint16]


def _levels(image: Image, motion: Motion, size: float) -> _Levels | None:
    """The levels of an image of one channel; None if windows are faster. A sample of pixels is tested first."""
    values, mask = image.values, image.mask
    if motion.lam > 0 or len(values) > 1:
        return None
    inside = values[0] if mask is None else values[0, mask]
    if len(np.unique(inside[:: max(1, len(inside) // 10_000)])) > _LEVELS:
        return None
    known, found = np.unique(inside, return_inverse=True)
    wide = np.searchsorted(known, known.astype(np.float64) + 2 * motion.range) - np.arange(len(known))
    if len(known) > _LEVELS or wide.max() > size:
        return None
    of = np.full(values.shape[1], len(known), np.uint16)
    of[... if mask is None else mask] = found
    return _Levels(known.astype(np.float64), of)


class _Slides(NamedTuple):
    levels: _Levels
    window: Window
    reach: float
    still: float
    max_iter: int


def _by_levels(levels: _Levels, window: Window, motion: Motion, out: _Out, engine: Engine) -> None:
    asked = _Slides(levels, window, closed(motion.range), motion.tol * motion.tol, motion.n_iter)
    grain = max(float(window.shape[2]), GRAIN / (100 * len(window.half)))  # at least one row
    engine.run(Task("moving pixels", _slide, asked, evenly(len(levels.of), 1.0, grain), Rows()), out)


def _slide(asked: _Slides, tile: Tile, stop: Flag, record: Record) -> None:
    (known, of), window, reach, still, max_iter = asked
    histogram, (modes, n_iter, ends) = np.empty((len(known) + 1, 4)), record
    shift_levels(of, known, window, reach, still, max_iter, *tile, histogram, modes, n_iter, ends, stop)


class _Shapes(NamedTuple):
    values: Floats
    window: Window
    axes: int
    alike: float


class _Shifts(NamedTuple):
    values: Floats
    covs: Floats
    window: Window
    axes: int
    lam: float
    near: float
    alike: float
    still: float
    max_iter: int


def _by_windows(image: Image, window: Window, motion: Motion, shapes: int, out: _Out, engine: Engine) -> None:
    n = image.values.shape[1]
    covs = np.zeros((shapes, n))
    near, alike, still = closed(motion.spatial), closed(motion.range), motion.tol * motion.tol
    tiles = evenly(n, _STEPS * window_size(window), max(GRAIN / 16, GRAIN * n / 1e7))
    if shapes:
        seen = _Shapes(image.values, window, image.axes, alike)
        engine.run(Task("shapes of neighborhoods", _see, seen, tiles, _Columns()), (covs,))
    asked = _Shifts(image.values, covs, window, image.axes, motion.lam, near, alike, still, motion.n_iter)
    engine.run(Task("moving pixels", _shift, asked, tiles, Rows()), out)


def _see(asked: _Shapes, tile: Tile, stop: Flag, record: Record) -> None:
    values, window = _part(asked.values, asked.window, tile)
    channels, shapes = len(values), len(record[0])
    patch, unknown = _patch(window, channels, 0), np.empty((shapes, 0))
    state, sums = np.empty(channels + shapes), np.empty(9 + channels)
    first_covs(values, unknown, window, *asked[2:], *tile, patch, state, sums, record[0], stop)


def _shift(asked: _Shifts, tile: Tile, stop: Flag, record: Record) -> None:
    values, window = _part(asked.values, asked.window, tile)
    channels, shapes = len(values), len(asked.covs)
    patch, size = _patch(window, channels, shapes), channels + shapes
    swing = Swing(np.empty(size), np.empty(size), np.empty(size), np.empty(4 + size))
    sums, mean, (modes, n_iter, ends) = np.empty(9 + channels), np.empty(3), record
    shift(values, asked.covs, window, *asked[3:], *tile, patch, swing, sums, mean, modes, n_iter, ends, stop)


def _part(values: Floats, window: Window, tile: Tile) -> tuple[Floats, Window]:
    """The values in the windows of a tile, in double precision, which is faster."""
    _, height, width = window.shape
    reach = int(((window.dz * height + window.dy) * width + window.half).max())
    base = max(0, tile.start - reach)
    return values[:, base : tile.stop + reach].astype(np.float64), window._replace(base=base)


def _patch(window: Window, channels: int, shapes: int) -> Patch:
    """Memory for a whole window, padded."""
    n = -(-int(window_size(window)) // PAD) * PAD
    offsets, values, entries = (np.empty((count, n)) for count in (4, channels, shapes))
    return Patch(np.empty(n, np.intp), offsets, values, entries, np.empty(n), np.empty(n), np.zeros(3, np.intp))


@dataclass(frozen=True)
class _Columns(Place):
    """Columns start…stop: shapes are stored by matrix entry, as windows read them."""

    def view(self, out: Record, tile: Tile) -> Record:
        return tuple(array[:, tile.start : tile.stop] for array in out)

    def blank(self, out: Record, tile: Tile) -> Record:
        return tuple(np.empty(part.shape, part.dtype) for part in self.view(out, tile))

    def put(self, out: Record, tile: Tile, record: Record) -> None:
        for target, values in zip(self.view(out, tile), record, strict=True):
            target[...] = values
