"""Image segmentation: move every pixel within its window until it rests, then link."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ... import _check as check
from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, bar, cut
from ...kernels.pixels import Window, first_covs, shift
from .linking import LINKINGS, Linking
from .merging import Merging
from .pixels import Pixels, read
from .regions import merge_small
from .segmentation import Segmentation

_DEAR = 2e4  # pixels of a window from which on a warning says what it costs
_STEPS = 5.0  # iterations of a pixel, about


class Radii(NamedTuple):
    """Of a window, in pixels and in values."""

    spatial: float
    range: float


def segment(
    image: ArrayLike,
    spatial: float = 8.0,
    range: float = 8.0,
    lam: float = 0.0,
    *,
    color: Literal["luv", "lab", "rgb", "none"] = "luv",
    linking: str | Linking = "adjacent",
    merging: Merging | None = None,
    max_iter: int = 100,
    tol: float = 0.0,
    min_size: int = 0,
    mask: ArrayLike | None = None,
    channel_axis: int | Literal["auto"] | None = "auto",
    n_jobs: int = -1,
    verbose: bool = False,
) -> Segmentation:
    """Segment an image by mean shift (λ = 0) or the Gaussian Transform (λ > 0).

    A pixel looks at the original pixels within `spatial` of its place and within `range` of its moving value, and moves
    to their mean, until it rests. For λ > 0 a neighbour must also have a neighbourhood of like shape:
    ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², Σ(y) the covariance of places in its window. Regions are what hangs
    together by links between moved pixels.

    Parameters
    ----------
    image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
        Any numbers. Grey values are compared as they are; colours (3 channels, or 4 of which the last is left out) in
        `color`; other channels as they are.
    spatial : float
        Radius of the window in pixels.
    range : float
        Radius in values: of L*u*v* by default, whose lightness is 0 to 100; of grey images, in their own units.
    lam : float
        Weight of the shape of neighbourhoods; 0 is mean shift. Images only, not volumes.
    color : {"luv", "lab", "rgb", "none"}
        What colours are compared in; "rgb" in 8-bit units, "none" as they are.
    linking : {"adjacent", "paper"} or Linking
        `Adjacent()`: pixels that touch, whose modes are near. "paper" is `Together()`: all modes that are near.
    merging : Merging, optional
        `Merging()` merges regions that people would not tell apart; with it, radii 5 and 3 do well on photographs.
    max_iter : int
        Most iterations of a pixel; a few may swing forever.
    tol : float
        A pixel rests once it moves by at most this in values.
    min_size : int
        Regions of fewer pixels are merged into the touching region most like them.
    mask : array of bool, optional
        Pixels to segment; the others are −1, and nobody's neighbours.
    channel_axis : int, None or "auto"
        The axis of channels, None if there is none. "auto" takes the last of four axes, or of three if it is short.
    n_jobs : int
        Threads; −1 means all cores. The result does not depend on it.
    verbose : bool
        Show progress.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    >>> wt.segment(image)
    <Segmentation of 16 × 16 pixels into 2 segments>
    """
    radii = Radii(check.positive(spatial, "spatial"), check.positive(range, "range"))
    lam, tol = check.lam(lam), check.tolerance(tol, "tol")
    max_iter, min_size = check.count(max_iter, "max_iter", 1), check.count(min_size, "min_size", 0)
    linked = _linking(linking)
    if merging is not None and not isinstance(merging, Merging):
        raise ValueError(f"merging must be a Merging or None, got {merging!r}; Merging() has its defaults")
    pixels = read(image, color, mask, channel_axis)
    if lam > 0 and pixels.grid[0] > 1:
        raise ValueError("the Gaussian Transform of volumes is not there yet; take lam=0, or slices")
    engine = Engine(n_jobs, bar() if verbose else None)
    modes, n_iter, converged = _moved(pixels, radii, lam, tol, max_iter, engine)
    inside = np.ones(len(modes), np.bool_) if pixels.mask is None else pixels.mask
    labels, count = linked(modes, inside, pixels.grid, *radii)
    labels = labels.reshape(pixels.shape)
    if min_size > 1:
        labels, count = merge_small(labels, modes[:, 3:], min_size)
    if merging is not None:
        labels, count = merging(labels, pixels.values.T, modes[:, 3:], radii.range, engine)
    first = 1 if pixels.grid[0] == 1 and len(pixels.shape) == 2 else 0
    shape = pixels.shape
    return Segmentation(
        labels,
        modes.reshape(*shape, -1)[..., first:],
        pixels.image,
        pixels.painted(modes[:, 3:]),
        count,
        n_iter.reshape(shape),
        converged,
    )


def _linking(linking: str | Linking) -> Linking:
    if isinstance(linking, Linking):
        return linking
    if linking not in LINKINGS:
        raise ValueError(f"linking must be one of {', '.join(LINKINGS)} or a Linking, got {linking!r}")
    return LINKINGS[linking]


def _window(grid: tuple[int, int, int], spatial: float) -> Window:
    """Runs of the disc or ball; no longer than the image."""
    reach = spatial * (1 + 1e-12)
    steps = [np.arange(-min(int(reach), n - 1), min(int(reach), n - 1) + 1) for n in grid[:2]]
    dz, dy = (part.ravel() for part in np.meshgrid(*steps, indexing="ij"))
    left = reach**2 - dz**2 - dy**2
    kept = left >= 0
    half = np.minimum(np.sqrt(left[kept]).astype(np.intp), grid[2] - 1)
    return Window(np.array(grid), dz[kept], dy[kept], half)


def _moved(
    pixels: Pixels, radii: Radii, lam: float, tol: float, max_iter: int, engine: Engine
) -> tuple[Floats, Ints, bool]:
    channels, n = pixels.values.shape
    window = _window(pixels.grid, radii.spatial)
    size = float((2 * window.half + 1).sum())
    if size > _DEAR:
        warnings.warn(
            f"windows of {size:.0f} pixels, about {size * n * _STEPS:.1e} comparisons; a smaller radius is faster",
            stacklevel=3,
        )
    engine.reserve(8.0 * n * (4 + channels + 4 * (lam > 0)), "moved pixels", "segment parts of the image")
    modes, n_iter, rested = np.empty((n, 3 + channels)), np.zeros(n, np.intp), np.zeros(n, np.bool_)
    covs = np.zeros((4, n if lam > 0 else 0))
    near, alike = _square(radii.spatial), _square(radii.range)
    tiles = cut(np.full(n, size * _STEPS))

    def room() -> tuple[Floats, ...]:
        return np.empty(channels), np.empty(int(2 * window.half.max() + 1)), np.empty(6 + channels), np.empty(4)

    def see(tile: Tile, stop: Flag) -> None:
        t, marks, sums, own = room()
        first_covs(pixels.values, window, alike, tile.start, tile.stop, t, marks, sums, own, covs, stop)

    def move(tile: Tile, stop: Flag) -> None:
        t, marks, sums, own = room()
        shift(
            pixels.values, covs, window, lam, near, alike, tol**2, max_iter, tile.start, tile.stop, t, marks, sums, own,
            modes, n_iter, rested, stop,
        )  # fmt: skip

    if lam > 0:
        engine.run(see, tiles, "shapes of neighbourhoods")
    engine.run(move, tiles, "moving pixels")
    swinging = n - int(np.count_nonzero(rested))
    if swinging > 0.01 * n:
        warnings.warn(
            f"{swinging} of {n} pixels did not rest within {max_iter} iterations; raise tol, or max_iter",
            ConvergenceWarning,
            stacklevel=3,
        )
    return modes, n_iter, swinging == 0


def _square(radius: float) -> float:
    return (radius * (1 + 1e-12)) ** 2
