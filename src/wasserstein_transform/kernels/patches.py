"""The window of a pixel as a patch: the content of its runs, concatenated, so that loops over it are long.

A patch has one row for each quantity and one column for each pixel of the window, in the order of the runs. It is
padded to a multiple of `PAD` columns with pixels whose values are far from all others, so that loops have no remainder.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .compile import jit, jit_summing

PAD = 16  # the number of columns is a multiple of this
_FAR = 1e150  # value of padding pixels: its square does not overflow, and exceeds any radius


class Window(NamedTuple):
    """A disc or ball of pixels as runs along the last axis.

    shape : depth, height, width of the image
    reach : extent along each axis
    dz, dy, half : offsets of each run, and its half-length
    base : the first pixel of `values`, which may be a part of the image
    """

    shape: Any
    reach: Any
    dz: Any
    dy: Any
    half: Any
    base: int


class Patch(NamedTuple):
    """Scratch for one window.

    steps : memory offsets from the pixel to each pixel of its window
    offsets : dz, dy, dx of each, and (ε² − ‖offset‖²)/λ, the limit of dcov²
    values : values of each channel
    shapes : entries of each shape; no rows without shapes
    lacks : the trace of each shape, minus the limit of dcov²
    marks : 1 for each pixel that counts, 0 for others
    size : number of pixels, without and with padding; 1 if no run is clipped
    """

    steps: Any
    offsets: Any
    values: Any
    shapes: Any
    lacks: Any
    marks: Any
    size: Any


@jit
def place(window: Window, i: int) -> tuple[int, int, int]:
    """Position of pixel i."""
    height, width = window.shape[1], window.shape[2]
    return i // (height * width), i // width % height, i % width


@jit
def _clip(window: Window, run: int, z: int, y: int, x: int) -> tuple[int, int, int]:
    """The first pixel of a run of the window of (z, y, x), clipped to the image, its length, and its first offset."""
    depth, height, width = window.shape[0], window.shape[1], window.shape[2]
    above, beside = z + window.dz[run], y + window.dy[run]
    if above < 0 or above >= depth or beside < 0 or beside >= height:
        return 0, 0, 0
    left, right = max(0, x - window.half[run]), min(width - 1, x + window.half[run])
    return (above * height + beside) * width + left, right - left + 1, left - x


@jit
def _is_whole(window: Window, z: int, y: int, x: int) -> bool:
    """Whether the window of (z, y, x) lies within the image."""
    high, wide, long = window.reach[0], window.reach[1], window.reach[2]
    whole = (z >= high) & (z + high < window.shape[0]) & (y >= wide) & (y + wide < window.shape[1])
    return whole & (x >= long) & (x + long < window.shape[2])


@jit
def _lay_out(window: Window, z: int, y: int, x: int, spatial: float, per: float, patch: Patch) -> None:
    """Compute steps and offsets of a window; they are the same for all windows that are not clipped."""
    n, here = 0, (z * window.shape[1] + y) * window.shape[2] + x
    whole = True
    for run in range(window.half.shape[0]):
        start, length, first = _clip(window, run, z, y, x)
        whole &= length == 2 * window.half[run] + 1
        dz, dy = float(window.dz[run]), float(window.dy[run])
        for k in range(length):
            dx = float(first + k)
            patch.steps[n + k] = start + k - here
            patch.offsets[0, n + k], patch.offsets[1, n + k], patch.offsets[2, n + k] = dz, dy, dx
            patch.offsets[3, n + k] = (spatial - (dz * dz + dy * dy + dx * dx)) * per
        n += length
    full = (n + PAD - 1) // PAD * PAD
    for k in range(n, full):
        patch.steps[k] = 0
        for c in range(4):
            patch.offsets[c, k] = 0.0
    patch.size[0], patch.size[1], patch.size[2] = n, full, whole


@jit
def _pick(source: Any, at: int, steps: Any, n: int, out: Any) -> None:
    for k in range(n):
        out[k] = source[np.uintp(at + steps[k])]  # unsigned, so that no test for negative indices is needed


@jit_summing
def _lack(shapes: Any, rests: Any, n: int, lacks: Any) -> None:
    last = 2 if shapes.shape[0] == 4 else 5
    ps, qs, rs = shapes[0], shapes[0 if last == 2 else 3], shapes[last]
    both = 0.0 if last == 2 else 1.0
    for k in range(n):
        lacks[k] = ps[k] + both * qs[k] + rs[k] - rests[k]


@jit
def look(values: Any, covs: Any, window: Window, i: int, spatial: float, per: float, patch: Patch) -> None:
    """Fill the patch of pixel i. `covs` has all pixels of the image; `per` is 1/λ."""
    z, y, x = place(window, i)
    if patch.size[2] == 0 or not _is_whole(window, z, y, x):
        _lay_out(window, z, y, x, spatial, per, patch)
    full = patch.size[1]
    for c in range(values.shape[0]):
        _pick(values[c], i - window.base, patch.steps, full, patch.values[c])
        for k in range(patch.size[0], full):
            patch.values[c, k] = _FAR
    for c in range(patch.shapes.shape[0]):
        _pick(covs[c], i, patch.steps, full, patch.shapes[c])
    if patch.shapes.shape[0] > 0:
        _lack(patch.shapes, patch.offsets[3], full, patch.lacks)
