"""Regions of an image, one pixel or border after the other: forests of pixels, and their numbers."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats, Ints
from ...engine import Engine
from ...kernels.regions import link_adjacent, number
from ..images import Grid, Links

_ALL = np.empty(0, np.bool_)


def number_parts(forest: Ints, inside: Bools = _ALL) -> int:
    """From a forest, in which the first of a tree is its root, to labels 0, 1, … by first ones, in place; their number.

    What is not `inside` becomes −1; if that is empty, all are.
    """
    return int(number(forest, inside))


def link_touching(modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
    """The region of each pixel, −1 outside the mask, and the number of regions."""
    labels, inside = np.arange(len(modes)), _ALL if links.mask is None else links.mask
    rule = links.axes, inside, np.array(grid), links.spatial, links.range
    with engine.watched() as engine:
        engine.report("linking pixels", 0, 1)
        engine.alone(lambda stop: link_adjacent(modes, *rule, labels, stop), "linking pixels")
    return labels, number_parts(labels, inside)
