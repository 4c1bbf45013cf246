"""How evidence for a seam is weighed: a logistic regression, fitted to what people drew.

Fitted by `python -m benchmarks photographs=fit:FOLDER` to the 100 validation photographs of the Berkeley benchmark
(BSDS500), seams counted by the pixels of the smaller region.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats


class Weights(NamedTuple):
    """One for each of `seams.NAMES`, and what is added: log odds that people draw a seam."""

    values: Floats
    bias: float


COLOR = Weights(
    np.array(
        [
            0.4980,  # contrast of L, width 1.5
            -0.4782,  # contrast of L, width 3
            0.0654,  # contrast of L, width 6
            0.0720,  # contrast of L, width 12
            -0.4863,  # contrast of a, width 1.5
            0.2390,  # contrast of a, width 3
            -0.1512,  # contrast of a, width 6
            0.0854,  # contrast of a, width 12
            -0.0923,  # contrast of b, width 1.5
            0.0715,  # contrast of b, width 3
            -0.1736,  # contrast of b, width 6
            0.1420,  # contrast of b, width 12
            1.9517,  # contrast of texture, width 3
            -0.8534,  # contrast of texture, width 6
            1.4900,  # contrast of texture, width 12
            2.3314,  # jump of slow swings
            0.0198,  # W1 of L*
            0.3470,  # W1 of a*
            0.2075,  # W1 of b*
            1.1877,  # W1 of textures
            0.2014,  # log of the smaller share
            0.2352,  # log of the larger share
            -0.1647,  # log of length over root of size
        ]
    ),
    -3.0183,
)
"""Of pictures in color."""

GRAY = Weights(
    np.array(
        [
            0.4980,  # contrast of L, width 1.5
            -0.4782,  # contrast of L, width 3
            0.0654,  # contrast of L, width 6
            0.0720,  # contrast of L, width 12
            -0.4863,  # contrast of a, width 1.5
            0.2390,  # contrast of a, width 3
            -0.1512,  # contrast of a, width 6
            0.0854,  # contrast of a, width 12
            -0.0923,  # contrast of b, width 1.5
            0.0715,  # contrast of b, width 3
            -0.1736,  # contrast of b, width 6
            0.1420,  # contrast of b, width 12
            1.9517,  # contrast of texture, width 3
            -0.8534,  # contrast of texture, width 6
            1.4900,  # contrast of texture, width 12
            2.3314,  # jump of slow swings
            0.0198,  # W1 of L*
            0.3470,  # W1 of a*
            0.2075,  # W1 of b*
            1.1877,  # W1 of textures
            0.2014,  # log of the smaller share
            0.2352,  # log of the larger share
            -0.1647,  # log of length over root of size
        ]
    ),
    -3.0183,
)
"""Of pictures without color, fitted to the same photographs in gray."""
