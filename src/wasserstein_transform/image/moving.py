"""Moving the pixels of an image within their windows until they rest, or are found swinging."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from .._types import Floats
from .._warn import warn
from ..backends import backend_of
from ..backends.images import Image, Motion, Moved, most, window_of, window_size
from ..engine import Engine
from .pixels import Pixels

_EXPENSIVE = 2e4  # pixels of a window from which on a warning says what it costs
_STEPS = 5.0  # iterations of a pixel, about


def move(pixels: Pixels, values: Floats, motion: Motion, engine: Engine) -> Moved:
    """Take each pixel to its rest; outside the mask there is none."""
    window = window_of(pixels.grid, motion.spatial)
    _warn_of_cost(window_size(window), pixels.n)
    within = motion._replace(range=min(motion.range, 10 * most(values.dtype)))  # not to what stands for no pixel
    image = Image(values, pixels.mask, len(pixels.shape))
    return backend_of(engine).shift_pixels(image, window, within, engine)


def warn_of_unfinished(moved: Moved, n_iter: int) -> None:
    """If they are more than one pixel in a hundred."""
    n = len(moved.modes)
    if moved.n_unfinished > 0.01 * n:
        warn(
            f"{moved.n_unfinished} of {n} pixels did not rest within {n_iter} iterations; raise tol, or n_iter",
            ConvergenceWarning,
        )


def _warn_of_cost(size: float, n: int) -> None:
    if size > _EXPENSIVE:
        warn(f"windows of {size:.0f} pixels, about {size * n * _STEPS:.1e} comparisons; a smaller radius is faster")
