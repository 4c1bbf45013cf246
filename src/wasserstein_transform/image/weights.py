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
            0.1222,  # contrast of L, width 1.5
            0.0000,  # contrast of L, width 3
            0.0000,  # contrast of L, width 6
            0.0429,  # contrast of L, width 12
            0.0000,  # contrast of a, width 1.5
            0.0000,  # contrast of a, width 3
            0.0000,  # contrast of a, width 6
            0.0000,  # contrast of a, width 12
            0.0000,  # contrast of b, width 1.5
            0.0000,  # contrast of b, width 3
            0.0000,  # contrast of b, width 6
            0.0334,  # contrast of b, width 12
            0.4893,  # contrast of texture, width 3
            0.0075,  # contrast of texture, width 6
            1.5350,  # contrast of texture, width 12
            2.0174,  # jump of slow swings
            0.0380,  # W1 of L*
            0.1961,  # W1 of a*
            0.1637,  # W1 of b*
            1.3114,  # W1 of textures
            0.2114,  # log of the smaller share
            0.2270,  # log of the larger share
            -0.1596,  # log of length over root of size
        ]
    ),
    -2.9370,
)
"""Of pictures in color."""

GRAY = Weights(
    np.array(
        [
            0.0725,  # contrast of L, width 1.5
            0.0000,  # contrast of L, width 3
            0.0000,  # contrast of L, width 6
            0.0730,  # contrast of L, width 12
            0.0000,  # contrast of a, width 1.5
            0.0000,  # contrast of a, width 3
            0.0000,  # contrast of a, width 6
            0.0000,  # contrast of a, width 12
            0.0000,  # contrast of b, width 1.5
            0.0000,  # contrast of b, width 3
            0.0000,  # contrast of b, width 6
            0.0000,  # contrast of b, width 12
            0.6444,  # contrast of texture, width 3
            0.0000,  # contrast of texture, width 6
            1.2381,  # contrast of texture, width 12
            2.9583,  # jump of slow swings
            0.1241,  # W1 of L*
            0.0000,  # W1 of a*
            0.0000,  # W1 of b*
            1.3554,  # W1 of textures
            0.1876,  # log of the smaller share
            0.2588,  # log of the larger share
            -0.1455,  # log of length over root of size
        ]
    ),
    -2.7376,
)
"""Of pictures without color, fitted to the same photographs in gray."""
