"""Large images: segment a reduced image, then carry the labels back along the edges of the full image."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._types import Bools, Ints
from ..backends.host import carry_up
from ..backends.images import full
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
        Gray, or red, green and blue, from 0 to 1.
    inside : array of bool, shape (h·w,), optional
        Pixels that contain any pixel of the mask; the others get the values of the nearest of those.
    low, high : float
        Values of the image that are mapped to 0 and 1.
    """

    values: Singles
    inside: Bools | None
    low: float
    high: float


def reduced(image: NDArray[Any], mask: Bools | None) -> Reduced:
    """Average over equal parts of the image, without pixels outside the mask; small images keep their size."""
    shape = image.shape[:2]
    small = _small_shape(shape)
    channels = image.reshape(*shape, -1)[..., :3]
    down, right = (_averaging(n, m) for n, m in zip(shape, small, strict=True))
    held = None if mask is None else down @ mask.reshape(shape).astype(np.float32) @ right.T
    values = np.empty((channels.shape[2], *small), np.float32)
    for k in range(len(values)):
        channel = channels[..., k].astype(np.float32)
        if mask is not None:
            channel[~mask.reshape(shape)] = 0.0
        values[k] = down @ channel @ right.T
    if held is not None:
        values = _filled(values, held)
    low, high = _range(values, image)
    shares = np.clip((values - np.float32(low)) / np.float32((high - low) or 1.0), 0.0, 1.0)
    return Reduced(shares, None if held is None else (held > 0).ravel(), low, high)


def _small_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    factor = min(1.0, sqrt(MOST / (shape[0] * shape[1])))
    height, width = (min(n, max(1, round(n * factor))) for n in shape)
    if height * width > 2 * MOST:  # a narrow strip
        return min(height, MOST), min(width, MOST)
    return height, width


def _averaging(n: int, m: int) -> csr_array:
    """Return a matrix that averages n pixels over m equal parts, m ≤ n."""
    cuts = np.union1d(np.arange(n + 1) * m, np.arange(m + 1) * n)  # in units of 1/(nm): exact
    start, size = cuts[:-1], np.diff(cuts)
    return csr_array((size.astype(np.float32) / np.float32(n), (start // n, start // m)), (m, n))


def _filled(sums: Singles, held: Singles) -> Singles:
    """Return means over pixels in the mask; parts without any get the mean of the nearest part."""
    from scipy.ndimage import distance_transform_edt

    nearest = distance_transform_edt(held == 0, return_distances=False, return_indices=True)
    means = sums / np.where(held > 0, held, np.float32(1.0))
    return np.asarray(means[:, nearest[0], nearest[1]])


def _range(values: Singles, image: NDArray[Any]) -> tuple[float, float]:
    """Return the values mapped to 0 and 1: for colors and bytes by their type, else by percentiles of the values."""
    if len(values) == 3 or image.dtype in (np.uint8, np.bool_):
        return 0.0, full(image.dtype)
    low, high = np.percentile(values, _SPREAD)
    return (float(low), float(high)) if high > low else (float(values.min()), float(values.max()))


def carried_up(labels: Ints, small: Reduced, image: NDArray[Any], mask: Bools | None, engine: Engine) -> Ints:
    """Return labels of the full image; no label is lost, since the center of each reduced pixel keeps its label."""
    shape = image.shape[:2]
    if labels.shape == shape:
        return labels
    channels = image.reshape(*shape, -1)[..., :3]
    factors = np.array(labels.shape) / np.array(shape)
    guide = np.ascontiguousarray(np.moveaxis(small.values, 0, -1))
    scale = np.float32(1 / ((small.high - small.low) or 1.0))
    out, step = np.empty(shape, np.intp), max(1, _ROWS // shape[1])
    for top in range(0, shape[0], step):
        engine.report("carrying labels up", top, shape[0])
        rows = np.clip((channels[top : top + step] - np.float32(small.low)) * scale, 0, 1).astype(np.float32)

        def work(stop: Flag, rows: Singles = rows, top: int = top) -> None:
            carry_up(rows, guide, labels, top, factors, (100 / _UNIT) ** 2, out[top : top + len(rows)], stop)

        engine.alone(work, "carrying labels up")
    if mask is not None:
        out[~mask.reshape(shape)] = -1
        _restore(out, labels, mask.reshape(shape))
    return out


def _restore(out: Ints, labels: Ints, inside: Bools) -> None:
    """Give each label that the mask removed one pixel inside the mask, within one of its reduced pixels."""
    present = np.bincount(out[out >= 0], minlength=int(labels.max()) + 1) > 0
    for label in np.flatnonzero(~present):
        at = (int(axis[0]) for axis in np.nonzero(labels == label))
        block = np.ix_(*(_overlapping(*where) for where in zip(at, out.shape, labels.shape, strict=True)))
        y, x = (int(at[0]) for at in np.nonzero(inside[block]))
        out[block[0][y, 0], block[1][0, x]] = label


def _overlapping(part: int, n: int, m: int) -> Ints:
    """Return those of n pixels that overlap the given one of m equal parts."""
    return np.arange(part * n // m, -(-(part + 1) * n // m))
