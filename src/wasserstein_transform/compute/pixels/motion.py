"""Pixels of an image that move within windows, and the regions that they form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..._types import Bools, Floats, Ints
from ...engine import GRAIN, Engine, Flag, Tile, cut_evenly, to_host
from ..metrics.distances import closed, rim
from .patches_jit import PADDING, Patch, Window
from .pixels_jit import CYCLES, UNFINISHED, CycleState, first_covs, shift
from .regions_jit import link_adjacent, number

Counts: TypeAlias = NDArray[np.int32]
Grid: TypeAlias = tuple[int, int, int]
"""Depth, height and width."""

SHAPES = {2: 4, 3: 7}
"""Number of values stored for the shape of a neighborhood, by the axes of the grid."""


class Picture(NamedTuple):
    """An image in its original form.

    Attributes
    ----------
    flat : array of shape (pixels, channels)
    mask : array of shape (pixels,), optional
        Mask of the pixels to use; None means all.
    space : str, optional
        The color space in `SPACES` in which the first three channels are compared; None compares all channels directly.
    precision : type
        Precision of the range features, single or double.
    """

    flat: NDArray[Any]
    mask: Bools | None
    space: str | None
    precision: type[np.floating[Any]]


class Features(NamedTuple):
    """Range features of an image, one row per channel, and their minimum and maximum within the mask.

    Outside the mask they are so large that no window contains them.
    """

    values: Floats
    low: float
    high: float


def max_value(dtype: np.dtype[Any]) -> float:
    """The largest allowed value: with larger ones, squares and the values outside the mask would overflow."""
    return 1e30 if dtype.itemsize == 4 else 1e100


def mask_value(dtype: np.dtype[Any]) -> float:
    """The value of pixels outside the mask."""
    return 1e8 * max_value(dtype)


def full_intensity(dtype: np.dtype[Any]) -> float:
    """Full intensity: the largest number of an unsigned type, 255 for signed types, 1 for floats and booleans."""
    if dtype.kind == "u":
        return float(np.iinfo(dtype).max)
    return 255.0 if dtype.kind == "i" else 1.0


class Image(NamedTuple):
    """Pixels in the order of memory.

    Attributes
    ----------
    values : array of shape (channels, pixels)
        Outside the mask so large that no window contains them.
    mask : array of shape (pixels,), optional
        Mask of the pixels that move; None means all.
    axes : int
        Number of axes of the grid, 2 or 3.
    """

    values: Floats
    mask: Bools | None
    axes: int


class Motion(NamedTuple):
    """How pixels move: radii in pixels and in values, the weight of shapes, and the stopping rule."""

    spatial: float
    range: float
    lam: float
    tol: float
    n_iter: int


class ConvergedPixels(NamedTuple):
    """Modes, one row per pixel (position, then values), iterations of each, and the numbers of unconverged pixels.

    n_cycling pixels returned to an earlier state and are stopped at the state of their cycle with most neighbors, ties
    broken by the smallest values, then the smallest entries of the shape. n_unfinished pixels were still moving after
    the last iteration.

    Outside the mask modes are NaN, and iterations are 0.
    """

    modes: Floats
    n_iter: Counts
    n_cycling: int
    n_unfinished: int


class RegionLinks(NamedTuple):
    """The rule for linking adjacent moved pixels: positions and values within both radii, given as squares.

    Pixels outside the mask, if there is one, are not linked.
    """

    mask: Bools | None
    axes: int
    spatial: float
    range: float


def window_of(grid: Grid, spatial: float) -> Window:
    """The disc or ball of a radius as runs along the last axis, no longer than the image."""
    reach = rim(spatial)
    steps = [np.arange(-min(int(reach), n - 1), min(int(reach), n - 1) + 1) for n in grid[:2]]
    dz, dy = (part.ravel() for part in np.meshgrid(*steps, indexing="ij"))
    left = reach * reach - dz**2 - dy**2
    inside = left >= 0
    half = np.minimum(np.sqrt(left[inside]), grid[2] - 1).astype(np.intp)
    furthest = np.array([dz[inside].max(), dy[inside].max(), half.max()])
    return Window(np.array(grid), furthest, dz[inside], dy[inside], half, 0)


def window_size(window: Window) -> float:
    """Number of pixels of a window."""
    return float((2 * window.half + 1).sum())


_STEPS_PER_PIXEL = 5.0  # approximate number of iterations of a pixel
_NO_MASK = np.empty(0, np.bool_)
_PIXELS_PER_SLAB = 2**18  # pixels processed at a time: little memory, and Ctrl-C works


def shift_pixels(image: Image, window: Window, motion: Motion, engine: Engine) -> ConvergedPixels:
    """Move each pixel until it converges."""
    image = image._replace(values=to_host(image.values))
    channels, n = image.values.shape
    shapes = 0 if motion.lam == 0 else SHAPES[image.axes]
    modes, n_iter, ends = np.empty((n, image.axes + channels)), np.empty(n, np.int32), np.empty(n, np.int8)
    covs = np.zeros((shapes, n))  # stored by matrix entry, as windows read them
    spatial, range_, tol = closed(motion.spatial), closed(motion.range), motion.tol * motion.tol
    tiles = cut_evenly(n, _STEPS_PER_PIXEL * window_size(window), max(GRAIN / 16, GRAIN * n / 1e7))

    def find_shapes(tile: Tile, stop: Flag) -> None:
        values, local = _part(image.values, window, tile)
        patch, unknown = _patch(window, channels, 0), np.empty((shapes, 0))
        state, sums = np.empty(channels + shapes), np.empty(9 + channels)
        first_covs(values, unknown, local, image.axes, range_, *tile, patch, state, sums, covs[:, slice(*tile)], stop)

    def move(tile: Tile, stop: Flag) -> None:
        values, local = _part(image.values, window, tile)
        patch, size = _patch(window, channels, shapes), channels + shapes
        cycle = CycleState(np.empty(size), np.empty(size), np.empty(size), np.empty(4 + size))
        rule = image.axes, motion.lam, spatial, range_, tol, motion.n_iter
        sums, mean, part = np.empty(9 + channels), np.empty(3), slice(*tile)
        shift(values, covs, local, *rule, *tile, patch, cycle, sums, mean, modes[part], n_iter[part], ends[part], stop)

    if shapes:
        engine.for_tiles("shapes of neighborhoods", tiles, find_shapes)
    engine.for_tiles("moving pixels", tiles, move)
    if image.mask is not None:
        ends, outside = ends[image.mask], ~image.mask
        modes[outside], n_iter[outside] = np.nan, 0
    cycling, unfinished = (int(np.count_nonzero(ends == end)) for end in (CYCLES, UNFINISHED))
    return ConvergedPixels(modes, n_iter, cycling, unfinished)


def _part(values: Floats, window: Window, tile: Tile) -> tuple[Floats, Window]:
    """The values in the windows of a tile, in double precision, which is faster."""
    _, height, width = window.shape
    reach = int(((window.dz * height + window.dy) * width + window.half).max())
    base = max(0, tile.start - reach)
    return values[:, base : tile.stop + reach].astype(np.float64), window._replace(base=base)


def _patch(window: Window, channels: int, shapes: int) -> Patch:
    """Memory for a whole window, padded."""
    n = -(-int(window_size(window)) // PADDING) * PADDING
    offsets, values, entries = (np.empty((count, n)) for count in (4, channels, shapes))
    return Patch(np.empty(n, np.intp), offsets, values, entries, np.empty(n), np.empty(n), np.zeros(3, np.intp))


def number_parts(forest: Ints, inside: Bools = _NO_MASK) -> int:
    """Turn a forest, in which the first pixel of a tree is its root, into labels in place; returns their number.

    Labels 0, 1, … are in the order of the first pixels. Pixels that are not `inside` get −1; an empty mask means all.
    """
    return int(number(forest, inside))


def link_touching(modes: Floats, grid: Grid, links: RegionLinks, engine: Engine) -> tuple[Ints, int]:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    modes = to_host(modes)
    labels, inside = np.arange(len(modes)), _NO_MASK if links.mask is None else links.mask
    rule = links.axes, inside, np.array(grid), links.spatial, links.range
    with engine.progress_scope() as engine:
        engine.report("linking pixels", 0, 1)
        engine.run_single(lambda stop: link_adjacent(modes, *rule, labels, stop), "linking pixels")
    return labels, number_parts(labels, inside)


def region_sums(labels: Ints, values: Floats, first: int, engine: Engine) -> tuple[Floats, Ints]:
    """Sums of the columns from `first` on over each region, and sizes; −1 is no region."""
    values = to_host(values)
    flat = labels.ravel()
    inside = slice(None) if flat.min(initial=0) >= 0 else flat >= 0
    flat = flat[inside]
    sizes = np.bincount(flat)
    sums = [np.bincount(flat, column[inside], len(sizes)) for column in values.T[first:]]
    return np.stack(sums, axis=1), sizes


def adjacent_pairs(labels: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Indices of adjacent pixels of different regions, some at a time. −1 is no region."""
    for axis in range(labels.ndim):
        ahead = np.moveaxis(labels, axis, 0)
        step = max(1, _PIXELS_PER_SLAB * len(ahead) // labels.size)
        for start in range(0, len(ahead) - 1, step):
            pixels, following = ahead[start : min(start + step, len(ahead) - 1)], ahead[start + 1 : start + step + 1]
            index = list(np.nonzero((pixels != following) & (pixels >= 0) & (following >= 0)))
            index[0] += start
            first = np.ravel_multi_index([*index[1 : axis + 1], index[0], *index[axis + 1 :]], labels.shape)
            yield first, first + int(np.prod(labels.shape[axis + 1 :]))


def touching(labels: Ints, engine: Engine) -> Ints:
    """Pairs of adjacent regions, each once, with the smaller number first. −1 is no region."""
    count, flat, borders = int(labels.max(initial=-1)) + 1, labels.ravel(), list[Ints]()
    n_held = 0
    for first, second in adjacent_pairs(labels):
        engine.check()
        a, b = flat[first], flat[second]
        borders.append(distinct_pixels(np.minimum(a, b) * count + np.maximum(a, b)))
        n_held += len(borders[-1])
    engine.reserve(40.0 * n_held, f"borders of {count} regions", "smooth the image, use larger radii, or segment parts")
    keys = distinct_pixels(np.concatenate([*borders, np.empty(0, np.intp)]))
    return np.stack(np.divmod(keys, max(count, 1)), axis=1)


def distinct_pixels(keys: Ints) -> Ints:
    """Sorted distinct keys, in place: `np.unique` takes seconds for millions and cannot be interrupted."""
    keys.sort()
    return np.asarray(keys[np.diff(keys, prepend=-1) != 0])
