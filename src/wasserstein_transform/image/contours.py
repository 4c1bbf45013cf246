"""`segment`: segmentation along contours at every scale, trained on human boundaries."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check as check
from .._device_array import DeviceArray
from .._types import Floats, Ints
from ..compute.colors import lab as to_lab
from ..engine import Engine, current
from ..kernels.regions import number_by_first
from .joining import joined
from .pixels import Pixels, check_colors, read
from .regions import means, merge_small
from .seams import Evidence
from .segmentation import Segmentation
from .sides import DIRECTIONS, Singles, on_grid
from .sizes import MOST, Reduced, carried_up, reduced
from .tree import RegionTree
from .weights import COLOR, GRAY

SCALE = 0.6
"""Default scale at which trees are cut; cross-validation on two halves of 100 photographs gave 0.57 and 0.6."""

_MOST = 1e30  # largest absolute value: computations are in single precision
_COLORLESS = 2.0  # largest |a*| and |b*| that count as gray
_CONTRASTS = 4.0 * DIRECTIONS * 40  # bytes per pixel of the reduced image: contrasts and intermediate arrays


def segment(
    image: ArrayLike,
    n_segments: int | None = None,
    *,
    scale: float | None = None,
    min_size: int = 0,
    mask: ArrayLike | None = None,
    channel_axis: int | Literal["auto"] | None = "auto",
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Segmentation:
    """Segment a gray or color picture along contours that resemble human ones.

    The contrast at a pixel is the Wasserstein distance between the values on its two sides, for L*, a*, b* and texture,
    in eight directions and four widths. The finest regions are the watershed basins of the contrast. Touching regions
    are then joined, the seam least likely to be a human boundary first. That likelihood is a logistic regression,
    fitted to human segmentations of photographs: 23 weights for contrasts, distances between the values of both
    regions, spectral evidence of the whole image, and sizes, with separate weights for pictures without color. `scale`
    tells where to stop, and `Segmentation.tree` keeps all scales.

    Volumes and images with other channels are segmented by `wt.image.segment_by_radii`.

    Parameters
    ----------
    image : array of shape (h, w) or (h, w, channels)
        Gray, 3 colors, or 4 channels of which the last is ignored. Colors span the range of their type, gray bytes are
        0 to 255, and other gray values are stretched to their own range.
    n_segments : int, optional
        Number of regions, instead of `scale`.
    scale : float, 0 to 1, optional
        From 0, fine, to 1, coarse. A boundary stays if about this fraction of people would draw it. None means 0.6.
    min_size : int, default 0
        Regions of fewer pixels are merged into the most similar touching region.
    mask : array of bool, shape of the grid, optional
        Pixels to segment; the others get the label −1 and are not neighbors of any pixel. None means all.
    channel_axis : int, None or "auto", default "auto"
        The axis of channels; None if there is none. "auto" takes the last of four axes, or of three if its length is at
        most 4.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. The result does not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Device, threads, memory limit and progress; None means the setting of `wt.using`. Contours are always computed
        on the CPU.

    Returns
    -------
    Segmentation
        Labels, the number of regions, and the tree.

    Notes
    -----
    Images of more than 154,401 pixels are reduced first; labels are then carried back along the edges of the full
    image. A mirrored or rotated image has the mirrored or rotated regions.

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
    min_size = check.count(min_size, "min_size", 0)
    if scale is not None and n_segments is not None:
        raise ValueError(f"give one of scale and n_segments, got {scale} and {n_segments}")
    if scale is not None and check.tolerance(scale, "scale") > 1:
        raise ValueError(f"scale must lie between 0 and 1, got {scale}")
    if n_segments is not None:
        check.count(n_segments, "n_segments", 1)
    pixels = read(image, "luv", mask, channel_axis)
    if len(pixels.shape) != 2 or (pixels.image.ndim == 3 and pixels.image.shape[2] not in (1, 3, 4)):
        raise ValueError(
            f"contours are those of a gray or color image, got shape {pixels.image.shape}; "
            f"{check.spell('wt.image.segment_by_radii', 'spatial=8')} takes volumes and other channels"
        )
    with current(engine, n_jobs=n_jobs, verbose=verbose).watched() as engine:
        tree = region_tree(pixels, engine)
        labels = tree.cut(SCALE if scale is None and n_segments is None else scale, n_segments=n_segments)
        if min_size > 1:
            values = pixels.image.reshape(pixels.n, -1).astype(np.float64)
            labels, _ = merge_small(labels, values, min_size, engine)
        centers = _Centers(labels, pixels.image)
        return Segmentation(
            labels, centers, pixels.image, _painted(pixels, labels), int(labels.max()) + 1,  # type: ignore[arg-type]
            np.broadcast_to(np.int32(0), pixels.shape), True, 0, tree,
        )  # fmt: skip


