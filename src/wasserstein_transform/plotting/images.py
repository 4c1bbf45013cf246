"""Images and the regions of a segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Floats, Ints
from .style import RASTER, STRONG, THIN, WIDTH, canvas, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGE = STRONG
"""Color of boundaries."""


def segmentation(
    image: ArrayLike,
    labels: ArrayLike,
    ax: Axes | None = None,
    *,
    edge: str = EDGE,
    lw: float = THIN,
    title: str | None = None,
) -> Axes:
    """Draw an image with the boundaries of its regions, as lines between pixels.

    Parameters
    ----------
    image : array of shape (h, w) or (h, w, channels)
        Gray, RGB or RGBA (opacity is ignored); of two channels, or more than four, the mean is shown. uint8 and floats
        in [0, 1] are shown unchanged, anything else is stretched between its 0.1 and 99.9 percentiles. The method
        `colored` of a Segmentation makes one with the regions in colors.
    labels : array of shape (h, w)
        Region of each pixel, as integers; −1 is no region.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    edge : color, default "#D55E00"
        Color of the boundaries.
    lw : float, default 0.6
        Width of the boundaries, in points.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.segmentation(image, wt.image.segment(image).labels, ax)
    >>> len(ax.collections[0].get_segments())  # one straight line
    1
    """
    shown = as_rgb(image)
    height, width = shown.shape[:2]
    lines = _between(_regions(labels, (height, width)))
    ratio = float(np.clip(height / width, 0.25, 4.0))
    ax = canvas(ax, 2, (WIDTH * min(1.0, 1 / ratio), WIDTH * min(1.0, ratio)))
    ax.imshow(shown, interpolation="nearest")
    if len(lines):
        from matplotlib.collections import LineCollection

        drawn = LineCollection(
            list(lines), colors=edge, linewidths=lw, capstyle="projecting", rasterized=len(lines) > RASTER
        )
        ax.add_collection(drawn, autolim=False)
    ax.set(xticks=[], yticks=[])
    tidy(ax, title)
    return ax


def outlined(image: ArrayLike, labels: ArrayLike) -> NDArray[np.uint8]:
    """The image in 8-bit RGB, of the same size, with the pixels along boundaries colored."""
    shown = as_rgb(image).copy()
    regions = _regions(labels, shown.shape[:2])
    for axis in (0, 1):
        ahead, out = np.moveaxis(regions, axis, 0), np.moveaxis(shown, axis, 0)
        out[:-1][ahead[:-1] != ahead[1:]] = tuple(bytes.fromhex(EDGE[1:]))
    return shown


def as_rgb(image: ArrayLike) -> NDArray[np.uint8]:
    """Convert an image to 8-bit RGB.

    uint8 and floats in [0, 1] are kept, anything else is stretched between its 0.1 and 99.9 percentiles. Two channels,
    or more than four, are shown as the mean of the stretched channels.
    """
    array = np.asarray(image)
    if array.ndim not in (2, 3) or array.size == 0 or array.dtype.kind not in "buif":
        raise ValueError(
            f"image must hold numbers, in shape (h, w) or (h, w, channels), got {array.dtype} of shape {array.shape}"
        )
    array = array[..., None] if array.ndim == 2 else array
    if array.shape[2] in (3, 4):
        level = _bytes(array[..., :3])
    else:
        channels = [_bytes(array[..., k]) for k in range(array.shape[2])]
        level = np.rint(np.mean(channels, axis=0))[..., None].astype(np.uint8)
    return np.broadcast_to(level, (*array.shape[:2], 3))


def _bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    if values.dtype == np.uint8:
        return values
    known = values[np.isfinite(values)].astype(np.float64)
    low, high = np.percentile(known, (0.1, 99.9)) if known.size else (0.0, 1.0)
    if values.dtype.kind in "fb" and known.min(initial=0) >= 0 and known.max(initial=1) <= 1:
        low, high = 0.0, 1.0
    if low == high:
        low, high = 0.0, float(np.iinfo(values.dtype).max) if values.dtype.kind == "u" else (high or 1.0)
    return np.asarray(np.rint(255 * np.clip(np.nan_to_num((values - low) / (high - low)), 0, 1)), np.uint8)


def _regions(labels: ArrayLike, shape: tuple[int, ...]) -> Ints:
    regions = np.asarray(labels)
    if regions.shape != shape:
        raise ValueError(f"labels must have the shape of the image, {shape}, got {regions.shape}")
    if regions.dtype.kind not in "iub":
        raise ValueError(f"labels must be integers, got dtype {regions.dtype}")
    return regions.astype(np.intp)


def _between(labels: Ints) -> Floats:
    """Boundaries as straight lines of maximal length, shape (lines, 2, 2): (x, y) of both ends, in pixels."""
    beside = _runs(labels[:, 1:] != labels[:, :-1])
    below = _runs((labels[1:] != labels[:-1]).T)[:, :, ::-1]
    return np.concatenate([beside, below])


def _runs(differs: NDArray[np.bool_]) -> Floats:
    """Lines down the columns of a mask; column k lies between pixels k and k + 1."""
    padded = np.pad(differs, ((1, 1), (0, 0))).astype(np.int8)
    change = np.diff(padded, axis=0).T
    column, start = np.nonzero(change == 1)
    stop = np.nonzero(change == -1)[1]
    return np.stack([np.stack([column + 0.5, start - 0.5], 1), np.stack([column + 0.5, stop - 0.5], 1)], 1)
