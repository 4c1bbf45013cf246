"""How evidence for a seam is weighed: a logistic regression, fitted to what people drew.

Fitted by `python -m benchmarks.photographs fit=FOLDER` on the 100 validation photographs of the Berkeley benchmark.
"""

from __future__ import annotations

import numpy as np

WEIGHTS = np.zeros(22)
"""One for each of `seams.NAMES`."""

BIAS = 0.0
