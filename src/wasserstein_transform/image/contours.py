"""`segment`: segmentation along contours at every scale, trained on human boundaries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._types import Floats, Ints
from ..compute.pixels.colors import lab as to_lab
from ..compute.pixels.motion import full_intensity
from ..compute.pixels.regions_jit import number_by_first
from ..engine import Engine, current
from .joining import COLOR, GRAY, joined
from .pixels import Pixels, check_colors, is_path, read
from .reading import picture_files
from .regions import means, merge_small
from .seams import Evidence
from .segmentation import Segmentation
from .sides import DIRECTIONS, Singles, on_grid
from .sizes import MOST, Reduced, carried_up, reduced
from .tree import RegionTree

_MOST = 1e30  # largest absolute value: computations are in single precision
_COLORLESS = 2.0  # largest |a*| and |b*| that count as gray
_CHANNELS = 16  # most channels in the last axis before channel_axis must be given
_DARK = 1 / 16  # share of the range of their type below which colors are nearly black
_CONTRASTS = 4.0 * DIRECTIONS * 40  # bytes per pixel of the reduced image: contrasts and intermediate arrays


@overload
def segment(image: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *args: Any, **options: Any) -> Any: ...


@overload
def segment(image: ArrayLike, *args: Any, **options: Any) -> Segmentation: ...


def segment(
    image: Any,
    n_segments: int | None = None,
    *,
    scale: float | None = None,
    min_size: int = 0,
    mask: ArrayLike | None = None,
    color: bool = True,
    channel_axis: int | Literal["auto"] | None = "auto",
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Segmentation | list[Segmentation]:
    """Segment a picture along contours that resemble human ones.

    The contrast at a pixel is the Wasserstein distance between the values on its two sides, for L*, a*, b* and texture,
    in eight directions and four widths. The finest regions are the watershed basins of the contrast. Touching regions
    are then joined, the seam least likely to be a human boundary first. That likelihood is a logistic regression,
    fitted to human segmentations of photographs: 23 weights for contrasts, distances between the values of both
    regions, spectral evidence of the whole image, and sizes, with separate weights for pictures without color. `scale`
    tells where to stop, and `Segmentation.tree` keeps all scales.

    Parameters
    ----------
    image : array of shape (h, w) or (h, w, channels), path, or list of paths
        Gray; 3 channels are red, green and blue; 4 are these and opacity, and transparent pixels get the label −1; any
        other number are separate channels, such as those of a fluorescence microscope. A path is that of a PNG, JPEG,
        TIFF, GIF, BMP, WebP or Netpbm file; a folder stands for all pictures in it. Values are those of the file, and
        the file tells which channels are colors. Colors span the range of their type; gray levels and channels of bytes
        are 0 to 255, those of any other type are stretched, each between its 0.1 and 99.9 percentiles. So the unit of
        a picture of 12 or 16 bits, or of floats, does not matter.
    n_segments : int, optional
        Number of regions, instead of `scale`.
    scale : float, 0 to 1, optional
        From 0, fine, to 1, coarse. A boundary stays if about this fraction of people would draw it. None means the
        scale that suits the picture, `RegionTree.choose_scale`: 0.61 for most photographs, less for dull ones.
    min_size : int, default 0
        Regions of fewer pixels are merged into the most similar touching region.
    mask : array of bool, shape of the grid, optional
        Pixels to segment; the others get the label −1 and are not neighbors of any pixel. None means all.
    color : bool, default True
        Whether 3 and 4 channels are colors; False takes them for separate channels.
    channel_axis : int, None or "auto", default "auto"
        The axis of channels; None if there is none. "auto" takes the last of three axes if its length is at most 16.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Device, threads, memory limit and progress; None means the setting of `wt.using`. Contours are always computed
        on the CPU.

    Returns
    -------
    Segmentation, or list of Segmentation
        Labels, the number of regions, and the tree; a list for a folder and for a list of paths.

    Notes
    -----
    Images of more than 154,401 pixels are reduced first; labels are then carried back along the edges of the full
    image. A mirrored or rotated image has the mirrored or rotated regions. Volumes are segmented by
    `wt.image.segment_by_radii`.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 20:] = 110, 160, 90
    >>> photo[10:30, 35:50] = 230
    >>> found = wt.segment(photo)
    >>> found
    <Segmentation of 40 × 60 pixels into 3 segments>
    >>> int(found.tree.cut(n_segments=2).max()) + 1
    2
    """
    if (is_path(image) and Path(image).is_dir()) or (isinstance(image, list | tuple) and all(map(is_path, image))):
        one = partial(
            segment, n_segments=n_segments, scale=scale, min_size=min_size, mask=mask, color=color,
            channel_axis=channel_axis, n_jobs=n_jobs, verbose=verbose, engine=engine,
        )  # fmt: skip
        return [one(file) for file in picture_files(image)]
    min_size = check.count(min_size, "min_size", 0)
    if not isinstance(color, bool | np.bool_):
        raise ValueError(f"color must be True or False, got {check.shown(color)}; spaces are for segment_by_radii")
    if scale is not None and n_segments is not None:
        raise ValueError(f"give one of scale and n_segments, got {scale} and {n_segments}")
    if scale is not None and check.tolerance(scale, "scale") > 1:
        raise ValueError(f"scale must lie between 0 and 1, got {scale}")
    if n_segments is not None:
        n_segments = check.count(n_segments, "n_segments", 1)
    pixels = read(image, "lab" if color else "none", mask, channel_axis, _CHANNELS)
    if len(pixels.shape) != 2:
        raise ValueError(
            f"contours are those of a picture of two axes and channels, got shape {pixels.image.shape}; give one frame"
            + check.option_text(", or say channel_axis; wt.image.segment_by_radii takes volumes", "")
        )
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine:
        tree = region_tree(pixels, engine)
        if scale is None and n_segments is None:
            scale = tree.choose_scale()
        labels = tree.cut(scale, n_segments=n_segments)
        if min_size > 1:
            values = pixels.image.reshape(pixels.n, -1).astype(np.float64)
            labels, _ = merge_small(labels, values, min_size, engine)
        return Segmentation(labels, pixels.image, _painted(pixels, labels), int(labels.max()) + 1, tree, scale)


def region_tree(pixels: Pixels, engine: Engine) -> RegionTree:
    """Return the finest regions and the order in which they are joined."""
    _check(pixels)
    n_small, is_color = float(min(pixels.n, 2 * MOST)), pixels.space is not None
    each = 40.0 + pixels.image.nbytes / pixels.n  # labels of the finest regions and of the cut; a painted image
    memory = each * pixels.n + (_CONTRASTS + 64.0 * pixels.n_features) * n_small
    engine.reserve(memory, f"segmenting {pixels.n} pixels", "reduce the image")
    small = reduced(pixels.image, pixels.mask, is_color)
    values, in_color = lightness(small, is_color)
    found = Evidence.of(values, in_color, small.inside, engine)
    joins, odds = joined(found, engine, COLOR if in_color else GRAY)
    joins, heights = completed(joins, odds, len(found.sizes))
    finest = carried_up(found.labels, small, pixels.image, pixels.mask, is_color, engine)
    new = np.full(len(found.sizes), -1)
    number_by_first(finest.ravel(), new)
    return RegionTree(finest, *_kept(joins, heights, new))


def _check(pixels: Pixels) -> None:
    channels = pixels.image.reshape(pixels.n, -1)[:, : pixels.n_features]
    known = channels if pixels.mask is None else channels[pixels.mask]
    low, high = float(known.min()), float(known.max())
    if not np.isfinite(low) or not np.isfinite(high):
        raise ValueError("image must be finite; mask out pixels that are not: mask=np.isfinite(image)")
    if max(-low, high) > _MOST:
        raise ValueError(f"image must lie within ±{_MOST:g}, got {low:g} to {high:g}; rescale it")
    if pixels.space is not None:
        check_colors(known, "color=False")
        if 0 < high < _DARK * full_intensity(known.dtype):
            check.warn(
                f"colors reach only {high:g} of {full_intensity(known.dtype):g}, which is nearly black; if the picture "
                "has fewer bits than its type, rescale it: image / image.max()"
            )


def lightness(small: Reduced, is_color: bool) -> tuple[Singles, bool]:
    """Return L*, a* and b* of colors, else one lightness for each channel, and whether there is any color.

    Colors without color, apart from compression artifacts in one percent of the pixels, are one lightness.
    """
    if not is_color:
        levels = np.broadcast_to(small.values[..., None], (*small.values.shape, 3)).astype(np.float64)
        return on_grid(to_lab(levels)[..., 0]), False
    lab = np.moveaxis(on_grid(to_lab(np.moveaxis(small.values, 0, -1).astype(np.float64))), -1, 0)
    in_color = bool(np.percentile(np.abs(lab[1:]), 99) >= _COLORLESS)
    return np.ascontiguousarray(lab if in_color else lab[:1]), in_color


def completed(joins: Ints, odds: Floats, n: int) -> tuple[Ints, Floats]:
    """Make heights nondecreasing, and join parts that do not touch last, at height 1."""
    heights = np.maximum.accumulate(1 / (1 + np.exp(-odds))) if len(odds) else odds
    tops = np.setdiff1d(np.arange(n), joins[:, 1])
    rest = np.stack([np.full(len(tops) - 1, tops[0]), tops[1:]], axis=1)
    return np.concatenate([joins, rest]), np.concatenate([heights, np.ones(len(rest))])


def _kept(joins: Ints, heights: Floats, new: Ints) -> tuple[Ints, Floats]:
    """Return the joins with new numbers of regions, without regions that have none: those that a mask removed."""
    of, kept = new.copy(), []
    for k, (a, b) in enumerate(joins):
        if of[a] >= 0 and of[b] >= 0:
            kept.append((of[a], of[b], k))
        of[a] = max(of[a], of[b])
    rows = np.array(kept, np.intp).reshape(-1, 3)
    return rows[:, :2], heights[rows[:, 2]]


def _painted(pixels: Pixels, labels: Ints) -> NDArray[Any]:
    """Return the image with the mean values of each region; opacity and masked pixels are unchanged."""
    out = pixels.image.copy()
    flat, rows = out.reshape(pixels.n, -1), labels.ravel()
    inside = rows >= 0
    for k in range(pixels.n_features):
        average = means(labels, flat[:, k : k + 1].astype(np.float64))[0][:, 0]
        average = np.rint(average) if out.dtype.kind in "uib" else average
        flat[inside, k] = average[rows[inside]].astype(out.dtype)
    return out
