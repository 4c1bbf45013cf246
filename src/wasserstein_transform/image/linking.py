"""Link moved pixels to regions: the connected components of the links."""

from __future__ import annotations

import numpy as np

from .._types import Bools, Floats, Ints
from ..compute.pixels.motion import Grid, RegionLinks, link_touching, number_parts
from ..compute.pixels.regions_jit import link_cells, link_inside
from ..cuda import on
from ..engine import Engine, Flag, to_host
from ..spaces import closed

LINKINGS = ("adjacent", "paper")
CELL_BYTES = 48.0, 20.0
"""Bytes of the paper's linking: for each pixel, and for each column of its mode; an upper bound: one cell per pixel."""

_SHARE = 0.5  # of the range radius, between adjacent pixels; with 1, slow gradients chain regions together
_FINEST = 2**31  # most cells along an axis


def link_pixels(
    linking: str, modes: Floats, mask: Bools | None, shape: tuple[int, ...], spatial: float, range: float,
    engine: Engine,
) -> tuple[Ints, int]:  # fmt: skip
    """Return the region of each pixel, −1 outside the mask, and the number of regions.

    "adjacent" links pixels that touch if their modes are within the spatial radius and within half of the range radius,
    on the device of the engine; time O(pixels). "paper" links all modes within both radii of each other, wherever their
    pixels are. Modes are sorted into cells so small that all modes in a cell are linked; then one linked pair is
    searched between each two neighboring cells. Time O(n log n) for sorting n pixels, plus these searches.

    Parameters
    ----------
    linking : {"adjacent", "paper"}
        The rule.
    modes : array of shape (pixels, axes + channels)
        Final position of each pixel, then its range features.
    mask : array of bool, shape (pixels,), optional
        Pixels to link; None means all.
    shape : tuple of int
        Shape of the grid.
    spatial, range : float
        Radii of the windows, in pixels and in values.
    engine : Engine
        Where to compute.
    """
    if linking == "adjacent":
        links = RegionLinks(mask, len(shape), closed(spatial), closed(_SHARE * range))
        return on(engine, link_touching)(modes, _grid(shape), links, engine)
    modes = to_host(modes)
    labels, who = np.arange(len(modes)), np.arange(len(modes)) if mask is None else np.flatnonzero(mask)
    engine.report("linking pixels", 0, 1)
    engine.run_single(lambda stop: _link_all(modes, who, len(shape), spatial, range, labels, stop), "linking pixels")
    return labels, number_parts(labels, np.empty(0, np.bool_) if mask is None else mask)


def _grid(shape: tuple[int, ...]) -> Grid:
    depth, height, width = (1, *shape)[-3:]
    return depth, height, width


def _link_all(modes: Floats, who: Ints, axes: int, spatial: float, range: float, parent: Ints, stop: Flag) -> None:
    """Join all modes within both radii in the union-find forest `parent`."""
    counts = [axes, modes.shape[1] - axes]
    radii = np.repeat([spatial, range], counts)
    sides = radii / np.sqrt(np.repeat(counts, counts))
    order, starts, cells = _sorted_into_cells(modes, who, sides)
    link_inside(order, starts, parent)
    new = (np.diff(cells[:, :axes], axis=0) != 0).any(axis=1)
    groups = np.concatenate([[0], np.flatnonzero(new) + 1, [len(cells)]])
    reach = np.floor(radii / sides * (1 + 1e-9)).astype(np.intp) + 1
    link_cells(
        modes, axes, order, starts, groups, cells, _rows(reach[: axes - 1]), reach, closed(spatial), closed(range),
        parent, stop,
    )  # fmt: skip


def _sorted_into_cells(modes: Floats, who: Ints, sides: Floats) -> tuple[Ints, Ints, Ints]:
    """Return pixels sorted by cell, where each cell begins, and the cells; by columns, to save memory."""
    columns = []
    for column, side in zip(modes.T, sides, strict=True):
        there = column[who]
        steps = (there - there.min()) / side
        if steps.max() > _FINEST:
            raise ValueError(
                f"the paper's linking needs radii of at least {1 / _FINEST:.0e} times the spread of the data, "
                f"got {side:g} for a spread of {float(np.ptp(there)):g}; use larger radii, or linking='adjacent'"
            )
        columns.append(steps.astype(np.int32))
    by = np.lexsort(columns[::-1])
    changes = np.zeros(len(who) - 1, np.bool_)
    for cells in columns:
        changes |= np.diff(cells[by]) != 0
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(who)]])
    first = by[starts[:-1]]
    return who[by], starts, np.stack([cells[first].astype(np.intp) for cells in columns], axis=1)


def _rows(reach: Ints) -> Ints:
    """Return the steps along all axes but the last; only one of each opposite pair."""
    steps = np.stack(np.meshgrid(*[np.arange(-r, r + 1) for r in reach], indexing="ij"), axis=-1).reshape(
        -1, len(reach)
    )
    return steps[len(steps) // 2 :]
