"""Weights of the evidence for a seam: a logistic regression, fitted to human segmentations.

Fitted by `python -m benchmarks photographs=fit:FOLDER` to the 100 validation photographs of the Berkeley benchmark
(BSDS500), seams counted by the pixels of the smaller region.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats


class Weights(NamedTuple):
    """A weight for each of `seams.NAMES`, and the bias: their sum is the log odds that people draw a seam."""

    values: Floats
    bias: float


COLOR = Weights(
    np.array(
        [
            0.1325,  # contrast of L, width 1.5
            0.0000,  # contrast of L, width 3
            0.0000,  # contrast of L, width 6
            0.0669,  # contrast of L, width 12
            0.0000,  # contrast of a, width 1.5
            0.0000,  # contrast of a, width 3
            0.0000,  # contrast of a, width 6
            0.0000,  # contrast of a, width 12
            0.0000,  # contrast of b, width 1.5
            0.0000,  # contrast of b, width 3
            0.0000,  # contrast of b, width 6
            0.0270,  # contrast of b, width 12
            0.5245,  # contrast of texture, width 3
            0.0000,  # contrast of texture, width 6
            1.4176,  # contrast of texture, width 12
            2.0418,  # jump of slow modes
            0.0231,  # W1 of L*
            0.1845,  # W1 of a*
            0.1686,  # W1 of b*
            1.3227,  # W1 of textures
            0.2123,  # log of the smaller share
            0.2277,  # log of the larger share
            -0.1550,  # log of length over root of size
        ]
    ),
    -2.9650,
)
"""For pictures in color."""

GRAY = Weights(
    np.array(
        [
            0.0726,  # contrast of L, width 1.5
            0.0000,  # contrast of L, width 3
            0.0000,  # contrast of L, width 6
            0.0722,  # contrast of L, width 12
            0.0000,  # contrast of a, width 1.5
            0.0000,  # contrast of a, width 3
            0.0000,  # contrast of a, width 6
            0.0000,  # contrast of a, width 12
            0.0000,  # contrast of b, width 1.5
            0.0000,  # contrast of b, width 3
            0.0000,  # contrast of b, width 6
            0.0000,  # contrast of b, width 12
            0.6606,  # contrast of texture, width 3
            0.0000,  # contrast of texture, width 6
            1.2094,  # contrast of texture, width 12
            2.9591,  # jump of slow modes
            0.1244,  # W1 of L*
            0.0000,  # W1 of a*
            0.0000,  # W1 of b*
            1.3596,  # W1 of textures
            0.1879,  # log of the smaller share
            0.2604,  # log of the larger share
            -0.1463,  # log of length over root of size
        ]
    ),
    -2.7272,
)
"""For pictures without color, fitted to the same photographs in gray."""
