"""Join the finest regions to a tree: the seam least likely to be a human boundary goes first."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, Flag
from ..kernels.contours import Patches, Rule, Seams, all_evidence, join_regions
from .seams import GROUP, NAMES, STARTS, UNITS, Evidence
from .weights import COLOR, Weights


def joined(found: Evidence, engine: Engine, weights: Weights) -> tuple[Ints, Floats]:
    """Return pairs of regions in the order they are joined, and the log odds of each seam to be a human boundary.

    After a join, the first region of the pair stands for both. The evidence of joined regions and seams is pooled:
    sizes, lengths, histograms and contrasts are added.
    """
    patches, seams, rule = _parts(found, weights)
    n = len(found.sizes)
    joins, heights = np.empty((max(n - 1, 0), 2), np.intp), np.empty(max(n - 1, 0))
    scratch = np.empty(len(NAMES))

    def work(stop: Flag) -> int:
        return int(join_regions(patches, seams, rule, scratch, joins, heights, stop))

    engine.report("joining regions", 0, 1)
    count = engine.alone(work, "joining regions")
    return joins[:count], heights[:count]


def weighed(found: Evidence) -> Floats:
    """Return the features of each seam, one row each, in the order of `NAMES`."""
    patches, seams, rule = _parts(found, COLOR)
    rows = np.empty((len(found.ends), len(NAMES)))
    all_evidence(patches, seams, rule, rows)
    return rows


def _parts(found: Evidence, weights: Weights) -> tuple[Patches, Seams, Rule]:
    """Copy the evidence: joining overwrites it."""
    n, m = len(found.sizes), len(found.ends)
    patches = Patches(found.sizes.copy(), found.counts.copy(), np.zeros(n, np.intp), np.zeros(n, np.intp))
    seams = Seams(found.ends.copy(), found.lengths.copy(), found.cues.copy(), np.empty(m), np.empty(m, np.intp))
    rule = Rule(STARTS, GROUP, UNITS, float(found.sizes.sum()), *weights)
    return patches, seams, rule
