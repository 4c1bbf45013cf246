"""Regions of an image, one pixel or border after the other: forests of pixels, and their numbers."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Ints
from ...kernels.regions import number

_ALL = np.empty(0, np.bool_)


def number_parts(forest: Ints, inside: Bools = _ALL) -> int:
    """From a forest, in which the first of a tree is its root, to labels 0, 1, … by first ones, in place; their number.

    What is not `inside` becomes −1; if that is empty, all are.
    """
    return int(number(forest, inside))
