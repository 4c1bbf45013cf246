"""Sequential algorithms on arrays of the host, the same whoever the backend is: forests, single problems, landmarks."""

from __future__ import annotations

from ..kernels.line import FAINT, Climbs
from ..kernels.profiles import EPANECHNIKOV, FAINTEST, FLAT, GAUSSIAN, TRIANGLE
from ..kernels.trees import join_edges, shortest_forest, undecided
from .cpu.exact.batch import largest
from .cpu.exact.landmarks import landmark_rows, seen_from
from .cpu.exact.single import Farthest, Solution, solve_farthest, solve_one, solve_power
from .cpu.exact.tour import tour
from .cpu.line import climbs_of, one as line_distance
from .cpu.paths import pieces

__all__ = [
    "EPANECHNIKOV",
    "FAINT",
    "FAINTEST",
    "FLAT",
    "GAUSSIAN",
    "TRIANGLE",
    "Climbs",
    "Farthest",
    "Solution",
    "climbs_of",
    "join_edges",
    "landmark_rows",
    "largest",
    "line_distance",
    "pieces",
    "seen_from",
    "shortest_forest",
    "solve_farthest",
    "solve_one",
    "solve_power",
    "tour",
    "undecided",
]
