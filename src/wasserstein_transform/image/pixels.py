"""An image as the kernels want it: one row a channel, pixels in the order of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Bools, Floats
from .color import from_lab, from_luv, lab, luv

_COLORS = 4  # channels at most that an axis is taken for without being told
_BLOCK = 2**16  # pixels whose colors are changed at a time


class ColorSpace(NamedTuple):
    """There and back: from and to sRGB in [0, 1]."""

    there: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]


SPACES: dict[str, ColorSpace] = {
    "luv": ColorSpace(luv, from_luv),
    "lab": ColorSpace(lab, from_lab),
    "rgb": ColorSpace(lambda rgb: 255 * rgb, lambda values: np.clip(values / 255, 0.0, 1.0)),
}
"""What colors are compared in; 8-bit values for "rgb"."""


@dataclass(frozen=True, eq=False)
class Pixels:
    """A checked image.

    Attributes
    ----------
    image : array of shape (*shape) or (*shape, channels)
        As it came.
    shape : tuple of int
        Of the grid: two numbers for an image, three for a volume.
    mask : array of shape (pixels,), optional
        Pixels to segment.
    space : ColorSpace, optional
        That the features are in; None if they are the values themselves.
    """

    image: NDArray[Any]
    shape: tuple[int, ...]
    mask: Bools | None
    space: ColorSpace | None

    @property
    def n(self) -> int:
        """Pixels, those outside the mask as well."""
        return int(np.prod(self.shape))

    @property
    def n_features(self) -> int:
        """Channels of the range features."""
        flat = self.image.size // self.n
        return flat if self.space is None else 3

    @property
    def precision(self) -> type[np.floating[Any]]:
        """Of the range features: single where that holds the values as they came, and for colors of whole numbers."""
        dtype = self.image.dtype
        single = np.result_type(dtype, np.float32) == np.float32 or (self.space is not None and dtype.kind != "f")
        return np.float32 if single else np.float64

    def features(self) -> NDArray[Any]:
        """Range features, one row a channel; outside the mask so large that no window ever holds them."""
        values = _features(self.image.reshape(self.n, -1), self.space, self.precision)
        seen = values if self.mask is None else values[:, self.mask]
        low, high, limit = float(seen.min()), float(seen.max()), most(values.dtype)
        if not np.isfinite(low) or not np.isfinite(high):
            raise ValueError("image must be finite; mask out pixels that are not: mask=np.isfinite(image)")
        if max(-low, high) > limit:
            raise ValueError(f"image must lie within ±{limit:g}, got {low:g} to {high:g}; rescale")
        if self.mask is not None:
            values[:, ~self.mask] = 1e8 * limit
        return values

    def painted(self, values: Floats) -> NDArray[Any]:
        """An image of given range features, in the dtype and range of this one; alpha and what is masked stay."""
        out = self.image.copy()
        flat = out.reshape(len(values), -1)
        for block in _blocks(len(values)):
            kept = (
                np.arange(block.start, block.stop)
                if self.mask is None
                else block.start + np.flatnonzero(self.mask[block])
            )
            colors = self._unscaled(values[kept]) if self.space is None else self._colors(self.space.back(values[kept]))
            flat[kept, : colors.shape[1]] = colors
        return out

    def _colors(self, shares: Floats) -> NDArray[Any]:
        return self._unscaled(shares * _full(self.image.dtype))

    def _unscaled(self, values: Floats) -> NDArray[Any]:
        dtype = self.image.dtype
        if dtype.kind == "b":
            return values > 0.5
        return (np.rint(values) if dtype.kind in "ui" else values).astype(dtype)

    @property
    def grid(self) -> tuple[int, int, int]:
        """Depth, height and width."""
        return (1, *self.shape) if len(self.shape) == 2 else self.shape  # type: ignore[return-value]


def read(image: ArrayLike, color: str, mask: ArrayLike | None, channel_axis: int | Literal["auto"] | None) -> Pixels:
    """Check what came."""
    if np.ma.is_masked(image):
        raise ValueError("image must not be a masked array; give mask=~image.mask, and image.data")
    array = np.asarray(image)
    if channel_axis not in ("auto", None) and not isinstance(channel_axis, int | np.integer):
        raise ValueError(f"channel_axis must be the number of an axis, None or 'auto', got {channel_axis!r}")
    channel_axis = _channel_axis(array) if channel_axis == "auto" else channel_axis
    if channel_axis is not None and not -array.ndim <= channel_axis < array.ndim:
        raise ValueError(f"channel_axis must be an axis of the image, of shape {array.shape}, got {channel_axis}")
    if array.dtype.kind not in "buif":
        raise ValueError(f"image must be numbers, got dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"image must hold at least one pixel, got shape {array.shape}")
    array = array if channel_axis is None else np.moveaxis(array, channel_axis, -1)
    n_axes = array.ndim - (channel_axis is not None)
    if n_axes not in (2, 3):
        raise ValueError(
            f"image must be a grid of 2 or 3 axes, got shape {np.shape(image)}"
            + ("; say which axis holds channels with channel_axis" if channel_axis is None else "")
        )
    space = _space(array, color, channel_axis is not None)
    shape = array.shape[:n_axes]
    inside = None if mask is None else _mask(mask, shape)
    return Pixels(array, shape, inside, space)


def _channel_axis(array: NDArray[Any]) -> int | None:
    """The last one, of four axes, or of three if it is short enough for colors."""
    return -1 if array.ndim == 4 or (array.ndim == 3 and array.shape[-1] <= _COLORS) else None


def _space(array: NDArray[Any], color: str, has_channels: bool) -> ColorSpace | None:
    if color not in (*SPACES, "none"):
        raise ValueError(f"color must be one of {', '.join(SPACES)} and none, got {color!r}")
    return SPACES[color] if has_channels and array.shape[-1] in (3, 4) and color != "none" else None


def most(dtype: np.dtype[Any]) -> float:
    """The largest value taken: beyond it squares, and what stands for pixels outside the mask, are out of range."""
    return 1e30 if dtype.itemsize == 4 else 1e100


def _features(flat: NDArray[Any], space: ColorSpace | None, kind: type[np.floating[Any]]) -> NDArray[Any]:
    """Made block by block, as changing colors takes ten times the room of its result."""
    if space is not None:
        flat = flat[:, :3]
        _check_colors(flat)
    values = np.empty(flat.shape[::-1], kind)
    for block in _blocks(len(flat)):
        values[:, block] = (flat[block] if space is None else space.there(_unit(flat[block]))).T
    return values


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))


def _check_colors(rgb: NDArray[Any]) -> None:
    if rgb.dtype.kind in "fi":
        low, high, most = np.nanmin(rgb), np.nanmax(rgb), _full(rgb.dtype)
        if low < 0 or high > most:
            kind = "floats" if rgb.dtype.kind == "f" else "signed integers"
            raise ValueError(
                f"colors given as {kind} must lie in [0, {most:g}], got {low:g} to {high:g}; rescale, or take "
                "color='none'"
            )


def _full(dtype: np.dtype[Any]) -> float:
    """Full intensity: the largest number of an unsigned type, 255 of a signed one, 1 of floats and truth values."""
    if dtype.kind == "u":
        return float(np.iinfo(dtype).max)
    return 255.0 if dtype.kind == "i" else 1.0


def _unit(rgb: NDArray[Any]) -> Floats:
    """Colors as shares of full intensity."""
    return np.asarray(rgb / _full(rgb.dtype))


def _mask(mask: ArrayLike, shape: tuple[int, ...]) -> Bools:
    inside = np.asarray(mask)
    if inside.shape != shape:
        raise ValueError(f"mask must have the shape of the image, {shape}, got {inside.shape}")
    if inside.dtype.kind != "b":
        raise ValueError(f"mask must be True and False, got dtype {inside.dtype}; mask=array > 0 makes one")
    if not inside.any():
        raise ValueError("mask must leave at least one pixel, it leaves none")
    return inside.ravel()
