"""Moving the pixels of an image within their windows until they rest."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ..._types import Floats
from ...engine import GRAIN, Engine, Flag, Tile, evenly
from ...kernels.levels import shift_levels
from ...kernels.pixels import Window, first_covs, shift
from ...kernels.shapes import PAD
from .pixels import Pixels, most

Counts: TypeAlias = NDArray[np.int32]

_DEAR = 2e4  # pixels of a window from which on a warning says what it costs
_STEPS = 5.0  # iterations of a pixel, about
_LEVELS = 4096  # most levels of a histogram, whose memory is to stay in the cache


class Radii(NamedTuple):
    """Of a window, in pixels and in values."""

    spatial: float
    range: float


class Rule(NamedTuple):
    """How pixels move, and when they rest."""

    radii: Radii
    lam: float
    tol: float
    n_iter: int


class Moved(NamedTuple):
    """Modes, one row a pixel; iterations of each; pixels that did not rest."""

    modes: Floats
    n_iter: Counts
    n_swinging: int


class Levels(NamedTuple):
    """An image of few values: the values, and for each pixel which one it has; len(known) outside the mask."""

    known: Floats
    of: NDArray[np.uint16]


def move(pixels: Pixels, values: Floats, rule: Rule, engine: Engine) -> Moved:
    """Take each pixel to its rest. Few grey levels go by histograms, which is faster and gives the same."""
    n, channels = pixels.n, len(values)
    window = window_of(pixels.grid, rule.radii.spatial)
    size = float((2 * window.half + 1).sum())
    _warn_of_cost(size, n)
    axes = len(pixels.shape)
    shapes = 0 if rule.lam == 0 else 4 if axes == 2 else 7
    engine.reserve(8.0 * n * (axes + channels + shapes) + 4.0 * n, "moved pixels", "segment parts of the image")
    modes, n_iter = np.empty((n, axes + channels)), np.zeros(n, np.int32)
    levels = _levels(pixels, values, rule, size)
    if levels is not None:
        swinging = _by_levels(levels, window, rule, engine, modes, n_iter)
    else:
        swinging = _by_windows(values, window, rule, engine, modes, n_iter, shapes)
    if pixels.mask is not None:
        modes[~pixels.mask], n_iter[~pixels.mask] = np.nan, 0
    return Moved(modes, n_iter, swinging)


def window_of(grid: tuple[int, int, int], spatial: float) -> Window:
    """Runs of the disc or ball; no longer than the image."""
    reach = spatial * (1 + 1e-12)
    steps = [np.arange(-min(int(reach), n - 1), min(int(reach), n - 1) + 1) for n in grid[:2]]
    dz, dy = (part.ravel() for part in np.meshgrid(*steps, indexing="ij"))
    left = reach * reach - dz**2 - dy**2
    kept = left >= 0
    half = np.minimum(np.sqrt(left[kept]), grid[2] - 1).astype(np.intp)
    return Window(np.array(grid), dz[kept], dy[kept], half, 0)


def warn_of_swinging(moved: Moved, n_iter: int) -> None:
    """Of more than one pixel in a hundred."""
    n = len(moved.modes)
    if moved.n_swinging > 0.01 * n:
        warnings.warn(
            f"{moved.n_swinging} of {n} pixels did not rest within {n_iter} iterations; raise tol, or n_iter",
            ConvergenceWarning,
            stacklevel=3,
        )


def _warn_of_cost(size: float, n: int) -> None:
    if size > _DEAR:
        warnings.warn(
            f"windows of {size:.0f} pixels, about {size * n * _STEPS:.1e} comparisons; a smaller radius is faster",
            stacklevel=4,
        )


def _levels(pixels: Pixels, values: Floats, rule: Rule, size: float) -> Levels | None:
    """Of one channel; None if there are so many that windows are faster. A sample decides first."""
    if rule.lam > 0 or len(values) > 1:
        return None
    inside = values[0] if pixels.mask is None else values[0, pixels.mask]
    if len(np.unique(inside[:: max(1, len(inside) // 10_000)])) > _LEVELS:
        return None
    known, found = np.unique(inside, return_inverse=True)
    wide = np.searchsorted(known, known.astype(np.float64) + 2 * rule.radii.range) - np.arange(len(known))
    if len(known) > _LEVELS or wide.max() > size:
        return None
    of = np.full(pixels.n, len(known), np.uint16)
    of[... if pixels.mask is None else pixels.mask] = found
    return Levels(known.astype(np.float64), of)


def _by_levels(levels: Levels, window: Window, rule: Rule, engine: Engine, modes: Floats, n_iter: Counts) -> int:
    reach, still = _square(rule.radii.range), rule.tol * rule.tol

    def work(tile: Tile, stop: Flag) -> int:
        histogram = np.empty((len(levels.known) + 1, 4))
        return int(
            shift_levels(
                levels.of, levels.known, window, reach, still, rule.n_iter, tile.start, tile.stop, histogram,
                modes, n_iter, stop,
            )
        )  # fmt: skip

    row = window.shape[2]
    grain = max(float(row), GRAIN / (100 * len(window.half)))
    return _run(work, evenly(len(modes), 1.0, grain), engine)


def _by_windows(
    values: Floats, window: Window, rule: Rule, engine: Engine, modes: Floats, n_iter: Counts, shapes: int
) -> int:
    channels, n = values.shape
    covs = np.zeros((max(shapes, 4), n + PAD if shapes else 0))
    near, alike = _square(rule.radii.spatial), _square(min(rule.radii.range, 10 * most(values.dtype)))
    still = rule.tol * rule.tol
    tiles = evenly(n, _STEPS * float((2 * window.half + 1).sum()))

    def room() -> tuple[Floats, Floats, Floats, Floats]:
        longest = int(2 * window.half.max() + 1)
        return np.empty(channels), np.empty(longest), np.empty(9 + channels), np.empty(len(covs))

    def part(tile: Tile) -> tuple[Floats, Window]:
        """What the tile's windows hold, in double precision, which is faster to compute with."""
        _, height, width = window.shape
        reach = int(((window.dz * height + window.dy) * width + window.half).max())
        base = max(0, tile.start - reach)
        held = values[:, base : tile.stop + reach]
        padded = np.zeros((channels, held.shape[1] + PAD))
        padded[:, :-PAD] = held
        return padded, window._replace(base=base)

    def see(tile: Tile, stop: Flag) -> None:
        first_covs(*part(tile), alike, tile.start, tile.stop, *room(), covs, stop)

    def work(tile: Tile, stop: Flag) -> int:
        seen, there = part(tile)
        return int(
            shift(
                seen, covs, there, rule.lam, near, alike, still, rule.n_iter, tile.start, tile.stop, *room(),
                modes, n_iter, stop,
            )
        )  # fmt: skip

    if shapes:
        engine.run(see, tiles, "shapes of neighbourhoods")
    return _run(work, tiles, engine)


def _run(work: Callable[[Tile, Flag], int], tiles: list[Tile], engine: Engine) -> int:
    """Do all tiles; the sum of what they return."""
    swinging: list[int] = []
    engine.run(lambda tile, stop: swinging.append(work(tile, stop)), tiles, "moving pixels")
    return sum(swinging)


def _square(radius: float) -> float:
    reach = radius * (1 + 1e-12)
    return reach * reach  # infinity, where a power would raise
