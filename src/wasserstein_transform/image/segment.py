"""Image segmentation: move every pixel within its window until it rests, then link."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from ..backends.images import SHAPES, Motion
from ..engine import Engine, bar, current
from .linking import LINKINGS, Linking
from .merging import Merging
from .moving import move, warn_of_unfinished
from .pixels import Pixels, read
from .regions import merge_small
from .segmentation import Segmentation, reshaped

_BLOCKS = 2.0**24  # bytes that pixels take that are looked at together


def segment(
    image: ArrayLike,
    spatial: float = 8.0,
    range: float = 8.0,
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
    """Segment an image by mean shift (λ = 0) or the Gaussian Transform (λ > 0).

    A pixel looks at the original pixels within `spatial` of its place and within `range` of its moving value, and moves
    to their mean, until it rests. For λ > 0 a neighbor must also have a neighborhood of like shape:
    ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², Σ(y) the covariance of places in its window. Regions are what hangs
    together by links between moved pixels.

    Parameters
    ----------
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
        Any numbers. Gray values are compared as they are; colors (3 channels, or 4 of which the last is left out) in
        `color`; other channels as they are.
    spatial : float
        Radius of the window in pixels.
    range : float
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; of gray images, in their own units.
    lam : float
        Weight of the shape of neighborhoods; 0 is mean shift.
    color : {"luv", "lab", "rgb", "none"}
        What colors are compared in; "rgb" in 8-bit units, "none" as they are.
    linking : {"adjacent", "paper"} or Linking
        `LinkTouching()`: pixels that touch, whose modes are near. "paper" is `LinkAllModes()`: all modes that are near.
    merging : Merging, optional
        `Merging()` merges regions that people would not tell apart; its defaults were set on photographs, at radii 5
        and 3 with λ = 5.
    n_iter : int
        Most iterations of a pixel. For λ > 0 some would swing between few states forever: these are found as soon as a
        state comes back, bit by bit, and stopped at the one of them with most neighbors; of several, with least values.
    tol : float
        A pixel rests once it moves by at most this in values.
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
        Where it runs; by default what `wt.using` says.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    >>> wt.image.segment(image)
    <Segmentation of 16 × 16 pixels into 2 segments>
    """
    radii = check.positive(spatial, "spatial"), check.positive(range, "range")
    lam, tol = check.lam(lam), check.tolerance(tol, "tol")
    n_iter, min_size = check.count(n_iter, "n_iter", 1), check.count(min_size, "min_size", 0)
    linked = _linking(linking)
    if merging is not None and not isinstance(merging, Merging):
        raise ValueError(f"merging must be a Merging or None, got {merging!r}; Merging() has its defaults")
    pixels = read(image, color, mask, channel_axis)
    with current(engine, n_jobs=n_jobs, progress=bar() if verbose else None).watched() as engine:
        _reserve(pixels, lam, linked, min_size > 1, merging is not None, engine)
        moved = move(pixels, pixels.features(engine), Motion(*radii, lam, tol, n_iter), engine)
        warn_of_unfinished(moved, n_iter)
        labels, count = linked(moved.modes, pixels.mask, pixels.shape, *radii, engine)
        labels = labels.reshape(pixels.shape)
        if min_size > 1:
            labels, count = merge_small(labels, moved.modes, min_size, engine, len(pixels.shape))
        if merging is not None:
            values = moved.modes[:, len(pixels.shape) :]
            labels, count = merging(labels, pixels.features(engine).T, values, radii[1], engine)
        filtered = pixels.painted(moved.modes, engine)
    return Segmentation(
        labels,
        reshaped(moved.modes, (*pixels.shape, moved.modes.shape[1])),
        pixels.image,
        filtered,
        count,
        reshaped(moved.n_iter, pixels.shape),
        moved.n_unfinished == 0,
        moved.n_swinging,
    )


def _reserve(pixels: Pixels, lam: float, linked: Linking, tidies: bool, merges: bool, engine: Engine) -> None:
    """Refuse an image that will not fit before anything is moved; what borders take is known once there are regions."""
    axes, channels = len(pixels.shape), pixels.n_features
    features = float(np.dtype(pixels.precision).itemsize * channels)
    moving = features + (SHAPES[axes] * 8.0 if lam > 0 else 32.0 if channels == 1 else 0.0)  # levels are sorted
    image = pixels.image.nbytes / pixels.n
    regions = 24.0 + (features + 32.0 if merges else 0.0) if tidies or merges else 0.0
    later = 8.0 + max(linked.working_bytes(axes + channels), image, regions)  # a label, and who needs most
    each = 8.0 * (axes + channels) + 5.0 + max(moving, later)
    slack = min((64.0 if pixels.space is None else 256.0) * pixels.n, _BLOCKS)  # changing colors takes most
    engine.reserve(each * pixels.n + slack, f"segmenting {pixels.n} pixels", "segment parts of the image")


def _linking(linking: str | Linking) -> Linking:
    if isinstance(linking, Linking):
        return linking
    if linking not in LINKINGS:
        raise ValueError(f"linking must be one of {', '.join(LINKINGS)} or a Linking, got {linking!r}")
    return LINKINGS[linking]
