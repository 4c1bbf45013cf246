"""Large images: segment a reduced image, then carry the labels back along the edges of the full image."""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._types import Bools, Floats, Ints
from ..compute.pixels.contours_jit import carry_up
from ..compute.pixels.motion import full_intensity
from ..engine import Engine, Flag
from .sides import Singles

MOST = 481 * 321
"""Number of pixels above which an image is reduced: the size of the photographs that the weights were fitted to."""

_SPREAD = 0.1, 99.9  # percentiles between which gray values other than bytes are stretched
_UNIT = 10.0  # difference in values, of 100, that counts as much as one reduced pixel
_ROWS = 2**20  # pixels processed at a time


class Reduced(NamedTuple):
    """An image of at most `MOST` pixels.

    Attributes
    ----------
    values : array of shape (channels, h, w)
        Red, green and blue, or gray or other channels, from 0 to 1.
    inside : array of bool, shape (h·w,), optional
        Pixels that contain any pixel of the mask; the others get the values of the nearest of those.
    low, high : arrays of shape (channels,)
        Values of the image that are mapped to 0 and 1.
    """

    values: Singles
    inside: Bools | None
    low: Singles
    high: Singles


def reduced(image: NDArray[Any], mask: Bools | None, is_color: bool) -> Reduced:
    """Average over equal parts of the image, without pixels outside the mask; small images keep their size."""
    shape = image.shape[:2]
    small = _small_shape(shape)
    channels = _channels(image, is_color)
    inside = None if mask is None else mask.reshape(shape)
    weights = [_overlaps(n, m) for n, m in zip(shape, small, strict=True)]
    held = np.full(small, float(np.prod(shape))) if inside is None else _summed(inside, None, *weights)
    sums = np.stack([_summed(channels[..., k], inside, *weights) for k in range(channels.shape[2])])
    values = _filled(sums, held).astype(np.float32)
    low, high = _range(values, image.dtype, is_color)
    shares = np.clip((values - low[:, None, None]) / (high - low)[:, None, None], 0.0, 1.0)
    return Reduced(shares, None if mask is None else (held > 0).ravel(), low, high)


def _channels(image: NDArray[Any], is_color: bool) -> NDArray[Any]:
    """Return the channels in the last axis, of colors without opacity."""
    flat = image.reshape(*image.shape[:2], -1)
    return flat[..., :3] if is_color else flat


def _small_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    factor = min(1.0, sqrt(MOST / (shape[0] * shape[1])))
    height, width = (min(n, max(1, round(n * factor))) for n in shape)
    if height * width > 2 * MOST:  # a narrow strip
        return min(height, MOST), min(width, MOST)
    return height, width


def _overlaps(n: int, m: int) -> csr_array:
    """Return how much n pixels overlap with m ≤ n equal parts, of length n: whole numbers, so sums are exact."""
    cuts = np.union1d(np.arange(n + 1) * m, np.arange(m + 1) * n)
    return csr_array((np.diff(cuts).astype(np.float64), (cuts[:-1] // n, cuts[:-1] // m)), (m, n))


def _summed(channel: NDArray[Any], inside: Bools | None, down: csr_array, right: csr_array) -> Floats:
    """Return sums over equal parts, in double precision; rows are processed in blocks."""
    step, parts = max(1, _ROWS // channel.shape[1]), []
    for rows in (slice(top, top + step) for top in range(0, len(channel), step)):
        block = channel[rows] if inside is None else np.where(inside[rows], channel[rows], 0)
        parts.append(block.astype(np.float64) @ right.T)
    return np.asarray(down @ np.concatenate(parts))


def _filled(sums: Floats, held: Floats) -> Floats:
    """Return means over pixels in the mask; parts without any get the mean of the nearest part.

    If several are nearest, SciPy takes one that depends on the orientation; the mean over the eight does not.
    """
    means = sums / np.where(held > 0, held, 1.0)
    if held.all():
        return means
    from scipy.ndimage import distance_transform_edt

    total = np.zeros(means.shape)
    for turn, flip in product(range(4), (1, -1)):
        away, turned = np.rot90(held == 0, turn)[::flip], np.rot90(means, turn, (1, 2))[:, ::flip]
        y, x = distance_transform_edt(away, return_distances=False, return_indices=True)
        total += np.rot90(turned[:, y, x][:, ::flip], -turn, (1, 2))
    return total / 8


def _range(values: Singles, dtype: np.dtype[Any], is_color: bool) -> tuple[Singles, Singles]:
    """Return the values mapped to 0 and 1: for colors and bytes by their type, else by percentiles of each channel."""
    n = len(values)
    if is_color or dtype in (np.uint8, np.bool_):
        return np.zeros(n, np.float32), np.full(n, full_intensity(dtype), np.float32)
    low, high = np.percentile(values.reshape(n, -1), _SPREAD, axis=1)
    flat = values.reshape(n, -1)
    low, high = np.where(high > low, (low, high), (flat.min(axis=1), flat.max(axis=1)))
    return low.astype(np.float32), np.where(high > low, high, low + 1).astype(np.float32)


def carried_up(
    labels: Ints, small: Reduced, image: NDArray[Any], mask: Bools | None, is_color: bool, engine: Engine
) -> Ints:
    """Return labels of the full image; none is lost but by the mask: the center of a reduced pixel keeps its label."""
    shape = image.shape[:2]
    if labels.shape == shape:
        return labels
    channels = _channels(image, is_color)
    guide = np.ascontiguousarray(np.moveaxis(small.values, 0, -1))
    scale = 1 / (small.high - small.low)
    sharpness = (100 / _UNIT) ** 2 / (1 if is_color else len(small.values))  # a channel given twice changes nothing
    out, step = np.empty(shape, np.intp), max(1, _ROWS // shape[1])
    for top in range(0, shape[0], step):
        engine.report("carrying labels up", top, shape[0])
        rows = np.clip((channels[top : top + step] - small.low) * scale, 0, 1).astype(np.float32)

        def work(stop: Flag, rows: Singles = rows, top: int = top) -> None:
            carry_up(rows, guide, labels, top, shape[0], sharpness, out[top : top + len(rows)], stop)

        engine.run_single(work, "carrying labels up")
    if mask is not None:
        out[~mask.reshape(shape)] = -1
    return out
