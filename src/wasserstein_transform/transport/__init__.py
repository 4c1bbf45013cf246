"""Transports: each computes the Wasserstein distance W_p between the measures of all points, the new metric.

To add a transport, write one file in this folder and import its class below. The table `TRANSPORTS` is made of these
imports, and the shared tests run over the table.
"""

from .. import _archive
from ..compute.exact.problems import Report as Report
from .closed_forms import Bures, DiracDistance, Stored, bures_pairs, gaussian_wasserstein
from .costs import CostMatrix
from .exact import Exact
from .line import Line
from .pairs import Distances as Distances, wasserstein, wasserstein_cross, wasserstein_pairs
from .plans import Plans as Plans
from .stack import wasserstein_stack
from .transport import Coupling as Coupling, Status as Status, Transport

__all__ = (
    "Bures",
    "CostMatrix",
    "DiracDistance",
    "Exact",
    "Line",
    "Stored",
    "Transport",
    "bures_pairs",
    "gaussian_wasserstein",
    "wasserstein",
    "wasserstein_cross",
    "wasserstein_pairs",
    "wasserstein_stack",
)

TRANSPORTS: dict[str, type[Transport]] = _archive.parts_in(globals(), Transport)
"""All transports by name in snake case, such as "exact" and "dirac_distance"."""
