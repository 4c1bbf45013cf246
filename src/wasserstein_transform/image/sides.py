"""Contrast at a pixel: the Wasserstein distance between the values on its two sides; textures, which are values too.

All sums are exact: values, filters and directions are whole numbers so small that no sum reaches 2⁵³. So neither the
order of a sum nor fused multiply-adds change it, and the contrasts of a mirrored or rotated image are exactly the
mirrored or rotated ones.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import correlate1d

from .._types import Floats, Ints
from ..compute.pixels.contours_jit import add_gaps, smooth
from ..engine import Flag

Singles: TypeAlias = NDArray[np.float32]
Whole: TypeAlias = NDArray[np.int32]

DIRECTIONS = 8
GRID = 2**10
"""Steps of the values in one unit of L*, a*, b* or texture."""

CONTRAST = 2**14
"""Steps of contrasts in one unit of the values."""

ANGLES = 2**6
"""Steps of angles between two directions."""

_TURN = np.arange(DIRECTIONS) * np.pi / DIRECTIONS
_RADIUS = 1905  # with it, coordinates of the directions are whole numbers to within 3e-5
_COSINES, _SINES = np.rint(_RADIUS * np.cos(_TURN)), np.rint(_RADIUS * np.sin(_TURN))
_SHARES = 2**10  # steps of a share; sums of 16 of them are below 0.75 · 16 · 2^10 · 2^28 · 1905 < 2^53
_WEIGHTS = 2**14  # about the sum of the weights of a filter
_WIDTH = 1.5  # standard deviation, in pixels of the octave
_TRUNCATE = 2.5  # radius of the filter, in standard deviations

_TEXTURE_WIDTHS = (1.0, 2.0)  # standard deviations, in pixels
_SIDE, _DIAGONAL = 99, 70  # 70 / 99 is 1/√2 to within 5e-5; sums are exact, as those of contrasts
_SLOPES = (_SIDE, 0), (_DIAGONAL, _DIAGONAL), (0, _SIDE), (-_DIAGONAL, _DIAGONAL)
_SOFT = 1.5  # lightness: weaker changes are noise
_STRONG = 20.0  # lightness: stronger changes count the same

N_TEXTURES = len(_TEXTURE_WIDTHS) * len(_SLOPES)
STRONGEST = float(np.log1p(_STRONG / _SOFT))
"""Largest texture value in histograms."""


def on_grid(values: NDArray[Any]) -> Singles:
    """Round to multiples of 1 / GRID, so that sums of values are exact."""
    return np.asarray(np.rint(values * GRID) / GRID, np.float32)


def bell(width: float, truncate: float = 4.0) -> Floats:
    """Return whole weights of a Gaussian filter."""
    reach = int(truncate * width + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    return np.asarray(np.rint(_WEIGHTS * weights / weights.sum()))


def slope(width: float) -> Floats:
    """Return whole weights of the derivative of a Gaussian filter, times its width."""
    weights = bell(width)
    return np.rint(weights * (np.arange(len(weights)) - len(weights) // 2) / width)


def filtered(values: NDArray[Any], down: Floats, right: Floats) -> Floats:
    """Filter both axes; values beyond the border are mirrored. Exact for whole numbers."""
    return np.asarray(correlate1d(correlate1d(values.astype(np.float64), down, 0), right, 1))


def contrasts(values: Singles, n_bins: int, octaves: tuple[int, ...], stop: Flag) -> dict[int, Whole]:
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
    dict of int to array of int
        For each octave an array of shape (8, h / 2^octave, w / 2^octave), sides rounded up, in steps of 1 / CONTRAST of
        the unit of the values: a step of height d has contrast d. Direction k is at k·22.5° from the last axis toward
        the first.
    """
    low, high = float(values.min()), float(values.max())
    bin_width = (high - low) / n_bins
    sums = {octave: np.zeros((DIRECTIONS, *_halved_shape(values.shape, octave))) for octave in octaves}
    weights = bell(_WIDTH, _TRUNCATE)
    row = np.empty(values.shape[1] + len(weights))
    for k in range(1, n_bins + 1) if bin_width > 0 else ():
        share = np.rint(np.clip((low + k * bin_width - values) * np.float32(_SHARES / bin_width), 0.0, _SHARES))
        for octave in range(max(octaves) + 1):
            share = halved(share) if octave else share
            if octave in sums and not stop[0]:
                level = np.empty(share.shape)
                smooth(share, weights[len(weights) // 2 :], row, level)
                add_gaps(level, _COSINES, _SINES, sums[octave])
    whole = 2.0 * _SHARES * weights.sum() ** 2 * _RADIUS  # of one threshold: 2, as slopes are over two pixels
    unit = CONTRAST * bin_width * _WIDTH * float(np.sqrt(2 * np.pi)) / whole
    return {octave: np.rint(sums.pop(octave) * unit).astype(np.int32) for octave in octaves}


def halved(shares: Singles) -> Singles:
    """Return means of whole shares over parts of two pixels along both axes, rounded.

    An even side is cut into pairs. The parts of an odd side are centered at every other pixel from the first to the
    last, and include half of the pixels before and after: both ends are treated alike.
    """
    for axis in (0, 1):
        ahead = np.moveaxis(shares, axis, 0)
        if len(ahead) % 2 == 0:
            pairs = 2 * (ahead[::2] + ahead[1::2])
        else:
            padded = np.pad(ahead, ((1, 1), (0, 0)), mode="edge")
            pairs = padded[:-2:2] + 2 * ahead[::2] + padded[2::2]
        shares = np.moveaxis(pairs, 0, axis)
    return np.asarray(np.rint(shares * np.float32(1 / 16)))


def _halved_shape(shape: tuple[int, ...], octave: int) -> tuple[int, ...]:
    return tuple(-(-n // 2**octave) for n in shape)


def enlarged(values: Whole, octave: int, shape: tuple[int, int]) -> Whole:
    """Interpolate the last two axes linearly from parts of 2^octave pixels, around the middle, to pixels; rounded."""
    if octave == 0:
        return values
    step = 2 ** (octave + 1)
    for axis, n in ((-2, shape[0]), (-1, shape[1])):
        last = values.shape[axis] - 1
        at = np.clip(2 * np.arange(n) - (n - 1) + step // 2 * last, 0, step * last)
        before = at // step
        share = (at % step).astype(np.int32).reshape((-1, 1) if axis == -2 else (-1,))
        here, after = np.take(values, before, axis), np.take(values, np.minimum(before + 1, last), axis)
        after -= here
        after *= share
        here *= step
        here += after
        values = here
    values += step * step // 2
    values //= step * step
    return values


def at_angle(contrast: Whole, angle: Ints, pixel: Ints) -> Ints:
    """Return the contrast across given directions at given pixels, times ANGLES; linear between the eight.

    Angles are in steps of 180° / 8 / ANGLES.
    """
    flat = contrast.reshape(DIRECTIONS, -1)
    below, share = np.divmod(angle, ANGLES)
    above = (below + 1) % DIRECTIONS
    return np.asarray(flat[below, pixel] * (ANGLES - share) + flat[above, pixel] * share)


def textures(light: Singles) -> list[Singles]:
    """Return log(1 + |slope of L*| / 1.5) along four directions at two widths, each of shape (h, w)."""
    found = []
    for width in _TEXTURE_WIDTHS:
        even, steep = bell(width), slope(width)
        across, down = (filtered(light * GRID, *order) for order in ((even, steep), (steep, even)))
        unit = _SIDE * GRID * even.sum() ** 2 * _SOFT
        for c, s in _SLOPES:
            found.append(on_grid(np.log1p(np.abs(c * across + s * down) / unit)))
    return found
