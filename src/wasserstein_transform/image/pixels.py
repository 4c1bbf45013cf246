"""A checked image in the layout of the kernels: one row per channel, pixels in the order of memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._types import Bools, Floats
from ..compute.pixels.colors import SPACES, painted, range_features
from ..compute.pixels.motion import Grid, Picture, full_intensity, max_value
from ..cuda import on
from ..engine import Engine, current
from .reading import from_file, picture_files

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
            check_colors(picture.flat[:, :3], "color='none'")
        values, low, high = on(engine, range_features)(picture, engine)
        limit = max_value(values.dtype)
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


def is_path(image: object) -> TypeGuard[str | os.PathLike[str]]:
    """Tell whether an image is given by its file."""
    return isinstance(image, str | os.PathLike)


def read(
    image: ArrayLike | str | os.PathLike[str],
    color: str,
    mask: ArrayLike | None,
    channel_axis: int | Literal["auto"] | None,
    most_channels: int = _COLORS,
) -> Pixels:
    """Check an image, given as an array or a file, and its options; transparent pixels are outside the mask.

    Parameters
    ----------
    image, color, mask, channel_axis
        As for `segment_by_radii`.
    most_channels : int, default 4
        Largest length of a last axis that channel_axis="auto" takes for channels.
    """
    check.choice(color, "color", (*SPACES, "none"))
    if is_path(image):
        array, is_color = from_file(picture_files(image)[0])
        color, channel_axis = (color, -1) if is_color else ("none", None if array.ndim == 2 else channel_axis)
    elif np.ma.is_masked(image):
        raise ValueError("image must not be a masked array; pass image.data, and mask=~image.mask")
    else:
        array = np.asarray(image)
    if channel_axis not in ("auto", None) and not isinstance(channel_axis, int | np.integer):
        raise ValueError(f"channel_axis must be the number of an axis, None or 'auto', got {check.shown(channel_axis)}")
    if channel_axis == "auto":  # the last of four axes, and of three if it is short
        channel_axis = -1 if array.ndim == 4 or (array.ndim == 3 and array.shape[-1] <= most_channels) else None
    if channel_axis is not None and not -array.ndim <= channel_axis < array.ndim:
        raise ValueError(f"channel_axis must be an axis of the image, of shape {array.shape}, got {channel_axis}")
    if array.dtype.kind not in "buif":
        raise ValueError(f"image must be numbers or the path of a file, got dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"image must hold at least one pixel, got shape {array.shape}")
    array = array if channel_axis is None else np.moveaxis(array, channel_axis, -1)
    shape = array.shape[: array.ndim - (channel_axis is not None)]
    if len(shape) not in (2, 3):
        raise ValueError(
            f"image must be a grid of 2 or 3 axes, got shape {array.shape}"
            + ("; tell which axis holds channels by channel_axis" if channel_axis is None else "")
        )
    is_color = channel_axis is not None and array.shape[-1] in (3, 4) and color != "none"
    inside = None if mask is None else _mask(mask, shape)
    if is_color and array.shape[-1] == 4:
        inside = _opaque(array[..., 3].ravel(), inside)
    return Pixels(array, shape, inside, color if is_color else None)


def _opaque(opacity: NDArray[Any], inside: Bools | None) -> Bools | None:
    """Return the mask without transparent pixels; None if it has every pixel."""
    visible = opacity > 0
    if not visible.any():
        raise ValueError("image is transparent everywhere; give the colors without the fourth channel: image[..., :3]")
    if visible.all():
        return inside
    if inside is not None and not (inside & visible).any():
        raise ValueError("mask has no pixel that is visible: the image is transparent there")
    return visible if inside is None else inside & visible


def check_colors(rgb: NDArray[Any], otherwise: str) -> None:
    """Reject values outside the color range of their type; `otherwise` takes them for no colors."""
    if rgb.dtype.kind in "fi":
        low, high, limit = np.nanmin(rgb), np.nanmax(rgb), full_intensity(rgb.dtype)
        if low < 0 or high > limit:
            kind = "floats" if rgb.dtype.kind == "f" else "signed integers"
            raise ValueError(
                f"colors given as {kind} must lie in [0, {limit:g}], got {low:g} to {high:g}; rescale them"
                + check.option_text(f", or use {otherwise}", "")
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