def region_tree(pixels: Pixels, engine: Engine) -> RegionTree:
    """Return the finest regions and the order in which they are joined."""
    _check(pixels)
    n_small = float(min(pixels.n, 2 * MOST))
    each = 16.0 + pixels.image.nbytes / pixels.n  # labels of the finest regions and of the cut; a painted image
    engine.reserve(
        each * pixels.n + 24.0 * pixels.n + _CONTRASTS * n_small, f"segmenting {pixels.n} pixels", "reduce the image"
    )
    small = reduced(pixels.image, pixels.mask)
    lab = lab_of(small)
    found = Evidence.of(lab, small.inside, engine)
    joins, odds = joined(found, engine, GRAY if is_gray(lab) else COLOR)
    joins, heights = completed(joins, odds, len(found.sizes))
    finest = carried_up(found.labels, small, pixels.image, pixels.mask, engine)
    new = np.full(len(found.sizes), -1)
    number_by_first(finest.ravel(), new)
    return RegionTree(finest, *_kept(joins, heights, new))


def _check(pixels: Pixels) -> None:
    channels = pixels.image.reshape(pixels.n, -1)[:, :3]
    if channels.dtype.kind == "f":
        known = channels if pixels.mask is None else channels[pixels.mask]
        if not np.isfinite(known).all():
            raise ValueError("image must be finite; mask out pixels that are not: mask=np.isfinite(image)")
        low, high = float(known.min()), float(known.max())
        if max(-low, high) > _MOST:
            raise ValueError(f"image must lie within ±{_MOST:g}, got {low:g} to {high:g}; rescale it")
    if channels.shape[1] == 3:
        check_colors(channels if pixels.mask is None else channels[pixels.mask])


def lab_of(small: Reduced) -> Singles:
    """Return L*, a* and b*, shape (3, h, w)."""
    rgb = np.broadcast_to(np.moveaxis(small.values, 0, -1), (*small.values.shape[1:], 3)).astype(np.float64)
    found = on_grid(np.moveaxis(to_lab(rgb), -1, 0))
    if len(small.values) == 1:
        found[1:] = 0.0  # removes rounding errors: gray has no color
    return np.ascontiguousarray(found)


def is_gray(lab: Singles) -> bool:
    """Tell whether a picture has no color; compression artifacts in one percent of the pixels are tolerated."""
    return bool(np.percentile(np.abs(lab[1:]), 99) < _COLORLESS)


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
    """Return the image with the mean color of each region; opacity and masked pixels are unchanged."""
    out = pixels.image.copy()
    flat, rows = out.reshape(pixels.n, -1), labels.ravel()
    inside = rows >= 0
    for k in range(min(flat.shape[1], 3)):
        average = means(labels, flat[:, k : k + 1].astype(np.float64))[0][:, 0]
        average = np.rint(average) if out.dtype.kind in "uib" else average
        flat[inside, k] = average[rows[inside]].astype(out.dtype)
    return out


class _Centers(DeviceArray):
    """Mean position and mean values of each pixel's region; computed when first read."""

    def __init__(self, labels: Ints, image: NDArray[Any]) -> None:
        self._labels, self._image = labels, image
        self.shape = (*labels.shape, 2 + image.size // labels.size)
        self.dtype = np.dtype(np.float64)

    def _fetch(self) -> NDArray[Any]:
        places = np.indices(self._labels.shape, np.float64).reshape(2, -1)
        values = self._image.reshape(self._labels.size, -1).astype(np.float64)
        centers = np.concatenate([means(self._labels, places.T)[0], means(self._labels, values)[0]], axis=1)
        out = np.full((self._labels.size, self.shape[2]), np.nan)
        inside = self._labels.ravel() >= 0
        out[inside] = centers[self._labels.ravel()[inside]]
        return out.reshape(self.shape)
