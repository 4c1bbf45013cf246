"""Mean shift and the Gaussian Transform of pixels: windows around each pixel, with unmoved neighbors.

An image is `values`, one row per channel, with pixels in memory order; pixels outside the mask have values so large
that no window contains them. Modes are positions, by axes of the grid, then the channels. The state of a pixel, its
values and its shape, determines the next iteration: for windows and shapes see `patches.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..jit import jit
from .patches_jit import Patch, Window, fill_patch, moments, position_of, spread

CONVERGED, CYCLES, UNFINISHED = 0, 1, 2

"""How the iteration of a pixel ends."""


class CycleState(NamedTuple):
    """Scratch for detecting cycles by Brent's method: the state equals that after 1, 2, 4, 8 … iterations.

    state : state of the pixel, its values, then its shape
    before, marked : its last state, and the state for comparison
    best : the best state after that one, at which the pixel is stopped if it cycles: number of neighbors, their mean
        offsets dz, dy and dx, and the state
    """

    state: Any
    before: Any
    marked: Any
    best: Any


@jit
def first_covs(
    values: Any, unknown: Any, window: Window, axes: int, range_: float, start: int, end: int, patch: Patch,
    state: Any, sums: Any, covs: Any, stop: Any,
) -> None:  # fmt: skip
    """The shape of the neighborhood of each pixel from start to end; 0 if it is empty. `unknown` is not read."""
    channels = values.shape[0]
    t, shape = state[:channels], state[channels:]
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(channels):
            t[c] = values[c, i - window.base]
        fill_patch(values, unknown, window, i, 0.0, 0.0, patch)
        count = moments(patch, t, shape, False, axes, range_, 0.0, sums)
        if count > 0.0:
            spread(sums, count, shape)
        for k in range(shape.shape[0]):
            covs[k, i - start] = shape[k] if count > 0.0 else 0.0


@jit
def write_mode(window: Window, i: int, dz: float, dy: float, dx: float, mode: Any, axes: int) -> None:
    """Write the mode of pixel i, given its offset."""
    z, y, x = position_of(window, i)
    if axes == 3:
        mode[0] = z + dz
    mode[axes - 2], mode[axes - 1] = y + dy, x + dx


@jit
def _is_better(count: float, state: Any, best: Any) -> bool:
    """Whether a state is better: more neighbors; in a tie smaller values, then the smaller shape."""
    if count != best[0]:
        return count > best[0]
    for k in range(state.shape[0]):
        if state[k] != best[4 + k]:
            return state[k] < best[4 + k]
    return False


@jit
def _are_equal(first: Any, second: Any) -> bool:
    for k in range(first.shape[0]):  # noqa: SIM110 - compiled code has no generators
        if first[k] != second[k]:
            return False
    return True


@jit
def _copy(source: Any, target: Any) -> None:
    for k in range(source.shape[0]):
        target[k] = source[k]


@jit
def _change(cycle: CycleState, shapes: int) -> float:
    """The squared change of values and entries of the shape in the last iteration."""
    total = 0.0
    for k in range(cycle.state.shape[0] - (1 if shapes > 0 else 0)):
        change = cycle.state[k] - cycle.before[k]
        total += change * change
    return total


@jit
def _move_to_rest(
    patch: Patch, shapes: int, axes: int, range_: float, top: float, tol: float, max_iter: int, cycle: CycleState,
    sums: Any, mean: Any,
) -> tuple[int, int]:  # fmt: skip
    """Move a pixel until it converges or cycles; returns iterations and status. Leaves its mean offset in `mean`."""
    state, before, marked, best = cycle
    channels = state.shape[0] - shapes
    t, shape = state[:channels], state[channels:]
    mean[0], mean[1], mean[2] = 0.0, 0.0, 0.0
    _copy(state, marked)
    best[0], next_mark = 0.0, 1
    for done in range(1, max_iter + 1):
        count = moments(patch, t, shape, shapes > 0, axes, range_, top, sums)
        if count == 0.0:  # no neighbors: the pixel stays
            return done - 1, CONVERGED
        _copy(state, before)
        for c in range(channels):
            t[c] = sums[9 + c] / count
        if shapes > 0:
            spread(sums, count, shape)
        for k in range(3):
            mean[k] = sums[k] / count
        if _change(cycle, shapes) <= tol:
            return done, CONVERGED
        if _is_better(count, state, best):
            best[0], best[1], best[2], best[3] = count, mean[0], mean[1], mean[2]
            _copy(state, best[4:])
        if _are_equal(state, marked):  # one full cycle: take its best state
            mean[0], mean[1], mean[2] = best[1], best[2], best[3]
            _copy(best[4:], state)
            return done, CYCLES
        if done == next_mark:
            _copy(state, marked)
            best[0], next_mark = 0.0, 2 * next_mark
    return max_iter, UNFINISHED


@jit
def shift(
    values: Any, covs: Any, window: Window, axes: int, lam: float, spatial: float, range_: float, tol: float,
    max_iter: int, start: int, end: int, patch: Patch, cycle: CycleState, sums: Any, mean: Any, modes: Any,
    iterations: Any, ends: Any, stop: Any,
) -> None:  # fmt: skip
    """Move the pixels from start to end until they converge or cycle. Radii and tolerance are squares."""
    channels, shapes = values.shape[0], patch.shapes.shape[0]
    high, wide, long = float(window.reach[0]), float(window.reach[1]), float(window.reach[2])
    top = min(spatial, high * high + wide * wide + long * long)
    for i in range(start, end):
        if stop[0] != 0:
            return
        for c in range(channels):
            cycle.state[c] = values[c, i - window.base]
        for k in range(shapes):
            cycle.state[channels + k] = covs[k, i]
        fill_patch(values, covs, window, i, spatial, 1.0 / lam if shapes > 0 else 0.0, patch)
        done, ending = _move_to_rest(patch, shapes, axes, range_, top, tol, max_iter, cycle, sums, mean)
        mode = modes[i - start]
        write_mode(window, i, mean[0], mean[1], mean[2], mode, axes)
        for c in range(channels):
            mode[axes + c] = cycle.state[c]
        iterations[i - start] = done
        ends[i - start] = ending
