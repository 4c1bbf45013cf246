"""d_{W,p}: the Wasserstein distance between the localized measures, as the new metric.

A new transport is one file here and one line in `TRANSPORTS`. `Stored` is not in the table: it wraps another.
"""

from ..backends import Report
from .base import Coupling, Status, Transport
from .bures import Bures, bures_pairs, gaussian_wasserstein
from .exact import Exact
from .line import Line
from .pairs import Distances, wasserstein, wasserstein_cross, wasserstein_pairs
from .points import Points
from .stored import Stored

TRANSPORTS: dict[str, type[Transport]] = {"exact": Exact, "line": Line, "points": Points, "bures": Bures}

__all__ = [
    "TRANSPORTS",
    "Bures",
    "Coupling",
    "Distances",
    "Exact",
    "Line",
    "Points",
    "Report",
    "Status",
    "Stored",
    "Transport",
    "bures_pairs",
    "gaussian_wasserstein",
    "wasserstein",
    "wasserstein_cross",
    "wasserstein_pairs",
]
