"""d_{W,p}: the Wasserstein distance between the localized measures, as the new metric.

A new transport is one file here and one line below, its import: tables, exports, laws and the command line read it.
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
"""All of them, by their names in small letters."""
