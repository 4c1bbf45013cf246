"""`segment_by_radii`, the paper's method: move pixels within their windows until they rest, then link them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from ..compute.pixels import SHAPES, Motion
from ..engine import Engine, current
from .linking import LINKINGS, Linking
from .merging import Merging
from .moving import move, warn_of_unfinished
from .pixels import Pixels, read
from .regions import merge_small
from .segmentation import Segmentation, reshaped

_BLOCKS = 2.0**24  # bytes of pixels processed at a time


def segment_by_radii(
    image: ArrayLike,
    spatial_radius: float = 8.0,
    range_radius: float = 8.0,
    lam: float = 0.0,
    *,
    color: Literal["luv", "lab", "rgb", "none"] = "luv",
    linking: str | Linking = "adjacent",
    merging: Merging | None = None,
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
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
        Any numbers. Gray values and other channels are compared as they are, colors in the space `color`.
    spatial_radius : float, default 8
        Radius of the window in pixels.
    range_radius : float, default 8
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; for gray images, in their own unit.
    lam : float, default 0
        λ, the weight of the shape of neighborhoods; 0 is mean shift.
    color : {"luv", "lab", "rgb", "none"}, default "luv"
        The space in which colors are compared. "rgb" is in 8-bit units, "none" compares values as they are.
    linking : {"adjacent", "paper"} or Linking, default "adjacent"
        "adjacent" is `LinkTouching()`: it links touching pixels with close modes. "paper" is `LinkAllModes()`: it links
        all close modes.
    merging : Merging, optional
        `Merging()` merges similar regions afterwards; None merges none. Its defaults were tuned on photographs, at
        radii 5 and 3 with λ = 5.
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
    motion = Motion(
        check.positive(spatial_radius, "spatial_radius"),
        check.positive(range_radius, "range_radius"),
        check.lam(lam),
        check.tolerance(tol, "tol"),
        check.count(n_iter, "n_iter", 1),
    )
    link = _linking(linking)
    if merging is not None and not isinstance(merging, Merging):
        raise ValueError(f"merging must be a Merging or None, got {merging!r}; Merging() has its defaults")
    min_size = check.count(min_size, "min_size", 0)
    pixels = read(image, color, mask, channel_axis)
    with current(engine, n_jobs=n_jobs, verbose=verbose).watched() as engine:
        _reserve(pixels, motion.lam, link, min_size > 1, merging is not None, engine)
        moved = move(pixels, pixels.features(engine), motion, engine)
        warn_of_unfinished(moved, motion.n_iter)
        labels, count = link(moved.modes, pixels.mask, pixels.shape, motion.spatial, motion.range, engine)
        labels, axes = labels.reshape(pixels.shape), len(pixels.shape)
        if min_size > 1:
            labels, count = merge_small(labels, moved.modes, min_size, engine, axes)
        if merging is not None:
            values = moved.modes[:, axes:]
            labels, count = merging(labels, pixels.features(engine).T, values, motion.range, engine)
        return Segmentation(
            labels,
            reshaped(moved.modes, (*pixels.shape, moved.modes.shape[1])),
            pixels.image,
            pixels.painted(moved.modes, engine),
            count,
            reshaped(moved.n_iter, pixels.shape),
            moved.n_unfinished == 0,
            moved.n_swinging,
        )


def _reserve(pixels: Pixels, lam: float, linked: Linking, tidies: bool, merges: bool, engine: Engine) -> None:
    """Reject an image that will not fit in memory before moving pixels; borders are counted later, with the regions."""
    axes, channels = len(pixels.shape), pixels.n_features
    features = float(np.dtype(pixels.precision).itemsize * channels)
    moving = features + (SHAPES[axes] * 8.0 if lam > 0 else 32.0 if channels == 1 else 0.0)  # one channel is sorted
    image = pixels.image.nbytes / pixels.n
    regions = 24.0 + (features + 32.0 if merges else 0.0) if tidies or merges else 0.0
    later = 8.0 + max(linked.working_bytes(axes + channels), image, regions)  # a label, and the largest later step
    each = 8.0 * (axes + channels) + 5.0 + max(moving, later)
    slack = min((64.0 if pixels.space is None else 256.0) * pixels.n, _BLOCKS)  # color conversion needs the most
    engine.reserve(each * pixels.n + slack, f"segmenting {pixels.n} pixels", "segment parts of the image")


def _linking(linking: str | Linking) -> Linking:
    if isinstance(linking, Linking):
        return linking
    if linking not in LINKINGS:
        raise ValueError(f"linking must be one of {', '.join(LINKINGS)} or a Linking, got {linking!r}")
    return LINKINGS[linking]
