"""Image segmentation: between contours that people would draw, or by windows in which pixels move."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from .. import _check as check
from ..engine import Engine, bar, current
from .contours import SCALE, has_contours, segment_by_contours
from .linking import Linking
from .merging import Merging
from .pixels import Pixels, read
from .segmentation import Segmentation
from .windows import Windows


def segment(
    image: ArrayLike,
    spatial: float | None = None,
    range: float | None = None,
    lam: float | None = None,
    *,
    scale: float | None = None,
    n_segments: int | None = None,
    color: Literal["luv", "lab", "rgb", "none"] | None = None,
    linking: str | Linking | None = None,
    merging: Merging | None = None,
    n_iter: int | None = None,
    tol: float | None = None,
    min_size: int = 0,
    mask: ArrayLike | None = None,
    channel_axis: int | Literal["auto"] | None = "auto",
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Segmentation:
    """Segment an image into the regions that people see; or, with radii, by mean shift or the Gaussian Transform.

    Without radii, a gray or color picture is cut along its contours. The contrast at a pixel is the Wasserstein
    distance between the values on its two sides, of L*, a*, b* and texture, in eight directions and four widths. The
    finest regions are the basins between contours; those that touch are joined, the seam that fewest people would draw
    first. What people draw was learned from photographs: 23 weights of contrasts, of distances between the values of
    both regions, of what the whole image says, and of sizes; other weights for pictures without color.
    `scale` says where to stop, and `Segmentation.tree` keeps all scales. Images of more than 154,401 pixels are
    computed on a reduced one, and labels follow the edges of the whole.

    With radii a pixel looks at the original pixels within `spatial` of its place and within `range` of its moving
    value, and moves to their mean, until it rests. For λ > 0 a neighbor must also have a neighborhood of like shape:
    ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², Σ(y) the covariance of places in its window. Regions are what hangs
    together by links between moved pixels. Any of `spatial`, `range`, `lam`, `color`, `linking`, `merging`, `n_iter`
    and `tol` asks for this; so do volumes, and images of 2 or more than 4 channels.

    Parameters
    ----------
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
        Any numbers. Without radii, colors (3 channels, or 4 of which the last is left out) are of the range of their
        type, bytes are levels of gray from 0 to 255, and other gray values are stretched to what there is of them. With
        radii, gray values and other channels are compared as they are, colors in `color`.
    spatial : float
        Radius of the window in pixels; 8 if another option asks for radii.
    range : float
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; of gray images, in their own units. 8 if
        another option asks for radii.
    lam : float
        Weight of the shape of neighborhoods; 0, the default, is mean shift.
    scale : float
        Without radii: from 0, fine, to 1, coarse. A boundary stays if about this share of people would draw it; 0.6 by
        default.
    n_segments : int
        Without radii: the number of regions, instead of `scale`.
    color : {"luv", "lab", "rgb", "none"}
        With radii: what colors are compared in, "luv" by default; "rgb" in 8-bit units, "none" as they are.
    linking : {"adjacent", "paper"} or Linking
        With radii. "adjacent", the default, is `LinkTouching()`: pixels that touch, whose modes are near. "paper" is
        `LinkAllModes()`: all modes that are near.
    merging : Merging, optional
        With radii: `Merging()` merges regions that people would not tell apart; its defaults were set on photographs,
        at radii 5 and 3 with λ = 5, which are the defaults with it.
    n_iter : int
        With radii: most iterations of a pixel, 100 by default. For λ > 0 some would swing between few states forever:
        these are found as soon as a state comes back, bit by bit, and stopped at the one of them with most neighbors;
        of several, with least values.
    tol : float
        With radii: a pixel rests once it moves by at most this in values, 0 by default.
    min_size : int
        Regions of fewer pixels are merged into the touching region most like them.
    mask : array of bool, optional
        Pixels to segment; the others are −1, and nobody's neighbors.
    channel_axis : int, None or "auto"
        The axis of channels, None if there is none. "auto" takes the last of four axes, or of three if it is short.
    n_jobs : int, optional
        Threads; −1 means all cores, None what the engine says. The result does not depend on it.
    verbose : bool
        Show progress.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says. Contours are found on the CPU.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 20:] = 110, 160, 90
    >>> photo[10:30, 35:50] = 230
    >>> found = wt.segment(photo)
    >>> found
    <Segmentation of 40 × 60 pixels into 3 segments>
    >>> int(found.tree.cut(n=2).max()) + 1
    2
    >>> wt.segment(photo, spatial=8, range=8)  # mean shift
    <Segmentation of 40 × 60 pixels into 3 segments>
    """
    windows = Windows.of(spatial, range, lam, linking, merging, n_iter, tol)
    min_size = check.count(min_size, "min_size", 0)
    pixels = read(image, "luv" if color is None else color, mask, channel_axis)
    asked = [option is not None for option in (spatial, range, lam, color, linking, merging, n_iter, tol)]
    by_windows = any(asked) or not has_contours(pixels)
    _check_cut(scale, n_segments, any(asked), pixels)
    with current(engine, n_jobs=n_jobs, progress=bar() if verbose else None).watched() as engine:
        if by_windows:
            return windows.segment(pixels, min_size, engine)
        return segment_by_contours(pixels, SCALE if scale is None else scale, n_segments, min_size, engine)


def _check_cut(scale: float | None, n_segments: int | None, radii: bool, pixels: Pixels) -> None:
    if scale is None and n_segments is None:
        return
    given = "scale" if scale is not None else "n_segments"
    if scale is not None and n_segments is not None:
        raise ValueError(f"give one of scale and n_segments, got {scale} and {n_segments}")
    if radii:
        raise ValueError(
            f"{given} is for segmenting without radii; leave out spatial, range and all that goes with them"
        )
    if not has_contours(pixels):
        raise ValueError(
            f"{given} needs a gray or color image, got shape {pixels.image.shape}; volumes and other channels are "
            "segmented with radii: spatial=8, range=8"
        )
    if scale is not None and check.tolerance(scale, "scale") > 1:
        raise ValueError(f"scale must lie between 0 and 1, got {scale}")
    if n_segments is not None:
        check.count(n_segments, "n_segments", 1)
