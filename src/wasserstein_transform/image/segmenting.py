"""`segment`: image segmentation along contours, or by moving pixels in windows."""

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
    """Segment an image along its contours; or, with radii, by mean shift or the Gaussian Transform.

    Without radii, a gray or color picture is segmented along contours that resemble human ones. The contrast at a pixel
    is the Wasserstein distance between the values on its two sides, for L*, a*, b* and texture, in eight directions and
    four widths. The finest regions are the watershed basins of the contrast. Touching regions are then joined, the seam
    least likely to be a human boundary first. That likelihood is a logistic regression, fitted to human segmentations
    of photographs: 23 weights for contrasts, distances between the values of both regions, spectral evidence of the
    whole image, and sizes, with separate weights for pictures without color. `scale` tells where to stop, and
    `Segmentation.tree` keeps all scales.

    With radii, each pixel repeatedly moves to the mean of the original pixels within `spatial` of its position and
    within `range` of its current value, until it rests. For λ > 0 the neighborhood of a neighbor must also have a
    similar shape: ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², where Σ(y) is the covariance of the positions in its window.
    Regions are the connected components of links between moved pixels. Any of `spatial`, `range`, `lam`, `color`,
    `linking`, `merging`, `n_iter` and `tol` selects this method; so do volumes and images with 2 or more than 4
    channels.

    Parameters
    ----------
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
        Any numbers. Without radii, colors (3 channels, or 4 of which the last is ignored) span the range of their type,
        gray bytes are 0 to 255, and other gray values are stretched to their own range. With radii, gray values and
        other channels are compared as they are, colors in the space `color`.
    spatial : float, optional
        Radius of the window in pixels. None means 8 if another option selects radii.
    range : float, optional
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; for gray images, in their own unit. None
        means 8 if another option selects radii.
    lam : float, optional
        λ, the weight of the shape of neighborhoods; None means 0, which is mean shift.
    scale : float, 0 to 1, optional
        Without radii: from 0, fine, to 1, coarse. A boundary stays if about this fraction of people would draw it. None
        means 0.6.
    n_segments : int, optional
        Without radii: the number of regions, instead of `scale`.
    color : {"luv", "lab", "rgb", "none"}, optional
        With radii: the space in which colors are compared; None means "luv". "rgb" is in 8-bit units, "none" compares
        values as they are.
    linking : {"adjacent", "paper"} or Linking, optional
        With radii. "adjacent" (None means this) is `LinkTouching()`: it links touching pixels with close modes. "paper"
        is `LinkAllModes()`: it links all close modes.
    merging : Merging, optional
        With radii: `Merging()` merges similar regions afterwards; None merges none. Its defaults were tuned on
        photographs, at radii 5 and 3 with λ = 5, which become the defaults if `merging` is given.
    n_iter : int, optional
        With radii: maximal number of iterations of a pixel; None means 100. For λ > 0 some pixels would cycle between a
        few states forever. A cycle is detected as soon as a state repeats exactly; the pixel is then stopped at the
        state with most neighbors, ties to the smallest values.
    tol : float, optional
        With radii: a pixel rests when it moves by at most this, in values; None means 0.
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
        Show progress.
    engine : Engine, optional
        Device, threads, memory limit and progress; None means the setting of `wt.using`. Contours are always computed
        on the CPU.

    Returns
    -------
    Segmentation
        Labels, the number of regions, and the tree (without radii) or the modes (with radii).

    Notes
    -----
    Without radii, images of more than 154,401 pixels are reduced first; labels are then carried back along the edges of
    the full image. A mirrored or rotated image has the mirrored or rotated regions. With radii, each iteration of a
    pixel reads the pixels of its window, about π·spatial² in an image.

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
            f"{given} is for segmenting without radii; leave out spatial, range and the options that need them"
        )
    if not has_contours(pixels):
        raise ValueError(
            f"{given} needs a gray or color image, got shape {pixels.image.shape}; segment volumes and other channels "
            "with radii: spatial=8, range=8"
        )
    if scale is not None and check.tolerance(scale, "scale") > 1:
        raise ValueError(f"scale must lie between 0 and 1, got {scale}")
    if n_segments is not None:
        check.count(n_segments, "n_segments", 1)
