"""Color spaces in which distances are close to perceived differences.

Implemented here so that segmentation needs only NumPy: sRGB with the white point D65, as in scikit-image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._types import Floats
from ...engine import Engine, to_host
from .motion import Features, Picture, full_intensity, mask_value

TO_XYZ = np.array(
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]]
)  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])
_MAX_DARK_LUMINANCE = 0.008856  # lightness is linear below this luminance, relative to white
_DARK_SLOPE = 903.3


def luv(rgb: Floats) -> Floats:
    """L*u*v* of sRGB colors in [0, 1], along the last axis; L* is 0 to 100."""
    xyz = _xyz(rgb)
    y = xyz[..., 1]
    light = np.where(y > _MAX_DARK_LUMINANCE, 116 * np.cbrt(y) - 16, _DARK_SLOPE * y)
    uv = 13 * light[..., None] * (_chroma(xyz) - _chroma(WHITE))
    return np.concatenate([light[..., None], uv], axis=-1)


def lab(rgb: Floats) -> Floats:
    """L*a*b* of sRGB colors in [0, 1], along the last axis; L* is 0 to 100."""
    share = _xyz(rgb) / WHITE
    bent = np.where(share > _MAX_DARK_LUMINANCE, np.cbrt(share), (_DARK_SLOPE * share + 16) / 116)
    x, y, z = np.moveaxis(bent, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _chroma(xyz: Floats) -> Floats:
    """u′ and v′; black has those of white."""
    total = xyz @ np.array([1.0, 15.0, 3.0])
    some = np.where((total > 0)[..., None], xyz, WHITE)
    return np.asarray(some[..., :2] * np.array([4.0, 9.0]) / (some @ np.array([1.0, 15.0, 3.0]))[..., None])


def _xyz(rgb: Floats) -> Floats:
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    return np.asarray(linear @ TO_XYZ.T)


def from_luv(values: Floats) -> Floats:
    """sRGB colors of L*u*v*, clipped to [0, 1]."""
    light, uv = values[..., 0], values[..., 1:]
    dark = light <= 0
    chroma = uv / (13 * np.where(dark, 1.0, light))[..., None] + _chroma(WHITE)
    y = np.where(light > _DARK_SLOPE * _MAX_DARK_LUMINANCE, ((light + 16) / 116) ** 3, light / _DARK_SLOPE)
    u, v = chroma[..., 0], np.where(dark, 1.0, chroma[..., 1])
    x, z = 9 * u / (4 * v) * y, (12 - 3 * u - 20 * v) / (4 * v) * y
    return _srgb(np.where(dark[..., None], 0.0, np.stack([x, y, z], axis=-1)))


def from_lab(values: Floats) -> Floats:
    """sRGB colors of L*a*b*, clipped to [0, 1]."""
    y = (values[..., 0] + 16) / 116
    bent = np.stack([y + values[..., 1] / 500, y, y - values[..., 2] / 200], axis=-1)
    share = np.where(bent**3 > _MAX_DARK_LUMINANCE, bent**3, (116 * bent - 16) / _DARK_SLOPE)
    return _srgb(share * WHITE)


def _srgb(xyz: Floats) -> Floats:
    linear = np.clip(xyz @ np.linalg.inv(TO_XYZ).T, 0.0, 1.0)
    return np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)


class ColorSpace(NamedTuple):
    """Conversions from and to sRGB in [0, 1]."""

    from_rgb: Callable[[Floats], Floats]
    to_rgb: Callable[[Floats], Floats]


SPACES: dict[str, ColorSpace] = {
    "luv": ColorSpace(luv, from_luv),
    "lab": ColorSpace(lab, from_lab),
    "rgb": ColorSpace(lambda rgb: 255 * rgb, lambda values: np.clip(values / 255, 0.0, 1.0)),
}
"""Color spaces for comparisons; "rgb" uses 8-bit values."""


_PIXELS_PER_BLOCK = 2**16  # pixels converted at a time


def range_features(picture: Picture, engine: Engine) -> Features:
    """The range features, computed in blocks because a conversion needs ten times the memory of its result."""
    flat, mask, space, precision = picture
    flat = flat if space is None else flat[:, :3]
    values = np.empty(flat.shape[::-1], precision)
    for block in _blocks(len(flat)):
        engine.check()
        colors = flat[block]
        values[:, block] = (colors if space is None else SPACES[space].from_rgb(_shares(colors))).T
    inside = values if mask is None else values[:, mask]
    low, high = float(inside.min()), float(inside.max())
    if mask is not None:
        values[:, ~mask] = mask_value(values.dtype)
    return Features(values, low, high)


def painted(picture: Picture, modes: Floats, engine: Engine) -> NDArray[Any]:
    """The image with other range features."""
    flat, mask, space, _ = picture
    modes = to_host(modes)
    out, channels = flat.copy(), flat.shape[1] if space is None else 3
    values = modes[:, modes.shape[1] - channels :]
    for block in _blocks(len(flat)):
        engine.check()
        pixels = np.arange(block.start, block.stop) if mask is None else block.start + np.flatnonzero(mask[block])
        colors = values[pixels] if space is None else SPACES[space].to_rgb(values[pixels]) * full_intensity(flat.dtype)
        is_whole = flat.dtype.kind in "ui"
        out[pixels, :channels] = colors > 0.5 if flat.dtype.kind == "b" else np.rint(colors) if is_whole else colors
    return out


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _PIXELS_PER_BLOCK, n)) for start in range(0, n, _PIXELS_PER_BLOCK))


def _shares(colors: NDArray[Any]) -> Floats:
    """Colors as shares of full intensity, in double precision."""
    return np.asarray(colors.astype(np.float64) / full_intensity(colors.dtype))
