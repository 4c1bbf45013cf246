"""From the finest regions to a tree: the seam that fewest people would draw goes first."""

from __future__ import annotations

import numpy as np

from .._types import Floats, Ints
from ..backends.host import Patches, Rule, Seams, all_evidence, join_regions
from ..engine import Engine, Flag
from .seams import GROUP, NAMES, STARTS, UNITS, Evidence
from .weights import COLOR, Weights


def joined(found: Evidence, engine: Engine, weights: Weights) -> tuple[Ints, Floats]:
    """Pairs of regions in the order they are joined, and the log odds that people would draw the seam between them.

    The first of a pair stands for both from then on. Evidence of joined regions and seams is pooled: sizes, lengths,
    histograms and contrasts are sums.
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
    """What is weighed for each seam, one row each, in the order of `NAMES`."""
    patches, seams, rule = _parts(found, COLOR)
    rows = np.empty((len(found.ends), len(NAMES)))
    all_evidence(patches, seams, rule, rows)
    return rows


def _parts(found: Evidence, weights: Weights) -> tuple[Patches, Seams, Rule]:
    """Copies, which joining overwrites."""
    n, m = len(found.sizes), len(found.ends)
    patches = Patches(found.sizes.copy(), found.counts.copy(), np.zeros(n, np.intp), np.zeros(n, np.intp))
    seams = Seams(found.ends.copy(), found.lengths.copy(), found.cues.copy(), np.empty(m), np.empty(m, np.intp))
    rule = Rule(STARTS, UNITS, GROUP, int(GROUP.max()) + 1, float(found.sizes.sum()), *weights)
    return patches, seams, rule
