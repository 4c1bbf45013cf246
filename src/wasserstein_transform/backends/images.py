"""What images are to a backend: pixels that move within windows."""

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
"""Numbers kept of the shape of a neighborhood, by the axes of the grid."""


class Picture(NamedTuple):
    """An image as it came.

    Attributes
    ----------
    flat : array of shape (pixels, channels)
    mask : array of shape (pixels,), optional
        Pixels that count.
    space : str, optional
        A name in `SPACES`, that the first three channels are compared in; None: all channels as they are.
    precision : type
        Of the range features, single or double.
    """

    flat: NDArray[Any]
    mask: Bools | None
    space: str | None
    precision: type[np.floating[Any]]


class Features(NamedTuple):
    """Range features of a picture, one row a channel, and the least and the largest of those that count.

    Outside the mask they are so large that no window ever holds them.
    """

    values: Floats
    low: float
    high: float


def most(dtype: np.dtype[Any]) -> float:
    """The largest value taken: beyond it squares, and what stands for pixels outside the mask, are out of range."""
    return 1e30 if dtype.itemsize == 4 else 1e100


def nobody(dtype: np.dtype[Any]) -> float:
    """The value of pixels outside the mask."""
    return 1e8 * most(dtype)


def full(dtype: np.dtype[Any]) -> float:
    """Full intensity: the largest number of an unsigned type, 255 of a signed one, 1 of floats and truth values."""
    if dtype.kind == "u":
        return float(np.iinfo(dtype).max)
    return 255.0 if dtype.kind == "i" else 1.0


class Image(NamedTuple):
    """Pixels in the order of memory.

    Attributes
    ----------
    values : array of shape (channels, pixels)
        Outside the mask so large that no window ever holds them.
    mask : array of shape (pixels,), optional
        Pixels that move.
    axes : int
        Of the grid, 2 or 3.
    """

    values: Floats
    mask: Bools | None
    axes: int


class Motion(NamedTuple):
    """How pixels move: radii in pixels and in values, the weight of shapes; and when they rest."""

    spatial: float
    range: float
    lam: float
    tol: float
    n_iter: int


class Moved(NamedTuple):
    """Modes, one row a pixel: places by axes of the grid, then values; iterations of each; how many pixels do not rest.

    n_swinging pixels came back to a state they had been in and are stopped: of all states between, at that with most
    neighbors; of several such, at that with the least values, then the least entries of the shape. n_unfinished pixels
    were still on their way after the last iteration.

    Outside the mask modes are NaN, and there are no iterations.
    """

    modes: Floats
    n_iter: Counts
    n_swinging: int
    n_unfinished: int


class Links(NamedTuple):
    """Which moved pixels that touch are linked: those whose places and values are within both radii, given as squares.

    Pixels outside the mask, if there is one, are linked to none.
    """

    mask: Bools | None
    axes: int
    spatial: float
    range: float


def window_of(grid: Grid, spatial: float) -> Window:
    """The disc or ball of a radius as runs along the last axis; no longer than the image."""
    reach = rim(spatial)
    steps = [np.arange(-min(int(reach), n - 1), min(int(reach), n - 1) + 1) for n in grid[:2]]
    dz, dy = (part.ravel() for part in np.meshgrid(*steps, indexing="ij"))
    left = reach * reach - dz**2 - dy**2
    kept = left >= 0
    half = np.minimum(np.sqrt(left[kept]), grid[2] - 1).astype(np.intp)
    furthest = np.array([dz[kept].max(), dy[kept].max(), half.max()])
    return Window(np.array(grid), furthest, dz[kept], dy[kept], half, 0)


def window_size(window: Window) -> float:
    """Pixels of a window."""
    return float((2 * window.half + 1).sum())
