"""Seams between the finest regions of an image, and the evidence for a boundary at each."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.pixels.contours_jit import fill_basins, find_exits
from ..compute.pixels.motion import adjacent_pairs
from ..engine import Engine, Flag
from .regions import renumbered
from .sides import (
    ANGLES,
    CONTRAST,
    DIRECTIONS,
    N_TEXTURES,
    STRONGEST,
    Singles,
    Whole,
    at_angle,
    contrasts,
    enlarged,
    filtered,
    textures,
)  # fmt: skip
from .vibrations import jumps

OCTAVES = {"L": (0, 1, 2, 3), "a": (0, 1, 2, 3), "b": (0, 1, 2, 3), "texture": (1, 2, 3)}
CUES = tuple((name, octave) for name, octaves in OCTAVES.items() for octave in octaves)
"""Contrasts that are measured: channel and octave of the width."""

_LANDSCAPE = {
    ("L", 0): 4, ("L", 1): 4, ("L", 2): 2, ("a", 1): 10, ("a", 2): 5, ("b", 1): 8, ("b", 2): 4, ("texture", 1): 10,
    ("texture", 2): 20,
}  # fmt: skip  # set by hand: about 80 over a strong contrast, of texture 10
_SMOOTH = np.array([1.0, 21.0, 58.0, 21.0, 1.0])  # a Gaussian filter of 0.7 pixels, in whole numbers
_STRENGTH = np.array([0.25, 0.25, 0.2, 0.0, 0.0, 0.4, 0.2, 0.0, 0.0, 0.35, 0.2, 0.0, 0.0, 1.5, 1.0])
"""Weights of square roots of contrasts, set by hand: about the inverse of the root of a strong contrast."""

_SOFTNESS = 0.8
_ENOUGH = 800  # typical number of regions of the photographs that the weights were fitted to

_BINS = {"L": 16, "a": 16, "b": 16, "texture": 8}  # for contrasts, between the smallest and the largest value
_COUNTED = {"L": (0.0, 100.0, 16), "a": (-60.0, 60.0, 24), "b": (-60.0, 60.0, 24), "texture": (0.0, STRONGEST, 8)}
"""Histograms of regions: lower end, upper end and number of bins."""

_COUNTS = 2**8  # steps of a pixel in histograms
NAMES = (
    *(f"contrast of {name}, width {1.5 * 2**octave:g}" for name, octave in CUES),
    "jump of slow modes",
    "W1 of L*", "W1 of a*", "W1 of b*", "W1 of textures", "log of the smaller share", "log of the larger share",
    "log of length over root of size",
)  # fmt: skip
"""Names of the features of a seam, in order."""


class Histograms(NamedTuple):
    """Which columns of `Evidence.counts` are the histogram of a channel, and how distances of histograms are added.

    Attributes
    ----------
    starts : array of int
        First column of each histogram, and the end.
    group : array of int
        The distance to which each histogram contributes: 0 of L*, 1 of a*, 2 of b*, 3 of textures.
    units : array of shape (4,)
        Width of a bin, divided by the number of histograms of the group: distances are means over them.
    """

    starts: Ints
    group: Ints
    units: Floats

    @classmethod
    def of(cls, names: tuple[str, ...]) -> Self:
        """Lay out the histograms of channels, which are called L, a, b and texture."""
        kinds = tuple(_COUNTED)
        starts = np.cumsum([0, *(_COUNTED[name][2] for name in names)])
        widths = [(high - low) / bins / max(names.count(kind), 1) for kind, (low, high, bins) in _COUNTED.items()]
        return cls(starts, np.array([kinds.index(name) for name in names]), np.array(widths))


class Evidence(NamedTuple):
    """Finest regions, the seams between them, and the evidence at each seam.

    Attributes
    ----------
    labels : array of int, shape (h, w)
        Regions 0, 1, …; −1 is none.
    ends : array of int, shape (seams, 2)
        The two regions of each seam, the smaller number first.
    lengths : array of shape (seams,)
        Number of pairs of pixels that face each other across the seam.
    cues : array of shape (seams, 16)
        Contrast across the seam, summed over those pairs, in the order of `CUES`; then the jump of slow modes.
    sizes : array of shape (regions,)
        Sizes in pixels.
    counts : array of shape (regions, columns)
        Histograms of the channels and of eight textures of each lightness, in pixels.
    histograms : Histograms
        Where these are.
    """

    labels: Ints
    ends: Ints
    lengths: Floats
    cues: Floats
    sizes: Floats
    counts: Floats
    histograms: Histograms

    @classmethod
    def of(cls, values: Singles, is_color: bool, inside: Bools | None, engine: Engine) -> Self:
        """Compute the evidence of an image; pixels outside `inside` have no region.

        Parameters
        ----------
        values : array of shape (channels, h, w)
            L*, a* and b* of colors, else one lightness from 0 to 100 for each channel. At each pixel and in each
            direction, the strongest contrast of all lightnesses counts.
        is_color : bool
            Whether the values are L*a*b*.
        inside : array of bool, shape (h·w,), optional
            Pixels to use; None means all.
        engine : Engine
            Progress and cancellation.
        """
        shades = values[:1] if is_color else values
        names = (*(("L", "a", "b") if is_color else ("L",) * len(shades)), *("texture",) * N_TEXTURES * len(shades))
        channels = [*values, *(texture for shade in shades for texture in textures(shade))]
        measured = _measured(names, channels, engine)
        landscape = [weight * measured[cue] for cue, weight in _LANDSCAPE.items() if cue in measured]
        height = np.asarray(sum(landscape)).max(axis=0)
        histograms = Histograms.of(names)
        labels, sizes, counts = _sorted(basins(filtered(height, _SMOOTH, _SMOOTH), inside), names, channels)
        pixels, seam, ends = _across(labels)
        lengths = np.bincount(seam, minlength=len(ends)).astype(np.float64)
        angle = _angles(pixels, seam, lengths, labels.shape[1])
        cues = np.zeros((len(ends), len(CUES)))
        for k, (name, octave) in enumerate(CUES):
            if (name, octave) in measured:
                here, there = (at_angle(measured[name, octave], angle, side) for side in pixels)
                unit = 2 * ANGLES * CONTRAST * (N_TEXTURES if name == "texture" else 1)
                cues[:, k] = np.bincount(seam, here + there, len(ends)) / unit
        cues = np.column_stack(
            [cues, lengths * engine.run_single(lambda _: _jumps(ends, lengths, cues, sizes), "contours")]
        )
        return cls(labels, ends, lengths, cues, sizes, counts, histograms)


def _measured(names: tuple[str, ...], channels: list[Singles], engine: Engine) -> dict[tuple[str, int], Whole]:
    """Measure all of `CUES`, each of shape (8, h, w): the textures of a lightness are added, the strongest counts."""
    sums = dict[tuple[str, int], Whole]()
    for k, name in enumerate(names):
        engine.report("contours", k, len(names))
        if name == "texture" and (k - names.index(name)) % N_TEXTURES:
            continue
        together = channels[k : k + N_TEXTURES] if name == "texture" else channels[k : k + 1]

        def each(stop: Flag, together: list[Singles] = together, name: str = name) -> dict[int, Whole]:
            found = [contrasts(values, _BINS[name], OCTAVES[name], stop) for values in together]
            return {octave: np.asarray(sum(one[octave] for one in found)) for octave in OCTAVES[name]}

        for octave, found in engine.run_single(each, "contours").items():
            cue = name, octave
            sums[cue] = np.maximum(sums[cue], found) if cue in sums else found
    return {cue: enlarged(found, cue[1], channels[0].shape) for cue, found in sums.items()}


def _sorted(labels: Ints, names: tuple[str, ...], channels: list[Singles]) -> tuple[Ints, Floats, Floats]:
    """Number regions by their sizes and histograms, whatever the order of pixels; return sizes and histograms as well.

    Rounding errors of the modes then do not depend on the order of pixels either.
    """
    sizes = np.bincount(labels[labels >= 0]).astype(np.float64)
    counts = _counted(labels, names, channels, len(sizes))
    first = sum(_COUNTED[name][2] for name in names if name != "texture")
    alike = counts[:, first:].reshape(len(sizes), -1, N_TEXTURES, _COUNTED["texture"][2]).sum(axis=2)
    order = np.lexsort([*alike.reshape(len(sizes), -1).T, *counts[:, :first].T, sizes])  # rotating permutes textures
    new = np.empty(len(order), np.intp)
    new[order] = np.arange(len(order))
    return renumbered(labels, new), sizes[order], counts[order]


def _across(labels: Ints) -> tuple[tuple[Ints, Ints], Ints, Ints]:
    """Return pixels that face each other across a seam, the seam of each pair, and the two regions of each seam."""
    found = list(adjacent_pairs(labels))
    one, other = (np.concatenate([np.empty(0, np.intp), *side]) for side in zip(*found, strict=True)) if found else (
        np.empty(0, np.intp), np.empty(0, np.intp),
    )  # fmt: skip
    a, b, count = labels.ravel()[one], labels.ravel()[other], int(labels.max()) + 1
    keys, seam = np.unique(np.minimum(a, b) * count + np.maximum(a, b), return_inverse=True)
    return (one, other), seam, np.stack(np.divmod(keys, count), axis=1)


def _angles(pixels: tuple[Ints, Ints], seam: Ints, lengths: Floats, width: int) -> Ints:
    """Return the direction across the seam at each pair of pixels, from the last axis, in steps for `at_angle`.

    It is normal to the principal direction of the seam, which is a line of sides of pixels, each of length 1. A seam
    without a principal direction is crossed from pixel to pixel.
    """
    down, right = pixels[0] // width + pixels[1] // width, pixels[0] % width + pixels[1] % width
    beside, n = right % 2 == 1, len(lengths)
    sums = [np.bincount(seam, place, n) for place in (down, right)]
    yy, xx, xy = (
        3 * (lengths * np.bincount(seam, a * b, n) - c * d)
        for a, b, c, d in ((down, down, sums[0], sums[0]), (right, right, sums[1], sums[1]), (down, right, *sums))
    )  # whole numbers, but for a common factor: exact
    upright = lengths * np.bincount(seam, beside, n)  # sides between pixels beside each other are upright
    yy, xx = yy + upright, xx + lengths * lengths - upright
    half = DIRECTIONS * ANGLES // 2
    angle = np.rint(np.arctan2(2 * xy, xx - yy) * (half / np.pi)).astype(np.intp) + half
    straight = (xy != 0) | (xx != yy)
    return np.where(straight[seam], angle[seam], np.where(beside, 0, half)) % (DIRECTIONS * ANGLES)


def _jumps(ends: Ints, lengths: Floats, cues: Floats, sizes: Floats) -> Floats:
    """Return the jumps of slow modes across seams: seams are springs, soft where contrast is strong."""
    strength = np.sqrt(np.maximum(cues, 0.0) / lengths[:, None]) @ _STRENGTH
    found = jumps(ends, lengths * np.exp(-_SOFTNESS * strength), sizes)
    return found * min(1.0, float(np.sqrt(len(sizes) / _ENOUGH)))  # with few regions, modes jump at every seam


def _counted(labels: Ints, names: tuple[str, ...], channels: list[Singles], n: int) -> Floats:
    """Return histograms, each value shared linearly by the two nearest bins."""
    inside = labels >= 0
    rows = labels[inside]
    found = []
    for name, values in zip(names, channels, strict=True):
        low, high, bins = _COUNTED[name]
        place = np.clip((values[inside] - low) / (high - low) * bins - 0.5, 0.0, bins - 1.0)
        below = np.minimum(place.astype(np.intp), bins - 2)
        share = np.rint((place - below) * _COUNTS) / _COUNTS
        each = np.bincount(rows * bins + below, 1 - share, n * bins) + np.bincount(
            rows * bins + below + 1, share, n * bins
        )
        found.append(each.reshape(n, bins))
    return np.concatenate(found, axis=1)


def basins(height: Floats, inside: Bools | None = None) -> Ints:
    """Return the watershed basins of a height map, numbered from 0; −1 outside `inside`.

    Each pixel drains to the lowest of its eight neighbors, over level ground to the nearest exit. A pixel that drains
    to several basins alike is a basin of its own, so that basins of a mirrored map are the mirrored basins.
    """
    away, memory, labels = (np.full(height.shape, -1) for _ in range(3))
    find_exits(height, away, memory.ravel())
    fill_basins(height, away, memory.ravel(), labels)
    if inside is not None:
        labels.ravel()[inside] = np.unique(labels.ravel()[inside], return_inverse=True)[1]
        labels.ravel()[~inside] = -1
    return labels
