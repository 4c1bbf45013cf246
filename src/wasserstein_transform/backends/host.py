"""Sequential algorithms on arrays of the host, the same for every backend.

Forests, single problems, landmarks; regions of images; tables of words.
"""

from __future__ import annotations

from ..kernels.basins import fill_basins, find_exits
from ..kernels.chains import merge_chains
from ..kernels.compile import on_compile
from ..kernels.cutting import walk_down
from ..kernels.line import Pieces
from ..kernels.merging import Borders, Regions, merge_regions
from ..kernels.profiles import EPANECHNIKOV, FAINTEST, FLAT, GAUSSIAN, TRIANGLE
from ..kernels.regions import link_adjacent, link_cells, link_inside, number_by_first, unite
from ..kernels.seams import Patches, Rule, Seams, all_evidence, join_regions
from ..kernels.sides import add_gaps, carry_up, smooth
from ..kernels.trees import join_edges, shortest_forest, undecided
from ..kernels.words import (
    BORDER,
    FULL as TABLE_IS_FULL,
    Table as WordTable,
    fill_slots,
    intern as intern_words,
    keep as keep_words,
)
from .cpu.exact.batch import largest
from .cpu.exact.landmarks import landmark_rows, seen_from
from .cpu.exact.single import Farthest, Solution, solve_farthest, solve_one, solve_power
from .cpu.exact.tour import tour
from .cpu.line import one as line_distance, sort as sort_on_line
from .cpu.paths import pieces
from .cpu.regions import distinct, facing, number_parts, region_sums
from .cpu.words import covariance as word_covariance

__all__ = [
    "BORDER",
    "EPANECHNIKOV",
    "FAINTEST",
    "FLAT",
    "GAUSSIAN",
    "TABLE_IS_FULL",
    "TRIANGLE",
    "Borders",
    "Farthest",
    "Patches",
    "Pieces",
    "Regions",
    "Rule",
    "Seams",
    "Solution",
    "WordTable",
    "add_gaps",
    "all_evidence",
    "carry_up",
    "distinct",
    "facing",
    "fill_basins",
    "fill_slots",
    "find_exits",
    "intern_words",
    "join_edges",
    "join_regions",
    "keep_words",
    "landmark_rows",
    "largest",
    "line_distance",
    "link_adjacent",
    "link_cells",
    "link_inside",
    "merge_chains",
    "merge_regions",
    "number_by_first",
    "number_parts",
    "on_compile",
    "pieces",
    "region_sums",
    "seen_from",
    "shortest_forest",
    "smooth",
    "solve_farthest",
    "solve_one",
    "solve_power",
    "sort_on_line",
    "tour",
    "undecided",
    "unite",
    "walk_down",
    "word_covariance",
]
