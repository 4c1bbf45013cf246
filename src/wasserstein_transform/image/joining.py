"""Join the finest regions to a tree: the seam least likely to be a human boundary goes first.

The weights of the evidence are a logistic regression, fitted by `python -m benchmarks photographs=fit:FOLDER` to the
human segmentations of the 100 validation photographs of the Berkeley benchmark (BSDS500), seams counted by the pixels
of the smaller region.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.pixels.contours_jit import MergeWeights, Regions, Seams, all_evidence, join_regions
from ..engine import Engine, Flag
from .seams import NAMES, Evidence


class Weights(NamedTuple):
    """A weight for each of `seams.NAMES`, and the bias: their sum is the log odds that people draw a seam."""

    values: Floats
    bias: float


COLOR = Weights(
    np.array([
        0.1325, 0.0000, 0.0000, 0.0669,  # contrast of L, widths 1.5, 3, 6, 12
        0.0000, 0.0000, 0.0000, 0.0000,  # contrast of a
        0.0000, 0.0000, 0.0000, 0.0270,  # contrast of b
        0.5245, 0.0000, 1.4176,  # contrast of texture, widths 3, 6, 12
        2.0418,  # jump of slow modes
        0.0231, 0.1845, 0.1686, 1.3227,  # W1 of L*, a*, b*, textures
        0.2123, 0.2277, -0.1550,  # logs of the smaller share, the larger share, length over root of size
    ]),
    -2.9650,
)  # fmt: skip
"""For pictures in color."""

GRAY = Weights(
    np.array([
        0.0726, 0.0000, 0.0000, 0.0722,  # contrast of L, widths 1.5, 3, 6, 12
        0.0000, 0.0000, 0.0000, 0.0000,  # contrast of a
        0.0000, 0.0000, 0.0000, 0.0000,  # contrast of b
        0.6606, 0.0000, 1.2094,  # contrast of texture, widths 3, 6, 12
        2.9591,  # jump of slow modes
        0.1244, 0.0000, 0.0000, 1.3596,  # W1 of L*, a*, b*, textures
        0.1879, 0.2604, -0.1463,  # logs of the smaller share, the larger share, length over root of size
    ]),
    -2.7272,
)  # fmt: skip
"""For pictures without color, fitted to the same photographs in gray, and for other channels."""


def joined(found: Evidence, engine: Engine, weights: Weights) -> tuple[Ints, Floats]:
    """Return pairs of regions in the order they are joined, and the log odds of each seam to be a human boundary.

    After a join, the first region of the pair stands for both. The evidence of joined regions and seams is pooled:
    sizes, lengths, histograms and contrasts are added.
    """
    regions, seams, rule = _parts(found, weights)
    n = len(found.sizes)
    joins, heights = np.empty((max(n - 1, 0), 2), np.intp), np.empty(max(n - 1, 0))
    scratch = np.empty(len(NAMES))

    def work(stop: Flag) -> int:
        return int(join_regions(regions, seams, rule, scratch, joins, heights, stop))

    engine.report("joining regions", 0, 1)
    count = engine.run_single(work, "joining regions")
    return joins[:count], heights[:count]


def weighed(found: Evidence) -> Floats:
    """Return the features of each seam, one row each, in the order of `NAMES`."""
    regions, seams, rule = _parts(found, COLOR)
    rows = np.empty((len(found.ends), len(NAMES)))
    all_evidence(regions, seams, rule, rows)
    return rows


def _parts(found: Evidence, weights: Weights) -> tuple[Regions, Seams, MergeWeights]:
    """Copy the evidence: joining overwrites it."""
    n, m = len(found.sizes), len(found.ends)
    regions = Regions(found.sizes.copy(), found.counts.copy(), np.zeros(n, np.intp), np.zeros(n, np.intp))
    seams = Seams(found.ends.copy(), found.lengths.copy(), found.cues.copy(), np.empty(m), np.empty(m, np.intp))
    rule = MergeWeights(*found.histograms, float(found.sizes.sum()), *weights)
    return regions, seams, rule
