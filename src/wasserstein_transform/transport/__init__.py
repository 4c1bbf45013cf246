"""Transports: each computes the Wasserstein distance W_p between the measures of all points, the new metric.

To add a transport, write one file in this folder and import its class below. The table `TRANSPORTS`, the exports, the
shared tests and the command line read these imports.
"""

from .. import _parts
from ..backends import Report as Report
from .base import Coupling as Coupling, Status as Status, Transport as Transport
from .bures import Bures as Bures, bures_pairs as bures_pairs, gaussian_wasserstein as gaussian_wasserstein
from .dirac_distance import DiracDistance as DiracDistance
from .exact import Exact as Exact
from .line import Line as Line
from .pairs import (
    Distances as Distances,
    wasserstein as wasserstein,
    wasserstein_cross as wasserstein_cross,
    wasserstein_pairs as wasserstein_pairs,
)
from .stored import Stored as Stored

TRANSPORTS: dict[str, type[Transport]] = _parts.parts_in(globals(), Transport)
"""All transports by name in snake case, such as "exact" and "dirac_distance"."""
