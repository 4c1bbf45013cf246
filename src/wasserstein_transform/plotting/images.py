"""Images and the regions of a segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._types import Floats, Ints
from .colors import one_color
from .style import GRAY, RASTER, STRONG, THIN, WIDTH, canvas, color, ready, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGE = STRONG
"""Color of boundaries."""

_NAMED = 21  # this many largest regions get different colors; the others are gray


def segmentation(
    image: ArrayLike,
    labels: ArrayLike,
    ax: Axes | None = None,
    *,
    fill: bool = False,
    like: ArrayLike | None = None,
    edge: str = EDGE,
    lw: float = THIN,
    title: str | None = None,
) -> Axes:
    """Draw an image with the boundaries of its regions, as lines between pixels.

    Parameters
    ----------
    image : array of shape (h, w) or (h, w, channels)
        Gray, RGB or RGBA (opacity is ignored); of two channels, or more than four, the mean is shown. uint8 and floats
        in [0, 1] are shown unchanged, anything else is stretched between its 0.1 and 99.9 percentiles.
    labels : array of shape (h, w)
        Region of each pixel, as integers; −1 is no region.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    fill : bool, default False
        Draw the regions in colors instead of the image: the 21 largest in different colors, the others in gray.
    like : array of shape (h, w), optional
        Labels of another segmentation of the image. With fill=True, each region takes the color of the region there
        with which it shares the most pixels. Default None: colors by decreasing size.
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
    ready(ax)
    shown = as_rgb(image)
    regions = _regions(labels, shown.shape[:2])
    if like is not None and not fill:
        raise ValueError("like has an effect only with fill=True; add fill=True, or leave like out")
    others = None if like is None else _regions(like, shown.shape[:2])
    lines, lw, ink = _between(regions), check.tolerance(lw, "lw"), one_color(edge, "edge")
    ax = canvas(ax, 2, figure_size(*shown.shape[:2]))
    ax.imshow(painted(regions, others) if fill else shown, interpolation="nearest")
    if len(lines):
        from matplotlib.collections import LineCollection

        drawn = LineCollection(list(lines), colors=ink, linewidths=lw, capstyle="projecting")
        drawn.set_rasterized(len(lines) > RASTER)
        ax.add_collection(drawn, autolim=False)
    ax.set(xticks=[], yticks=[])
    tidy(ax, title)
    return ax


def figure_size(height: int, width: int) -> tuple[float, float]:
    """Figure size in inches for an image; no side is longer than a page is wide."""
    ratio = float(np.clip(height / width, 0.25, 4.0))
    return WIDTH * min(1.0, 1 / ratio), WIDTH * min(1.0, ratio)


def outlined(image: ArrayLike, labels: ArrayLike) -> NDArray[np.uint8]:
    """The image in 8-bit RGB, of the same size, with the pixels along boundaries colored."""
    shown = as_rgb(image).copy()
    regions = _regions(labels, shown.shape[:2])
    for axis in (0, 1):
        ahead, out = np.moveaxis(regions, axis, 0), np.moveaxis(shown, axis, 0)
        out[:-1][ahead[:-1] != ahead[1:]] = _rgb(EDGE)
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


def painted(labels: Ints, like: Ints | None = None) -> NDArray[np.uint8]:
    """Regions in colors, by decreasing size or as in the segmentation `like`; all but the largest are gray."""
    table = np.tile(_rgb(GRAY), (int(labels.max(initial=0)) + 2, 1))  # the last row is for label −1
    large = _largest(labels)
    for region, rank in zip(large, _ranks(labels, large, like), strict=True):
        table[region] = _rgb(color(rank))
    return np.asarray(table[labels])


def _largest(labels: Ints) -> list[int]:
    """The largest regions, by decreasing size."""
    used, sizes = np.unique(labels[labels >= 0], return_counts=True)
    return [int(k) for k in used[np.argsort(-sizes, kind="stable")][:_NAMED]]


def _ranks(labels: Ints, large: list[int], like: Ints | None) -> list[int]:
    """A different color for each of the large regions."""
    if like is None:
        return list(range(len(large)))
    there = _largest(like)
    wanted, free = [], set(range(_NAMED))
    for region in large:
        shared = like[labels == region]
        most = int(np.bincount(shared[shared >= 0], minlength=1).argmax())
        rank = there.index(most) if most in there else -1
        wanted.append(rank if rank in free else -1)
        free.discard(rank)
    rest = iter(sorted(free, reverse=True))  # from the end: the colors of the smallest regions
    return [next(rest) if rank < 0 else rank for rank in wanted]


def _rgb(name: str) -> NDArray[np.uint8]:
    return np.array([int(name[at : at + 2], 16) for at in (1, 3, 5)], np.uint8)


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
