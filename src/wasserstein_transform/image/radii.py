"""`segment_by_radii`, the paper's method: move pixels within their windows until they rest, then link them."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from .. import _check as check
from .._display import counted
from .._types import Floats
from ..compute.pixels.motion import (
    SHAPES,
    ConvergedPixels,
    Image,
    Motion,
    max_value,
    shift_pixels,
    window_of,
    window_size,
)
from ..cuda import on
from ..engine import Engine, current
from .linking import CELL_BYTES, LINKINGS, link_pixels
from .pixels import Pixels, read
from .regions import merge_small
from .segmentation import Segmentation, reshaped

_BLOCKS = 2.0**24  # bytes of pixels processed at a time
_USUAL_RANGE = 8.0  # in L*u*v*, or of 255 levels
_MANY = 2000  # pixels from which a range radius that joins all or none is taken for a mistake
_SPREAD = 0.1, 99.9  # percentiles of values, of which the default range radius is a share
_EXPENSIVE = 2e4  # pixels of a window above which a warning tells the cost
_STEPS = 5.0  # typical number of iterations of a pixel


def segment_by_radii(
    image: ArrayLike | str | os.PathLike[str],
    spatial_radius: float = 8.0,
    range_radius: float | None = None,
    lam: float = 0.0,
    *,
    color: Literal["luv", "lab", "rgb", "none"] = "luv",
    linking: Literal["adjacent", "paper"] = "adjacent",
    n_iter: int = 100,
    tol: float = 0.0,
    min_size: int = 0,
    mask: ArrayLike | None = None,
    channel_axis: int | Literal["auto"] | None = "auto",
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Segmentation:
    """Segment an image by mean shift or the Gaussian Transform of its pixels, with a radius in space and one in values.

    Each pixel repeatedly moves to the mean of the original pixels within `spatial_radius` of its position and within
    `range_radius` of its current value, until it rests. For λ > 0 the neighborhood of a neighbor must also have a
    similar shape: ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial_radius², where Σ(y) is the covariance of the positions in its
    window. Regions are the connected components of links between moved pixels.

    Parameters
    ----------
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels), or path
        Any numbers, or a picture in a file. 3 channels are red, green and blue, compared in the space `color`; a fourth
        is opacity, and transparent pixels get the label −1. Gray values and other channels are compared as they are.
    spatial_radius : float, default 8
        Radius of the window in pixels.
    range_radius : float, optional
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; for gray levels and other channels in their
        own unit, whatever their type. None means 8 for colors and bytes, else 8/255 of the distance between the 0.1 and
        99.9 percentiles of the values.
    lam : float, default 0
        λ, the weight of the shape of neighborhoods; 0 is mean shift.
    color : {"luv", "lab", "rgb", "none"}, default "luv"
        The space in which colors are compared. "rgb" is in 8-bit units, "none" compares values as they are.
    linking : {"adjacent", "paper"}, default "adjacent"
        "adjacent" links pixels that touch, if the values they moved to differ by at most half of the range radius, so
        regions hang together. "paper" links all pixels that moved to within both radii of each other, wherever they
        are: a region may then have parts that do not touch. It is what the paper describes; use it to compare with it.
    n_iter : int, default 100
        Maximal number of iterations of a pixel. For λ > 0 some pixels would cycle between a few states forever. A cycle
        is detected as soon as a state repeats exactly; the pixel is then stopped at the state with most neighbors, ties
        to the smallest values.
    tol : float, default 0
        A pixel rests when it moves by at most this, in values.
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
        Device, threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Segmentation
        Labels, the number of regions, and the modes.

    Notes
    -----
    Each iteration of a pixel reads the pixels of its window, about π·spatial_radius² in an image.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 20:] = 110, 160, 90
    >>> photo[10:30, 35:50] = 230
    >>> wt.image.segment_by_radii(photo, 8, 8)
    <Segmentation of 40 × 60 pixels into 3 segments>
    """
    check.choice(linking, "linking", LINKINGS)
    spatial, lam, tol = (
        check.positive(spatial_radius, "spatial_radius"),
        check.tolerance(lam, "lam"),
        check.tolerance(tol, "tol"),
    )
    n_iter, min_size = check.count(n_iter, "n_iter", 1), check.count(min_size, "min_size", 0)
    if range_radius is not None:
        check.positive(range_radius, "range_radius")
    pixels = read(image, color, mask, channel_axis)
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine:
        _reserve(pixels, lam, linking, min_size > 1, engine)
        values = pixels.features(engine)
        motion = Motion(spatial, range_radius or _usual_range(pixels), lam, tol, n_iter)
        moved = move(pixels, values, motion, engine)
        if moved.n_unfinished > 0.01 * len(moved.modes):
            check.warn(
                f"{moved.n_unfinished} of {len(moved.modes)} pixels did not rest within {n_iter} iterations; raise tol "
                "or n_iter",
                ConvergenceWarning,
            )
        labels, count = link_pixels(linking, moved.modes, pixels.mask, pixels.shape, spatial, motion.range, engine)
        labels = labels.reshape(pixels.shape)
        if min_size > 1:
            labels, count = merge_small(labels, moved.modes, min_size, engine, len(pixels.shape))
        _warn_of_range(pixels, motion.range, count)
        return Segmentation(
            labels, pixels.image, pixels.painted(moved.modes, engine), count, converged=moved.n_unfinished == 0,
            modes=reshaped(moved.modes, (*pixels.shape, moved.modes.shape[1])),
            n_iter=reshaped(moved.n_iter, pixels.shape), n_cycling=moved.n_cycling,
        )  # fmt: skip


def move(pixels: Pixels, values: Floats, motion: Motion, engine: Engine) -> ConvergedPixels:
    """Move each pixel inside the mask within its windows until it rests or is found to cycle."""
    window = window_of(pixels.grid, motion.spatial)
    if (size := window_size(window)) > _EXPENSIVE:
        work = size * pixels.n * _STEPS
        check.warn(f"windows of {size:.0f} pixels, about {work:.1e} comparisons; a smaller radius is faster")
    within = motion._replace(
        range=min(motion.range, 10 * max_value(values.dtype))
    )  # excludes the value of masked pixels
    image = Image(values, pixels.mask, len(pixels.shape))
    return on(engine, shift_pixels)(image, window, within, engine)


def _spread(pixels: Pixels) -> float:
    """Return the distance between low and high percentiles of the values inside the mask."""
    flat = pixels.image.reshape(pixels.n, -1)
    low, high = np.percentile(flat if pixels.mask is None else flat[pixels.mask], _SPREAD)
    return float(high - low)


def _usual_range(pixels: Pixels) -> float:
    if pixels.space is not None or pixels.image.dtype == np.uint8:
        return _USUAL_RANGE
    return _USUAL_RANGE / 255 * _spread(pixels) or 1.0


def _warn_of_range(pixels: Pixels, range: float, count: int) -> None:
    """Warn if the range radius seems to be in another unit than the image: it joins everything, or almost nothing."""
    if pixels.space is not None or pixels.n < _MANY or 1 < count < pixels.n / 10 or not (spread := _spread(pixels)):
        return
    usual = _USUAL_RANGE / 255 * spread
    if range < usual / 2 if count > 1 else range > spread / 4:
        check.warn(
            f"{_spell(range)} gives {counted(count, 'segment')}: it is in the unit of the image, whose values spread "
            f"over {spread:g}; try {_spell(usual)}"
        )


def _spell(range: float) -> str:
    return check.option_text(f"range_radius={range:.3g}", f"range={range:.3g}")


def _reserve(pixels: Pixels, lam: float, linking: str, tidies: bool, engine: Engine) -> None:
    """Reject an image that will not fit in memory before moving pixels; borders are counted later, with the regions."""
    axes, channels = len(pixels.shape), pixels.n_features
    features = float(np.dtype(pixels.precision).itemsize * channels)
    moving = features + (SHAPES[axes] * 8.0 if lam > 0 else 32.0 if channels == 1 else 0.0)  # one channel is sorted
    cells = CELL_BYTES[0] + CELL_BYTES[1] * (axes + channels) if linking == "paper" else 0.0
    later = 8.0 + max(cells, pixels.image.nbytes / pixels.n, 24.0 if tidies else 0.0)  # a label, and the largest step
    each = 8.0 * (axes + channels) + 5.0 + max(moving, later)
    slack = min((64.0 if pixels.space is None else 256.0) * pixels.n, _BLOCKS)  # color conversion needs the most
    engine.reserve(each * pixels.n + slack, f"segmenting {pixels.n} pixels", "segment parts of the image")
