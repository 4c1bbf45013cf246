"""A checked image in the layout of the kernels: one row per channel, pixels in the order of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Bools, Floats
from ..compute.colors import SPACES, painted, range_features
from ..compute.pixels import Grid, Picture, full, most
from ..cuda import on
from ..engine import Engine, current

_COLORS = 4  # largest length of a last axis that channel_axis="auto" takes for channels


@dataclass(frozen=True, eq=False)
class Pixels:
    """A checked image.

    Attributes
    ----------
    image : array of shape (*shape) or (*shape, channels)
        The given image.
    shape : tuple of int
        Shape of the grid: two numbers for an image, three for a volume.
    mask : array of bool, shape (pixels,), optional
        Pixels to segment; None means all.
    space : str, optional
        The color space of the features; None if they are the values themselves.
    """

    image: NDArray[Any]
    shape: tuple[int, ...]
    mask: Bools | None
    space: str | None

    @property
    def n(self) -> int:
        """Number of pixels, including those outside the mask."""
        return int(np.prod(self.shape))

    @property
    def n_features(self) -> int:
        """Number of channels of the range features."""
        flat = self.image.size // self.n
        return flat if self.space is None else 3

    @property
    def precision(self) -> type[np.floating[Any]]:
        """Precision of the range features: single if it represents the values exactly, and for colors of integers."""
        dtype = self.image.dtype
        single = np.result_type(dtype, np.float32) == np.float32 or (self.space is not None and dtype.kind != "f")
        return np.float32 if single else np.float64

    def features(self, engine: Engine | None = None) -> Floats:
        """Return the range features, one row per channel; outside the mask so large that no window contains them.

        The array may be in the memory of the device that computes.
        """
        engine = current(engine)
        picture = self._picture
        if self.space is not None:
            check_colors(picture.flat[:, :3])
        values, low, high = on(engine, range_features)(picture, engine)
        limit = most(values.dtype)
        if not np.isfinite(low) or not np.isfinite(high):
            raise ValueError("image must be finite; mask out pixels that are not: mask=np.isfinite(image)")
        if max(-low, high) > limit:
            raise ValueError(f"image must lie within ±{limit:g}, got {low:g} to {high:g}; rescale it")
        return values

    def painted(self, modes: Floats, engine: Engine | None = None) -> NDArray[Any]:
        """Return an image of moved pixels, in dtype and range of this one; alpha and masked pixels are unchanged."""
        engine = current(engine)
        return on(engine, painted)(self._picture, modes, engine).reshape(self.image.shape)

    @property
    def _picture(self) -> Picture:
        return Picture(self.image.reshape(self.n, -1), self.mask, self.space, self.precision)

    @property
    def grid(self) -> Grid:
        """Depth, height and width."""
        return (1, *self.shape) if len(self.shape) == 2 else self.shape  # type: ignore[return-value]


def read(image: ArrayLike, color: str, mask: ArrayLike | None, channel_axis: int | Literal["auto"] | None) -> Pixels:
    """Check an image and its options."""
    if np.ma.is_masked(image):
        raise ValueError("image must not be a masked array; pass image.data, and mask=~image.mask")
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
            + ("; tell which axis holds channels by channel_axis" if channel_axis is None else "")
        )
    space = _space(array, color, channel_axis is not None)
    shape = array.shape[:n_axes]
    inside = None if mask is None else _mask(mask, shape)
    return Pixels(array, shape, inside, space)


def _channel_axis(array: NDArray[Any]) -> int | None:
    """Return −1 for four axes, and for three if the last one is short enough for colors; else None."""
    return -1 if array.ndim == 4 or (array.ndim == 3 and array.shape[-1] <= _COLORS) else None


def _space(array: NDArray[Any], color: str, has_channels: bool) -> str | None:
    if color not in (*SPACES, "none"):
        raise ValueError(f"color must be one of {', '.join(SPACES)} and none, got {color!r}")
    return color if has_channels and array.shape[-1] in (3, 4) and color != "none" else None


def check_colors(rgb: NDArray[Any]) -> None:
    """Reject values outside the color range of their type."""
    if rgb.dtype.kind in "fi":
        low, high, limit = np.nanmin(rgb), np.nanmax(rgb), full(rgb.dtype)
        if low < 0 or high > limit:
            kind = "floats" if rgb.dtype.kind == "f" else "signed integers"
            raise ValueError(
                f"colors given as {kind} must lie in [0, {limit:g}], got {low:g} to {high:g}; rescale, or use "
                "color='none'"
            )


def _mask(mask: ArrayLike, shape: tuple[int, ...]) -> Bools:
    inside = np.asarray(mask)
    if inside.shape != shape:
        raise ValueError(f"mask must have the shape of the image, {shape}, got {inside.shape}")
    if inside.dtype.kind != "b":
        raise ValueError(f"mask must be True and False, got dtype {inside.dtype}; mask=array > 0 makes one")
    if not inside.any():
        raise ValueError("mask must be True for at least one pixel, it is False everywhere")
    return inside.ravel()
