"""Colour spaces in which distances are near what people see.

Written here, so that segmenting needs nothing but NumPy: sRGB with the white of D65, as scikit-image has it.
"""

from __future__ import annotations

import numpy as np

from ..._types import Floats

_TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)  # fmt: skip
_WHITE = np.array([0.95047, 1.0, 1.08883])
_DARK = 0.008856  # of the white's luminance: below, lightness is linear
_SLOPE = 903.3


def luv(rgb: Floats) -> Floats:
    """L*u*v* of sRGB colours in [0, 1], the last axis; L* is 0 to 100."""
    xyz = _xyz(rgb)
    light = _lightness(xyz[..., 1])
    total = xyz @ np.array([1.0, 15.0, 3.0])
    safe = np.where(total > 0, total, 1.0)
    here = np.stack([4 * xyz[..., 0], 9 * xyz[..., 1]], axis=-1) / safe[..., None]
    white = np.array([4 * _WHITE[0], 9 * _WHITE[1]]) / (_WHITE @ np.array([1.0, 15.0, 3.0]))
    uv = np.where(total[..., None] > 0, 13 * light[..., None] * (here - white), 0.0)
    return np.concatenate([light[..., None], uv], axis=-1)


def lab(rgb: Floats) -> Floats:
    """L*a*b* of sRGB colours in [0, 1], the last axis; L* is 0 to 100."""
    share = _xyz(rgb) / _WHITE
    bent = np.where(share > _DARK, np.cbrt(share), (_SLOPE * share + 16) / 116)
    x, y, z = np.moveaxis(bent, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _xyz(rgb: Floats) -> Floats:
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    return np.asarray(linear @ _TO_XYZ.T)


def _lightness(y: Floats) -> Floats:
    return np.where(y > _DARK, 116 * np.cbrt(y) - 16, _SLOPE * y)
