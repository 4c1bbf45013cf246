"""How evidence for a seam is weighed: a logistic regression, fitted to what people drew.

Fitted by `python -m benchmarks photographs=fit:FOLDER` to the 100 validation photographs of the Berkeley benchmark
(BSDS500), seams counted by the pixels of the smaller region.
"""

from __future__ import annotations

import numpy as np

WEIGHTS = np.array(
    [
        0.4875,  # contrast of L, width 1.5
        -0.3627,  # contrast of L, width 3
        0.1905,  # contrast of L, width 6
        0.0836,  # contrast of L, width 12
        -0.4415,  # contrast of a, width 1.5
        0.1993,  # contrast of a, width 3
        0.0574,  # contrast of a, width 6
        0.0484,  # contrast of a, width 12
        -0.0883,  # contrast of b, width 1.5
        0.1486,  # contrast of b, width 3
        -0.0599,  # contrast of b, width 6
        0.1646,  # contrast of b, width 12
        2.1521,  # contrast of texture, width 3
        -0.7316,  # contrast of texture, width 6
        1.9259,  # contrast of texture, width 12
        0.0330,  # W1 of L*
        0.3252,  # W1 of a*
        0.2233,  # W1 of b*
        1.0465,  # W1 of textures
        0.2256,  # log of the smaller share
        0.2521,  # log of the larger share
        -0.2664,  # log of length over root of size
    ]
)
"""One for each of `seams.NAMES`."""

BIAS = -3.3906
