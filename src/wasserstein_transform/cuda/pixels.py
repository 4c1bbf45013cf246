"""Move the pixels of an image within their windows until they converge."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.colors import TO_XYZ, WHITE
from ..compute.distances import closed
from ..compute.pixels import SHAPES, Features, Grid, Image, Links, Motion, Moved, Picture, full, nobody, window_size
from ..engine import Engine
from ..kernels.patches import Window
from ..kernels.pixels import SWINGS, UNFINISHED
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


def shift_pixels(image: Image, window: Window, motion: Motion, engine: Engine, *, device: Device) -> Any:
    """Move each pixel until it converges; modes and iterations stay on the device until they are read.

    Iterations 1–2, 3–4, 5–8 … are separate launches for the pixels that still move, because the pixels of a warp wait
    for the slowest one.
    """
    if not can_shift(image, window, motion, device):
        return NotImplemented
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


_REGION_BLOCK = 128


def can_link(modes: Floats, device: Device) -> bool:
    """Whether the device can link the pixels."""
    n, columns = modes.shape
    return n <= MOST_PIXELS and device.fits(n * (8.0 * columns + 30.0))


def link_touching(modes: Floats, grid: Grid, links: Links, engine: Engine, *, device: Device) -> Any:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    if not can_link(modes, device):
        return NotImplemented
    engine.check()
    engine.report("linking pixels", 0, 1)
    xp, (depth, height, width), n = device.xp, grid, len(modes)
    mask = mask_on(links.mask, device)
    seen = device.put(modes), modes.shape[1], links.axes, mask, links.mask is not None
    parent, joined, radii = xp.empty(n, np.int32), xp.empty(n, np.bool_), (links.spatial, links.range)
    rows = depth * height
    device.launch("links.cu", "link_rows", 32 * rows, (*seen, rows, width, *radii, parent, joined))
    for stride, extent in ((width, height), (width * height, depth)):
        if extent > 1:
            args = *seen, n, stride, extent, *radii, joined, parent
            device.launch("links.cu", "link_across", n, args)
    device.launch("links.cu", "find_roots", n, (n, parent))
    return _numbered(parent, None if links.mask is None else mask, device)


def _numbered(roots: Array, mask: Array | None, device: Device) -> tuple[Ints, int]:
    """Number the regions 0, 1, … by their first pixels, which are their roots."""
    xp = device.xp
    first = roots == xp.arange(len(roots), dtype=np.int32)
    if mask is not None:
        first &= mask
    numbers = xp.cumsum(first)
    count = int(numbers[-1].item())
    labels = xp.take(numbers, roots) - 1
    if mask is not None:
        labels = xp.where(mask, labels, -1)
    return np.asarray(device.fetch(labels)), count


def can_sum(labels: Ints, values: Floats, device: Device) -> bool:
    """Whether the device can compute sums over regions: sorting takes most of the memory."""
    return labels.size <= MOST_PIXELS and device.fits(labels.size * (8.0 * values.shape[1] + 60.0))


def region_sums(labels: Ints, values: Floats, first: int, engine: Engine, *, device: Device) -> Any:
    """Sums over each region, computed by a block of threads each, and sizes."""
    if not can_sum(labels, values, device):
        return NotImplemented
    engine.check()
    xp, seen = device.xp, device.put(values)
    flat = device.put(labels.ravel()).astype(np.int32)
    count, columns = int(flat.max().item()) + 1, values.shape[1]
    order = xp.argsort(flat, kind="stable")
    starts = xp.searchsorted(xp.take(flat, order), xp.arange(count + 1, dtype=np.int32))
    sums = xp.empty((count, columns - first))
    args = seen, columns, first, order, starts, count, sums
    device.launch("regions.cu", "sum_regions", _REGION_BLOCK * count, args, block=_REGION_BLOCK)
    return np.asarray(device.fetch(sums)), np.diff(device.fetch(starts))


def can_compare(labels: Ints, device: Device) -> bool:
    """Whether the device can find the borders."""
    return device.fits(80.0 * labels.size)


def touching(labels: Ints, engine: Engine, *, device: Device) -> Any:
    """Pairs of adjacent regions, each once."""
    if not can_compare(labels, device):
        return NotImplemented
    engine.check()
    xp, there = device.xp, device.put(labels)
    count = max(int(there.max().item()) + 1, 1)
    found = [_keys(there, axis, count, xp) for axis in range(labels.ndim)]
    keys = device.fetch(xp.unique(xp.concatenate(found)))
    return np.stack(np.divmod(keys, count), axis=1)


def _keys(labels: Array, axis: int, count: int, xp: Array) -> Array:
    """A number for each pair of adjacent pixels of different regions."""
    before, after = ((slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None)))
    one, other = labels[before], labels[after]
    border = (one != other) & (one >= 0) & (other >= 0)
    one, other = one[border], other[border]
    return xp.minimum(one, other) * count + xp.maximum(one, other)


_DEPTHS = {np.dtype(np.uint8): 1, np.dtype(np.uint16): 2, np.dtype(np.float32): 4, np.dtype(np.float64): 8}
_SPACES = {None: 0, "rgb": 1, "luv": 2, "lab": 3}


def can_change(picture: Picture, device: Device) -> bool:
    """Whether the device can do this."""
    n, channels = picture.flat.shape
    return picture.flat.dtype in _DEPTHS and device.fits(24.0 * n * channels)


def range_features(picture: Picture, engine: Engine, *, device: Device) -> Any:
    """The range features, which stay on the device until they are read."""
    if not can_change(picture, device):
        return NotImplemented
    engine.check()
    flat, xp = device.put(picture.flat), device.xp
    if picture.space is None:
        values = xp.ascontiguousarray(flat.T.astype(picture.precision))
    else:
        values = xp.empty((3, len(flat)), picture.precision)
        args = flat, *flat.shape, full(flat.dtype), _numbers(device), values
        device.launch("colors.cu", "to_features", len(flat), args, **_constants(picture))
    if picture.mask is None:
        return Features(device.handed_out(values), *_ends(values))
    mask = device.put(picture.mask)
    low, high = _ends(values[:, mask])
    return Features(device.handed_out(xp.where(mask, values, values.dtype.type(nobody(values.dtype)))), low, high)


def _ends(values: Array) -> tuple[float, float]:
    return float(values.min().item()), float(values.max().item())


def painted(picture: Picture, modes: Floats, engine: Engine, *, device: Device) -> Any:
    """The image with other range features, on the host."""
    if not can_change(picture, device):
        return NotImplemented
    engine.check()
    flat, seen, mask = device.put(picture.flat), device.put(modes), mask_on(picture.mask, device)
    out = flat.copy()
    args = seen, seen.shape[1], mask, picture.mask is not None, *flat.shape, full(flat.dtype), _numbers(device), out
    device.launch("colors.cu", "paint", len(flat), args, **_constants(picture))
    return device.fetch(out)


def _constants(picture: Picture) -> dict[str, Any]:
    kind = "float" if picture.precision == np.float32 else "double"
    return {"DEPTH": _DEPTHS[picture.flat.dtype], "SPACE": _SPACES[picture.space], "VALUE": kind}


def _numbers(device: Device) -> Array:
    return device.put(np.concatenate([WHITE, TO_XYZ.ravel(), np.linalg.inv(TO_XYZ).ravel()]))
