"""Images for the backends: pixels that move within windows."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Bools, Floats
from ..kernels.patches import Window
from .records import rim

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


def most(dtype: np.dtype[Any]) -> float:
    """The largest allowed value: with larger ones, squares and the values outside the mask would overflow."""
    return 1e30 if dtype.itemsize == 4 else 1e100


def nobody(dtype: np.dtype[Any]) -> float:
    """The value of pixels outside the mask."""
    return 1e8 * most(dtype)


def full(dtype: np.dtype[Any]) -> float:
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


class Moved(NamedTuple):
    """Modes, one row per pixel (position, then values), iterations of each, and the numbers of unconverged pixels.

    n_swinging pixels returned to an earlier state and are stopped at the state of their cycle with most neighbors, ties
    broken by the smallest values, then the smallest entries of the shape. n_unfinished pixels were still moving after
    the last iteration.

    Outside the mask modes are NaN, and iterations are 0.
    """

    modes: Floats
    n_iter: Counts
    n_swinging: int
    n_unfinished: int


class Links(NamedTuple):
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
    kept = left >= 0
    half = np.minimum(np.sqrt(left[kept]), grid[2] - 1).astype(np.intp)
    furthest = np.array([dz[kept].max(), dy[kept].max(), half.max()])
    return Window(np.array(grid), furthest, dz[kept], dy[kept], half, 0)


def window_size(window: Window) -> float:
    """Number of pixels of a window."""
    return float((2 * window.half + 1).sum())
