"""Contrast at a pixel: the Wasserstein distance between the values on its two sides."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from ..backends.host import add_gaps
from ..engine import Flag

Singles: TypeAlias = NDArray[np.float32]

DIRECTIONS = 8
_ANGLES = np.arange(DIRECTIONS) * np.pi / DIRECTIONS
_COSINES, _SINES = np.cos(_ANGLES).astype(np.float32), np.sin(_ANGLES).astype(np.float32)
_WIDTH = 1.5  # standard deviation, in pixels of the octave
_TRUNCATE = 2.5  # radius of the filter, in standard deviations


def contrasts(values: Singles, n_bins: int, octaves: tuple[int, ...], stop: Flag) -> dict[int, Singles]:
    """Return W1 between the values on both sides of each pixel, in eight directions and several widths.

    Each side is a measure with weight max(±z·n, 0)·exp(−|z|²/2s²) at the offset z, where n is the direction across. In
    one dimension W1 is the area between the two cumulative distributions. The cumulative distribution of a side is a
    convolution, and the difference of both sides is the derivative along n of a Gaussian mean, so no loop over windows
    is needed.

    Parameters
    ----------
    values : array of shape (h, w)
        One channel.
    n_bins : int
        Number of thresholds, evenly spaced between the smallest and the largest value.
    octaves : tuple of int
        Widths: the standard deviation s is 1.5·2^octave pixels. From octave 1 on, blocks of 2^octave pixels are used.
    stop : array
        `stop[0]` ≠ 0 interrupts.

    Returns
    -------
    dict of int to array
        For each octave an array of shape (8, h / 2^octave, w / 2^octave) in the unit of the values: a step of height d
        has contrast d. Direction k is at k·22.5° from the last axis toward the first.
    """
    low, high = float(values.min()), float(values.max())
    bin_width = (high - low) / n_bins
    found = {octave: np.zeros((DIRECTIONS, *_halved_shape(values.shape, octave)), np.float32) for octave in octaves}
    if bin_width == 0.0:
        return found
    unit = bin_width * _WIDTH * float(np.sqrt(2 * np.pi))
    for k in range(1, n_bins + 1):
        share = np.clip((low + k * bin_width - values) / np.float32(bin_width), 0.0, 1.0).astype(np.float32)
        for octave in range(max(octaves) + 1):
            share = halved(share) if octave else share
            if octave in found and not stop[0]:
                smooth = gaussian_filter(share, _WIDTH, truncate=_TRUNCATE)
                add_gaps(smooth, unit, _COSINES, _SINES, found[octave])
    return found


def halved(values: Singles) -> Singles:
    """Return the means of blocks of 2 × 2 pixels; an odd last row or column counts twice."""
    height, width = values.shape
    even = np.pad(values, ((0, height % 2), (0, width % 2)), mode="edge")
    return np.asarray((even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) * np.float32(0.25))


def _halved_shape(shape: tuple[int, ...], octave: int) -> tuple[int, ...]:
    return tuple(-(-n // 2**octave) for n in shape)


def enlarged(values: Singles, octave: int, shape: tuple[int, int]) -> Singles:
    """Interpolate the last two axes linearly from blocks of 2^octave pixels to pixels."""
    if octave == 0:
        return values
    for axis, n in ((-2, shape[0]), (-1, shape[1])):
        last = values.shape[axis] - 1
        at = np.clip((np.arange(n) + 0.5) / 2**octave - 0.5, 0, last)
        before = np.floor(at).astype(np.intp)
        share = (at - before).astype(np.float32).reshape((-1, 1) if axis == -2 else (-1,))
        here, after = np.take(values, before, axis), np.take(values, np.minimum(before + 1, last), axis)
        values = here + (after - here) * share
    return values


def at_angle(contrast: Singles, angle: NDArray[Any], pixel: NDArray[Any]) -> NDArray[Any]:
    """Return the contrast across given directions, in radians, at given pixels; linear between the eight."""
    flat = contrast.reshape(DIRECTIONS, -1)
    place = angle * (DIRECTIONS / np.pi) % DIRECTIONS
    below = place.astype(np.intp) % DIRECTIONS
    share = place - np.floor(place)
    return np.asarray(flat[below, pixel] * (1 - share) + flat[(below + 1) % DIRECTIONS, pixel] * share)
