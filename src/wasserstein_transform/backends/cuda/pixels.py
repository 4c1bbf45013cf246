"""Move the pixels of an image within their windows until they converge."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._types import Bools
from ...engine import Engine
from ...kernels.patches import Window
from ...kernels.pixels import SWINGS, UNFINISHED
from ..images import SHAPES, Image, Motion, Moved, window_size
from ..records import closed
from .device import Array, Device

_BLOCK = 128  # threads per block, one per pixel
_WIDE = 16  # pixels of a block along the last axis; a warp takes two rows of them
_LAUNCH = 1e10  # comparisons per launch, some hundredths of a second, so that Ctrl-C works
_MOST_CHANNELS = 32  # a thread holds channels in registers; for more the CPU computes
MOST_PIXELS = 2**31 - 1  # pixel indices have 32 bits
_FARTHEST = 2**15  # largest window along the last axis: sums along a run have 32 bits


def can_shift(image: Image, window: Window, motion: Motion, device: Device) -> bool:
    """Whether the device can do this: memory and number ranges suffice."""
    channels, n = image.values.shape
    fits = device.fits(n * _bytes_of_pixel(image, motion))
    return bool(channels <= _MOST_CHANNELS and n <= MOST_PIXELS and window.half.max() < _FARTHEST and fits)


def _bytes_of_pixel(image: Image, motion: Motion) -> float:
    channels = len(image.values)
    shapes = 0 if motion.lam == 0 else SHAPES[image.axes]
    return image.values.dtype.itemsize * channels + 8.0 * (2 * shapes + image.axes + channels) + 14.0


class _Work(NamedTuple):
    """The first arguments of both kernels, their constants, and the tiles of the image."""

    image: tuple[Any, ...]
    grid: tuple[Any, ...]
    constants: dict[str, Any]
    wide: int
    n_tiles: int
    size: float


def shift_pixels(image: Image, window: Window, motion: Motion, device: Device, engine: Engine) -> Moved:
    """Move each pixel until it converges; modes and iterations stay on the device until they are read.

    Iterations 1–2, 3–4, 5–8 … are separate launches for the pixels that still move, because the pixels of a warp wait
    for the slowest one.
    """
    channels, n = image.values.shape
    xp, work = device.xp, _work(image, window, motion, device)
    covs = _shapes(work, closed(motion.range), n, device, engine)
    out = xp.empty((n, image.axes + channels)), xp.empty_like(covs), xp.empty(n, np.int32), xp.empty(n, np.int8)
    modes, _, n_iter, ends = out
    top = min(closed(motion.spatial), float((np.asarray(window.reach, np.float64) ** 2).sum()))
    radii = closed(motion.spatial), closed(motion.range), 1.0 / motion.lam if motion.lam > 0 else 0.0, top
    args = *work.image, covs, *work.grid, *radii, float(motion.tol * motion.tol)
    listed, n_listed, begun, blocks = xp.empty(1, np.int64), 0, 0, work.n_tiles
    while blocks:
        limit = min(max(2, 2 * begun), motion.n_iter)
        given = *args, begun, limit, listed, n_listed
        stage = _Stage("shift", "moving pixels", blocks, limit - begun)
        _launch(stage, work, given, out, device, engine)
        listed = xp.flatnonzero(ends == UNFINISHED)
        n_listed, begun = len(listed), limit
        blocks = -(-n_listed // _BLOCK) if limit < motion.n_iter else 0
    return Moved(device.handed_out(modes), device.handed_out(n_iter), int((ends == SWINGS).sum().item()), n_listed)


def _work(image: Image, window: Window, motion: Motion, device: Device) -> _Work:
    depth, height, width = (int(side) for side in window.shape)
    values, mask = device.put(image.values), mask_on(image.mask, device)
    runs = device.put(np.stack([window.dz, window.dy, window.half]).astype(np.int32))
    kind = "float" if values.dtype == np.float32 else "double"
    shapes = 0 if motion.lam == 0 else SHAPES[image.axes]
    wide = _BLOCK if height == 1 else min(_WIDE, 1 << (width - 1).bit_length())
    n_tiles = depth * -(-height // (_BLOCK // wide)) * -(-width // wide)
    constants = {"VALUE": kind, "CHANNELS": len(values), "AXES": image.axes, "SHAPES": shapes}
    grid = depth, height, width, runs, len(window.half)
    return _Work((values, mask, image.mask is not None), grid, constants, wide, n_tiles, window_size(window))


def mask_on(mask: Bools | None, device: Device) -> Array:
    """The mask on the device; a dummy array if there is none."""
    return device.xp.empty(1, np.bool_) if mask is None else device.put(mask)


def _shapes(work: _Work, reach: float, n: int, device: Device, engine: Engine) -> Array:
    """The shape of the neighborhood of each pixel, stored by matrix entry; a dummy array without shapes."""
    shapes = work.constants["SHAPES"]
    covs = device.xp.empty((max(shapes, 1), n if shapes else 1))
    if shapes:
        stage = _Stage("see_shapes", "shapes of neighborhoods", work.n_tiles, 1)
        _launch(stage, work, (*work.image, *work.grid, reach), (covs,), device, engine)
    return covs


class _Stage(NamedTuple):
    """A kernel, its name in progress reports, the number of blocks of pixels, and the most iterations of each."""

    kernel: str
    name: str
    n_blocks: int
    n_iter: int


def _launch(
    stage: _Stage, work: _Work, args: tuple[Any, ...], out: tuple[Array, ...], device: Device, engine: Engine
) -> None:
    """Run a kernel some blocks at a time."""
    at_once = max(1, int(_LAUNCH / (stage.n_iter * work.size * _BLOCK)))
    for first in range(0, stage.n_blocks, at_once):
        engine.check()
        engine.report(stage.name, first, stage.n_blocks)
        blocks = min(at_once, stage.n_blocks - first)
        given = *args, first, work.wide, *out
        device.launch("pixels.cu", stage.kernel, blocks * _BLOCK, given, block=_BLOCK, **work.constants)
        device.wait()
    engine.report(stage.name, stage.n_blocks, stage.n_blocks)
