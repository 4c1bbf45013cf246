"""Segmentation along contours at every scale, trained on human boundaries: `segment` without radii."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._elsewhere import Elsewhere
from .._types import Floats, Ints
from ..backends.colors import lab as to_lab
from ..backends.host import number_by_first
from ..engine import Engine
from .joining import joined
from .pixels import Pixels, check_colors
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


def has_contours(pixels: Pixels) -> bool:
    """Tell whether an image is a gray or a color picture."""
    return len(pixels.shape) == 2 and (pixels.image.ndim == 2 or pixels.image.shape[2] in (1, 3, 4))


def segment_by_contours(pixels: Pixels, scale: float, n: int | None, min_size: int, engine: Engine) -> Segmentation:
    """Return regions at a scale, or a given number of them, with their tree."""
    tree = region_tree(pixels, engine)
    labels = tree.cut(n=n) if n is not None else tree.cut(scale)
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


class _Centers(Elsewhere):
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
