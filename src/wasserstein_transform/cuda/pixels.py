"""Images: moving pixels within their windows until they converge, regions, and colors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.metrics.distances import closed
from ..compute.pixels import motion as on_cpu
from ..compute.pixels.colors import TO_XYZ, WHITE
from ..compute.pixels.patches_jit import Window
from ..compute.pixels.pixels_jit import CYCLES, UNFINISHED
from ..engine import Engine
from .device import Array, Device

_THREADS_PER_BLOCK = 128  # threads per block, one per pixel
_TILE_WIDTH = 16  # pixels of a block along the last axis; a warp takes two rows of them
MAX_LAUNCH_COMPARISONS = 1e10  # some hundredths of a second, so that Ctrl-C works
_MAX_CHANNELS = 32  # a thread holds channels in registers; for more the CPU computes
_MAX_PIXELS = 2**31 - 1  # pixel indices have 32 bits
_MAX_HALF_WINDOW = 2**15  # along the last axis: sums along a run have 32 bits


def shift_pixels(image: on_cpu.Image, window: Window, motion: on_cpu.Motion, engine: Engine, *, device: Device) -> Any:
    """Move each pixel until it converges; modes and iterations stay on the device until they are read.

    Iterations 1–2, 3–4, 5–8 … are separate launches for the pixels that still move, because the pixels of a warp wait
    for the slowest one.
    """
    channels, n = image.values.shape
    shapes = 0 if motion.lam == 0 else on_cpu.SHAPES[image.axes]
    n_bytes = n * (image.values.dtype.itemsize * channels + 8.0 * (2 * shapes + image.axes + channels) + 14.0)
    in_range = channels <= _MAX_CHANNELS and n <= _MAX_PIXELS and window.half.max() < _MAX_HALF_WINDOW
    if not in_range or not device.fits(n_bytes):
        return NotImplemented
    xp, (depth, height, width) = device.xp, (int(side) for side in window.shape)
    values = device.put(image.values)
    tile_width = _THREADS_PER_BLOCK if height == 1 else min(_TILE_WIDTH, 1 << (width - 1).bit_length())
    n_tiles = depth * -(-height // (_THREADS_PER_BLOCK // tile_width)) * -(-width // tile_width)
    kind = "float" if values.dtype == np.float32 else "double"
    constants = {"VALUE": kind, "CHANNELS": channels, "AXES": image.axes, "SHAPES": shapes}
    runs = device.put(np.stack([window.dz, window.dy, window.half]).astype(np.int32))
    pixels, grid = (values, *_mask_on(image.mask, device)), (depth, height, width, runs, len(window.half))

    def launch(
        kernel: str, stage: str, n_blocks: int, n_iter: int, args: tuple[Any, ...], out: tuple[Any, ...]
    ) -> None:
        """Run a kernel some blocks of pixels at a time, each for at most n_iter iterations."""
        size = max(1, int(MAX_LAUNCH_COMPARISONS / (n_iter * on_cpu.window_size(window) * _THREADS_PER_BLOCK)))
        for first in range(0, n_blocks, size):
            engine.check()
            engine.report(stage, first, n_blocks)
            n_threads = min(size, n_blocks - first) * _THREADS_PER_BLOCK
            device.launch(
                "pixels.cu", kernel, n_threads, (*args, first, tile_width, *out), block=_THREADS_PER_BLOCK, **constants
            )
            device.wait()
        engine.report(stage, n_blocks, n_blocks)

    covs = xp.empty((shapes, n) if shapes else (1, 1))  # shapes of neighborhoods, by matrix entry; a dummy without
    if shapes:
        launch("see_shapes", "shapes of neighborhoods", n_tiles, 1, (*pixels, *grid, closed(motion.range)), (covs,))
    out = xp.empty((n, image.axes + channels)), xp.empty_like(covs), xp.empty(n, np.int32), xp.empty(n, np.int8)
    modes, _, n_iter, ends = out
    top = min(closed(motion.spatial), float((np.asarray(window.reach, np.float64) ** 2).sum()))
    radii = closed(motion.spatial), closed(motion.range), 1.0 / motion.lam if motion.lam > 0 else 0.0, top
    args = *pixels, covs, *grid, *radii, float(motion.tol * motion.tol)
    moving, n_moving, begun, n_blocks = xp.empty(1, np.int64), 0, 0, n_tiles
    while n_blocks:
        limit = min(max(2, 2 * begun), motion.n_iter)
        launch("shift", "moving pixels", n_blocks, limit - begun, (*args, begun, limit, moving, n_moving), out)
        moving = xp.flatnonzero(ends == UNFINISHED)
        n_moving, begun = len(moving), limit
        n_blocks = -(-n_moving // _THREADS_PER_BLOCK) if limit < motion.n_iter else 0
    return on_cpu.ConvergedPixels(device.wrap(modes), device.wrap(n_iter), int((ends == CYCLES).sum().item()), n_moving)


def _mask_on(mask: Bools | None, device: Device) -> tuple[Array, bool]:
    """The mask on the device, a dummy array if there is none, and whether there is one."""
    return device.xp.empty(1, np.bool_) if mask is None else device.put(mask), mask is not None


_THREADS_PER_REGION = 128


def link_touching(
    modes: Floats, grid: on_cpu.Grid, links: on_cpu.RegionLinks, engine: Engine, *, device: Device
) -> Any:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    n, columns = modes.shape
    if n > _MAX_PIXELS or not device.fits(n * (8.0 * columns + 30.0)):
        return NotImplemented
    engine.check()
    engine.report("linking pixels", 0, 1)
    xp, (depth, height, width) = device.xp, grid
    mask, has_mask = _mask_on(links.mask, device)
    moved = device.put(modes), columns, links.axes, mask, has_mask
    parent, joined, radii = xp.empty(n, np.int32), xp.empty(n, np.bool_), (links.spatial, links.range)
    rows = depth * height
    device.launch("links.cu", "link_rows", 32 * rows, (*moved, rows, width, *radii, parent, joined))
    for stride, extent in ((width, height), (width * height, depth)):
        if extent > 1:
            args = *moved, n, stride, extent, *radii, joined, parent
            device.launch("links.cu", "link_across", n, args)
    device.launch("links.cu", "find_roots", n, (n, parent))
    first = parent == xp.arange(n, dtype=np.int32)  # regions are numbered by their first pixels, which are their roots
    numbers = xp.cumsum(first & mask if has_mask else first)
    labels = xp.take(numbers, parent) - 1
    return np.asarray(device.fetch(xp.where(mask, labels, -1) if has_mask else labels)), int(numbers[-1].item())


def region_sums(labels: Ints, values: Floats, first: int, engine: Engine, *, device: Device) -> Any:
    """Sums over each region, computed by a block of threads each, and sizes."""
    n_bytes = labels.size * (8.0 * values.shape[1] + 60.0)  # most of it for sorting
    if labels.size > _MAX_PIXELS or not device.fits(n_bytes):
        return NotImplemented
    engine.check()
    xp, rows = device.xp, device.put(values)
    flat = device.put(labels.ravel()).astype(np.int32)
    count, columns = int(flat.max().item()) + 1, values.shape[1]
    order = xp.argsort(flat, kind="stable")
    starts = xp.searchsorted(xp.take(flat, order), xp.arange(count + 1, dtype=np.int32))
    sums = xp.empty((count, columns - first))
    args = rows, columns, first, order, starts, count, sums
    device.launch("regions.cu", "sum_regions", _THREADS_PER_REGION * count, args, block=_THREADS_PER_REGION)
    return np.asarray(device.fetch(sums)), np.diff(device.fetch(starts))


_CODE_OF_TYPE = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2, np.dtype(np.float32): 4, np.dtype(np.float64): 8}
_CODE_OF_SPACE = {None: 0, "rgb": 1, "luv": 2, "lab": 3}


def _can_convert(picture: on_cpu.Picture, device: Device) -> bool:
    """Whether the device can do this."""
    n, channels = picture.flat.shape
    return picture.flat.dtype in _CODE_OF_TYPE and device.fits(24.0 * n * channels)


def range_features(picture: on_cpu.Picture, engine: Engine, *, device: Device) -> Any:
    """The range features, which stay on the device until they are read."""
    if not _can_convert(picture, device):
        return NotImplemented
    engine.check()
    flat, xp = device.put(picture.flat), device.xp
    if picture.space is None:
        values = xp.ascontiguousarray(flat.T.astype(picture.precision))
    else:
        values = xp.empty((3, len(flat)), picture.precision)
        args = flat, *flat.shape, on_cpu.full_intensity(flat.dtype), _color_numbers(device), values
        device.launch("colors.cu", "to_features", len(flat), args, **_constants(picture))
    inside = values
    if picture.mask is not None:
        mask = device.put(picture.mask)
        inside, values = values[:, mask], xp.where(mask, values, values.dtype.type(on_cpu.mask_value(values.dtype)))
    return on_cpu.Features(device.wrap(values), float(inside.min().item()), float(inside.max().item()))


def painted(picture: on_cpu.Picture, modes: Floats, engine: Engine, *, device: Device) -> Any:
    """The image with other range features, on the host."""
    if not _can_convert(picture, device):
        return NotImplemented
    engine.check()
    flat, rows = device.put(picture.flat), device.put(modes)
    out = flat.copy()
    mask = _mask_on(picture.mask, device)
    args = rows, rows.shape[1], *mask, *flat.shape, on_cpu.full_intensity(flat.dtype), _color_numbers(device), out
    device.launch("colors.cu", "paint", len(flat), args, **_constants(picture))
    return device.fetch(out)


def _constants(picture: on_cpu.Picture) -> dict[str, Any]:
    kind = "float" if picture.precision == np.float32 else "double"
    return {"DEPTH": _CODE_OF_TYPE[picture.flat.dtype], "SPACE": _CODE_OF_SPACE[picture.space], "VALUE": kind}


def _color_numbers(device: Device) -> Array:
    return device.put(np.concatenate([WHITE, TO_XYZ.ravel(), np.linalg.inv(TO_XYZ).ravel()]))
