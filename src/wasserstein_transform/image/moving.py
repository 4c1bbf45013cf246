"""Move the pixels of an image within their windows until they rest or are found to cycle."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from .._check import warn
from .._types import Floats
from ..compute.pixels import Image, Motion, Moved, most, shift_pixels, window_of, window_size
from ..cuda import on
from ..engine import Engine
from .pixels import Pixels

_EXPENSIVE = 2e4  # pixels of a window above which a warning tells the cost
_STEPS = 5.0  # typical number of iterations of a pixel


def move(pixels: Pixels, values: Floats, motion: Motion, engine: Engine) -> Moved:
    """Move each pixel inside the mask until it rests."""
    window = window_of(pixels.grid, motion.spatial)
    _warn_of_cost(window_size(window), pixels.n)
    within = motion._replace(range=min(motion.range, 10 * most(values.dtype)))  # excludes the value of masked pixels
    image = Image(values, pixels.mask, len(pixels.shape))
    return on(engine, shift_pixels)(image, window, within, engine)


def warn_of_unfinished(moved: Moved, n_iter: int) -> None:
    """Warn if more than one percent of the pixels did not converge."""
    n = len(moved.modes)
    if moved.n_unfinished > 0.01 * n:
        warn(
            f"{moved.n_unfinished} of {n} pixels did not rest within {n_iter} iterations; raise tol or n_iter",
            ConvergenceWarning,
        )


def _warn_of_cost(size: float, n: int) -> None:
    if size > _EXPENSIVE:
        warn(f"windows of {size:.0f} pixels, about {size * n * _STEPS:.1e} comparisons; a smaller radius is faster")
