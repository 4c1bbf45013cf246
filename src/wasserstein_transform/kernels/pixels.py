"""Mean shift and the Gaussian Transform of pixels: windows around each pixel, in which neighbors never move.

An image is `values`, one row a channel, pixels in the order of memory; pixels outside the mask have values so large
that no window ever holds them. Modes are places, by axes of the grid, then the channels. A pixel's state, the values
and the shape it compares others with, says where it goes next: for windows see `patches.py`, for shapes `shapes.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .compile import jit
from .patches import Patch, Window, look, place
from .shapes import moments, spread

RESTS, SWINGS, UNFINISHED = 0, 1, 2
"""How the way of a pixel ends."""


class Swing(NamedTuple):
    """Scratch to find out that a pixel swings: by Brent, it is at a state that it had after 1, 2, 4, 8 … iterations.

    state : of the pixel, its values, then its shape
    before, met : its last state, and the one to meet again
    best : of all states after that one, what the pixel is stopped with if it swings: number of neighbors, their mean
        offsets dz, dy and dx, and the state
    """

    state: Any
    before: Any
    met: Any
    best: Any


@jit
def first_covs(
    values: Any, unknown: Any, window: Window, axes: int, range_: float, start: int, end: int, patch: Patch,
    state: Any, sums: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """The shape of the neighborhood of each pixel from start to end; 0 where there is none. `unknown` is not read."""
    channels = values.shape[0]
    t, own = state[:channels], state[channels:]
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(channels):
            t[c] = values[c, i - window.base]
        look(values, unknown, window, i, 0.0, 0.0, patch)
        count = moments(patch, t, own, False, True, axes, range_, 0.0, sums)
        if count > 0.0:
            spread(sums, count, own)
        for k in range(own.shape[0]):
            covs[k, i - start] = own[k] if count > 0.0 else 0.0


@jit
def leave(window: Window, i: int, dz: float, dy: float, dx: float, mode: Any, axes: int) -> None:
    """Write where pixel i went, given how far from its place."""
    z, y, x = place(window, i)
    if axes == 3:
        mode[0] = z + dz
    mode[axes - 2], mode[axes - 1] = y + dy, x + dx


@jit
def _is_better(count: float, state: Any, best: Any) -> bool:
    """More neighbors; of equally many, the lesser values, then the lesser shape."""
    if count != best[0]:
        return count > best[0]
    for k in range(state.shape[0]):
        if state[k] != best[4 + k]:
            return state[k] < best[4 + k]
    return False


@jit
def _same(one: Any, other: Any) -> bool:
    for k in range(one.shape[0]):  # noqa: SIM110 - compiled code has no generators
        if one[k] != other[k]:
            return False
    return True


@jit
def _copy(source: Any, target: Any) -> None:
    for k in range(source.shape[0]):
        target[k] = source[k]


@jit
def _moved(swing: Swing, shapes: int) -> float:
    """The square of how far the last iteration went in values and in entries of the shape, whose root follows."""
    total = 0.0
    for k in range(swing.state.shape[0] - (1 if shapes > 0 else 0)):
        total += (swing.state[k] - swing.before[k]) ** 2
    return total


@jit
def _travel(
    patch: Patch, shapes: int, axes: int, range_: float, top: float, tol: float, max_iter: int, swing: Swing,
    sums: Any, mean: Any,
) -> tuple[int, int]:  # fmt: skip
    """Move a pixel until it rests or swings: iterations, and how it ends. Leaves its mean offset in `mean`."""
    state, before, met, best = swing
    channels = state.shape[0] - shapes
    t, own = state[:channels], state[channels:]
    mean[0], mean[1], mean[2] = 0.0, 0.0, 0.0
    _copy(state, met)
    best[0], mark = 0.0, 1
    for done in range(1, max_iter + 1):
        count = moments(patch, t, own, shapes > 0, shapes > 0, axes, range_, top, sums)
        if count == 0.0:  # nobody is near: the pixel stays
            return done - 1, RESTS
        _copy(state, before)
        for c in range(channels):
            t[c] = sums[9 + c] / count
        if shapes > 0:
            spread(sums, count, own)
        for k in range(3):
            mean[k] = sums[k] / count
        if _moved(swing, shapes) <= tol:
            return done, RESTS
        if _is_better(count, state, best):
            best[0], best[1], best[2], best[3] = count, mean[0], mean[1], mean[2]
            _copy(state, best[4:])
        if _same(state, met):  # once around: the best of all it has been at
            mean[0], mean[1], mean[2] = best[1], best[2], best[3]
            _copy(best[4:], state)
            return done, SWINGS
        if done == mark:
            _copy(state, met)
            best[0], mark = 0.0, 2 * mark
    return max_iter, UNFINISHED


@jit
def shift(
    values: Any, covs: Any, window: Window, axes: int, lam: float, spatial: float, range_: float, tol: float,
    max_iter: int, start: int, end: int, patch: Patch, swing: Swing, sums: Any, mean: Any, modes: Any, iterations: Any,
    ends: Any, stop: Any,
) -> None:  # fmt: skip
    """Move the pixels from start to end until they rest, or are found swinging. Radii and tolerance are squares."""
    channels, shapes = values.shape[0], patch.shapes.shape[0]
    high, wide, long = float(window.reach[0]), float(window.reach[1]), float(window.reach[2])
    top = min(spatial, high * high + wide * wide + long * long)
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(channels):
            swing.state[c] = values[c, i - window.base]
        for k in range(shapes):
            swing.state[channels + k] = covs[k, i]
        look(values, covs, window, i, spatial, 1.0 / lam if shapes > 0 else 0.0, patch)
        done, ending = _travel(patch, shapes, axes, range_, top, tol, max_iter, swing, sums, mean)
        mode = modes[i - start]
        leave(window, i, mean[0], mean[1], mean[2], mode, axes)
        for c in range(channels):
            mode[axes + c] = swing.state[c]
        iterations[i - start] = done
        ends[i - start] = ending
